"""Asks about the shorter prefixes too, on the way to the one that counts; a run's adapter does not mind."""


def replay(trace_prefix, adapter):
    for k in range(len(trace_prefix) + 1):
        action = adapter.next_action(trace_prefix[:k])
    return action
