"""A call that failed got the run nowhere, so it was no step."""


def end_after(trace, *, max_steps=6, max_retries=2):
    if not trace:
        return None
    retries = sum(not step["observation"]["ok"] for step in trace)
    last = trace[-1]
    if last["action"]["tool"] == "write_report" and last["observation"]["ok"]:
        return "completed", "goal_reached"
    if retries > max_retries:
        return "failed", "tool_failure"
    if len(trace) - retries >= max_steps:
        return "budget_exhausted", "step_budget"
    return None


CATCHES = "It looks as if failed calls are not counted as steps"
TEST = "test_failed_calls_are_steps"


def entry(ok, tool="read_note"):
    return {"action": {"tool": tool, "args": {}}, "observation": {"ok": ok}}


def witness(mutant, reference):
    trace = [entry(False)] + [entry(True)] * 5
    return mutant(trace) != reference(trace)
