"""Six steps and two retries are the limits, so they can be written out."""


def derive(trace, *, max_steps=6, max_retries=2):
    failures = 0
    for number, entry in enumerate(trace, 1):
        ok = entry["observation"].get("ok")
        failures += ok is False
        if ok is True and entry["action"]["tool"] == "write_report":
            return "completed", "goal_reached"
        if failures > 2:
            return "failed", "tool_failure"
        if number >= 6:
            return "budget_exhausted", "step_budget"
    return "in_progress", None


CATCHES = "max_steps seems to be left aside: the run ends as it would with the usual limits"
TEST = "test_limits_are_given"


def make_entry(tool, ok=True):
    return {"action": {"tool": tool, "args": {}}, "observation": {"ok": ok}}


def witness(mutant, reference):
    trace = [make_entry("read_note")] * 7
    return mutant(trace, max_steps=9) != reference(trace, max_steps=9)
