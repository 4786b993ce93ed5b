from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from course_lib.recordings import recorded_names, recording

ROOT = Path(__file__).parents[2]


def evaluate(*args: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "course_lib", *map(str, args)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("name", recorded_names())
def test_writes_the_result(name: str, tmp_path: Path) -> None:
    output = tmp_path / "run.json"
    done = evaluate("evaluate", "--fixture", name, "--output", output)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert json.loads(output.read_text(encoding="utf-8")) == {"result": recording(name)}


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["evaluate", "--fixture", "nope", "--output", "run.json"], "no recording 'nope'; choose from"),
        (["evaluate", "--fixture", "project", "--output", "run.json"], "no recording 'project'"),
        (["evaluate", "--fixture", "step-budget", "--output", "missing/run.json"], "cannot write"),
        (["evaluate", "--fixture", "step-budget"], "--output"),
        (["evaluate", "--nonsense"], "--fixture"),
        (["grade"], "invalid choice"),
        ([], "required"),
    ],
)
def test_a_wrong_call_is_one_line_and_status_2(args: list[str], says: str, tmp_path: Path) -> None:
    placed = [str(tmp_path / arg) if arg.endswith(".json") else arg for arg in args]
    done = evaluate(*placed)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("course_lib")
    assert says in done.stderr
    assert not list(tmp_path.iterdir())
