"""Every tool is forgiven two failures of its own."""


def end_after(trace, *, max_steps=6, max_retries=2):
    if not trace:
        return None
    last = trace[-1]
    if last["action"]["tool"] == "write_report" and last["observation"]["ok"]:
        return "completed", "goal_reached"
    failures = sum(not each["observation"]["ok"] and each["action"]["tool"] == last["action"]["tool"] for each in trace)
    if failures > max_retries:
        return "failed", "tool_failure"
    if len(trace) >= max_steps:
        return "budget_exhausted", "step_budget"
    return None


CATCHES = "It looks as if each tool's failures are counted apart"
TEST = "test_failures_add_up"


def step(tool, ok, **more):
    return {"action": {"tool": tool, "args": {}}, "observation": {"ok": ok, **more}}


def witness(mutant, reference):
    trace = [step(tool, False) for tool in ("list_notes", "read_note", "search")]
    return mutant(trace) != reference(trace)
