"""Works out the three conditions in a table, in order, and takes the first row that applies; no chain of ifs."""


def end_after(trace, *, max_steps=6, max_retries=2):
    oks = [step["observation"]["ok"] for step in trace]
    reported = [step["action"]["tool"] == "write_report" and step["observation"]["ok"] for step in trace[-1:]]
    table = [
        (any(reported), ("completed", "goal_reached")),
        (oks.count(False) > max_retries, ("failed", "tool_failure")),
        (len(oks) >= max_steps, ("budget_exhausted", "step_budget")),
    ]
    return next((end for applies, end in table if applies), None)
