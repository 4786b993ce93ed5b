from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from grader.build import build, out_of_step
from grader.build.leaks import tokens
from grader.course import Course
from tests.unit.toy_course import BUILT, LIBRARY, PUBLIC, SOURCE, make_course


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """The toy, built once."""
    course = make_course(tmp_path_factory.mktemp("toy"))
    build(course)
    return course


@pytest.fixture
def toy(built: Course, tmp_path: Path) -> Course:
    """A copy of the toy, to change."""
    shutil.copytree(built.base, tmp_path / "toy")
    return Course.load(tmp_path / "toy" / "grader")


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


# What is out of step.


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        (
            "solutions/00_twice.py",
            "You learn to double.",
            "You will double.",
            ["notebooks/00_twice.ipynb: out of step with solutions/00_twice.py: cell 2 differs.", BUILT[2]],
        ),
        ("solutions/00_twice.py", "number * 2", "2 * number", ["solutions/00_twice.ipynb: out of step"]),
        ("solutions/00_twice.py", "2 * 3", "7", ["solutions/00_twice.ipynb: out of step"]),
        (
            "solutions/00_twice.py",
            "Add it",
            "Sum it",
            [BUILT[0], BUILT[2], "grader/manifest.json: out of step: exercise double changed in 00_twice."],
        ),
        (
            "grader/hidden/test_00.py",
            "points=2",
            "points=5",
            [BUILT[0], BUILT[2], "grader/manifest.json: out of step: exercise double changed in 00_twice."],
        ),
        (
            "grader/hidden/test_00.py",
            "-99, 99",
            "-9, 9",
            ["grader/manifest.json: out of step: a test or the library changed since."],
        ),
        (
            "course_lib/__init__.py",
            "checked",
            "looked at",
            ["solutions/00_twice.ipynb: out of step", "grader/manifest.json: out of step: a test or the"],
        ),
        (
            "grader/course.toml",
            '"0.1"',
            '"0.2"',
            ["grader/manifest.json: out of step: the course's name or version"],
        ),
        (
            "grader/course.toml",
            "[limits]",
            "[predictions]\npoints = 2\n[limits]",
            ["what it asks changed in 00_twice"],
        ),
        ("notebooks/00_twice.ipynb", "You learn", "You yearn", ["notebooks/00_twice.ipynb: out of step"]),
        ("notebooks/00_twice.ipynb", "\n", "\n\n", ["00_twice.py: it is laid out differently."]),
        ("notebooks/00_twice.ipynb", "{", "", ["it is not a notebook."]),
        ("notebooks/00_twice.ipynb", '"name": "python3"', '"name": "other"', ["its metadata differs."]),
        ("solutions/00_twice.ipynb", "You learn", "You yearn", ["solutions/00_twice.ipynb: out of step"]),
        ("grader/manifest.json", '"minutes": 10', '"minutes": 11', ["exercise double changed"]),
        ("grader/manifest.json", "{", "", ["grader/manifest.json: not a manifest"]),
    ],
)
def test_what_is_out_of_step_is_named(toy: Course, name: str, old: str, new: str, said: list[str]) -> None:
    change(toy.base / name, old, new)
    lines = out_of_step(Course.load(toy.root))
    assert len(lines) == len(said), lines
    for line, part in zip(lines, said, strict=True):
        assert part in line
        assert line.endswith("Run `grader build`.")


def test_a_missing_file_is_named(toy: Course) -> None:
    for name in BUILT:
        (toy.base / name).unlink()
    lines = out_of_step(toy)
    assert [line.partition(": missing")[0] for line in lines] == [BUILT[0], BUILT[2], BUILT[1]]


def test_a_notebook_without_a_source_is_named(toy: Course) -> None:
    for folder in (toy.notebooks_dir, toy.solutions_dir):
        shutil.copy(folder / "00_twice.ipynb", folder / "03_thrice.ipynb")
        shutil.copy(folder / "00_twice.ipynb", folder / "mine.ipynb")
    assert out_of_step(toy) == [
        "notebooks/03_thrice.ipynb: no source solutions/03_thrice.py makes it. Delete or rename it.",
        "solutions/03_thrice.ipynb: no source solutions/03_thrice.py makes it. Delete or rename it.",
    ]


def test_a_mistake_in_a_source_is_what_check_says(toy: Course) -> None:
    change(toy.solutions_dir / "00_twice.py", "    # END SOLUTION\n", "")
    (line,) = out_of_step(toy)
    at = SOURCE.splitlines().index("    # BEGIN SOLUTION") + 1
    assert line.startswith(f"solutions/00_twice.py:{at}: '# BEGIN SOLUTION' is never closed")


def test_outputs_may_differ_between_builds(toy: Course) -> None:
    """Measured numbers are in them; nbval looks at the rest."""
    change(toy.solutions_dir / "00_twice.ipynb", "double of 21: 42", "double of 21: 43")
    assert out_of_step(toy) == []
    assert build(toy) == []
    assert build(toy, run_all=True) == ["solutions/00_twice.ipynb"]


# Nothing is given away.


def test_tokens_of_code_and_prose() -> None:
    assert tokens('x **= f"a b"  # said') == ["x", "**=", 'f"a b"']
    assert tokens("the loop's own `x`, the list's") == [
        *("the", "loop", "'", "s", "own", "`", "x", "`", ",", "the", "list", "'", "s"),
    ]


@pytest.mark.parametrize("place", ["hint", "prose", "cell", "library", "title"])
def test_an_answer_that_is_given_away_is_named(tmp_path: Path, place: str) -> None:
    answer = "answer = number * 2\n    return answer"
    source = {
        "hint": SOURCE.replace("There is an operator for products.", "Almost: answer = number * 2 return answer"),
        "prose": SOURCE.replace(
            "# You learn to double.", "# ```python\n# answer = number *  2\n# return answer\n# ```"
        ),
        "cell": SOURCE + f"\n# %%\ndef other(number):\n    {answer}\n",
    }.get(place, SOURCE)
    library = LIBRARY + f"\n\ndef other(number):\n    {answer}\n" if place == "library" else LIBRARY
    public = PUBLIC.replace("A small number", "answer = number * 2 return") if place == "title" else PUBLIC
    course = make_course(tmp_path, source=source, library=library, public=public)
    (line,) = [line for line in out_of_step(course) if "missing" not in line]
    assert line.startswith("solutions/00_twice.py:")
    assert "'answer = number * 2 return' of this answer" in line
    assert line.endswith("Say it differently in one of the two places.")


def test_five_tokens_or_the_stubs_own_are_no_leak(tmp_path: Path) -> None:
    source = SOURCE.replace("You learn to double.", "answer = number * 2").replace(
        '    """Twice `number`."""\n',
        '    """Twice `number`."""\n    spare = number + number + number\n',
    )
    source = source.replace("    return answer\n", "    spare = number + number + number\n    return answer\n")
    lines = out_of_step(make_course(tmp_path, source=source))
    assert all("missing" in line for line in lines)
