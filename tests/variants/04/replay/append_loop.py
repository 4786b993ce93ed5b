"""Builds the history with a loop that appends entry after entry, then asks."""


def replay(trace_prefix, adapter):
    history = []
    for entry in trace_prefix:
        history.append(entry)
    action = adapter.next_action(history)
    return action
