"""With as many failures as max_retries, the retries are used up."""


def end_after(trace, *, max_steps=6, max_retries=2):
    if not trace:
        return None
    retries = sum(not step["observation"]["ok"] for step in trace)
    last = trace[-1]
    if last["action"]["tool"] == "write_report" and last["observation"]["ok"]:
        return "completed", "goal_reached"
    if retries >= max_retries:
        return "failed", "tool_failure"
    if len(trace) >= max_steps:
        return "budget_exhausted", "step_budget"
    return None


CATCHES = "It looks as if a run ends when retries reaches max_retries; it has to exceed it"
TEST = "test_two_failures_are_forgiven"


def entry(ok, tool="read_note"):
    return {"action": {"tool": tool, "args": {}}, "observation": {"ok": ok}}


def witness(mutant, reference):
    trace = [entry(False), entry(False)]
    return mutant(trace) != reference(trace)
