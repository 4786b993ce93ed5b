"""GradeRecord and its parts (`grader/record/1`). Fields are relied on by others: add, never rename."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

SCHEMA: Literal["grader/record/1"] = "grader/record/1"

Reason = Literal["time", "memory", "output", "processes", "disk", "killed", "protocol"]
# 2 is written as 2, 0.5 as 0.5.
Points = int | float


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings shared by all parts."""


class CourseId(_Part, frozen=True):
    """Which course the grade is of; `digest` changes with its tests, its manifest and its library."""

    name: str
    version: str
    digest: str


class SubmissionId(_Part, frozen=True):
    """`id` is the folder's or file's name; `sha256` is over the bytes of its notebooks and journals."""

    id: str
    sha256: str


class Isolation(_Part, frozen=True):
    """How the learner's code was contained; `layers` are those that the kernel reported as applied."""

    level: Literal["full", "limits-only", "none"]
    layers: list[str]


class TestRecord(_Part, frozen=True):
    """One test: `title` is its promise, `sentence` what is said when it is not kept."""

    __test__ = False  # pytest: a record about a test, not a test

    name: str
    title: str
    visibility: Literal["public", "hidden"]
    outcome: Literal["passed", "failed", "error", "skipped"]
    reason: Reason | None
    sentence: str
    points: Points
    max_points: Points


class ExerciseRecord(_Part, frozen=True):
    """One exercise. Stretch exercises are graded and shown; they count in no score and no maximum."""

    name: str
    stretch: bool
    status: Literal["passed", "partial", "failed", "not_started", "missing"]
    score: Points
    max_score: Points
    tests: list[TestRecord]


class PredictionRecord(_Part, frozen=True):
    """One prediction's record: four checks, and whether it came true (shown, never marked)."""

    id: str
    made: bool
    first: bool
    intact: bool
    own_words: bool
    verified: bool
    confidence: float | None
    correct: bool | None
    points: Points
    max_points: Points


class NotebookRecord(_Part, frozen=True):
    """One notebook of the course, handed in or not."""

    name: str
    status: Literal["graded", "rejected", "not_submitted"]
    message: str
    score: Points
    max_score: Points
    seconds: float
    exercises: list[ExerciseRecord]
    predictions: list[PredictionRecord]


class GradeRecord(_Part, frozen=True):
    """What grading one submission came to. `max_score` is the same for everybody of a course version and scope."""

    schema: Literal["grader/record/1"]
    course: CourseId
    submission: SubmissionId
    status: Literal["graded", "rejected"]
    message: str
    scope: list[str]
    seed_commitment: str
    score: Points
    max_score: Points
    isolation: Isolation
    grader: str
    python: str
    started: str
    seconds: float
    notebooks: list[NotebookRecord]


def isolation_of(layers: list[str]) -> Isolation:
    """What the applied `layers` come to. "full" is kept for containment that also covers the network."""
    return Isolation(level="limits-only" if layers else "none", layers=layers)


def schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of a record."""
    return msgspec.json.schema(GradeRecord)
