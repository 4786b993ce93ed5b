"""What came back matters most, so it stands before what was proposed."""

from copy import deepcopy


def transitions(trace):
    rows, retries = [], 0
    for k, step in enumerate(deepcopy(trace)):
        if not step["observation"]["ok"]:
            retries += 1
        rows.append(
            {
                "k": k,
                "observation": step["observation"],
                "action": step["action"],
                "steps": k + 1,
                "retries": retries,
            }
        )
    return rows


CATCHES = "The keys do not stand in the order of events: proposed, observed, counted"
TEST = "test_proposed_then_observed_then_counted"


def entry(ok):
    return {"action": {"tool": "read_note", "args": {}}, "observation": {"ok": ok}}


def witness(mutant, reference):
    trace = [entry(True), entry(False), entry(True), entry(False)]
    return list(mutant(trace)[0]) != list(reference(trace)[0])
