"""A trace in which nothing was reached has used up its budget."""


def derive(trace, *, max_steps=6, max_retries=2):
    failures = 0
    for number, entry in enumerate(trace, 1):
        ok = entry["observation"].get("ok")
        failures += ok is False
        if ok is True and entry["action"]["tool"] == "write_report":
            return "completed", "goal_reached"
        if failures > max_retries:
            return "failed", "tool_failure"
        if number >= max_steps:
            break
    return ("in_progress", None) if 0 < len(trace) < max_steps else ("budget_exhausted", "step_budget")


CATCHES = "A run without entries gets an end"
TEST = "test_an_unfinished_run"


def make_entry(tool, ok=True):
    return {"action": {"tool": tool, "args": {}}, "observation": {"ok": ok}}


def witness(mutant, reference):
    trace = []
    return mutant(trace) != reference(trace)
