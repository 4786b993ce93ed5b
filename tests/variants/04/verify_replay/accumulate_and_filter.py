"""Prefixes from itertools.accumulate, one Divergence for each place, and a filter that keeps the real ones."""

from itertools import accumulate, count, starmap

from course_lib.agent import Divergence


def verify_replay(trace, make_adapter):
    prefixes = accumulate(trace, lambda seen, entry: (*seen, entry), initial=())
    recorded = [entry["action"] for entry in trace]
    proposed = [make_adapter().next_action(list(seen)) for _, seen in zip(recorded, prefixes, strict=False)]
    places = starmap(Divergence, zip(count(), recorded, proposed, strict=False))
    return list(filter(lambda place: place.recorded != place.proposed, places))
