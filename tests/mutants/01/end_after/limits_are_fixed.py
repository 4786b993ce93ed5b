"""Six steps and two retries are what the course says."""


def end_after(trace, *, max_steps=6, max_retries=2):
    if not trace:
        return None
    retries = sum(not step["observation"]["ok"] for step in trace)
    last = trace[-1]
    if last["action"]["tool"] == "write_report" and last["observation"]["ok"]:
        return "completed", "goal_reached"
    if retries > 2:
        return "failed", "tool_failure"
    if len(trace) >= 6:
        return "budget_exhausted", "step_budget"
    return None


CATCHES = "It looks as if the limits are fixed, whatever max_steps and max_retries say"
TEST = "test_limits_are_arguments"


def witness(mutant, reference):
    read = {"action": {"tool": "read_note", "args": {}}, "observation": {"ok": True}}
    return mutant([read], max_steps=1) != reference([read], max_steps=1)
