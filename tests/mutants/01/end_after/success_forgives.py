"""Once a call goes well again, earlier failures are forgiven."""


def end_after(trace, *, max_steps=6, max_retries=2):
    if not trace:
        return None
    retries = 0
    for step in trace:
        retries = 0 if step["observation"]["ok"] else retries + 1
    last = trace[-1]
    if last["action"]["tool"] == "write_report" and last["observation"]["ok"]:
        return "completed", "goal_reached"
    if retries > max_retries:
        return "failed", "tool_failure"
    if len(trace) >= max_steps:
        return "budget_exhausted", "step_budget"
    return None


CATCHES = "It looks as if a success sets the failures back to zero"
TEST = "test_failures_add_up"


def entry(ok, tool="read_note"):
    return {"action": {"tool": tool, "args": {}}, "observation": {"ok": ok}}


def witness(mutant, reference):
    trace = [entry(False), entry(True), entry(False), entry(True), entry(False)]
    return mutant(trace) != reference(trace)
