"""After a failure the record is no longer reliable, so it ends there."""

from copy import deepcopy


def transitions(trace):
    rows, retries = [], 0
    for k, step in enumerate(deepcopy(trace)):
        if not step["observation"]["ok"]:
            retries += 1
        rows.append(
            {
                "k": k,
                "action": step["action"],
                "observation": step["observation"],
                "steps": k + 1,
                "retries": retries,
            }
        )
        if retries:
            break
    return rows


CATCHES = "It looks as if the record stops at the first failure"
TEST = "test_every_entry_has_its_row"


def entry(ok):
    return {"action": {"tool": "read_note", "args": {}}, "observation": {"ok": ok}}


def witness(mutant, reference):
    trace = [entry(True), entry(False), entry(True), entry(False)]
    return mutant(trace) != reference(trace)
