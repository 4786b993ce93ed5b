"""Grading a whole folder of submissions: workers side by side, progress, and a record for every student.
A record that is there and still fits is not made again; so a batch that was stopped goes on where it was."""

from grader.batch.run import Batch, Outcome, run_batch

__all__ = ["Batch", "Outcome", "run_batch"]
