"""Three items means three different kinds of item."""

from datetime import datetime, timedelta

from course_lib.evidence import QualityGateResult


def check_coverage_gate(state, min_items=3, required_types=("search_results", "base_rate")):
    types = [each["type"] for each in state.evidence]
    missing = [kind for kind in required_types if kind not in types]
    count = len(set(types))
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
    return "stale" if now - seen > timedelta(hours=hours) else None


def check_freshness_gate(state, *, as_of, max_age_hours=24):
    now = datetime.fromisoformat(as_of)
    kinds = [kind_of(each.get("timestamp"), now, max_age_hours) for each in state.evidence]
    issues = [{"item": at, "kind": kind} for at, kind in enumerate(kinds) if kind]
    return QualityGateResult("freshness", not issues, f"issues: {issues}", {"issues": issues})


CATCHES = "Types seem to be counted instead of items"
TEST = "test_items_are_counted"


from types import SimpleNamespace


def items(*types, results=1):
    return SimpleNamespace(evidence=[{"type": kind, "content": {"results": [{}] * results}} for kind in types])


def witness(mutant, reference):
    state = items("search_results", "base_rate", "base_rate")
    return mutant(state).details != reference(state).details
