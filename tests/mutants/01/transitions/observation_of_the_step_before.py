"""An adapter proposes an action in answer to an observation, so the two belong together."""

from copy import deepcopy


def transitions(trace):
    rows, retries, before = [], 0, {}
    for k, step in enumerate(deepcopy(trace)):
        if not step["observation"]["ok"]:
            retries += 1
        rows.append(
            {
                "k": k,
                "action": step["action"],
                "observation": before,
                "steps": k + 1,
                "retries": retries,
            }
        )
        before = step["observation"]
    return rows


CATCHES = "A row's action or observation is not the one of its entry, as it was"
TEST = "test_proposed_then_observed_then_counted"


def entry(ok):
    return {"action": {"tool": "read_note", "args": {}}, "observation": {"ok": ok}}


def witness(mutant, reference):
    trace = [entry(True), entry(False), entry(True), entry(False)]
    return mutant(trace) != reference(trace)
