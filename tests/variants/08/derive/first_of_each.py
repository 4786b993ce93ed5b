"""Finds the first entry at which each of the three ends is reached, and takes the earliest; ties by their order."""

from itertools import accumulate


def derive(trace, *, max_steps=6, max_retries=2):
    flags = [entry["observation"].get("ok") for entry in trace]
    reports = [k for k, entry in enumerate(trace) if entry["action"]["tool"] == "write_report" and flags[k] is True]
    failures = accumulate(1 if flag is False else 0 for flag in flags)
    too_often = [k for k, so_far in enumerate(failures) if so_far > max_retries]
    used_up = range(max_steps - 1, len(trace))
    ends = [
        (reports, ("completed", "goal_reached")),
        (too_often, ("failed", "tool_failure")),
        (used_up, ("budget_exhausted", "step_budget")),
    ]
    reached = [(places[0], order, end) for order, (places, end) in enumerate(ends) if places]
    return min(reached)[2] if reached else ("in_progress", None)
