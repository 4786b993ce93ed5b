"""grades.csv as a spreadsheet reads it, and what a batch says while it runs."""

from __future__ import annotations

import csv
import io
from typing import Any

import msgspec
import pytest
from rich.console import Console

from grader.batch import Outcome
from grader.course import Course
from grader.grade import rejection
from grader.record import GradeRecord
from grader.report import progress
from grader.report.progress import BatchProgress
from grader.report.table import grades_csv, safe
from grader.submissions import Submission, Submitted
from tests.e2e.toy import MAX_SCORE, make_course

REJECTED = "not a notebook: line 3, and so on"


@pytest.fixture(scope="module")
def rejected(tmp_path_factory: pytest.TempPathFactory) -> GradeRecord:
    course: Course = make_course(tmp_path_factory.mktemp("toy"))
    submission = Submission("x", [Submitted(facts, None) for facts in course.manifest.notebooks])
    return rejection(course, submission, REJECTED, seed=1)


def named(record: GradeRecord, name: str) -> GradeRecord:
    return msgspec.structs.replace(record, submission=msgspec.structs.replace(record.submission, id=name))


def graded(record: GradeRecord, *, notebook: str = "graded", exercise: str = "passed", **fields: Any) -> GradeRecord:
    (first,) = record.notebooks
    exercises = [msgspec.structs.replace(e, status=exercise) for e in first.exercises]
    made = msgspec.structs.replace(first, status=notebook, exercises=exercises, **fields)
    return msgspec.structs.replace(record, status="graded", message="", notebooks=[made], score=made.score)


def rows(*records: GradeRecord) -> list[dict[str, str]]:
    data = grades_csv(records, ["00_toy"])
    assert data.startswith(b"\xef\xbb\xbf")
    found = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    assert all(None not in row and None not in row.values() for row in found)
    return found


@pytest.mark.parametrize("name", ["O'Neil, Jr.", 'the "one"', "李伟", "Zoë; Müller", "two\nlines", "a\tb", "1,5"])
def test_a_name_shifts_no_column(rejected: GradeRecord, name: str) -> None:
    (row,) = rows(named(rejected, name))
    assert row == {
        "submission": name,
        "status": "rejected",
        "score": "",
        "max_score": str(MAX_SCORE),
        "00_toy": "",
        "isolation": "none",
        "message": REJECTED,
    }


@pytest.mark.parametrize("name", ["=HYPERLINK(1)", "+1", "-1", "@sum", " =1", "\t=1", "\r\n=1", "\uff1d1"])
def test_no_name_and_no_message_is_a_formula(rejected: GradeRecord, name: str) -> None:
    (row,) = rows(named(msgspec.structs.replace(rejected, message=name), name))
    assert (row["submission"], row["message"]) == (f"'{name}", f"'{name}")
    assert safe("a=1") == "a=1"


def test_every_cell_is_quoted_and_rows_go_by_name(rejected: GradeRecord) -> None:
    lines = grades_csv([named(rejected, "b"), named(rejected, "a")], ["00_toy"]).decode("utf-8-sig").split("\r\n")
    assert [line[:4] for line in lines] == ['"sub', '"a",', '"b",', ""]
    assert all(line.count('","') == 6 for line in lines[:-1])


@pytest.mark.parametrize(("score", "shown"), [(7, "7"), (0, "0"), (6.5, "6.5"), (1 / 3, "0.3333333333")])
def test_a_score_is_a_number(rejected: GradeRecord, score: float, shown: str) -> None:
    (row,) = rows(graded(rejected, score=score))
    assert (row["status"], row["score"], row["00_toy"], row["message"]) == ("graded", shown, shown, "")


@pytest.mark.parametrize(
    ("fields", "cell", "message"),
    [
        ({"notebook": "not_submitted"}, "", "00_toy: not handed in"),
        ({"notebook": "rejected", "message": "00_toy.ipynb: empty"}, "", "00_toy.ipynb: empty"),
        ({"exercise": "missing"}, "0", "00_toy: defines none of its exercises"),
    ],
)
def test_no_zero_without_a_word(rejected: GradeRecord, fields: dict[str, Any], cell: str, message: str) -> None:
    (row,) = rows(graded(rejected, **fields))
    assert (row["score"], row["00_toy"], row["message"]) == ("0", cell, message)


def test_a_class_of_nobody_has_a_header(rejected: GradeRecord) -> None:
    assert rows() == []


# Progress.


def test_lines_with_the_time_left(rejected: GradeRecord, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten of twenty were there; the others take 4 s each."""
    clock = 0.0
    monkeypatch.setattr(progress, "monotonic", lambda: clock)
    out = io.StringIO()
    with BatchProgress(Console(file=out, width=80)) as shown:
        for done in range(1, 21):
            ran = done > 10
            clock += 4.0 * ran
            shown.step(Outcome(rejected, ran, [], done, 20))
    assert out.getvalue().splitlines() == [
        "  13 of 20 · 12 s · about 28 s left",
        "  16 of 20 · 24 s · about 16 s left",
        "  19 of 20 · 36 s · about 4 s left",
        "  20 of 20 · 40 s",
    ]
