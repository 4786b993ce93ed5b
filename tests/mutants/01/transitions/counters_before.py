"""The counters of a row say where the run stood when the step was taken."""

from copy import deepcopy


def transitions(trace):
    rows, retries = [], 0
    for k, step in enumerate(deepcopy(trace)):
        rows.append(
            {
                "k": k,
                "action": step["action"],
                "observation": step["observation"],
                "steps": k,
                "retries": retries,
            }
        )
        if not step["observation"]["ok"]:
            retries += 1
    return rows


CATCHES = "It looks as if the counters are those before the entry"
TEST = "test_counters_stand_after_the_step"


def entry(ok):
    return {"action": {"tool": "read_note", "args": {}}, "observation": {"ok": ok}}


def witness(mutant, reference):
    trace = [entry(True), entry(False), entry(True), entry(False)]
    return mutant(trace) != reference(trace)
