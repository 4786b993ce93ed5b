"""Tallies the outcomes with a Counter and looks one of them up; no condition anywhere."""

from collections import Counter


def count_retries(trace):
    return Counter(entry["observation"]["ok"] for entry in trace)[False]
