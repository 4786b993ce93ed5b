"""A while loop that grows a history of its own, with a helper that asks a fresh adapter; no slices, no replay."""

from course_lib.agent import Divergence


def ask_fresh(make_adapter, history):
    adapter = make_adapter()
    return adapter.next_action(list(history))


def verify_replay(trace, make_adapter):
    divergences = []
    history = []
    while len(history) < len(trace):
        k = len(history)
        entry = trace[k]
        proposed = ask_fresh(make_adapter, history)
        if entry["action"] != proposed:
            divergences.append(Divergence(k=k, recorded=entry["action"], proposed=proposed))
        history.append(entry)
    return divergences
