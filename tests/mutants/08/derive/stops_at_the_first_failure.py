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


CATCHES = "Reading seems to stop at a failure"
TEST = "test_reads_on_after_a_failure"


def step(tool, ok=True):
    return {"action": {"tool": tool, "args": {}}, "observation": {"ok": ok}}


def witness(mutant, reference):
    trace = [step("read_note", False), step("write_report")]
    return mutant(trace) != reference(trace)
