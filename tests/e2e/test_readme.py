"""What the README says is true: its commands run, and its author's example does what it promises."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grader.course import Course
from tests.e2e.pile import settle

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BIN = Path(sys.executable).parent
SHELL = [
    line.partition("#")[0].strip()
    for block in re.findall(r"```sh\n(.*?)```", README, re.S)
    for line in block.splitlines()
]
PYTHON = re.findall(r"```python\n(.*?)```", README, re.S)

# Each command that the README gives, with the exit status that a fresh clone gives. Those after the author's example
# are run with it. Those that set up an environment, or take long, are run by continuous integration (make test) or by
# hand, and only have to be real targets here.
GRADER = {
    "grader check 04": 1,
    "grader check --exercise replay": 1,
    "grader hint replay": 0,
    "grader check path/to/folder --json record.json": 1,
    "grader batch path/to/submissions --out results --trust-submissions": 1,
    "grader schema": 0,
}
AUTHOR = ["make build", "grader check solutions", "grader check notebooks"]
SET_UP = {
    "make check",
    ".venv/bin/python -m tests.prove --table --notebooks 04",  # tests/proofs does the same for every notebook
    "make lab",
    "python3 -m venv .venv && . .venv/bin/activate && pip install -c constraints.txt -e .",
    "conda env create -f environment.yml && conda activate accountable-agents",
}


@pytest.fixture
def clone(tmp_path):
    """The course's folders as a fresh clone has them, with notebook 04 alone; to be run and changed freely."""
    for source in (*ROOT.glob("grader/*/*_04.py"), *ROOT.glob("grader/*/fixtures.py"), *ROOT.glob("*/04_*")):
        copy = tmp_path / source.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, copy)
    for name in ("course.toml", "manifest.json"):
        shutil.copy(ROOT / "grader" / name, tmp_path / "grader" / name)
    (tmp_path / "course_lib").symlink_to(ROOT / "course_lib", target_is_directory=True)
    settle(Course.load(tmp_path / "grader"))
    return tmp_path


def grader(arguments, folder):
    # A batch refuses a manifest that asks for more than the tests that lie beside it: it gets the whole course.
    course = ROOT / "grader" if arguments.startswith("batch") else "grader"
    command = [str(BIN / "grader"), "--course", str(course), *arguments.split()]
    state = {"PATH": "/usr/bin:/bin", "HOME": str(folder)}
    return subprocess.run(command, cwd=folder, env=state, capture_output=True, text=True, check=False)


def test_every_command_is_known_here():
    assert set(filter(None, SHELL)) == set(GRADER) | set(AUTHOR) | SET_UP


@pytest.mark.parametrize("command", GRADER)
def test_command(command, clone):
    [file] = clone.glob("notebooks/*.ipynb")
    file.write_text(json.dumps({"cells": [], "nbformat": 4}))  # nothing in it to wait for
    for folder in ("folder", "submissions/li_wei"):
        shutil.copytree(clone / "notebooks", clone / "path" / "to" / folder)
    ran = grader(command.removeprefix("grader "), clone)
    assert ran.returncode == GRADER[command], ran.stderr
    assert "batch" in command or not ran.stderr  # a batch says there how far it is


def test_make_targets_are_there():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"make (\w+)", README):
        if target in {"check", "lab", "build", "test", "prove", "bench"}:
            assert re.search(rf"^{target}:", makefile, re.M)


def test_links_and_pictures_are_there():
    for target in re.findall(r"\]\((?!http|#)([^)]+)\)", README):
        assert (ROOT / target).is_file(), target


def test_contents_table_is_in_step():
    manifest = json.loads((ROOT / "grader" / "manifest.json").read_bytes())
    rows = re.findall(r"^\| \[(\d\d) (.+?)\]\((.+?)\) \| .+? \| (\d+) \| (.+?) \|$", README, re.M)
    core = [
        (
            n["number"],
            n["title"],
            f"notebooks/{n['name']}.ipynb",
            str(n["minutes"]),
            [e["name"] for e in n["exercises"]],
        )
        for n in manifest["notebooks"]
    ]
    assert [(*row[:4], re.findall(r"`(\w+)`", row[4])) for row in rows] == core


def test_the_authors_example(clone):
    source, public, hidden = PYTHON
    notebook = clone / "solutions" / "04_checkpoint_and_replay.py"
    notebook.write_text(f"{notebook.read_text(encoding='utf-8')}\n{source}", encoding="utf-8")
    for text, visibility in ((public, "public"), (hidden, "hidden")):
        tests = clone / "grader" / visibility / "test_04.py"
        tests.write_text(f"{tests.read_text(encoding='utf-8')}\n\n{text}", encoding="utf-8")
    built = grader("build", clone)
    assert (built.returncode, built.stderr) == (0, "")
    for folder, code, status, score in (("solutions", 0, "passed", 3), ("notebooks", 1, "not_started", 0)):
        ran = grader(f"check {folder} --json -", clone)
        assert (ran.returncode, ran.stderr) == (code, "")
        [exercise] = [
            e for n in json.loads(ran.stdout)["notebooks"] for e in n["exercises"] if e["name"] == "last_tool"
        ]
        assert (exercise["status"], exercise["score"], exercise["max_score"]) == (status, score, 3)
