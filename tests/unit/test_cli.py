"""The commands as a terminal sees them: status, what goes to which stream, what is imported."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from grader.cli import _count, _write_json, main
from grader.course import Course
from grader.submissions import Submission, Submitted
from tests.e2e.toy import REPO, answered, make_course, notebook


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return make_course(tmp_path_factory.mktemp("toy"))


def call(course: Course, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["--course", str(course.root), *arguments])


@pytest.mark.parametrize(
    "arguments", [["--help"], ["hint", "double"], ["hint", "nothing"], ["check", "nowhere"], ["--version"]]
)
def test_what_needs_no_kernel_starts_without_one(toy: Course, tmp_path: Path, arguments: list[str]) -> None:
    """Neither pytest nor any of the Jupyter stack is imported."""
    script = (
        "import sys\nfrom grader.cli import main\nsys.argv[0] = 'grader'\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = 'pytest _pytest nbformat nbclient jupyter_client IPython ipykernel zmq matplotlib jupytext'.split()\n"
        "print('HEAVY', [name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "--course", str(toy.root), *arguments],
        env={**os.environ, "XDG_STATE_HOME": str(tmp_path)},
        cwd=REPO,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "HEAVY []"


def test_help_names_every_command(toy: Course) -> None:
    result = call(toy, "--help")
    assert result.exit_code == 0
    for command in ("check", "hint", "build", "schema"):
        assert f"\n  {command} " in result.output


@pytest.mark.parametrize(
    ("paths", "said"),
    [
        (["00_a.ipynb"], "1 notebook in ./"),
        (["notebooks/00_a.ipynb", None, "notebooks/01_b.ipynb"], "2 notebooks in notebooks/"),
        (["../x/00_a.ipynb", "b/01_b.ipynb"], "2 notebooks in ../x/, b/"),
    ],
)
def test_the_header_names_the_folders(
    toy: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, paths: list[str | None], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    facts = toy.manifest.notebooks[0]
    entries = [Submitted(facts, tmp_path / path if path else None) for path in paths]
    assert _count(Submission("x", entries)) == said


# Hints.


def test_hints_go_one_further_each_time(toy: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    shown = [call(toy, "hint", "double").output for _ in range(4)]
    assert ["hint 1 of 3" in shown[0], "hint 2 of 3" in shown[1], "hint 3 of 3" in shown[2]] == [True] * 3
    assert "What is it?" in shown[0]
    assert "Still stuck? grader hint double" in shown[0]
    assert shown[3] == shown[2]
    assert "That was the last one. From the first: grader hint double 1" in shown[3]
    assert "What is it?" in call(toy, "hint", "double", "1").output
    assert "Look there." in call(toy, "hint", "double").output
    assert "What is it?" in call(toy, "hint", "pack").output


@pytest.mark.parametrize("content", ["", "[]", "{", '{"Toy/double": "x"}', "\udcff"])
def test_a_damaged_memory_of_hints_starts_anew(
    toy: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    file = tmp_path / "accountable-agents" / "hints.json"
    file.parent.mkdir()
    file.write_bytes(content.encode("utf-8", "surrogateescape"))
    assert "What is it?" in call(toy, "hint", "double").output


def test_a_hint_by_number_and_without_a_name(toy: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    shown = [call(toy, "hint", "0.2").output, call(toy, "hint", "pack").output]
    assert ["pack · hint 1 of 3" in shown[0], "pack · hint 2 of 3" in shown[1]] == [True, True]
    assert refused(call(toy, "hint")) == "grader: which exercise? The course has double, pack."


def test_a_hint_needs_no_place_to_remember(toy: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    assert "What is it?" in call(toy, "hint", "double").output


# Wrong calls: one line, status 2.


def refused(result: Result) -> str:
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.endswith("\n")
    assert result.stderr.count("\n") == 1
    return result.stderr[:-1]


def test_an_unknown_exercise(toy: Course) -> None:
    for name in ("nothing", "0.3", "0"):
        assert refused(call(toy, "hint", name)) == f"grader: no exercise {name}. The course has double, pack."
    (toy.notebooks_dir / "00_toy.ipynb").write_bytes(notebook(answered()))
    said = refused(call(toy, "check", "--exercise", "nothing", str(toy.notebooks_dir)))
    assert said == "grader: no exercise nothing in what is asked. The course has double, pack."


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("nowhere.ipynb", None, "there is no such file or folder. Name a notebook, a folder or a number."),
        ("00_toy.ipynb", b"", "the file is empty. Save the notebook again and hand in that file."),
        ("mine.ipynb", b'{"cells": [', "the file is cut short: its JSON does not end. Save or download it again."),
    ],
    ids=["absent", "empty", "cut short"],
)
@pytest.mark.parametrize("more", [[], ["--json", "-"]], ids=["table", "json"])
def test_a_file_that_is_no_notebook(
    toy: Course, tmp_path: Path, name: str, data: bytes | None, said: str, more: list[str]
) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    result = call(toy, "check", str(tmp_path / name), *more)
    if more and result.stdout:  # a record says it too
        assert json.loads(result.stdout)["status"] == "rejected"
        result = Result(result.runner, b"", result.stderr_bytes, b"", None, result.exit_code, None)
    line = refused(result)
    assert line.startswith("grader: ")
    assert name in line
    assert line.endswith(said)


def test_a_record_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(click.ClickException) as caught:
        _write_json({}, str(tmp_path))
    assert caught.value.exit_code == 2
    assert str(caught.value) == f"{tmp_path}: cannot be written (Is a directory). Name another file."


def test_a_number_that_is_not_in_the_course(toy: Course) -> None:
    assert refused(call(toy, "check", "11")) == "grader: no notebook numbered 11. The course has 00."


@pytest.mark.parametrize("arguments", [["--seed", "-1"], ["--seed", "x"], ["--wat"]])
def test_a_wrong_option_is_status_2(toy: Course, arguments: list[str]) -> None:
    assert call(toy, "check", *arguments).exit_code == 2


def test_a_course_without_manifest_or_settings(tmp_path: Path) -> None:
    (tmp_path / "grader").mkdir()
    said = CliRunner().invoke(main, ["--course", str(tmp_path / "grader"), "check"])
    assert refused(said).startswith("grader: grader/course.toml: missing.")
    (tmp_path / "grader" / "course.toml").write_text('name = "A"\nversion = "1"\n')
    said = CliRunner().invoke(main, ["--course", str(tmp_path / "grader"), "hint", "double"])
    assert refused(said) == "grader: grader/manifest.json: missing. Run `grader build`."


# Faults of the grader itself are status 3, never 1.


def test_a_bug_is_status_3_with_its_traceback(toy: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("grader.submissions.find_submission", broken)
    result = call(toy, "check")
    assert result.exit_code == 3
    assert "Traceback" in result.stderr
    assert result.stderr.endswith("grader: a fault of the grader itself (ZeroDivisionError), see above.\n")


def test_stopping_it_is_no_grade(toy: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("grader.submissions.find_submission", stopped)
    result = call(toy, "check")
    assert (result.exit_code, result.stderr) == (130, "grader: stopped.\n")


def test_the_schema_is_a_schema(toy: Course) -> None:
    from jsonschema import Draft202012Validator

    result = call(toy, "schema")
    assert result.exit_code == 0
    Draft202012Validator.check_schema(json.loads(result.stdout))
