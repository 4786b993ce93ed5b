"""Begins at the last entry with the total and takes failures off again; copies by rebuilding, not by deepcopy."""


def _rebuilt(value):
    if isinstance(value, dict):
        return {key: _rebuilt(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_rebuilt(inner) for inner in value]
    if isinstance(value, tuple):
        return tuple(_rebuilt(inner) for inner in value)
    return value


def transitions(trace):
    rows = [None] * len(trace)
    retries = sum(step["observation"]["ok"] is False for step in trace)
    steps = len(trace)
    while steps:
        step = trace[steps - 1]
        rows[steps - 1] = {
            "k": steps - 1,
            "action": _rebuilt(step["action"]),
            "observation": _rebuilt(step["observation"]),
            "steps": steps,
            "retries": retries,
        }
        if step["observation"]["ok"] is False:
            retries -= 1
        steps -= 1
    return rows
