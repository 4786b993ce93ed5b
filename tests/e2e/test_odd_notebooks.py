"""Whatever happened to a solved notebook on its way, its answers count."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from grader.course import Course
from tests.e2e.toy import (
    ANSWERS,
    MAX_SCORE,
    SETTINGS,
    STUBS,
    answered,
    cell,
    graded,
    hand_in,
    make_course,
    notebook,
    statuses,
)

Cells = list[dict[str, Any]]


def place(cells: Cells, name: str) -> int:
    return next(at for at, c in enumerate(cells) if c["metadata"].get("exercise") == name)


def bare(cells: Cells) -> Cells:
    return [{**c, "metadata": {}} for c in cells]


def copied(cells: Cells) -> Cells:
    at = place(cells, "pack")
    return [*cells[:at], copy.deepcopy(cells[at]), *cells[at:]]


def split(cells: Cells) -> Cells:
    at = place(cells, "pack")
    first, second = ANSWERS["pack"].split("\n\n\n")
    return [*cells[:at], cell(first), cell(second), *cells[at + 1 :]]


def moved_to_the_end(cells: Cells) -> Cells:
    at = place(cells, "double")
    return [*cells[:at], *cells[at + 1 :], cells[at]]


def stub_above(cells: Cells) -> Cells:
    at = place(cells, "double")
    return [*cells[:at], cell(STUBS["double"]), *cells[at:]]


def stub_below(cells: Cells) -> Cells:
    return [*cells, cell(STUBS["double"]), cell(STUBS["pack"])]


def stub_above_in_the_same_cell(cells: Cells) -> Cells:
    return answered({"double": STUBS["double"] + "\n\n\n" + ANSWERS["double"]})


def stub_below_in_the_same_cell(cells: Cells) -> Cells:
    return answered({"double": ANSWERS["double"] + "\n\n\n" + STUBS["double"] + "\n\n\nbelow = 1"})


def warning_answer(cells: Cells) -> Cells:
    body = (
        "def double(number):\n    import sys, warnings\n    warnings.warn('slow')\n"
        "    print('thinking', file=sys.stderr)\n    print('done')\n    return number * 2"
    )
    return answered({"double": body})


def exits_in_the_middle(cells: Cells) -> Cells:
    return [*cells[:2], *map(cell, ("exit()", "quit()", "import sys\nsys.exit(1)", "raise SystemExit")), *cells[2:]]


def retyped(cells: Cells) -> Cells:
    return [cell("".join(c["source"]), "markdown") if "exercise" in c["metadata"] else c for c in cells]


def parked_attempt_below(cells: Cells) -> Cells:
    return [*cells, cell("def double(number):\n    return number ** 2", "raw")]


def rebound_by_a_decorator(cells: Cells) -> Cells:
    raw = "def double(number):\n    return [number * 2]"
    rebinding = "from functools import cache\n\n\ndef first(function):\n    return cache(lambda n: function(n)[0])"
    return [*answered({"double": raw}), cell(rebinding), cell("double = first(double)")]


def later_loop_variable(cells: Cells) -> Cells:
    return [*cells, cell("for double in [print, len]:\n    pass"), cell("with open('x', 'w') as pack:\n    pass")]


def failing_cell(cells: Cells) -> Cells:
    return [cells[0], cell("1 / 0"), cell("this is not Python"), cell("%no_such_magic"), *cells[1:]]


def input_cells(cells: Cells) -> Cells:
    return [cell("name = input()"), *cells, cell("input('again? ')")]


CHANGES: list[Callable[[Cells], Cells]] = [
    list,
    bare,
    copied,
    split,
    moved_to_the_end,
    stub_above,
    stub_below,
    stub_above_in_the_same_cell,
    stub_below_in_the_same_cell,
    warning_answer,
    exits_in_the_middle,
    retyped,
    parked_attempt_below,
    rebound_by_a_decorator,
    later_loop_variable,
    failing_cell,
    input_cells,
]


def full_marks(course: Course, tmp_path: Path, data: bytes) -> list[str]:
    result = graded(course, hand_in(tmp_path, data))
    assert result.faults == []
    assert set(statuses(result.record).values()) == {"passed"}
    assert (result.record.score, result.record.max_score) == (MAX_SCORE, MAX_SCORE)
    return result.notes


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_keeps_full_marks(course: Course, tmp_path: Path, change: Callable[[Cells], Cells]) -> None:
    full_marks(course, tmp_path, notebook(change(answered())))


def test_keeps_full_marks_with_an_unknown_kernel_and_broken_frame(course: Course, tmp_path: Path) -> None:
    data = json.loads(notebook(answered(), kernel="julia-1.9"))
    data["nbformat_minor"], data["metadata"]["widgets"] = 99, "?"
    full_marks(course, tmp_path, json.dumps(data).encode("utf-16"))


@pytest.mark.parametrize("position", [2, 99], ids=["middle", "end"])
@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("while True: pass", "stopped after 1 s"),
        ("import os\nos._exit(0)", "ended the whole kernel and was left out"),
    ],
    ids=["endless", "os._exit"],
)
def test_a_cell_that_never_ends_costs_nothing_else(
    course: Course, tmp_path: Path, position: int, source: str, said: str
) -> None:
    cells = answered()
    cells.insert(position, cell(source))
    notes = full_marks(course, tmp_path, notebook(cells))
    number = sum(c["cell_type"] == "code" for c in cells[: position + 1])
    assert [note for note in notes if said in note and f"code cell {number} " in note]


def test_a_cell_that_cannot_be_interrupted_is_left_out(course: Course, tmp_path: Path) -> None:
    stubborn = "import time\nwhile True:\n    try:\n        time.sleep(9)\n    except BaseException:\n        pass"
    notes = full_marks(course, tmp_path, notebook([*answered(), cell(stubborn)]))
    assert any("was left out" in note for note in notes)


def test_processes_that_a_cell_left_running_are_ended(course: Course, tmp_path: Path) -> None:
    mark = f"mark-{os.getpid()}"
    child = (
        f"import os, subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(99)', '{mark}'])"
    )
    full_marks(course, tmp_path, notebook([*answered(), cell(child), cell(child + "\nos._exit(1)")]))
    assert not [p for p in psutil.process_iter(["cmdline"]) if mark in (p.info["cmdline"] or [])]


def test_a_kernel_that_dies_each_time_after_its_cells_is_a_rejection_with_a_reason(tmp_path: Path) -> None:
    course = make_course(tmp_path / "course", settings=SETTINGS + "max_restarts = 1\n")
    late = "import os, grader.kernel.inside as i\ni.perform = lambda *_: os._exit(0)"
    record = graded(course, hand_in(tmp_path / "work", notebook([*answered(), cell(late)]))).record
    assert (record.status, record.score, record.max_score) == ("rejected", 0, MAX_SCORE)
    assert record.message == "00_toy.ipynb: The notebook's kernel could not be kept alive."


def test_when_no_kernel_is_left_the_rest_is_an_error_with_a_reason(tmp_path: Path) -> None:
    course = make_course(tmp_path / "course", settings=SETTINGS + "max_restarts = 0\n")
    deadly = answered({"double": "def double(number):\n    import os\n    return number == 21 or os._exit(0)"})
    result = graded(course, hand_in(tmp_path / "work", notebook(deadly)))
    tests = [test for e in result.record.notebooks[0].exercises for test in e.tests]
    assert result.faults == []
    assert {test.name: test.reason for test in tests if test.outcome == "error"} == {
        "test_small": "killed",
        "test_zero": "killed",
        "test_round_trip": "killed",
        "test_empty": "killed",
    }


@pytest.mark.parametrize(
    "source",
    [
        "import sys\ndel sys.modules['grader.kernel.inside']",
        "import grader.kernel.inside as i\ni.perform = lambda *_: {'noted': 5}",
        "get_ipython().kernel.raw_input = lambda *_: 1 / 0",
        "import grader.kernel.inside as i\ni.perform = lambda *_: {'noted': {'double': [[999, True]]}}",
    ],
    ids=["module gone", "nonsense", "no channel", "forged place"],
)
def test_a_cell_that_meddles_with_the_grader_harms_only_itself(course: Course, tmp_path: Path, source: str) -> None:
    result = graded(course, hand_in(tmp_path, notebook([*answered(), cell(source)])))
    assert result.faults == []
    assert result.record.max_score == MAX_SCORE
    assert result.record.score < MAX_SCORE
    assert result.record.status == "rejected"
    assert result.record.message.startswith("00_toy.ipynb: ")


def test_a_closed_stdout_costs_that_cell_only(course: Course, tmp_path: Path) -> None:
    full_marks(course, tmp_path, notebook([*answered(), cell("import sys\nsys.stdout.close()\nsys.stderr.close()")]))


def test_files_beside_the_notebook_are_there_and_stay_as_they_are(course: Course, tmp_path: Path) -> None:
    hand_in(tmp_path, b"")
    (tmp_path / "data.txt").write_text("21")
    (tmp_path / "json.py").write_text("raise RuntimeError('a module of the learner')")
    cells = answered({"double": "with open('data.txt') as f:\n    half = int(f.read())\n\n" + ANSWERS["double"]})
    cells.append(cell("open('data.txt', 'w').write('0')\nimport os\nos.remove('json.py')"))
    full_marks(course, tmp_path, notebook(cells))
    assert (tmp_path / "data.txt").read_text() == "21"
    assert (tmp_path / "json.py").exists()


def test_a_printing_loop_does_not_fill_the_graders_memory(course: Course, tmp_path: Path) -> None:
    loop = "text = 'x' * 1_000_000\nwhile True:\n    print(text)"
    before = psutil.Process().memory_info().rss
    notes = full_marks(course, tmp_path, notebook([*answered(), cell(loop)]))
    assert any("code cell 8 " in note for note in notes)
    assert psutil.Process().memory_info().rss - before < 200_000_000


# What is not an answer.


def test_stubs_are_not_started_and_run_no_test(course: Course, tmp_path: Path) -> None:
    result = graded(course, hand_in(tmp_path, notebook(answered(STUBS)), journal=False))
    assert statuses(result.record) == {"double": "not_started", "pack": "not_started"}
    tests = [test for e in result.record.notebooks[0].exercises for test in e.tests]
    assert {(test.outcome, test.points) for test in tests} == {("skipped", 0)}
    assert (result.record.score, result.record.max_score) == (0.5, MAX_SCORE)  # the prediction stands unverified


def test_deleted_cells_are_missing_and_keep_the_maximum(course: Course, tmp_path: Path) -> None:
    cells = [c for c in answered() if c["metadata"].get("exercise") != "pack"]
    result = graded(course, hand_in(tmp_path, notebook(cells)))
    assert statuses(result.record) == {"double": "passed", "pack": "missing"}
    assert (result.record.score, result.record.max_score) == (MAX_SCORE - 2, MAX_SCORE)


def test_half_of_an_exercise_is_said_in_plain_words(course: Course, tmp_path: Path) -> None:
    first = ANSWERS["pack"].split("\n\n\n")[0]
    result = graded(course, hand_in(tmp_path, notebook(answered({"pack": first}))))
    assert statuses(result.record)["pack"] == "failed"
    sentences = {test.sentence for e in result.record.notebooks[0].exercises for test in e.tests if test.sentence}
    assert sentences == {"It raised NameError (name 'unpack' is not defined)."}


def test_a_learners_words_cannot_move_the_cursor(course: Course, tmp_path: Path) -> None:
    rude = "def double(number):\n    raise ValueError('\\x1b[2J\\ud800' + 'x' * 5000)"
    result = graded(course, hand_in(tmp_path, notebook(answered({"double": rude}))))
    sentence = result.record.notebooks[0].exercises[0].tests[0].sentence
    assert sentence.startswith("It raised ValueError (")
    assert sentence.isprintable()
    assert len(sentence) < 400
