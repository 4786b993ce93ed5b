"""The manifest, gathered from the sources (what is asked) and the tests (what it is worth)."""

from __future__ import annotations

import msgspec

from grader.build.cells import mistake
from grader.build.source import Exercise, Source
from grader.course import (
    Course,
    CourseError,
    CourseFacts,
    ExerciseFacts,
    Manifest,
    NotebookFacts,
    PredictionFacts,
    TestFacts,
    Visibility,
    digest,
    shown,
)
from grader.judge.spec import TestSpec, load_specs

_VISIBILITIES: tuple[Visibility, ...] = ("public", "hidden")


def gather(course: Course, sources: list[Source]) -> Manifest:
    """The manifest of `sources` and the tests on disk. Raises CourseError where the two do not fit."""
    specs = load_specs(course)
    _check_targets(course, sources, specs)
    notebooks = [_notebook(course, source, specs) for source in sources]
    manifest = Manifest(course=CourseFacts(name=course.name, version=course.version, digest=""), notebooks=notebooks)
    facts = msgspec.structs.replace(manifest.course, digest=digest(course, manifest))
    return msgspec.structs.replace(manifest, course=facts)


def _notebook(course: Course, source: Source, specs: list[TestSpec]) -> NotebookFacts:
    exercises = [_exercise(course, source, exercise, specs) for exercise in source.exercises]
    predictions = [PredictionFacts(id=id_, points=_tidy(course.prediction_points)) for id_ in source.predictions]
    counted = sum(e.max_points for e in exercises if not e.stretch) + sum(p.points for p in predictions)
    return NotebookFacts(
        name=source.name,
        number=source.number,
        title=source.title,
        minutes=source.minutes,
        exercises=exercises,
        predictions=predictions,
        max_points=_tidy(counted),
    )


def _exercise(course: Course, source: Source, exercise: Exercise, specs: list[TestSpec]) -> ExerciseFacts:
    header = exercise.header
    mine = [spec for spec in specs if spec.exercise == header.name]
    for visibility in _VISIBILITIES:
        if not any(spec.visibility == visibility for spec in mine):
            folder = course.public_dir if visibility == "public" else course.hidden_dir
            raise mistake(
                source.where,
                header.line,
                f"exercise {header.name} has no {visibility} test",
                f'Add one under @exercise("{header.name}", points=1) to '
                f"{shown(folder, course.base)}/test_{source.number}.py",
            )
    tests = [
        TestFacts(
            name=spec.name,
            title=" ".join(spec.title.split()),
            visibility=visibility,
            points=_tidy(spec.points),
            after=spec.after,
        )
        for visibility in _VISIBILITIES
        for spec in mine
        if spec.visibility == visibility
    ]
    return ExerciseFacts(
        name=header.name,
        defines=list(header.defines),
        number=exercise.number,
        title=header.title,
        difficulty=header.difficulty,
        minutes=header.minutes,
        mode=header.mode,
        stretch=header.stretch,
        hints=list(header.hints),
        stubs=exercise.stubs,
        tests=tests,
        max_points=_tidy(sum(test.points for test in tests)),
    )


def _check_targets(course: Course, sources: list[Source], specs: list[TestSpec]) -> None:
    """Every test is for an exercise, and stands in the test file of that exercise's notebook."""
    homes = {e.header.name: source for source in sources for e in source.exercises}
    for spec in specs:
        home = homes.get(spec.exercise)
        if home is None:
            known = ", ".join(homes) or "none yet"
            raise _wrong(
                course,
                spec,
                f"{spec.name} is for exercise {spec.exercise!r}, which no source asks for",
                f"Correct the name (known: {known})",
            )
        if home.number != spec.notebook:
            raise _wrong(
                course,
                spec,
                f"{spec.name} is for exercise {spec.exercise}, which stands in notebook {home.number}",
                f"Move it to test_{home.number}.py",
            )


def _wrong(course: Course, spec: TestSpec, what: str, todo: str) -> CourseError:
    return mistake(shown(spec.path, course.base), spec.line, what, todo)


def _tidy(points: float) -> int | float:
    """2 rather than 2.0: the manifest is read by people too."""
    return int(points) if points == int(points) else points
