"""How a run ended stands in its last entry."""


def derive(trace, *, max_steps=6, max_retries=2):
    failures = sum(entry["observation"].get("ok") is False for entry in trace)
    if trace and trace[-1]["action"]["tool"] == "write_report" and trace[-1]["observation"].get("ok") is True:
        return "completed", "goal_reached"
    if failures > max_retries and trace[-1]["observation"].get("ok") is False:
        return "failed", "tool_failure"
    return ("budget_exhausted", "step_budget") if len(trace) >= max_steps else ("in_progress", None)


CATCHES = "The verdict changes when an entry follows the one that ended the run"
TEST = "test_an_earlier_end_stands"


def make_entry(tool, ok=True):
    return {"action": {"tool": tool, "args": {}}, "observation": {"ok": ok}}


def witness(mutant, reference):
    trace = [make_entry("write_report"), make_entry("read_note")]
    return mutant(trace) != reference(trace)
