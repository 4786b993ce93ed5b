"""Turns the pairs into two columns, refuses by min and max, and lets the statistics module take the mean."""

from statistics import fmean


def brier(predictions):
    if not predictions:
        raise ValueError("no predictions")
    said, right = zip(*predictions, strict=True)
    if min(said) < 0 or max(said) > 1:
        raise ValueError("a confidence lies outside 0 to 1")
    return fmean((p - int(y)) ** 2 for p, y in zip(said, right, strict=True))
