"""`grader batch`, stopped or robbed of a worker, and started again."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from grader.course import Course
from tests.e2e.batch import ENVIRONMENT, SOLVED, arguments, batch, records, table
from tests.e2e.pile import SETTINGS, make_pile_course, settle
from tests.e2e.toy import HIDDEN, MAX_SCORE, STUBS, answered, cell, hand_in, notebook


@contextmanager
def running(command: list[str], temporary: Path, loops: int) -> Iterator[subprocess.Popen[str]]:
    """A batch, once so many of its kernels have arrived in the cell of `endless`."""
    env = {**ENVIRONMENT, "TMPDIR": str(temporary)}
    process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        wait(lambda: len(list(temporary.glob("grader-*/grader-*/work*/reached"))) == loops)
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=60)


def wait(arrived: Callable[[], bool], seconds: float = 90) -> None:
    deadline = time.monotonic() + seconds
    while not arrived():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def endless() -> bytes:
    return notebook([*answered(), cell("import time\nopen('reached', 'w').close()\nwhile True:\n    time.sleep(0.1)")])


@pytest.fixture(scope="module")
def patient(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """The toy, with time for a test to look at a cell that runs."""
    settings = SETTINGS.replace("cell_seconds = 2", "cell_seconds = 120")
    return make_pile_course(tmp_path_factory.mktemp("patient"), settings=settings)


def test_a_worker_that_is_killed_costs_one_student_only(
    patient: Course, tmp_path: Path, own_temporary_folder: Path
) -> None:
    place, results = tmp_path / "class", tmp_path / "results"
    hand_in(place / "a", endless())
    hand_in(place / "b", SOLVED)
    with running(arguments(patient, place, results, "--jobs", "1"), own_temporary_folder, 1) as process:
        (worker,) = psutil.Process(process.pid).children()
        kernels = worker.children(recursive=True)
        assert kernels
        worker.kill()
        _, errors = process.communicate(timeout=90)
    assert process.returncode == 3
    found = records(results)
    assert (found["a"]["status"], found["a"]["max_score"]) == ("rejected", MAX_SCORE)
    assert found["a"]["message"] == "the grading process ended while it graded this."
    assert "a: the grading process ended while it graded this." in errors.splitlines()
    assert found["b"]["score"] == MAX_SCORE
    wait(lambda: not any(kernel.is_running() for kernel in kernels), 10)


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -signal.SIGKILL)]
)
def test_stopped_in_the_middle_it_goes_on_where_it_was(
    patient: Course, tmp_path: Path, own_temporary_folder: Path, number: int, status: int
) -> None:
    place, results = tmp_path / "class", tmp_path / "results"
    for name in "abmnz":
        hand_in(place / name, endless() if name in "mn" else SOLVED)
    command = arguments(patient, place, results, "--jobs", "2")
    with running(command, own_temporary_folder, 2) as process:
        family = psutil.Process(process.pid).children(recursive=True)
        assert len(family) == 4
        told = time.monotonic()
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
        wait(lambda: not any(p.is_running() for p in family), 15)
        took = time.monotonic() - told
    assert process.returncode == status
    assert took < 10
    assert list(own_temporary_folder.glob("grader-*")) == []
    if number != signal.SIGKILL:
        assert errors == f"grader: stopped; 2 done and kept in {results}. The same command goes on from there.\n"
    kept = {name: (results / "records" / f"{name}.json").stat().st_mtime_ns for name in "ab"}
    assert sorted(records(results)) == ["a", "b"]
    assert not (results / "grades.csv").exists()

    for name in "mn":
        hand_in(place / name, SOLVED, journal=False)
    done = batch(patient, place, results, "--jobs", "2")
    assert done.returncode == 0, done.stderr
    assert {name: record["score"] for name, record in records(results).items()} == dict.fromkeys("abmnz", MAX_SCORE)
    assert {name: (results / "records" / f"{name}.json").stat().st_mtime_ns for name in "ab"} == kept
    assert [row["score"] for row in table(results)] == ["7"] * 5
    assert list(results.rglob("*.new")) == []


def test_a_change_of_work_or_of_the_course_is_graded_again(tmp_path: Path) -> None:
    course = make_pile_course(tmp_path / "course")
    place, results = tmp_path / "class", tmp_path / "results"
    for name in "ab":
        hand_in(place / name, SOLVED)
    assert batch(course, place, results).returncode == 0
    first = records(results)
    (place / "b" / "00_toy.ipynb").write_bytes(notebook(answered(STUBS)))
    assert batch(course, place, results).returncode == 1
    second = records(results)
    assert second["a"] == first["a"]
    assert second["b"]["score"] == 1

    hidden = course.hidden_dir / "test_00.py"
    hidden.write_text(HIDDEN.replace("number + number", "number + number + 1"))
    stale = batch(course, place, results)
    assert (stale.returncode, records(results)) == (2, second)
    assert stale.stderr == "grader: grader/manifest.json: older than the tests or course_lib. Run `grader build`.\n"
    settle(course)
    assert batch(course, place, results).returncode == 1
    third = records(results)
    assert third["a"]["score"] == MAX_SCORE - 2
    assert third["a"]["course"]["digest"] != first["a"]["course"]["digest"]
    assert third["a"]["seed_commitment"] == first["a"]["seed_commitment"]
