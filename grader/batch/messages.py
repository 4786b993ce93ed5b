"""What a batch and its workers say to each other, one JSON object a line."""

from __future__ import annotations

import msgspec


class Setup(msgspec.Struct, frozen=True):
    """First line to a worker: which course, which of its notebooks, which seed."""

    root: str
    scope: list[str]
    seed: int


class Task(msgspec.Struct, frozen=True):
    """One submission to grade."""

    id: str
    path: str


class Done(msgspec.Struct, frozen=True):
    """The record of the task at hand, and what went on besides."""

    record: msgspec.Raw
    notes: list[str]
    faults: list[str]
