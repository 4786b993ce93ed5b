"""`grader batch` from the outside: a whole class, with strangers among them."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import psutil
import pytest

from grader.course import Course
from tests.e2e.batch import SOLVED, batch, records, table, timeless
from tests.e2e.pile import CLASS, copy_library, lay_class, settle
from tests.e2e.toy import MAX_SCORE, REPO, STUBS, answered, cell, hand_in, notebook

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
