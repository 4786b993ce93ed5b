"""An observation that does not say that it failed went well."""


def derive(trace, *, max_steps=6, max_retries=2):
    failures = 0
    for number, entry in enumerate(trace, 1):
        ok = entry["observation"].get("ok", True)
        failures += ok is False
        if ok is True and entry["action"]["tool"] == "write_report":
            return "completed", "goal_reached"
        if failures > max_retries:
            return "failed", "tool_failure"
        if number >= max_steps:
            return "budget_exhausted", "step_budget"
    return "in_progress", None


CATCHES = "An ok that is not True is taken for a success"
TEST = "test_a_missing_ok_is_no_success"


def make_entry(tool, ok=True):
    return {"action": {"tool": tool, "args": {}}, "observation": {"ok": ok}}


def witness(mutant, reference):
    trace = [{"action": {"tool": "write_report", "args": {}}, "observation": {}}]
    return mutant(trace) != reference(trace)
