"""The two counters come from itertools.accumulate, side by side with the entries by zip; no running variable."""

from copy import deepcopy
from itertools import accumulate, count


def transitions(trace):
    failures = accumulate(int(not step["observation"]["ok"]) for step in trace)
    keys = ("k", "action", "observation", "steps", "retries")
    columns = zip(
        count(0),
        (deepcopy(step["action"]) for step in trace),
        (deepcopy(step["observation"]) for step in trace),
        count(1),
        failures,
        strict=False,
    )
    return [dict(zip(keys, row, strict=True)) for row in columns]
