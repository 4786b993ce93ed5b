"""Once the report is written the goal is reached, whatever happened before."""


def derive(trace, *, max_steps=6, max_retries=2):
    for entry in trace[:max_steps]:
        if entry["action"]["tool"] == "write_report" and entry["observation"].get("ok") is True:
            return "completed", "goal_reached"
    failures = sum(entry["observation"].get("ok") is False for entry in trace)
    if failures > max_retries:
        return "failed", "tool_failure"
    return ("budget_exhausted", "step_budget") if len(trace) >= max_steps else ("in_progress", None)


CATCHES = "An ok report that comes after the third failure completes the run"
TEST = "test_a_report_after_the_third_failure"


def make_entry(tool, ok=True):
    return {"action": {"tool": tool, "args": {}}, "observation": {"ok": ok}}


def witness(mutant, reference):
    trace = [make_entry("read_note", False)] * 3 + [make_entry("write_report")]
    return mutant(trace) != reference(trace)
