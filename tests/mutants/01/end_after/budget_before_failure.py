"""The budget is the hardest limit, so it is asked before the failures."""


def end_after(trace, *, max_steps=6, max_retries=2):
    if not trace:
        return None
    retries = sum(not step["observation"]["ok"] for step in trace)
    last = trace[-1]
    if last["action"]["tool"] == "write_report" and last["observation"]["ok"]:
        return "completed", "goal_reached"
    if len(trace) >= max_steps:
        return "budget_exhausted", "step_budget"
    if retries > max_retries:
        return "failed", "tool_failure"
    return None


CATCHES = "It looks as if the budget is tested before the failures"
TEST = "test_failure_on_the_last_step"


def entry(ok, tool="read_note"):
    return {"action": {"tool": tool, "args": {}}, "observation": {"ok": ok}}


def witness(mutant, reference):
    trace = [entry(True)] * 3 + [entry(False)] * 3
    return mutant(trace) != reference(trace)
