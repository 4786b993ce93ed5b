"""After a failed observation there is nothing more to learn from a trace."""


def derive(trace, *, max_steps=6, max_retries=2):
    failures = 0
    for number, entry in enumerate(trace, 1):
        ok = entry["observation"].get("ok")
        if ok is False:
            failures = sum(later["observation"].get("ok") is False for later in trace)
            break
        if ok is True and entry["action"]["tool"] == "write_report":
            return "completed", "goal_reached"
        if number >= max_steps:
            return "budget_exhausted", "step_budget"
    return ("failed", "tool_failure") if failures > max_retries else ("in_progress", None)


CATCHES = "One failure keeps a later report from completing the run"
TEST = "test_reads_on_after_a_failure"


def make_entry(tool, ok=True):
    return {"action": {"tool": tool, "args": {}}, "observation": {"ok": ok}}


def witness(mutant, reference):
    trace = [make_entry("read_note", False), make_entry("write_report")]
    return mutant(trace) != reference(trace)
