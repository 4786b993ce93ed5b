"""Workers: what is done about those that fail, hang, die or are not needed any more."""

from __future__ import annotations

import os
import secrets
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import psutil
import pytest

from grader.batch import pool
from grader.batch.messages import Done, Setup, Task
from grader.batch.pool import Lost, work_off
from grader.course import Course, CourseError
from grader.record import GradeRecord
from tests.conftest import Family
from tests.e2e.toy import SETTINGS, answered, cell, hand_in, make_course, notebook

SOLVED = notebook(answered())
LOOP = notebook([*answered(), cell("import time\nwhile True:\n    time.sleep(0.1)")])


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    settings = SETTINGS.replace("cell_seconds = 1", "cell_seconds = 120")
    return make_course(tmp_path_factory.mktemp("toy"), settings=settings)


@pytest.fixture
def scratch(family: Family) -> Iterator[str]:
    """A folder for kernels, of which nothing is left in the end, nor of the workers."""
    folder = tempfile.mkdtemp(prefix="pool-")  # short: it holds unix sockets
    yield folder
    assert not Path(folder).exists()
    assert family() == []


def setup(course: Course, scratch: str) -> Setup:
    return Setup(str(course.root), ["00_toy"], 7, scratch)


def tasks(place: Path, *works: bytes) -> list[Task]:
    """Tasks named a, b, c and so on; an empty one is of a folder that is not there."""
    found = []
    for name, data in zip("abcdefg", works, strict=False):
        if data:
            hand_in(place / name, data)
        found.append(Task(name, os.fsencode(place / name)))
    return found


def statuses(results: Iterator[tuple[Task, Done | Lost]]) -> dict[str, str]:
    said = {}
    for task, result in results:
        if isinstance(result, Done):
            record = msgspec.json.decode(result.record, type=GradeRecord)
            assert record.submission.id == task.id
            said[task.id] = record.status
        else:
            said[task.id] = result.reason
    return said


def test_what_vanished_after_the_batch_looked_is_a_rejection(course: Course, scratch: str, tmp_path: Path) -> None:
    got = statuses(work_off(setup(course, scratch), tasks(tmp_path, b"", SOLVED, b""), 2, 60))
    assert got == {"a": "rejected", "b": "graded", "c": "rejected"}


def test_no_tasks_start_nothing(course: Course, scratch: str) -> None:
    assert list(work_off(setup(course, scratch), [], 4, 60)) == []


def test_one_that_does_not_come_back_is_ended_and_the_next_graded(course: Course, scratch: str, tmp_path: Path) -> None:
    got = statuses(work_off(setup(course, scratch), tasks(tmp_path, LOOP, b""), 1, 8))
    assert got == {"a": "grading did not come to an end within 8 s", "b": "rejected"}


def test_leaving_early_ends_every_worker_and_kernel(
    course: Course, scratch: str, tmp_path: Path, family: Family
) -> None:
    with closing(work_off(setup(course, scratch), tasks(tmp_path, LOOP, b"", LOOP), 2, 300)) as results:
        assert next(results)[0].id == "b"
        deadline = time.monotonic() + 60
        while len(family()) < 4:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        started = family()
    # A kernel whose worker was told to stop while it was starting ends a moment after it.
    assert psutil.wait_procs(started, timeout=10)[1] == []


def test_workers_that_die_while_idle_or_unasked_hold_up_nobody(
    course: Course, scratch: str, tmp_path: Path, family: Family
) -> None:
    got = {}
    for task, result in work_off(setup(course, scratch), tasks(tmp_path, b"", b"", b""), 1, 60):
        got[task.id] = type(result)
        for worker in family():
            worker.kill()
            worker.wait()
    assert got.keys() == {"a", "b", "c"}


def test_handing_a_task_to_a_worker_that_is_gone_is_no_error(
    course: Course, scratch: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "COMMAND", ["true"])
    worker = pool._Worker(setup(course, scratch))
    worker.process.wait()
    worker.give(Task("a", b"a"))
    assert isinstance(worker.answer(), Lost)
    worker.reap()
    Path(scratch).rmdir()


def test_a_course_that_cannot_be_used_stops_it_with_its_reason(scratch: str, tmp_path: Path) -> None:
    broken = make_course(tmp_path / "toy")
    (broken.hidden_dir / "test_00.py").write_text("import nothing_of_that_name\n")
    with pytest.raises(CourseError, match="nothing_of_that_name"):
        list(work_off(setup(broken, scratch), tasks(tmp_path, SOLVED, SOLVED), 1, 60))


def test_a_fault_of_the_grader_is_told_with_its_details(course: Course, scratch: str, tmp_path: Path) -> None:
    """No kernel can have its sockets in a folder whose name is this long."""
    long = Path(scratch, "x" * 120)
    long.mkdir()
    ((_, result),) = work_off(setup(course, str(long)), tasks(tmp_path, SOLVED), 1, 60)
    assert isinstance(result, Lost)
    assert result.reason.startswith("the grader failed on this: ")
    assert "Traceback" in result.details
    Path(scratch).rmdir()


def test_a_submission_is_no_module_of_the_grader(
    course: Course, scratch: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even when the batch is started among them."""
    mark = tmp_path / f"mark-{secrets.token_hex(4)}"
    for name in ("msgspec", "grader", "sitecustomize", "random"):
        (tmp_path / f"{name}.py").write_text(f"open({str(mark)!r}, 'w')\nraise SystemExit\n")
    monkeypatch.chdir(tmp_path)
    got = statuses(work_off(setup(course, scratch), tasks(tmp_path, b""), 1, 60))
    assert got == {"a": "rejected"}
    assert not mark.exists()
