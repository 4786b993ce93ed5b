"""What a batch and its workers say to each other, one JSON object a line."""

from __future__ import annotations

import msgspec


class Setup(msgspec.Struct, frozen=True):
    """First line to a worker: which course, which of its notebooks, which seed, where kernels have their folders."""

    root: str
    scope: list[str]
    seed: int
    scratch: str


class Task(msgspec.Struct, frozen=True):
    """One submission to grade. `path` in bytes: a file's name need not be text."""

    id: str
    path: bytes


class Done(msgspec.Struct, frozen=True, tag=True):
    """The record of the task at hand, and what went on besides."""

    record: msgspec.Raw
    notes: list[str]
    faults: list[str]


class Failed(msgspec.Struct, frozen=True, tag=True):
    """The worker's last words: `reason` in a line, `details` for who mends the grader.

    `course` when the course itself cannot be used, so that no submission can be graded.
    """

    reason: str
    details: str
    course: bool
