"""Which tests there are: read from the test files of public/ and hidden/, in the order in which they stand there."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from grader.course import Course, CourseError, shown
from grader.judge.api import Mark

FILE = re.compile(r"test_(\d\d)\.py")


@dataclass(frozen=True)
class TestSpec:
    """One test function. `path` and `line` say where it stands."""

    __test__ = False  # pytest: a record about a test, not a test

    notebook: str
    exercise: str
    name: str
    title: str
    visibility: str
    points: float
    after: str | None
    rules: tuple[str, ...]
    path: Path
    line: int


BOTH = ("public", "hidden")


def load_specs(course: Course, visibilities: Sequence[str] = BOTH) -> list[TestSpec]:
    """Every test of `course`, public ones first within a notebook. Raises CourseError on what an author can mend.

    Test files of another visibility than those asked for are not opened: `check()` runs where the learner is.
    """
    specs: list[TestSpec] = []
    for path, visibility in files_of(course, visibilities):
        _check_text(path, visibility, course)
        module = load_module(path, course)
        found = FILE.fullmatch(path.name)
        assert found is not None
        for name, function in vars(module).items():
            mark = getattr(function, "__exercise__", None)
            if mark is None:
                if name.startswith("test_"):
                    raise CourseError(f"{shown(path, course.base)}: {name} has no @exercise(...). Say what it tests.")
                continue
            specs.append(_spec(path, found[1], visibility, name, function, mark, course))
    specs.sort(key=lambda spec: spec.notebook)
    _check(specs, course)
    return specs


def _check_text(path: Path, visibility: str, course: Course) -> None:
    """What only the text shows: a test that another one of its name undoes, an expected value given away."""
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return  # importing it says what is wrong
    where = shown(path, course.base)
    tests = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    lines = {node.name: node.lineno for node in reversed(tests)}
    for node in tests:
        if lines[node.name] != node.lineno:
            raise CourseError(
                f"{where}:{node.lineno}: {node.name} stands already in line {lines[node.name]}, and would undo it. "
                "Rename one."
            )
    if visibility == "public":
        return
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        if not (isinstance(call.func, ast.Name) and call.func.id == "promise"):
            continue
        if any(keyword.arg == "promised" for keyword in call.keywords):
            raise CourseError(f"{where}:{call.lineno}: promised= is for public tests. Leave it out of a hidden one.")


def _spec(
    path: Path, notebook: str, visibility: str, name: str, function: object, mark: Mark, course: Course
) -> TestSpec:
    line = function.__code__.co_firstlineno  # type: ignore[attr-defined]
    where = f"{shown(path, course.base)}:{line}: {name}"
    title = (function.__doc__ or "").strip().partition("\n")[0]
    if not title:
        raise CourseError(f"{where} has no docstring. Write the promise that learners read as its first line.")
    if not name.startswith("test_"):
        raise CourseError(f"{where}: a test's name begins with test_. Rename it.")
    if mark.points <= 0:
        raise CourseError(f"{where} is worth {mark.points} points. Give it more than 0.")
    return TestSpec(notebook, mark.exercise, name, title, visibility, mark.points, mark.after, mark.rules, path, line)


def _check(specs: list[TestSpec], course: Course) -> None:
    seen: dict[tuple[str, str], TestSpec] = {}
    for spec in specs:
        where = f"{shown(spec.path, course.base)}:{spec.line}: {spec.name}"
        if (spec.exercise, spec.name) in seen:
            raise CourseError(f"{where}: exercise {spec.exercise} has a test of this name already. Rename one.")
        if spec.after is not None and (spec.exercise, spec.after) not in seen:
            raise CourseError(f"{where}: after={spec.after!r} names no earlier test of {spec.exercise}.")
        seen[spec.exercise, spec.name] = spec


def files_of(course: Course, visibilities: Sequence[str] = BOTH) -> list[tuple[Path, str]]:
    """The test files that are there, with their visibility: public ones first, so that `after` can look back."""
    return [
        (path, visibility)
        for visibility in visibilities
        for path in sorted((course.root / visibility).glob("test_*.py"))
        if FILE.fullmatch(path.name)
    ]


def load_module(path: Path, course: Course) -> ModuleType:
    """Import one of the course's own files by its path. Raises CourseError when it cannot be imported."""
    name = f"course_tests.{path.parent.name}.{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        where = shown(path, course.base)
        raise CourseError(f"{where}: cannot be imported: {type(error).__name__}: {error}. Mend the file.") from error
    return module
