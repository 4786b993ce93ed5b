"""Whatever tool writes something successfully has reached the goal."""


def end_after(trace, *, max_steps=6, max_retries=2):
    if not trace:
        return None
    retries = sum(not step["observation"]["ok"] for step in trace)
    last = trace[-1]
    if last["action"]["tool"].startswith("write_") and last["observation"]["ok"]:
        return "completed", "goal_reached"
    if retries > max_retries:
        return "failed", "tool_failure"
    if len(trace) >= max_steps:
        return "budget_exhausted", "step_budget"
    return None


CATCHES = "It looks as if any tool that writes completes the run"
TEST = "test_other_tools_complete_nothing"


def entry(ok, tool="read_note"):
    return {"action": {"tool": tool, "args": {}}, "observation": {"ok": ok}}


def witness(mutant, reference):
    trace = [entry(True, "write_note")]
    return mutant(trace) != reference(trace)
