"""A time zone is noise at the end of a timestamp."""

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
    seen = seen.replace(tzinfo=None)
    if seen > now:
        return "future"
    return "stale" if now - seen > timedelta(hours=hours) else None


def check_freshness_gate(state, *, as_of, max_age_hours=24):
    now = datetime.fromisoformat(as_of)
    kinds = [kind_of(each.get("timestamp"), now, max_age_hours) for each in state.evidence]
    issues = [{"item": at, "kind": kind} for at, kind in enumerate(kinds) if kind]
    return QualityGateResult("freshness", not issues, f"issues: {issues}", {"issues": issues})


CATCHES = "A moment with a time zone seems to be taken for one without"
TEST = "test_unreadable_timestamps"


from types import SimpleNamespace


def aged(*stamps, published="2020-05-05"):
    content = {"results": [{"published": published}]}
    return SimpleNamespace(evidence=[{"timestamp": stamp, "content": content} for stamp in stamps])


def witness(mutant, reference):
    state = aged("2020-05-05T11:00:00+02:00")
    said = [
        each.__globals__["check_freshness_gate"](state, as_of="2020-05-05T12:00:00") for each in (mutant, reference)
    ]
    return said[0].details != said[1].details
