"""A generator yields each issue; the form of a day is checked with a pattern before it is read."""

import re
from datetime import datetime

from course_lib.evidence import QualityGateResult


def as_day(text):
    if not isinstance(text, str) or not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        return None
    try:
        return datetime.strptime(text, "%Y-%m-%d")
    except ValueError:
        return None


def issues_in(state):
    cutoff = as_day(state.cutoff_date)
    if cutoff is None:
        yield {"item": None, "result": None, "kind": "cutoff"}
    for i, item in enumerate(state.evidence):
        for j, result in enumerate(item["content"]["results"]):
            place = {"item": i, "result": j}
            published = result.get("published")
            if published in ("", None):
                yield {**place, "kind": "missing"}
            elif (day := as_day(published)) is None:
                yield {**place, "kind": "unparseable"}
            elif cutoff is not None and not day < cutoff:
                yield {**place, "kind": "post_cutoff"}


def check_consistency_gate(state):
    found = list(issues_in(state))
    reason = f"{len(found)} issues" if found else "consistent"
    return QualityGateResult("consistency", len(found) == 0, reason, {"issues": found})
