"""A row tells of its own step, so its retries is 1 or 0."""

from copy import deepcopy


def transitions(trace):
    rows, retries = [], 0
    for k, step in enumerate(deepcopy(trace)):
        rows.append(
            {
                "k": k,
                "action": step["action"],
                "observation": step["observation"],
                "steps": k + 1,
                "retries": int(not step["observation"]["ok"]),
            }
        )
    return rows


CATCHES = "It looks as if retries tells of this entry alone; it adds up"
TEST = "test_counters_stand_after_the_step"


def entry(ok):
    return {"action": {"tool": "read_note", "args": {}}, "observation": {"ok": ok}}


def witness(mutant, reference):
    trace = [entry(True), entry(False), entry(True), entry(False)]
    return mutant(trace) != reference(trace)
