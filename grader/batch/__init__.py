"""Grading a whole folder of submissions: workers side by side, and a record for every student.
A record that still fits is not made again: a batch that was stopped goes on where it was.
"""

from grader.batch.run import Batch, Outcome, replace_file, run_batch

__all__ = ["Batch", "Outcome", "replace_file", "run_batch"]
