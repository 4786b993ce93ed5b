"""Folds the prefix into a new list, functionally, in one expression."""

from functools import reduce


def replay(trace_prefix, adapter):
    return adapter.next_action(reduce(lambda history, entry: [*history, entry], trace_prefix, []))
