from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest

from grader.build import build, out_of_step
from grader.build.plan import make_plan
from grader.course import Course, CourseError
from tests.unit.toy_course import BUILT, SOURCE, make_course

HOME = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Course, list[str]]:
    """The toy, built once; tests that change it work on a copy."""
    course = make_course(tmp_path_factory.mktemp("toy"))
    return course, build(course)


@pytest.fixture
def toy(built: tuple[Course, list[str]], tmp_path: Path) -> Course:
    shutil.copytree(built[0].base, tmp_path / "toy")
    return Course.load(tmp_path / "toy" / "grader")


def cells(path: Path) -> list[dict[str, Any]]:
    return json.loads(path.read_bytes())["cells"]


def sources(path: Path) -> list[str]:
    return ["".join(cell["source"]) for cell in cells(path)]


# What a build makes.


def test_a_build_writes_notebook_manifest_and_solved_notebook(built: tuple[Course, list[str]]) -> None:
    course, written = built
    assert written == BUILT
    assert out_of_step(course) == []


def test_a_second_build_has_nothing_to_do(toy: Course) -> None:
    before = {path: path.stat().st_mtime_ns for path in toy.base.rglob("*.ipynb")}
    assert build(toy) == []
    assert {path: path.stat().st_mtime_ns for path in toy.base.rglob("*.ipynb")} == before


def test_a_build_writes_nothing_over_answers(toy: Course) -> None:
    path = toy.base / BUILT[0]
    notebook = json.loads(path.read_bytes())
    run = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    run["execution_count"] = 1
    path.write_text(json.dumps(notebook))
    work, manifest = path.read_bytes(), toy.manifest_path.read_bytes()
    source = next(toy.solutions_dir.glob("*.py"))
    source.write_text(source.read_text() + "\n# %%\nprint('one more cell')\n")
    with pytest.raises(CourseError, match=r"worked in it \(cell \d+ has been run\)"):
        build(toy)
    assert path.read_bytes() == work
    assert toy.manifest_path.read_bytes() == manifest
    path.rename(path.with_suffix(".mine"))
    assert BUILT[0] in build(toy)


def test_both_notebooks_are_valid(built: tuple[Course, list[str]]) -> None:
    for name in BUILT[0], BUILT[2]:
        notebook = nbformat.read(built[0].base / name, as_version=nbformat.NO_CONVERT)
        nbformat.validate(notebook)
        assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
        assert notebook.metadata.kernelspec == {
            "display_name": "Python 3 (ipykernel)",
            "language": "python",
            "name": "python3",
        }


def test_the_learners_notebook_holds_no_answer_and_no_output(built: tuple[Course, list[str]]) -> None:
    path = built[0].notebooks_dir / "00_twice.ipynb"
    text = "\n".join(sources(path))
    assert "number * 2" not in text
    assert "SOLUTION" not in text
    assert "hint:" not in text
    assert 'predict("P00.1", ..., confidence=...)' in text
    for cell in cells(path):
        assert cell["cell_type"] == "markdown" or (cell["outputs"], cell["execution_count"]) == ([], None)
        assert set(cell["metadata"]) <= {"exercise"}


def test_an_exercise_is_framed_by_what_the_tests_promise(built: tuple[Course, list[str]]) -> None:
    there = cells(built[0].notebooks_dir / "00_twice.ipynb")
    mine = [cell for cell in there if cell["metadata"].get("exercise") == "double"]
    assert [cell["id"] for cell in mine] == [
        "double-exercise",
        "double-answer",
        "double-check",
        "double-hints",
    ]
    header, stub, check, hints = ("".join(cell["source"]) for cell in mine)
    assert header == (
        "### Exercise 0.1 · Double it\n\n"
        "●●○○○ difficulty 2 of 5 · ~10 min · with help, AI included · 3 points\n\n"
        "Doubling is everywhere.\n\nWrite `double(number)`.\n\n"
        "**Done means**\n\n- A small number comes back doubled.\n\n"
        "1 hidden test holds you to the same promises on inputs of its own."
    )
    assert stub == (
        'def double(number: int) -> int:\n    """Twice `number`."""\n    raise NotImplementedError("double")'
    )
    assert check == 'check("double")'
    assert hints.count("<details>") == hints.count("</details>") == 3
    assert "<summary>Hint 2 · a direction</summary>\n\nAdd it\nto itself.\n\n</details>" in hints


def test_the_notebook_opens_with_its_title(built: tuple[Course, list[str]]) -> None:
    assert sources(built[0].notebooks_dir / "00_twice.ipynb")[0] == (
        "# 00 · Twice as much\n\n*about 15 minutes · 1 exercise · 1 prediction*\n\nOne function, one prediction."
    )


def test_the_solved_notebook_was_run(built: tuple[Course, list[str]]) -> None:
    path = built[0].solutions_dir / "00_twice.ipynb"
    there = {cell["id"]: cell for cell in cells(path)}
    assert "number * 2" in "".join(there["double-answer"]["source"])
    assert "SOLUTION" not in path.read_text("utf-8")
    printed = ["".join(o["text"]) for cell in there.values() for o in cell.get("outputs", [])]
    assert printed == ["P00.1 6 0.9\n", "P00.1 6\n", "checked double\n", "double of 21: 42\n"]
    assert all(set(cell["metadata"]) <= {"exercise"} for cell in there.values())
    assert list(there) == [cell["id"] for cell in cells(built[0].notebooks_dir / "00_twice.ipynb")]


def test_the_solved_notebook_runs_away_from_home(tmp_path: Path) -> None:
    look = "import os\nprint(os.environ['COURSE_CLOCK'], os.path.isdir('solutions'), os.environ['COURSE_JOURNAL'])"
    course = make_course(tmp_path, source=f"{SOURCE}\n# %%\n{look}\n")
    build(course)
    output = "".join(cells(course.solutions_dir / "00_twice.ipynb")[-1]["outputs"][0]["text"])
    assert output.startswith("2026-01-01T12:00:00Z False ")
    assert not Path(output.split()[-1]).is_relative_to(tmp_path)
    assert not (tmp_path / "predictions").exists()


def test_the_manifest_says_what_is_asked(built: tuple[Course, list[str]]) -> None:
    course = Course.load(built[0].root)
    (notebook,) = course.manifest.notebooks
    assert (notebook.name, notebook.number, notebook.title) == ("00_twice", "00", "Twice as much")
    assert notebook.max_points == 4
    assert [(p.id, p.points) for p in notebook.predictions] == [("P00.1", 1)]
    (exercise,) = notebook.exercises
    assert (exercise.name, exercise.defines, exercise.number) == ("double", ["double"], "0.1")
    assert exercise.hints == [
        "What is twice something?",
        "Add it\nto itself.",
        "There is an operator for products.",
    ]
    assert [(t.name, t.visibility, t.points, t.after) for t in exercise.tests] == [
        ("test_small", "public", 1, None),
        ("test_any", "hidden", 2, "test_small"),
    ]
    assert exercise.max_points == 3
    assert len(exercise.stubs["double"]) == 64


# Determinism.


def test_a_build_makes_the_same_bytes_anywhere(built: tuple[Course, list[str]], tmp_path: Path) -> None:
    """Another folder, another process, another order of sets and dicts: the same files to the byte."""
    make_course(tmp_path / "elsewhere" / "toy")
    code = (
        "import sys; from grader.build import build; from grader.course import Course; "
        "from pathlib import Path; build(Course.load(Path(sys.argv[1])))"
    )
    subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "elsewhere" / "toy" / "grader")],
        cwd=HOME,
        env={**os.environ, "PYTHONHASHSEED": "77", "TZ": "Asia/Tokyo"},
        check=True,
        timeout=120,
    )
    for name in BUILT:
        assert (tmp_path / "elsewhere" / "toy" / name).read_bytes() == (built[0].base / name).read_bytes(), name


def test_cell_ids_stay_when_other_cells_come(tmp_path: Path) -> None:
    before = [cell.id for cell in make_plan(make_course(tmp_path)).targets[0].cells]
    twice = "# %% [markdown]\n# A further cell.\n\n# %% [markdown]\n# A further cell.\n\n"
    course = make_course(
        tmp_path, source=SOURCE.replace("# %% [markdown] exercise", twice + "# %% [markdown] exercise")
    )
    after = [cell.id for cell in make_plan(course).targets[0].cells]
    assert [ident for ident in after if ident in before] == before
    assert len(set(after)) == len(after) == len(before) + 2


def test_layout_is_that_of_jupyter(built: tuple[Course, list[str]]) -> None:
    """So that opening and saving in JupyterLab changes no line that the learner did not change."""
    path = built[0].notebooks_dir / "00_twice.ipynb"
    again = nbformat.writes(nbformat.read(path, as_version=4)) + "\n"
    assert again.encode() == path.read_bytes()


# What goes wrong when a solved notebook runs.


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("1 / 0", "the solved cell raises ZeroDivisionError: division by zero"),
        ("import os; os._exit(1)", "the solved cell ends the kernel"),
        ("while True: pass", "the solved cell runs longer than 2 s"),
    ],
)
def test_a_solved_cell_that_fails_is_named(tmp_path: Path, code: str, said: str) -> None:
    settings = 'name = "Toy"\nversion = "1"\n[limits]\ncell_seconds = 2\n'
    course = make_course(tmp_path, source=f"{SOURCE}\n# %%\n{code}\n", settings=settings)
    with pytest.raises(CourseError) as caught:
        build(course)
    assert str(caught.value).startswith(f"solutions/00_twice.py:{len(SOURCE.splitlines()) + 3}: {said}. ")
    assert not (course.solutions_dir / "00_twice.ipynb").exists()
