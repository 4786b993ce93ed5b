"""A run that neither reached its goal nor failed has used up its budget."""


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
    return ("budget_exhausted", "step_budget") if trace else ("in_progress", None)


CATCHES = "A run that has not ended gets an end"
TEST = "test_an_unfinished_run"


def make_entry(tool, ok=True):
    return {"action": {"tool": tool, "args": {}}, "observation": {"ok": ok}}


def witness(mutant, reference):
    trace = [make_entry("read_note")]
    return mutant(trace) != reference(trace)
