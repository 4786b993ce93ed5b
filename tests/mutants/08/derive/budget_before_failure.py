"""The budget is the outer limit, so it is asked first."""


def derive(trace, *, max_steps=6, max_retries=2):
    failures = 0
    for number, entry in enumerate(trace, 1):
        ok = entry["observation"].get("ok")
        failures += ok is False
        if ok is True and entry["action"]["tool"] == "write_report":
            return "completed", "goal_reached"
        if number >= max_steps:
            return "budget_exhausted", "step_budget"
        if failures > max_retries:
            return "failed", "tool_failure"
    return "in_progress", None


CATCHES = "The budget seems to be asked before the failures"
TEST = "test_third_failure_on_the_sixth_step"


def make_entry(tool, ok=True):
    return {"action": {"tool": tool, "args": {}}, "observation": {"ok": ok}}


def witness(mutant, reference):
    trace = [make_entry("read_note")] * 3 + [make_entry("read_note", False)] * 3
    return mutant(trace) != reference(trace)
