"""A report that failed with the last step may be tried once more."""


def end_after(trace, *, max_steps=6, max_retries=2):
    if not trace:
        return None
    last = trace[-1]
    if last["action"]["tool"] == "write_report" and last["observation"]["ok"]:
        return "completed", "goal_reached"
    failures = sum(not each["observation"]["ok"] for each in trace)
    if failures > max_retries:
        return "failed", "tool_failure"
    if len(trace) >= max_steps and last["action"]["tool"] != "write_report":
        return "budget_exhausted", "step_budget"
    return None


CATCHES = "It looks as if a report that failed is allowed one step more"
TEST = "test_failed_calls_are_steps"


def step(tool, ok, **more):
    return {"action": {"tool": tool, "args": {}}, "observation": {"ok": ok, **more}}


def witness(mutant, reference):
    trace = [step("read_note", True)] * 5 + [step("write_report", False)]
    return mutant(trace) != reference(trace)
