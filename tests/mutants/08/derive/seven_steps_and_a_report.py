"""A run that went over its budget and then wrote its report has reached its goal."""


def derive(trace, *, max_steps=6, max_retries=2):
    failures = 0
    for number, entry in enumerate(trace, 1):
        ok = entry["observation"].get("ok")
        failures += ok is False
        if ok is True and entry["action"]["tool"] == "write_report":
            return "completed", "goal_reached"
        if failures > max_retries:
            return "failed", "tool_failure"
    return ("budget_exhausted", "step_budget") if len(trace) >= max_steps else ("in_progress", None)


CATCHES = "A report beyond the budget completes the run"
TEST = "test_a_report_on_the_sixth_step"


def make_entry(tool, ok=True):
    return {"action": {"tool": tool, "args": {}}, "observation": {"ok": ok}}


def witness(mutant, reference):
    trace = [make_entry("read_note")] * 6 + [make_entry("write_report")]
    return mutant(trace) != reference(trace)
