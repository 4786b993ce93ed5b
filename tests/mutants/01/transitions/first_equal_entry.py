"""The position of an entry is where the trace has it."""

from copy import deepcopy


def transitions(trace):
    rows, retries = [], 0
    for number, step in enumerate(trace, 1):
        retries += not step["observation"]["ok"]
        rows.append(
            {
                "k": trace.index(step),
                "action": deepcopy(step["action"]),
                "observation": deepcopy(step["observation"]),
                "steps": number,
                "retries": retries,
            }
        )
    return rows


CATCHES = "It looks as if equal entries get the same k"
TEST = "test_positions_begin_at_zero"


def witness(mutant, reference):
    step = {"action": {"tool": "read_note", "args": {}}, "observation": {"ok": True}}
    return [[row["k"] for row in each([step, step])] for each in (mutant, reference)] == [[0, 0], [0, 1]]
