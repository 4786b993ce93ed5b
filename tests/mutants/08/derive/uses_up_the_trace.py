"""An entry that has been read is done with."""


def derive(trace, *, max_steps=6, max_retries=2):
    failures = 0
    number = 0
    while trace:
        entry = trace.pop(0)
        number += 1
        ok = entry["observation"].get("ok")
        failures += ok is False
        if ok is True and entry["action"]["tool"] == "write_report":
            return "completed", "goal_reached"
        if failures > max_retries:
            return "failed", "tool_failure"
        if number >= max_steps:
            return "budget_exhausted", "step_budget"
    return "in_progress", None


CATCHES = "derive changes the trace that it is given"
TEST = "test_each_ending"


def make_entry(tool, ok=True):
    return {"action": {"tool": tool, "args": {}}, "observation": {"ok": ok}}


def witness(mutant, reference):
    one, other = [make_entry("read_note")], [make_entry("read_note")]
    return mutant(one) == reference(other) and (one, other) == ([], [make_entry("read_note")])
