"""Asks a rule without memory about every prefix, shortest first, and takes the first answer; no running counter."""


def _end(prefix, max_steps, max_retries):
    last = prefix[-1]
    if last["action"]["tool"] == "write_report" and last["observation"].get("ok") is True:
        return "completed", "goal_reached"
    failed = [entry for entry in prefix if "ok" in entry["observation"] and entry["observation"]["ok"] is False]
    if len(failed) > max_retries:
        return "failed", "tool_failure"
    if len(prefix) == max_steps:
        return "budget_exhausted", "step_budget"
    return None


def derive(trace, *, max_steps=6, max_retries=2):
    answers = (_end(trace[:size], max_steps, max_retries) for size in range(1, len(trace) + 1))
    return next(filter(None, answers), ("in_progress", None))
