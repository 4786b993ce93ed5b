"""Walks through the trace once with two counters that run down, and matches on what the walk ended with."""


def end_after(trace, *, max_steps=6, max_retries=2):
    steps_left, failures_left, written = max_steps, max_retries, False
    for step in trace:
        steps_left -= 1
        match step:
            case {"observation": {"ok": False}}:
                failures_left -= 1
                written = False
            case {"action": {"tool": "write_report"}}:
                written = True
            case _:
                written = False
    match (written, failures_left < 0, steps_left <= 0):
        case (True, _, _):
            return "completed", "goal_reached"
        case (_, True, _):
            return "failed", "tool_failure"
        case (_, _, True):
            return "budget_exhausted", "step_budget"
    return None
