"""A day old means that the difference has more than one day."""

from datetime import datetime, timedelta

from course_lib.evidence import QualityGateResult


def check_coverage_gate(state, min_items=3, required_types=("search_results", "base_rate")):
    types = [each["type"] for each in state.evidence]
    missing = [kind for kind in required_types if kind not in types]
    count = len(types)
    passed = not missing and count >= min_items
    return QualityGateResult("coverage", passed, f"{count}, missing: {missing}", {"missing": missing, "items": count})


def kind_of(stamp, now, hours):
    try:
        seen = datetime.fromisoformat(stamp)
    except (TypeError, ValueError):
        return "unknown"
    if seen.tzinfo is not None:
        return "unknown"
    if seen > now:
        return "future"
    return "stale" if (now - seen).days > hours / 24 else None


def check_freshness_gate(state, *, as_of, max_age_hours=24):
    now = datetime.fromisoformat(as_of)
    kinds = [kind_of(each.get("timestamp"), now, max_age_hours) for each in state.evidence]
    issues = [{"item": at, "kind": kind} for at, kind in enumerate(kinds) if kind]
    return QualityGateResult("freshness", not issues, f"issues: {issues}", {"issues": issues})


CATCHES = "Age seems to be measured in whole days, or otherwise rounded"
TEST = "test_exactly_the_window_is_fresh"


from types import SimpleNamespace


def aged(*stamps, published="2020-05-05"):
    content = {"results": [{"published": published}]}
    return SimpleNamespace(evidence=[{"timestamp": stamp, "content": content} for stamp in stamps])


def witness(mutant, reference):
    state = aged("2020-05-04T02:00:00")
    said = [
        each.__globals__["check_freshness_gate"](state, as_of="2020-05-05T12:00:00") for each in (mutant, reference)
    ]
    return said[0].details != said[1].details
