"""Calls of `grader batch` that cannot be carried out."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from grader.course import Course
from tests.e2e.batch import COMMAND, ENVIRONMENT, SOLVED, batch
from tests.e2e.pile import make_pile_course
from tests.e2e.toy import HIDDEN, hand_in


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
