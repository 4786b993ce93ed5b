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

from grader.course import Course
from tests.e2e.toy import ANSWERS, MAX_SCORE, REPO, answered, cell, graded, hand_in, notebook, statuses

GRADER = [sys.executable, "-m", "grader.cli"]


def grader(*arguments: str | Path, cwd: Path = REPO) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(REPO)}
    command = [*GRADER, *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=300)


@pytest.fixture(scope="module")
def validator() -> Draft202012Validator:
    return Draft202012Validator(json.loads(grader("schema").stdout))


def exercises(record: dict[str, Any]) -> dict[str, str]:
    return {e["name"]: e["status"] for n in record["notebooks"] for e in n["exercises"]}


@pytest.fixture(scope="module")
def solutions() -> subprocess.CompletedProcess[str]:
    return grader("check", "solutions", "--json", "-")


def test_every_solution_passes(solutions: subprocess.CompletedProcess[str], validator: Draft202012Validator) -> None:
    record = json.loads(solutions.stdout)
    validator.validate(record)
    assert (solutions.returncode, solutions.stderr) == (0, "")
    assert set(exercises(record).values()) == {"passed"}
    assert record["score"] == record["max_score"] > 0
    assert all(p["verified"] and p["points"] == p["max_points"] for n in record["notebooks"] for p in n["predictions"])


def test_every_stub_is_not_started(
    solutions: subprocess.CompletedProcess[str], validator: Draft202012Validator
) -> None:
    done = grader("check", "notebooks", "--json", "-")
    record = json.loads(done.stdout)
    validator.validate(record)
    assert (done.returncode, done.stderr) == (1, "")
    assert set(exercises(record).values()) == {"not_started"}
    assert record["score"] == 0
    assert record["max_score"] == json.loads(solutions.stdout)["max_score"]


def test_a_solved_notebook_that_has_been_through_a_lot(tmp_path: Path) -> None:
    """All at once: no ids or metadata, a kernel nobody has, each answer moved to the end, its stub below and above."""
    (path,) = (REPO / "solutions").glob("00_*.ipynb")
    document = json.loads(path.read_bytes())
    given = json.loads((REPO / "notebooks" / path.name).read_bytes())["cells"]
    stubs = [c for c in given if c["cell_type"] == "code" and "NotImplementedError" in "".join(c["source"])]
    mine = [c for c in document["cells"] if "exercise" in c["metadata"]]
    answers = [c for c in mine if "".join(c["source"]).lstrip().startswith(("def ", "class "))]
    assert stubs
    assert answers
    others = [c for c in document["cells"] if c not in answers]
    document["cells"] = [*stubs, *others, *answers, *answers, *stubs]
    for c in document["cells"]:
        c.pop("id", None)
        c["metadata"] = {}
    document["metadata"] = {"kernelspec": {"name": "gone", "display_name": "Gone", "language": "python"}}
    file = tmp_path / "my answers (2).ipynb"
    file.write_text(json.dumps(document))
    done = grader("check", file, "--json", "-")
    record = json.loads(done.stdout)
    assert done.returncode == 0
    assert record["score"] == record["max_score"]


# On the toy.


def check(course: Course, *arguments: str | Path, cwd: Path = REPO) -> subprocess.CompletedProcess[str]:
    return grader("--course", course.root, "check", *arguments, cwd=cwd)


def test_table_record_and_status(course: Course, tmp_path: Path, validator: Draft202012Validator) -> None:
    file = hand_in(
        tmp_path / "notebooks", notebook(answered({"double": "def double(number):\n    return number ** 2"}))
    )
    done = check(course, "--json", "record.json", "--seed", "5", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    rows = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "Toy 0.1 · 1 notebook · seed 5" in rows
    assert "00 toy double ✓ 1/1 ✗ 1/2 2 / 4" in rows
    assert "pack ✓ 1/1 ✓ 1/1 2 / 2" in rows
    assert "predictions 1/1 1 / 1" in rows
    assert rows[-1] == 'Next: double (notebook 00, exercise 0.1 "The double") · grader hint double'
    record = json.loads((tmp_path / "record.json").read_bytes())
    validator.validate(record)
    assert (record["score"], record["max_score"]) == (MAX_SCORE - 2, MAX_SCORE)
    assert record["submission"]["id"] == file.parent.name


def test_one_exercise(course: Course, tmp_path: Path) -> None:
    file = hand_in(tmp_path, notebook(answered({"pack": "x = 1"})))
    done = check(course, file, "--exercise", "double", "--json", "-")
    record = json.loads(done.stdout)
    assert done.returncode == 0
    assert exercises(record) == {"double": "passed"}
    assert (record["score"], record["max_score"]) == (4, 4)


def test_a_record_that_cannot_be_written(course: Course, tmp_path: Path) -> None:
    file = hand_in(tmp_path, notebook(answered()))
    done = check(course, file, "--json", tmp_path)
    assert done.returncode == 2
    assert done.stderr == f"grader: {tmp_path}: cannot be written (Is a directory). Name another file.\n"


def test_calls_that_end_the_process_or_ask_cost_their_own_tests_only(course: Course, tmp_path: Path) -> None:
    answers = {
        "double": "def double(number):\n    import os\n    return number * 2 if number else os._exit(0)",
        "pack": ANSWERS["pack"].replace("return json.dumps(items)", "return input('items? ')"),
    }
    result = graded(course, hand_in(tmp_path, notebook(answered(answers))))
    tests = {test.name: test for e in result.record.notebooks[0].exercises for test in e.tests}
    assert statuses(result.record) == {"double": "partial", "pack": "failed"}
    assert (tests["test_zero"].outcome, tests["test_zero"].reason) == ("error", "killed")
    assert tests["test_small"].outcome == tests["test_any"].outcome == "passed"
    assert tests["test_round_trip"].sentence.startswith("It raised EOFError at line 3: return input(")
    assert result.faults == []


def test_loops_that_do_and_do_not_listen(course: Course, tmp_path: Path) -> None:
    stubborn = "while True:\n        try:\n            time.sleep(9)\n        except BaseException:\n            pass"
    started = "import time\n\n\ndef double(number):\n    if number in (2, 21):\n        return number * 2\n    "
    answers = {
        "double": started + stubborn,
        "pack": "def pack(items):\n    while items:\n        pass\n    return ''\n\n\ndef unpack(text):\n    return []",
    }
    result = graded(course, hand_in(tmp_path, notebook(answered(answers))))
    tests = {test.name: (test.outcome, test.reason) for e in result.record.notebooks[0].exercises for test in e.tests}
    assert tests == {
        "test_small": ("passed", None),
        "test_any": ("error", "time"),
        "test_zero": ("error", "time"),
        "test_round_trip": ("error", "time"),
        "test_empty": ("passed", None),
    }


def test_a_broken_test_is_the_graders_fault(tmp_path: Path, course: Course) -> None:
    from tests.e2e.toy import HIDDEN, make_course

    broken = make_course(tmp_path / "broken", hidden=HIDDEN.replace('learner.call("double", 0).value == 0', "1 / 0"))
    done = check(broken, hand_in(tmp_path / "work", notebook(answered())))
    assert done.returncode == 3
    assert "ZeroDivisionError" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("grader: a test itself failed")


def test_one_bad_notebook_among_good_ones_is_graded_around(course: Course, tmp_path: Path) -> None:
    """The toy has one notebook, so here the bad one is all there is: status 2, and the record says why."""
    done = check(course, hand_in(tmp_path, b"{"), "--json", "-")
    record = json.loads(done.stdout)
    assert done.returncode == 2
    assert (record["status"], record["max_score"]) == ("rejected", MAX_SCORE)
    assert done.stderr.count("\n") == 1


# Stopped by Ctrl-C: nothing stays behind (see conftest).


@pytest.mark.parametrize("after", ["starting", "cell", "call"])
def test_stopping_it_leaves_nothing(tmp_path: Path, own_temporary_folder: Path, after: str) -> None:
    from tests.e2e.toy import SETTINGS, make_course

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
    pattern = "grader-*" if after == "starting" else "grader-*/work/**/reached"
    deadline = time.monotonic() + 60
    while not any(own_temporary_folder.glob(pattern)):
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
