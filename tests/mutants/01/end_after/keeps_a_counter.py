"""The rule is asked after every entry, so it can count the failures as they come."""

failures = [0]


def end_after(trace, *, max_steps=6, max_retries=2):
    if not trace:
        return None
    last = trace[-1]
    if not last["observation"]["ok"]:
        failures[0] += 1
    if last["action"]["tool"] == "write_report" and last["observation"]["ok"]:
        return "completed", "goal_reached"
    if failures[0] > max_retries:
        return "failed", "tool_failure"
    if len(trace) >= max_steps:
        return "budget_exhausted", "step_budget"
    return None


CATCHES = "It looks as if something is kept from one call to the next"
TEST = "test_nothing_is_kept_between_calls"


def witness(mutant, reference):
    failed = {"action": {"tool": "read_note", "args": {}}, "observation": {"ok": False}}
    return [mutant([failed]) for _ in range(4)] != [reference([failed]) for _ in range(4)]
