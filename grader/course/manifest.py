"""The manifest's shape. It is derived by `grader build` and read by everything else; nobody edits it."""

from __future__ import annotations

from typing import Literal

import msgspec

from grader.course.errors import CourseError

Points = int | float
Visibility = Literal["public", "hidden"]


class _Facts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Common settings: what the manifest holds is read-only and spelled exactly."""


class CourseFacts(_Facts, frozen=True):
    """Which course this is; `digest` changes with anything that decides a grade."""

    name: str
    version: str
    digest: str


class TestFacts(_Facts, frozen=True):
    """One test of an exercise; `title` is its promise, `after` the test that must pass first."""

    __test__ = False  # pytest: a record about a test, not a test

    name: str
    title: str
    visibility: Visibility
    points: Points
    after: str | None


class ExerciseFacts(_Facts, frozen=True):
    """One exercise; `stubs` maps each defined name to the digest of the stub that the learner starts from."""

    name: str
    defines: list[str]
    number: str
    title: str
    difficulty: int
    minutes: int
    mode: str
    stretch: bool
    hints: list[str]
    stubs: dict[str, str]
    tests: list[TestFacts]
    max_points: Points


class PredictionFacts(_Facts, frozen=True):
    """One prediction that a notebook asks for, and the points for its record."""

    id: str
    points: Points


class NotebookFacts(_Facts, frozen=True):
    """One notebook; `max_points` counts its predictions and its exercises, without the stretch ones."""

    name: str
    number: str
    title: str
    minutes: int
    exercises: list[ExerciseFacts]
    predictions: list[PredictionFacts]
    max_points: Points


class Manifest(_Facts, frozen=True):
    """Everything that is asked, notebook by notebook in order of their numbers."""

    course: CourseFacts
    notebooks: list[NotebookFacts]

    def notebook(self, wanted: str) -> NotebookFacts | None:
        """The notebook called `wanted`: its number ("04" or "4") or its whole name."""
        number = wanted.zfill(2)
        return next((n for n in self.notebooks if wanted == n.name or number == n.number), None)

    def exercise(self, name: str) -> ExerciseFacts | None:
        """The exercise called `name`; names are unique in a course."""
        return next((e for n in self.notebooks for e in n.exercises if e.name == name), None)

    def notebook_of(self, exercise: str) -> NotebookFacts | None:
        """The notebook that asks for `exercise`."""
        return next((n for n in self.notebooks if any(e.name == exercise for e in n.exercises)), None)


def dump_manifest(manifest: Manifest) -> bytes:
    """The file's bytes: readable, in the order of the source, the same on every machine."""
    return msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n"


def parse_manifest(data: bytes, where: str) -> Manifest:
    """Read a manifest strictly; raises CourseError naming `where` when its shape is not exactly this one."""
    try:
        return msgspec.json.decode(data, type=Manifest, strict=True)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CourseError(f"{where}: not a manifest of this grader ({error}). Run `grader build`.") from None
