"""The first step has number 1."""

from copy import deepcopy


def transitions(trace):
    rows, retries = [], 0
    for k, step in enumerate(deepcopy(trace)):
        if not step["observation"]["ok"]:
            retries += 1
        rows.append(
            {
                "k": k + 1,
                "action": step["action"],
                "observation": step["observation"],
                "steps": k + 1,
                "retries": retries,
            }
        )
    return rows


CATCHES = "It looks as if k begins at 1"
TEST = "test_positions_begin_at_zero"


def entry(ok):
    return {"action": {"tool": "read_note", "args": {}}, "observation": {"ok": ok}}


def witness(mutant, reference):
    trace = [entry(True), entry(False), entry(True), entry(False)]
    return mutant(trace) != reference(trace)
