"""`grader check` from the outside: the course's own notebooks, a toy's, and what happens when it is stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest
from jsonschema import Draft202012Validator
from msgspec.structs import replace

from grader.course import Course, dump_manifest
from grader.record import schema
from tests.e2e.pile import settle
from tests.e2e.toy import (
    HIDDEN,
    MAX_SCORE,
    REPO,
    SETTINGS,
    answered,
    cell,
    graded,
    hand_in,
    make_course,
    notebook,
    statuses,
)

GRADER = [sys.executable, "-m", "grader.cli"]


def grader(*arguments: str | Path, cwd: Path = REPO) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(REPO)}
    command = [*GRADER, *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=300)


def exercises(record: dict[str, Any]) -> dict[str, str]:
    return {e["name"]: e["status"] for n in record["notebooks"] for e in n["exercises"]}


def valid(text: str | bytes) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(text)
    Draft202012Validator(schema()).validate(record)
    return record


def test_every_solution_passes() -> None:
    done = grader("check", "solutions", "--json", "-")
    record = valid(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert set(exercises(record).values()) == {"passed"}
    assert record["score"] == record["max_score"] > 0
    assert all(p["verified"] and p["points"] == p["max_points"] for n in record["notebooks"] for p in n["predictions"])


def test_every_stub_is_not_started() -> None:
    done = grader("check", "notebooks", "--json", "-")
    record = valid(done.stdout)
    assert (done.returncode, done.stderr) == (1, "")
    assert set(exercises(record).values()) == {"not_started"}
    assert record["score"] == 0
    assert record["max_score"] == sum(facts.max_points for facts in Course.load().manifest.notebooks)


# On the toy.


def check(course: Course, *arguments: str | Path, cwd: Path = REPO) -> subprocess.CompletedProcess[str]:
    return grader("--course", course.root, "check", *arguments, cwd=cwd)


def test_table_record_and_status(course: Course, tmp_path: Path) -> None:
    answers = {"double": "def double(number):\n    return number ** 2"}
    home = hand_in(tmp_path / "notebooks", notebook(answered(answers))).parent
    done = check(course, "00_toy", "--json", "record.json", "--seed", "5", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    rows = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "Toy 0.1 · 1 notebook in notebooks/ · seed 5" in rows
    assert "00 toy double ✓ 1/1 ✗ 1/2 2 / 4" in rows
    assert "pack ✓ 1/1 ✓ 1/1 2 / 2" in rows
    assert "predictions 1/1 1 / 1" in rows
    assert rows[-1] == 'Next: double (notebook 00, exercise 0.1 "The double") · grader hint double'
    record = valid((tmp_path / "record.json").read_bytes())
    assert (record["score"], record["max_score"]) == (MAX_SCORE - 2, MAX_SCORE)
    assert record["submission"]["id"] == "00_toy"
    assert sorted(path.name for path in home.iterdir() if path.name[0] != ".") == ["00_toy.ipynb", "predictions"]


def test_one_exercise_shows_every_failure(tmp_path: Path) -> None:
    wrong = '@exercise("double")\ndef test_{0}(learner):\n    """Promise {0}."""\n    promise(False, "Wrong {0}")\n\n\n'
    more = "".join(map(wrong.format, "abcd"))
    course = make_course(tmp_path / "course", hidden=f"{HIDDEN}\n\n{more}")
    file = hand_in(tmp_path / "work", notebook(answered({"pack": "x = 1"})))
    done = check(course, file, "--exercise", "double", "--json", tmp_path / "record.json")
    assert (done.returncode, done.stderr) == (1, "")
    assert [f"Wrong {name}." in done.stdout for name in "abcd"] == [True] * 4
    assert "pack" not in done.stdout
    record = valid((tmp_path / "record.json").read_bytes())
    assert exercises(record) == {"double": "partial"}
    assert (record["score"], record["max_score"]) == (4, 8)


def test_calls_that_end_the_process_or_do_not_end_cost_their_own_tests_only(course: Course, tmp_path: Path) -> None:
    answers = {
        "double": "def double(number):\n    import os\n    return number * 2 if number else os._exit(0)",
        "pack": "def pack(items):\n    while items:\n        pass\n    return ''\n\n\ndef unpack(text):\n    return []",
    }
    result = graded(course, hand_in(tmp_path, notebook(answered(answers))))
    tests = {test.name: (test.outcome, test.reason) for e in result.record.notebooks[0].exercises for test in e.tests}
    assert result.faults == []
    assert statuses(result.record) == {"double": "partial", "pack": "partial"}
    assert tests == {
        "test_small": ("passed", None),
        "test_any": ("passed", None),
        "test_zero": ("error", "killed"),
        "test_round_trip": ("error", "time"),
        "test_empty": ("passed", None),
    }


def test_an_older_manifest_is_said(tmp_path: Path) -> None:
    course = make_course(tmp_path / "course")
    hidden = next((course.root / "hidden").glob("test_*.py"))
    hidden.write_text(hidden.read_text() + "\n# one more line\n")
    done = check(course, hand_in(tmp_path / "work", notebook(answered())))
    assert done.returncode == 0
    assert done.stderr.startswith("grader: what is asked changed since the manifest was built")


def test_a_broken_test_is_the_graders_fault(tmp_path: Path) -> None:
    broken = make_course(tmp_path / "broken", hidden=HIDDEN.replace('learner.call("double", 0).value == 0', "1 / 0"))
    done = check(broken, hand_in(tmp_path / "work", notebook(answered())))
    assert done.returncode == 3
    assert "ZeroDivisionError" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("grader: a test itself failed")


def test_a_bad_notebook_among_good_ones_is_graded_around(tmp_path: Path) -> None:
    course = make_course(tmp_path / "course")
    (toy,) = course.manifest.notebooks
    two = [toy, replace(toy, name="01_more", number="01", exercises=[], predictions=[], max_points=0)]
    course.manifest_path.write_bytes(dump_manifest(replace(course.manifest, notebooks=two)))
    vars(course).pop("manifest")
    settle(course)
    hand_in(tmp_path / "work", notebook(answered())).with_name("01_more.ipynb").write_bytes(b"{")
    done = check(course, tmp_path / "work", "--json", tmp_path / "record.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert "! 01_more.ipynb: the file is cut short: its JSON does not end." in done.stdout
    assert done.stdout.splitlines()[-1] == "  Next: the notebooks that could not be read, see above"
    record = valid((tmp_path / "record.json").read_bytes())
    assert [n["status"] for n in record["notebooks"]] == ["graded", "rejected"]
    assert (record["status"], record["score"]) == ("graded", MAX_SCORE)


# Stopped by Ctrl-C: nothing stays behind (see conftest).


@pytest.mark.parametrize("after", ["starting", "cell", "call"])
def test_stopping_it_leaves_nothing(tmp_path: Path, own_temporary_folder: Path, after: str) -> None:
    settings = SETTINGS.replace("_seconds = 1", "_seconds = 60")
    course = make_course(tmp_path / "course", settings=settings)
    loop = {
        "starting": answered(),
        "cell": [*answered(), cell("open('reached', 'w').close()\nwhile True:\n    pass")],
        "call": answered(
            {"double": "def double(number):\n    while number == 2:\n        open('reached', 'w').close()"}
        ),
    }[after]
    file = hand_in(tmp_path / "work", notebook(loop))
    process = subprocess.Popen(
        [*GRADER, "--course", str(course.root), "check", str(file)],
        env={**os.environ, "PYTHONPATH": str(REPO)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    # Named level by level: a search of everything below would trip over a folder that is just being removed.
    marks = {"starting": "grader-*", "cell": "grader-*/work*/reached", "call": "grader-*/work*/t*/reached"}
    deadline = time.monotonic() + 60
    while not any(own_temporary_folder.glob(marks[after])):
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.02)
    kernels = [child.pid for child in psutil.Process(process.pid).children(recursive=True)]
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, "grader: stopped.\n")
    assert list(own_temporary_folder.glob("grader-*")) == []
    for pid in kernels:
        assert not Path(f"/proc/{pid}/cmdline").exists()
