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
from grader.build.leaks import tokens
from grader.build.notebook import dump_notebook, learner_notebook
from grader.build.plan import make_plan
from grader.build.prediction import unanswered
from grader.course import Course, CourseError
from tests.unit.toy_course import HIDDEN, LIBRARY, PUBLIC, SOURCE, make_course

HOME = Path(__file__).parents[2]
BUILT = ["notebooks/00_twice.ipynb", "grader/manifest.json", "solutions/00_twice.ipynb"]


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


def planned(course: Course) -> list[str]:
    return [cell.learner for cell in make_plan(course).targets[0].cells]


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


# What a build makes.


def test_a_build_writes_notebook_manifest_and_solved_notebook(built: tuple[Course, list[str]]) -> None:
    course, written = built
    assert written == BUILT
    assert out_of_step(course) == []


def test_a_second_build_has_nothing_to_do(toy: Course) -> None:
    before = {path: path.stat().st_mtime_ns for path in toy.base.rglob("*.ipynb")}
    assert build(toy) == []
    assert {path: path.stat().st_mtime_ns for path in toy.base.rglob("*.ipynb")} == before


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
        "●●○○○ difficulty 2 of 5 · ~10 min · with help · 3 points\n\n"
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
        "# 00 · Twice as much\n\nabout 15 minutes · 1 exercise · 1 prediction\n\nOne function, one prediction."
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
            ["grader/manifest.json: out of step: a test or the"],
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
    assert line.startswith("solutions/00_twice.py:34: '# BEGIN SOLUTION' is never closed")


def test_outputs_may_differ_between_builds(toy: Course) -> None:
    """Measured numbers are in them; nbval looks at the rest."""
    change(toy.solutions_dir / "00_twice.ipynb", "double of 21: 42", "double of 21: 43")
    assert out_of_step(toy) == []
    assert build(toy) == []
    assert build(toy, run_all=True) == ["solutions/00_twice.ipynb"]


# An author adds an exercise.


def test_one_source_and_two_test_files_are_all_that_an_author_touches(toy: Course) -> None:
    more = SOURCE[SOURCE.index("# %% [markdown] exercise") :]
    more = more.replace("double", "triple").replace("Double", "Triple").replace("number * 2", "3 * number")
    with (toy.solutions_dir / "00_twice.py").open("a") as file:
        file.write("\n" + more)
    for folder, text in ((toy.public_dir, PUBLIC), (toy.hidden_dir, HIDDEN)):
        test = text[text.index("@exercise") :].replace("double", "triple").replace("test_", "test_triple_")
        with (folder / "test_00.py").open("a") as file:
            file.write("\n\n" + test)
    assert build(toy) == BUILT
    again = Course.load(toy.root)
    assert out_of_step(again) == []
    assert [(e.name, e.number) for e in again.manifest.notebooks[0].exercises] == [
        ("double", "0.1"),
        ("triple", "0.2"),
    ]


def test_a_stretch_exercise_is_outside_the_maximum(tmp_path: Path) -> None:
    source = SOURCE.replace('mode="with help"', 'mode="with help" stretch=true')
    plan = make_plan(make_course(tmp_path, source=source))
    (notebook,) = plan.manifest.notebooks
    assert notebook.exercises[0].stretch
    assert (notebook.exercises[0].max_points, notebook.max_points) == (3, 1)
    assert any("stretch: graded and shown, not counted" in text for text in planned(Course.load(tmp_path / "grader")))


def test_an_exercise_may_define_several_names_in_several_cells(tmp_path: Path) -> None:
    further = '''
# %% [markdown]
# And back again.

# %%
class Halver:
    """Halves."""

    def half(self, number):
        """Half of `number`."""
        # BEGIN SOLUTION
        return number / 2
        # END SOLUTION
'''
    source = SOURCE.replace('title="Double it"', 'title="Double it" defines="Halver"')
    source = source.replace("    # END SOLUTION\n", "    # END SOLUTION\n" + further)
    plan = make_plan(make_course(tmp_path, source=source))
    exercise = plan.manifest.notebooks[0].exercises[0]
    assert exercise.defines == list(exercise.stubs) == ["double", "Halver"]
    told = [cell.id for cell in plan.targets[0].cells if cell.metadata]
    assert told == ["double-exercise", "double-answer", "double-answer-2", "double-check", "double-hints"]
    assert any('raise NotImplementedError("Halver")' in text for text in planned(Course.load(tmp_path / "grader")))


def test_an_author_may_give_a_stub(tmp_path: Path) -> None:
    source = SOURCE.replace(
        "    # BEGIN SOLUTION\n",
        "    # BEGIN SOLUTION\n    # STUB for _ in range(1):\n    # STUB     pass\n    # STUB\n"
        "    # STUB return number\n",
    )
    course = make_course(tmp_path, source=source)
    stub = next(text for text in planned(course) if text.startswith("def double"))
    assert stub.endswith("    for _ in range(1):\n        pass\n\n    return number")


def test_magics_and_tags_pass_through(tmp_path: Path) -> None:
    source = SOURCE + '\n# %% tags=["wide"]\n# %matplotlib inline\nlen?\n'
    cell = make_plan(make_course(tmp_path, source=source)).targets[0].cells[-1]
    assert cell.learner == "%matplotlib inline\nlen?"
    assert cell.metadata == {"tags": ["wide"]}


def test_empty_cells_are_left_out(tmp_path: Path) -> None:
    source = (
        SOURCE.replace("# %% [markdown]\n# You", "# %%\n\n# %% [markdown]\n#\n\n# %% [markdown]\n# You") + "\n# %%\n"
    )
    assert planned(make_course(tmp_path, source=source)) == planned(make_course(tmp_path))


@pytest.mark.parametrize(
    ("written", "emptied"),
    [
        ('predict("P00.1", 3, confidence=0.5)', 'predict("P00.1", ..., confidence=...)'),
        ('predict("P00.1", 3, 0.5)', 'predict("P00.1", ..., ...)'),
        ('predict("P00.1", value=-1, confidence=15 / 62)', 'predict("P00.1", value=..., confidence=...)'),
        (
            'predict(\n    "P00.1",\n    {"a", "b"},  # which\n    confidence=0.5,\n)',
            'predict(\n    "P00.1",\n    ...,  # which\n    confidence=...,\n)',
        ),
        ('ä = "é"; predict("P00.1", "ü", confidence=1)', 'ä = "é"; predict("P00.1", ..., confidence=...)'),
        (
            '%time predict\npredict("P00.1", [\n  1,\n  2], confidence=1)',
            '%time predict\npredict("P00.1", ..., confidence=...)',
        ),
        ("model.predict(features, 3)", "model.predict(features, 3)"),
        ("x = 1", "x = 1"),
    ],
)
def test_predictions_are_emptied_and_nothing_else(written: str, emptied: str) -> None:
    assert unanswered(written) == emptied


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
        "hint": SOURCE.replace("There is an operator for products.", "Write answer = number * 2, then return answer."),
        "prose": SOURCE.replace(
            "# You learn to double.", "# ```python\n# answer = number *  2\n# return answer\n# ```"
        ),
        "cell": SOURCE + f"\n# %%\ndef other(number):\n    {answer}\n",
    }.get(place, SOURCE)
    library = LIBRARY + f"\n\ndef other(number):\n    {answer}\n" if place == "library" else LIBRARY
    public = PUBLIC.replace("A small number", "answer = number * 2 return") if place == "title" else PUBLIC
    course = make_course(tmp_path, source=source, library=library, public=public)
    (line,) = [line for line in out_of_step(course) if "missing" not in line]
    if place == "hint":  # one token less in a row: the comma
        assert "return answer" not in line
    assert line.startswith("solutions/00_twice.py:")
    assert "'answer = number * 2" in line
    assert line.endswith("Say it differently in one of the two places.")


def test_five_tokens_or_the_stubs_own_are_no_leak(tmp_path: Path) -> None:
    source = SOURCE.replace("You learn to double.", "answer = number * 2").replace(
        '    """Twice `number`."""\n',
        '    """Twice `number`."""\n    spare = number + number + number\n',
    )
    source = source.replace("    return answer\n", "    spare = number + number + number\n    return answer\n")
    lines = out_of_step(make_course(tmp_path, source=source))
    assert all("missing" in line for line in lines)


# The course itself.


def test_this_course_is_in_step() -> None:
    course = Course.load()
    if not any(course.solutions_dir.glob("*.py")):
        pytest.skip("this copy of the course comes without its sources")
    assert out_of_step(course) == []


def test_building_the_plan_twice_gives_the_same_bytes() -> None:
    course = Course.load()
    if not any(course.solutions_dir.glob("*.py")):
        pytest.skip("this copy of the course comes without its sources")
    once, again = make_plan(course), make_plan(course)
    assert once == again
    for target in once.targets:
        assert dump_notebook(learner_notebook(target.cells)) == target.learner


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
