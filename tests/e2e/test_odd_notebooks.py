"""Notebooks that do odd things: what is said of them, and what they cannot touch.

That their answers count all the same is seen in the class of sixty, which holds every one of `changes.py`.
"""

from __future__ import annotations

import json
from pathlib import Path

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


def full_marks(course: Course, tmp_path: Path, data: bytes) -> list[str]:
    """What is said of a notebook that gets them."""
    result = graded(course, hand_in(tmp_path, data))
    assert result.faults == []
    assert set(statuses(result.record).values()) == {"passed"}
    assert (result.record.score, result.record.max_score) == (MAX_SCORE, MAX_SCORE)
    return result.notes


def test_cells_are_named_by_their_first_line(course: Course, tmp_path: Path) -> None:
    cells = answered()
    odd = ["while True: pass", "\n# leaves\nimport os\nos._exit(0)", "%time\ndef broken(:"]
    cells[2:2] = map(cell, odd)
    cells.append(cell("def double(number):\n    return number ** 2", "raw"))
    assert full_marks(course, tmp_path, notebook(cells)) == [
        "00_toy.ipynb: the raw cell “def double(number):” holds a definition; it was read as code",
        "00_toy.ipynb: the cell “while True: pass” was stopped after 1 s",
        "00_toy.ipynb: the cell “# leaves” ended the whole kernel and was left out",
        "00_toy.ipynb: the cell “%time” is not Python: line 2: invalid syntax",
    ]


def test_a_printing_loop_does_not_fill_the_graders_memory(course: Course, tmp_path: Path) -> None:
    loop = "text = 'x' * 1_000_000\nwhile True:\n    print(text)"
    before = psutil.Process().memory_info().rss
    notes = full_marks(course, tmp_path, notebook([*answered(), cell(loop)]))
    (note,) = notes  # on a busy machine the interrupt comes through too late, and its kernel is ended
    assert note.startswith("00_toy.ipynb: the cell “text = 'x' * 1_000_000” ")
    assert psutil.Process().memory_info().rss - before < 200_000_000


def test_files_beside_it_are_there_and_stay_as_they_are(course: Course, tmp_path: Path) -> None:
    """In a notebook with a broken frame, whose last cell closes what it prints to."""
    hand_in(tmp_path, b"")
    (tmp_path / "data.txt").write_text("21")
    (tmp_path / "json.py").write_text("raise RuntimeError('a module of the learner')")
    cells = answered({"double": "with open('data.txt') as f:\n    half = int(f.read())\n\n" + ANSWERS["double"]})
    cells.append(cell("open('data.txt', 'w').write('0')\nimport os\nos.remove('json.py')"))
    cells.append(cell("import sys\nsys.stdout.close()\nsys.stderr.close()"))
    data = json.loads(notebook(cells))
    data["nbformat_minor"], data["metadata"]["widgets"] = 99, "?"
    assert full_marks(course, tmp_path, json.dumps(data).encode()) == []
    assert (tmp_path / "data.txt").read_text() == "21"
    assert (tmp_path / "json.py").exists()


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
        "import grader.kernel.inside as i\ni.perform = lambda *_: 1 / 0",
        "import gc\n[o.line.end.close() for o in gc.get_objects() if type(o).__name__ == '_Grader']",
        "import grader.kernel.inside as i\ni.perform = lambda *_: {'noted': {'double': [[999, True]]}}",
    ],
    ids=["nothing works", "no line", "forged place"],
)
def test_a_cell_that_meddles_with_the_grader_harms_only_itself(course: Course, tmp_path: Path, source: str) -> None:
    result = graded(course, hand_in(tmp_path, notebook([*answered(), cell(source)])))
    assert result.faults == []
    assert (result.record.status, result.record.max_score) == ("rejected", MAX_SCORE)
    assert result.record.score < MAX_SCORE
    assert result.record.message.startswith("00_toy.ipynb: ")


# What is not an answer.


def test_stubs_are_not_started_and_run_no_test(course: Course, tmp_path: Path) -> None:
    result = graded(course, hand_in(tmp_path, notebook(answered(STUBS)), journal=False))
    assert statuses(result.record) == {"double": "not_started", "pack": "not_started"}
    tests = [test for e in result.record.notebooks[0].exercises for test in e.tests]
    assert {(test.outcome, test.points) for test in tests} == {("skipped", 0)}
    assert (result.record.score, result.record.max_score) == (0.5, MAX_SCORE)  # the prediction stands unverified


def test_what_is_not_defined_is_missing_and_the_near_miss_named(course: Course, tmp_path: Path) -> None:
    cells = answered({"double": ANSWERS["double"].replace("double", "duoble"), "pack": "pack = unpack = 3"})
    result = graded(course, hand_in(tmp_path, notebook(cells)))
    assert statuses(result.record) == {"double": "missing", "pack": "missing"}
    assert (result.record.score, result.record.max_score) == (1, MAX_SCORE)
    assert result.notes == [
        "00_toy.ipynb: no cell defines double; there is a duoble",
        "00_toy.ipynb: pack is bound to something that is no function and no class",
    ]


def test_sentences_are_plain_words_and_cannot_move_the_cursor(course: Course, tmp_path: Path) -> None:
    answers = {
        "double": "def double(number):\n    raise ValueError('\\x1b[2J\\ud800' + 'x' * 5000)",
        "pack": ANSWERS["pack"].split("\n\n\n")[0],
    }
    result = graded(course, hand_in(tmp_path, notebook(answered(answers))))
    assert statuses(result.record) == {"double": "failed", "pack": "failed"}
    rude, half = result.record.notebooks[0].exercises
    assert rude.tests[0].sentence.startswith("It raised ValueError (")
    assert rude.tests[0].sentence.isprintable()
    assert len(rude.tests[0].sentence) < 400
    assert {test.sentence for test in half.tests} == {"It raised NameError (name 'unpack' is not defined)."}
