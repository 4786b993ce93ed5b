"""Plain loops, a set of types that are still wanted, and ages in seconds."""

import datetime as dt

from course_lib.evidence import QualityGateResult


def check_coverage_gate(state, min_items=3, required_types=("search_results", "base_rate")):
    wanted = list(required_types)
    n = 0
    for item in state.evidence:
        n += 1
        if item["type"] in wanted:
            wanted.remove(item["type"])
    if wanted:
        return QualityGateResult("coverage", False, "missing: " + ", ".join(wanted), {"missing": wanted, "items": n})
    if n < min_items:
        return QualityGateResult("coverage", False, f"only {n} items", {"missing": [], "items": n})
    return QualityGateResult("coverage", True, "enough", {"missing": [], "items": n})


def check_freshness_gate(state, *, as_of, max_age_hours=24):
    reference = dt.datetime.fromisoformat(as_of)
    problems = []
    for number in range(len(state.evidence)):
        stamp = state.evidence[number].get("timestamp", "")
        try:
            age = (reference - dt.datetime.fromisoformat(stamp)).total_seconds()
        except (TypeError, ValueError):  # no text, no moment, or one with a zone
            problems.append({"item": number, "kind": "unknown"})
            continue
        if age < 0:
            problems.append({"item": number, "kind": "future"})
        elif age > max_age_hours * 3600:
            problems.append({"item": number, "kind": "stale"})
    reason = f"{len(problems)} of {len(state.evidence)} items have an issue"
    return QualityGateResult(
        passed=len(problems) == 0, gate_name="freshness", reason=reason, details={"issues": problems}
    )
