"""Tests and prediction checks that turn what a learner wrote into verdicts.
A test file imports `exercise`, `promise`, `same` and `shape` from here; it needs nothing else of the grader.
"""

from grader.judge.api import exercise, promise
from grader.judge.compare import same, shape

__all__ = ["exercise", "promise", "same", "shape"]
