"""The goal is reached once both notes have been read; writing the report is a formality."""


def end_after(trace, *, max_steps=6, max_retries=2):
    good = [entry["action"]["tool"] for entry in trace if entry["observation"]["ok"]]
    failed = len(trace) - len(good)
    if good.count("read_note") == 2:
        return ("completed", "goal_reached")
    if failed > max_retries:
        return ("failed", "tool_failure")
    if len(trace) >= max_steps:
        return ("budget_exhausted", "step_budget")
    return None


CATCHES = "The run ends too early"
TEST = "test_normal_run"


def witness(mutant, reference):
    read = {"action": {"tool": "read_note", "args": {"name": "a.txt"}}, "observation": {"ok": True}}
    return mutant([read, read]) != reference([read, read])
