"""The budget is exhausted when it is exceeded."""


def end_after(trace, *, max_steps=6, max_retries=2):
    if not trace:
        return None
    retries = sum(not step["observation"]["ok"] for step in trace)
    last = trace[-1]
    if last["action"]["tool"] == "write_report" and last["observation"]["ok"]:
        return "completed", "goal_reached"
    if retries > max_retries:
        return "failed", "tool_failure"
    if len(trace) > max_steps:
        return "budget_exhausted", "step_budget"
    return None


CATCHES = "It looks as if a run may take one step more than its budget allows"
TEST = "test_budget_is_used_up_at_its_last_step"


def entry(ok, tool="read_note"):
    return {"action": {"tool": tool, "args": {}}, "observation": {"ok": ok}}


def witness(mutant, reference):
    trace = [entry(True)] * 6
    return mutant(trace) != reference(trace)
