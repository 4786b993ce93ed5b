"""Calling write_report is what completes a run."""


def end_after(trace, *, max_steps=6, max_retries=2):
    if not trace:
        return None
    retries = sum(not step["observation"]["ok"] for step in trace)
    last = trace[-1]
    if last["action"]["tool"] == "write_report":
        return "completed", "goal_reached"
    if retries > max_retries:
        return "failed", "tool_failure"
    if len(trace) >= max_steps:
        return "budget_exhausted", "step_budget"
    return None


CATCHES = "It looks as if a report that could not be written completes the run"
TEST = "test_report_that_failed"


def entry(ok, tool="read_note"):
    return {"action": {"tool": tool, "args": {}}, "observation": {"ok": ok}}


def witness(mutant, reference):
    trace = [entry(False, "write_report")]
    return mutant(trace) != reference(trace)
