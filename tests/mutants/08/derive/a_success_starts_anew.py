"""Whoever succeeds after a failure has put it right, and starts anew."""


def derive(trace, *, max_steps=6, max_retries=2):
    failures = 0
    for number, entry in enumerate(trace, 1):
        ok = entry["observation"].get("ok")
        failures = failures + 1 if ok is False else 0
        if ok is True and entry["action"]["tool"] == "write_report":
            return "completed", "goal_reached"
        if failures > max_retries:
            return "failed", "tool_failure"
        if number >= max_steps:
            return "budget_exhausted", "step_budget"
    return "in_progress", None


CATCHES = "A success between the failures seems to set their number back"
TEST = "test_failures_add_up"


def make_entry(tool, ok=True):
    return {"action": {"tool": tool, "args": {}}, "observation": {"ok": ok}}


def witness(mutant, reference):
    trace = [make_entry("read_note", ok) for ok in (False, True, False, False)]
    return mutant(trace) != reference(trace)
