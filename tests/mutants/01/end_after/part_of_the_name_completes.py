"""Whatever has write_report in its name writes the report."""


def end_after(trace, *, max_steps=6, max_retries=2):
    if not trace:
        return None
    last = trace[-1]
    if "write_report" in last["action"]["tool"] and last["observation"]["ok"]:
        return "completed", "goal_reached"
    failures = sum(not each["observation"]["ok"] for each in trace)
    if failures > max_retries:
        return "failed", "tool_failure"
    if len(trace) >= max_steps:
        return "budget_exhausted", "step_budget"
    return None


CATCHES = "It looks as if a part of the tool's name is enough to complete the run"
TEST = "test_other_tools_complete_nothing"


def step(tool, ok, **more):
    return {"action": {"tool": tool, "args": {}}, "observation": {"ok": ok, **more}}


def witness(mutant, reference):
    trace = [step("draft_write_report", True)]
    return mutant(trace) != reference(trace)
