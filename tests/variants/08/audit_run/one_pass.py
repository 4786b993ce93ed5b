"""One pass over the entries that keeps its own state and notes codes as it goes; calls neither derive nor keys_in."""

from course_lib.recordings import project


def audit_run(result):
    forbidden = project()["evidence"]["forbidden_fields"]
    violations = set()
    steps = retries = 0
    end = None
    for entry in result["trace"]:
        if end:
            violations.add("steps_after_terminal")
        steps += 1
        ok = entry["observation"].get("ok", "missing")
        if ok is False:
            retries += 1
        elif ok is not True:
            violations.add("missing_ok")
        if end is None:
            if ok is True and entry["action"]["tool"] == "write_report":
                end = ("completed", "goal_reached")
            elif retries >= 3:
                end = ("failed", "tool_failure")
            elif steps >= 6:
                end = ("budget_exhausted", "step_budget")
        if _holds_key(entry, forbidden):
            violations.add("forbidden_field")
    status, termination = end or ("in_progress", None)
    if steps > 6:
        violations.add("too_many_steps")
    if retries > 3:
        violations.add("too_many_retries")
    if result["steps"] != steps or result["retries"] != retries:
        violations.add("count_mismatch")
    if result["status"] != status:
        violations.add("status_mismatch")
    if result["termination"] != termination:
        violations.add("termination_mismatch")
    return {
        "steps": steps,
        "retries": retries,
        "status": status,
        "termination": termination,
        "violations": sorted(violations),
    }


def _holds_key(value, names):
    if isinstance(value, dict):
        return any(key.lower() in names or _holds_key(inner, names) for key, inner in value.items())
    if isinstance(value, list):
        return any(_holds_key(inner, names) for inner in value)
    return False
