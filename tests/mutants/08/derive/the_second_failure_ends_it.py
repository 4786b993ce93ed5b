"""Two retries are allowed, so the second failure ends the run."""


def derive(trace, *, max_steps=6, max_retries=2):
    failures = 0
    for number, entry in enumerate(trace, 1):
        ok = entry["observation"].get("ok")
        failures += ok is False
        if ok is True and entry["action"]["tool"] == "write_report":
            return "completed", "goal_reached"
        if failures >= max_retries:
            return "failed", "tool_failure"
        if number >= max_steps:
            return "budget_exhausted", "step_budget"
    return "in_progress", None


CATCHES = "Two failures keep a later report from completing the run"
TEST = "test_reads_on_after_a_failure"


def make_entry(tool, ok=True):
    return {"action": {"tool": tool, "args": {}}, "observation": {"ok": ok}}


def witness(mutant, reference):
    trace = [make_entry("read_note", False)] * 2 + [make_entry("write_report")]
    return mutant(trace) != reference(trace)
