"""A counter for the types; a list of kinds with their conditions, the first that holds counts."""

from collections import Counter
from datetime import datetime, timedelta

from course_lib.evidence import QualityGateResult


def check_coverage_gate(state, min_items=3, required_types=("search_results", "base_rate")):
    counted = Counter(item["type"] for item in state.evidence)
    missing = [kind for kind in required_types if counted[kind] == 0]
    reasons = [f"no {kind}" for kind in missing]
    if counted.total() < min_items:
        reasons.append(f"{counted.total()} of {min_items} items")
    details = dict(items=counted.total(), missing=missing)
    return QualityGateResult("coverage", reasons == [], "; ".join(reasons) or "covered", details)


def moment(text):
    """The moment without a zone that the text holds, or None."""
    if not isinstance(text, str):
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo is None else None


def check_freshness_gate(state, *, as_of, max_age_hours=24):
    now = datetime.fromisoformat(as_of)
    oldest = now - timedelta(hours=max_age_hours)
    rules = {
        "unknown": lambda seen: seen is None,
        "future": lambda seen: seen > now,
        "stale": lambda seen: seen < oldest,
    }
    details = {"issues": []}
    for at, item in enumerate(state.evidence):
        seen = moment(item.get("timestamp"))
        kind = next((kind for kind, holds in rules.items() if holds(seen)), None)
        if kind is not None:
            details["issues"].append({"item": at, "kind": kind})
    told = [f"#{issue['item']}: {issue['kind']}" for issue in details["issues"]]
    return QualityGateResult("freshness", not told, ", ".join(told) if told else "fresh", details)
