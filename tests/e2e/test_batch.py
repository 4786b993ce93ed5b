"""`grader batch` from the outside: a whole class, stopped and started again, with strangers among them."""

from __future__ import annotations

import ast
import csv
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from grader.batch.run import record_name
from grader.course import Course
from tests.e2e.pile import CLASS, SETTINGS, copy_library, lay_class, make_pile_course, settle
from tests.e2e.toy import HIDDEN, MAX_SCORE, REPO, STUBS, answered, cell, hand_in, notebook

SOLVED = notebook(answered())
COMMAND = [sys.executable, "-m", "grader.cli"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(REPO), "COLUMNS": "80"}


def arguments(course: Course, submissions: Path, results: Path, *more: str) -> list[str]:
    folders = ["batch", str(submissions), "--out", str(results)]
    return [*COMMAND, "--course", str(course.root), *folders, "--trust-submissions", *more]


def batch(course: Course, submissions: Path, results: Path, *more: str) -> subprocess.CompletedProcess[str]:
    env = {**ENVIRONMENT, "TMPDIR": os.environ["TMPDIR"]}
    command = arguments(course, submissions, results, *more)
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=400)


def records(results: Path) -> dict[str, dict[str, Any]]:
    """The records by the submission's id; the file's name is checked on the way."""
    found = [json.loads(path.read_bytes()) for path in (results / "records").iterdir()]
    assert sorted(path.name for path in (results / "records").iterdir()) == sorted(
        record_name(record["submission"]["id"]) for record in found
    )
    return {record["submission"]["id"]: record for record in found}


def table(results: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO((results / "grades.csv").read_text("utf-8-sig"), newline="")))


def timeless(record: dict[str, Any]) -> dict[str, Any]:
    """The record without what differs between two runs of the same."""
    notebooks = [{k: v for k, v in n.items() if k != "seconds"} for n in record["notebooks"]]
    return {k: v for k, v in record.items() if k not in ("started", "seconds")} | {"notebooks": notebooks}


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return make_pile_course(tmp_path_factory.mktemp("course"))


# A class of sixty.


@pytest.fixture(scope="module")
def pile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("pile") / "class"
    lay_class(place)
    return place


@pytest.fixture(scope="module")
def two_workers(toy: Course, pile: Path) -> subprocess.CompletedProcess[str]:
    return batch(toy, pile, pile.parent / "two", "--jobs", "2", "--seed", "5")


def test_every_student_is_there_once_with_a_score_or_a_reason(
    two_workers: subprocess.CompletedProcess[str], pile: Path
) -> None:
    assert len(CLASS) >= 60
    assert two_workers.returncode == 1, two_workers.stderr
    assert two_workers.stdout == ""
    found = records(pile.parent / "two")
    rows = table(pile.parent / "two")
    names = [student.id for student in CLASS]
    came_to = {name: (r["score"] if r["status"] == "graded" else r["message"]) for name, r in found.items()}
    expected = {student.id: student.expected for student in CLASS}
    wrong = {
        name: (expected.get(name), got)
        for name, got in came_to.items()
        if name not in expected or (expected[name] not in got if isinstance(got, str) else expected[name] != got)
    }
    assert wrong == {}
    assert sorted(found) == sorted(names)
    assert [row["submission"].removeprefix("'") for row in rows] == sorted(names)
    assert {record["max_score"] for record in found.values()} == {MAX_SCORE}
    for row in rows:
        assert None not in row
        record = found[row["submission"].removeprefix("'")]
        score = f"{record['score']:g}" if record["status"] == "graded" else ""
        assert (row["status"], row["score"], row["00_toy"]) == (record["status"], score, score)
        assert row["score"] not in ("", "0") or row["message"]
        assert row["isolation"] == record["isolation"]["level"]


def test_one_worker_and_another_run_make_the_same_records(
    toy: Course, pile: Path, two_workers: subprocess.CompletedProcess[str]
) -> None:
    one = batch(toy, pile, pile.parent / "one", "--jobs", "1", "--seed", "5")
    assert one.returncode == 1
    first, second = records(pile.parent / "one"), records(pile.parent / "two")
    assert {k: timeless(v) for k, v in first.items()} == {k: timeless(v) for k, v in second.items()}
    assert (pile.parent / "one" / "grades.csv").read_bytes() == (pile.parent / "two" / "grades.csv").read_bytes()


def test_nothing_of_the_class_runs_on(two_workers: subprocess.CompletedProcess[str]) -> None:
    running = [p for p in psutil.process_iter(["cmdline"]) if "left-behind" in (p.info["cmdline"] or [])]
    assert running == []


def test_progress_and_summary(two_workers: subprocess.CompletedProcess[str], pile: Path) -> None:
    lines = two_workers.stderr.splitlines()
    assert any(line.startswith("  ") and " left" in line and f" of {len(CLASS)} · " in line for line in lines)
    rejected = sum(isinstance(student.expected, str) for student in CLASS)
    summary = f"  {len(CLASS)} submissions · {len(CLASS) - rejected} graded · grades in {pile.parent}/two/grades.csv"
    assert summary in lines
    assert f"  {rejected} could not be graded:" in lines
    assert "\x1b" not in two_workers.stderr


def test_a_second_run_grades_nothing_again(
    toy: Course, pile: Path, two_workers: subprocess.CompletedProcess[str]
) -> None:
    results = pile.parent / "two"
    before = {name: record for name, record in records(results).items() if record["status"] == "graded"}
    grades = (results / "grades.csv").read_bytes()
    again = batch(toy, pile, results)  # the seed is the folder's
    after = records(results)
    assert again.returncode == 1
    assert {name: after[name] for name in before} == before
    assert (results / "grades.csv").read_bytes() == grades


# One changes nothing of another.


def rude() -> bytes:
    """Whatever a cell may try that others could feel."""
    cells = [
        "import builtins, os, signal, subprocess, sys, threading\nfrom pathlib import Path\nimport course_lib",
        "fonts, library = Path(os.environ['MPLCONFIGDIR']), Path(course_lib.__file__).parent",
        *(
            f"({place} / 'sitecustomize.py').write_text('raise SystemExit')"
            for place in ("fonts", "library", "library.parent", "Path('/tmp')", "Path.home()")
        ),
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(99)'])",
        "os.kill(os.getppid(), signal.SIGKILL)",
        "builtins.len = builtins.sum = lambda *_: 1 / 0",
        "threading.Thread(target=lambda: [sys.stdout.write('x') for _ in range(10**5)], daemon=True).start()",
        "os._exit(1)",
        "with open('full', 'wb') as file:\n    file.write(bytes(50_000_000))",
    ]
    return notebook([*map(cell, cells), *answered({"double": "def double(number):\n    os._exit(number != 2)"})])


def test_honest_work_before_and_after_hostile_work_is_graded_the_same(toy: Course, tmp_path: Path) -> None:
    place, results = tmp_path / "class", tmp_path / "results"
    for name, data in (("a", SOLVED), ("b", rude()), ("c", SOLVED), ("d", notebook(answered(STUBS)))):
        hand_in(place / name, data)
    done = batch(toy, place, results, "--jobs", "1")
    assert done.returncode == 1, done.stderr
    found = {name: timeless(record) for name, record in records(results).items()}
    assert (found["a"]["score"], found["d"]["score"]) == (MAX_SCORE, 1)
    assert found["b"]["max_score"] == MAX_SCORE
    assert found["a"] | {"submission": None} == found["c"] | {"submission": None}


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


# Stopped, and started again.


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


# Calls that cannot be carried out.


def refused(done: subprocess.CompletedProcess[str]) -> str:
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("grader: ")
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_strangers_are_not_run_without_a_word(toy: Course, tmp_path: Path) -> None:
    hand_in(tmp_path / "class" / "a", SOLVED)
    command = [*COMMAND, "--course", str(toy.root), "batch", str(tmp_path / "class"), "--out", str(tmp_path / "out")]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False, timeout=60)
    assert "--trust-submissions" in refused(done)
    assert not (tmp_path / "out").exists()


def test_folders_that_cannot_be_used(toy: Course, tmp_path: Path) -> None:
    place = tmp_path / "class"
    assert f"{place}: cannot be read (No such file or directory)" in refused(batch(toy, place, tmp_path / "out"))
    place.mkdir()
    (place / ".DS_Store").touch()
    assert f"{place}: empty." in refused(batch(toy, place, tmp_path / "out"))
    (place / "a.ipynb").write_bytes(SOLVED)
    assert "not a directory" in refused(batch(toy, place / "a.ipynb", tmp_path / "out")).lower()
    (tmp_path / "taken").touch()
    assert f"{tmp_path / 'taken'}: cannot be written to" in refused(batch(toy, place, tmp_path / "taken"))
    for inside in (place, place / "out"):
        assert "lies among the submissions" in refused(batch(toy, place, inside))
    assert sorted(path.name for path in place.iterdir()) == [".DS_Store", "a.ipynb"]


def test_another_question_to_the_same_folder(toy: Course, tmp_path: Path) -> None:
    place, results = tmp_path / "class", tmp_path / "out"
    place.mkdir()
    (place / "a.pdf").touch()
    assert batch(toy, place, results, "--seed", "1").returncode == 1
    assert "holds results of another seed" in refused(batch(toy, place, results, "--seed", "2"))
    assert "no notebook numbered 04" in refused(batch(toy, place, results, "--notebooks", "00,04"))
    assert "no notebook is asked for" in refused(batch(toy, place, results, "--notebooks", ","))
    plan = json.loads((results / "batch.json").read_bytes())
    (results / "batch.json").write_text(json.dumps(plan | {"scope": ["00_toy", "04_other"]}))
    assert "holds results of other notebooks (00_toy, 04_other)" in refused(batch(toy, place, results))
    assert batch(toy, place, results, "--seed", "2", "--regrade").returncode == 1
    (results / "batch.json").write_text("{")
    assert "batch.json: cannot be read" in refused(batch(toy, place, results))


def test_a_broken_test_is_the_graders_fault(tmp_path: Path) -> None:
    course = make_pile_course(
        tmp_path / "course", hidden=HIDDEN.replace('learner.call("double", 0).value == 0', "1 / 0")
    )
    hand_in(tmp_path / "class" / "a", SOLVED)
    done = batch(course, tmp_path / "class", tmp_path / "out")
    assert done.returncode == 3
    assert "ZeroDivisionError" in done.stderr


# The real course.


@pytest.fixture
def real(tmp_path: Path) -> Course:
    """A copy, so that an author may work on it meanwhile."""
    root = tmp_path / "real" / "grader"
    for name in ("public", "hidden"):
        shutil.copytree(REPO / "grader" / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("course.toml", "manifest.json"):
        shutil.copy(REPO / "grader" / name, root / name)
    course = Course.load(root)
    copy_library(course)
    settle(course)
    return course


MUTANTS = sorted((REPO / "tests" / "mutants" / "00").glob("*/*.py"))[::5]


def with_mutant(document: dict[str, Any], path: Path) -> tuple[bytes, str]:
    """The solved notebook with a wrong answer for one exercise, and the sentence that must meet it."""
    tree = ast.parse(path.read_text("utf-8"))
    facts = {node.targets[0].id: node.value for node in tree.body if isinstance(node, ast.Assign)}  # type: ignore[attr-defined]
    answer = "\n\n\n".join(
        ast.unparse(node)
        for node in tree.body[1:]
        if not isinstance(node, ast.Assign) and getattr(node, "name", "") != "witness"
    )
    cells = [*document["cells"], cell(answer)]
    return json.dumps({**document, "cells": cells}).encode(), ast.literal_eval(facts["CATCHES"])


def test_a_handful_of_the_real_course(real: Course, tmp_path: Path) -> None:
    place, results = tmp_path / "class", tmp_path / "results"
    (path,) = (REPO / "solutions").glob("00_*.ipynb")
    document = json.loads(path.read_bytes())
    shutil.copytree(REPO / "notebooks", place / "stub", ignore=shutil.ignore_patterns("predictions"))
    work = {"solved": path.read_bytes(), "page": b"<html>", "cut": path.read_bytes()[:9000]}
    sentences = {}
    for mutant in MUTANTS:
        name = f"{mutant.parent.name} {mutant.stem}"
        work[name], sentences[name] = with_mutant(document, mutant)
    for name, data in work.items():
        (place / name).mkdir()
        (place / name / path.name).write_bytes(data)
    done = batch(real, place, results, "--notebooks", "00", "--jobs", "2")
    assert done.returncode == 1, done.stderr
    found = records(results)
    assert sorted(found) == sorted(["stub", *work])
    assert {tuple(record["scope"]) for record in found.values()} == {(path.stem,)}
    assert {record["max_score"] for record in found.values()} == {found["solved"]["score"]}
    assert found["stub"]["score"] == 0
    assert (found["page"]["status"], found["cut"]["status"]) == ("rejected", "rejected")
    assert len(sentences) >= 3
    for name, sentence in sentences.items():
        (notebook,) = found[name]["notebooks"]
        statuses = {exercise["name"]: exercise["status"] for exercise in notebook["exercises"]}
        assert statuses.pop(name.partition(" ")[0]) in ("partial", "failed"), name
        assert set(statuses.values()) == {"passed"}, name
        said = [test["sentence"] for exercise in notebook["exercises"] for test in exercise["tests"]]
        assert sentence == "raises" or any(sentence in one for one in said), name
