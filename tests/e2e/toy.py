"""A small course with two exercises and one prediction, judged on the real course_lib, and notebooks for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from course_lib import definitions
from grader.course import (
    Course,
    CourseFacts,
    ExerciseFacts,
    Manifest,
    NotebookFacts,
    PredictionFacts,
    TestFacts,
    digest,
    dump_manifest,
)
from grader.grade import Graded, grade
from grader.judge.spec import load_specs
from grader.record import GradeRecord
from grader.submissions import find_submission

REPO = Path(__file__).parents[2]

SETTINGS = """\
name = "Toy"
version = "0.1"

[limits]
cell_seconds = 1
call_seconds = 1
"""

PUBLIC = '''\
from grader.judge import exercise, promise


@exercise("double")
def test_small(learner):
    """A small number comes back doubled."""
    got = learner.call("double", 2).value
    promise(got == 4, "It seems to be squared and halved", promised=4, number=2)


@exercise("pack")
def test_round_trip(learner):
    """What was packed comes out again."""
    packed = learner.call("pack", [1, "two"]).value
    promise(learner.call("unpack", packed).value == [1, "two"], "Something else comes out")
'''

HIDDEN = '''\
from grader.judge import exercise, promise


@exercise("double", points=2, after="test_small")
def test_any(learner, rng):
    """Any whole number comes back doubled."""
    number = rng.randrange(-99, 99)
    promise(learner.call("double", number).value == number + number, "Only small numbers are doubled", number=number)


@exercise("double")
def test_zero(learner):
    """Nothing doubled is nothing."""
    promise(learner.call("double", 0).value == 0, "Zero is no number here")


@exercise("pack")
def test_empty(learner):
    """An empty list can be packed."""
    packed = learner.call("pack", []).value
    promise(learner.call("unpack", packed).value == [], "Something else comes out")
'''

STUBS = {
    "double": 'def double(number):\n    """Twice `number`."""\n    raise NotImplementedError("double")',
    "pack": (
        'def pack(items):\n    """`items` as text."""\n    raise NotImplementedError("pack")\n\n\n'
        'def unpack(text):\n    """The items that were packed."""\n    raise NotImplementedError("unpack")'
    ),
}
ANSWERS = {
    "double": 'def double(number):\n    """Twice `number`."""\n    return number * 2',
    "pack": (
        'def pack(items):\n    """`items` as text."""\n    return json.dumps(items)\n\n\n'
        'def unpack(text):\n    """The items that were packed."""\n    return json.loads(text)'
    ),
}
DEFINES = {"double": ["double"], "pack": ["pack", "unpack"]}
PREDICTION = 'predict("P00.1", 6, confidence=0.9)'
MAX_SCORE = 7


def make_course(base: Path, *, public: str = PUBLIC, hidden: str = HIDDEN, settings: str = SETTINGS) -> Course:
    """Write the toy below `base`, its manifest made from the tests as they are given."""
    files = {"course.toml": settings, "public/test_00.py": public, "hidden/test_00.py": hidden}
    for name, text in files.items():
        path = base / "grader" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (base / "course_lib").symlink_to(REPO / "course_lib", target_is_directory=True)
    course = Course.load(base / "grader")
    exercises = [_exercise(course, name, number) for number, name in enumerate(DEFINES, 1)]
    notebook = NotebookFacts(
        name="00_toy",
        number="00",
        title="Toy",
        minutes=10,
        exercises=exercises,
        predictions=[PredictionFacts(id="P00.1", points=1)],
        max_points=sum(e.max_points for e in exercises) + 1,
    )
    facts = CourseFacts(name=course.name, version=course.version, digest="")
    manifest = Manifest(course=facts, notebooks=[notebook])
    manifest = replace(manifest, course=replace(facts, digest=digest(course, manifest)))
    course.manifest_path.write_bytes(dump_manifest(manifest))
    course.notebooks_dir.mkdir()
    return course


def _exercise(course: Course, name: str, number: int) -> ExerciseFacts:
    specs = [spec for spec in load_specs(course) if spec.exercise == name]
    tests = [
        TestFacts(name=s.name, title=s.title, visibility=s.visibility, points=s.points, after=s.after) for s in specs
    ]
    scan = definitions.scan([STUBS[name]])
    return ExerciseFacts(
        name=name,
        defines=DEFINES[name],
        number=f"0.{number}",
        title=f"The {name}",
        difficulty=1,
        minutes=5,
        mode="with help",
        stretch=False,
        hints=["What is it?", "Look there.", "Nearly all of it."],
        stubs={d.name: d.digest for d in scan.cells[0].definitions},
        tests=tests,
        max_points=sum(test.points for test in tests),
    )


def cell(source: str, kind: str = "code", **metadata: Any) -> dict[str, Any]:
    made: dict[str, Any] = {"cell_type": kind, "metadata": metadata, "source": source.splitlines(keepends=True)}
    return made | ({"outputs": [], "execution_count": None} if kind == "code" else {})


def answered(answers: dict[str, str] | None = None) -> list[dict[str, Any]]:
    """The cells of a solved notebook, with other answers where given."""
    texts = {**ANSWERS, **(answers or {})}
    return [
        cell("# A toy", "markdown"),
        cell("import json\nfrom course_lib import attempt, check, predict, reveal"),
        cell(PREDICTION),
        cell('reveal("P00.1", lambda: 3 + 3)'),
        cell(texts["double"], exercise="double"),
        cell('check("double")', exercise="double"),
        cell(texts["pack"], exercise="pack"),
        cell('with attempt("double"):\n    print("double of 21:", double(21))'),
    ]


def notebook(cells: list[dict[str, Any]], kernel: str = "python3", **more: Any) -> bytes:
    metadata = {"kernelspec": {"name": kernel, "display_name": kernel, "language": "python"}}
    document = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5, **more}
    return json.dumps(document, indent=1).encode()


def hand_in(folder: Path, data: bytes, *, journal: bool = True) -> Path:
    """Put a notebook, and the journal of its prediction, where a learner has them."""
    from course_lib.journal import append

    folder.mkdir(parents=True, exist_ok=True)
    if journal:
        path = folder / "predictions" / "00.jsonl"
        append(path, id="P00.1", kind="prediction", value=6, confidence=0.9, notebook="00_toy")
        append(path, id="P00.1", kind="observation", value=6, notebook="00_toy")
    file = folder / "00_toy.ipynb"
    file.write_bytes(data)
    return file


def graded(course: Course, file: Path, seed: int = 7, exercise: str | None = None) -> Graded:
    return grade(course, find_submission(course, [str(file)], file.parent), seed=seed, exercise=exercise)


def statuses(record: GradeRecord) -> dict[str, str]:
    return {exercise.name: exercise.status for notebook in record.notebooks for exercise in notebook.exercises}
