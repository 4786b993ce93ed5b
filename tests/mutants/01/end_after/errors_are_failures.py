"""A failure is an observation with an error in it."""


def end_after(trace, *, max_steps=6, max_retries=2):
    if not trace:
        return None
    last = trace[-1]
    if last["action"]["tool"] == "write_report" and last["observation"]["ok"]:
        return "completed", "goal_reached"
    failures = sum("error" in each["observation"] for each in trace)
    if failures > max_retries:
        return "failed", "tool_failure"
    if len(trace) >= max_steps:
        return "budget_exhausted", "step_budget"
    return None


CATCHES = "It looks as if another key than ok says what failed"
TEST = "test_ok_alone_says_what_failed"


def step(tool, ok, **more):
    return {"action": {"tool": tool, "args": {}}, "observation": {"ok": ok, **more}}


def witness(mutant, reference):
    trace = [step("read_note", False)] * 3
    return mutant(trace) != reference(trace)
