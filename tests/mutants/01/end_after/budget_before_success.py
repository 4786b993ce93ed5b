"""When the budget is used up it no longer matters what the last step brought."""


def end_after(trace, *, max_steps=6, max_retries=2):
    if not trace:
        return None
    retries = sum(not step["observation"]["ok"] for step in trace)
    last = trace[-1]
    if retries > max_retries:
        return "failed", "tool_failure"
    if len(trace) >= max_steps:
        return "budget_exhausted", "step_budget"
    if last["action"]["tool"] == "write_report" and last["observation"]["ok"]:
        return "completed", "goal_reached"
    return None


CATCHES = "It looks as if the budget is tested before success"
TEST = "test_success_on_the_last_step"


def entry(ok, tool="read_note"):
    return {"action": {"tool": tool, "args": {}}, "observation": {"ok": ok}}


def witness(mutant, reference):
    trace = [entry(True)] * 5 + [entry(True, "write_report")]
    return mutant(trace) != reference(trace)
