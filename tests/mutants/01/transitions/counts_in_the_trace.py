"""The counters can be noted in the entries themselves."""

from copy import deepcopy


def transitions(trace):
    rows, retries = [], 0
    for k, step in enumerate(trace):
        retries += not step["observation"]["ok"]
        row = {"k": k, **deepcopy(step), "steps": k + 1, "retries": retries}
        step["retries"] = retries
        rows.append(row)
    return rows


CATCHES = "Your function changed the trace that it was given"
TEST = "test_trace_is_left_alone"


def witness(mutant, reference):
    def left(transitions):
        trace = [{"action": {"tool": "read_note", "args": {}}, "observation": {"ok": True}}]
        transitions(trace)
        return trace

    return left(mutant) != left(reference)
