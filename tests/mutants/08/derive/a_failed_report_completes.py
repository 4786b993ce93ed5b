"""Whoever calls write_report is done."""


def derive(trace, *, max_steps=6, max_retries=2):
    failures = 0
    for number, entry in enumerate(trace, 1):
        ok = entry["observation"].get("ok")
        failures += ok is False
        if type(ok) is bool and entry["action"]["tool"] == "write_report":
            return "completed", "goal_reached"
        if failures > max_retries:
            return "failed", "tool_failure"
        if number >= max_steps:
            return "budget_exhausted", "step_budget"
    return "in_progress", None


CATCHES = "A failed report seems to complete the run"
TEST = "test_a_failed_report"


def make_entry(tool, ok=True):
    return {"action": {"tool": tool, "args": {}}, "observation": {"ok": ok}}


def witness(mutant, reference):
    trace = [make_entry("write_report", False)]
    return mutant(trace) != reference(trace)
