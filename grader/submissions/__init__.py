"""What came in: numbers, files and folders that a person names become notebooks of the course.
Reading stops at bytes; `grader.notebook` makes cells of them.
"""

from grader.submissions.find import InputError, Submission, Submitted, find_submission

__all__ = ["InputError", "Submission", "Submitted", "find_submission"]
