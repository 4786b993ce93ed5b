"""Every attack beats a checker that runs its tests beside the answer, and gains nothing here.

An attack is a notebook: a file in programs/ whose cells begin with ``# %%``. Its docstring says how it tries to gain;
its `answer(name, ...)` stands in for every exercise; `loot()` gives what it has found.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from grader import grade as grading
from grader.course import Course
from grader.kernel.session import Session
from grader.kernel.trouble import Trouble
from grader.record import GradeRecord
from grader.submissions import find_submission
from tests.attacks import toy

HERE = Path(__file__).parent
PROGRAMS = sorted(path.stem for path in (HERE / "programs").glob("*.py"))
# What these may not hold is what they look for.
SEARCHES = [name for name in PROGRAMS if name.startswith(("search_", "read_", "trace_", "spy_"))]
DISK = {"search_files", "search_environment", "read_other_memory", "links"}
SEED = 20_311
# A prediction that stands in the notebook is worth something by itself: an attack on its record starts from there.
WORTH_SOMETHING = {"write_the_journal": 'from course_lib import predict\npredict("P00.1", 2 * 3, confidence=0.9)'}

ANSWER = """
def {name}(*args, **kwargs):
    got = answer({name!r}, *args, **kwargs)
    return object() if got is None else got
"""

Points = dict[tuple[str, str, str], float]


@dataclass
class Robbed:
    """What `loot` returned, asked for in the attack's own kernel once everything else is done."""

    pages: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    course = toy.make_course(tmp_path_factory.mktemp("toy"))
    (course.base / "victim.txt").write_text("untouched")
    return course


@pytest.fixture
def robbed(monkeypatch: pytest.MonkeyPatch) -> Robbed:
    seen = Robbed()

    close = Session.close

    def rob(session: Session) -> None:
        call = {"of": "name", "name": "loot", "handle": None, "keep": False, "args": [], "kwargs": {}}
        with suppress(Trouble):
            reply = session.request({"op": "calls", "calls": [call], "folder": None})
            seen.pages.append(json.dumps(reply, ensure_ascii=False))
        close(session)

    monkeypatch.setattr(Session, "close", rob)
    # In the grader's own environment and memory lies what an attack would like to have.
    monkeypatch.setenv("GRADER_SECRET", f"{toy.CANARY} EXPECTED={toy.NUMBER}")
    return seen


def cells(program: str, names: tuple[str, ...] | list[str]) -> list[str]:
    """The attack's cells, and one that makes its `answer` the answer to everything that is asked."""
    return [*(HERE / "programs" / f"{program}.py").read_text("utf-8").split("\n# %%")[1:], answers(names)]


def answers(names: tuple[str, ...] | list[str]) -> str:
    """A cell that defines every name. None would be right here and there; an attack without an idea is not."""
    return "\n".join(ANSWER.format(name=name) for name in names)


def hand_in(path: Path, sources: list[str]) -> None:
    made = [{"cell_type": "code", "metadata": {}, "source": source, "outputs": []} for source in sources]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": made}), "utf-8")


def graded(course: Course, path: Path, seed: int = SEED) -> tuple[GradeRecord, list[str]]:
    done = grading.grade(course, find_submission(course, [str(path)], path.parent), seed=seed)
    return done.record, done.faults


def points(record: GradeRecord) -> Points:
    """What each test and each prediction has earned."""
    tests = [(n.name, e, t) for n in record.notebooks for e in n.exercises for t in e.tests]
    earned: Points = {(notebook, e.name, f"{t.visibility} {t.name}"): t.points for notebook, e, t in tests}
    return earned | {(n.name, "predictions", p.id): p.points for n in record.notebooks for p in n.predictions}


@pytest.fixture(scope="module")
def worth(course: Course, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Points]:
    """What the stubs earn, with the same predictions as the attack."""
    known: dict[str, Points] = {}

    def of(program: str) -> Points:
        extra = WORTH_SOMETHING.get(program, "")
        if extra not in known:
            stub = json.loads((course.notebooks_dir / "00_trial.ipynb").read_bytes())
            sources = ["".join(c["source"]) for c in stub["cells"] if c["cell_type"] == "code"]
            path = tmp_path_factory.mktemp("stub") / "00_trial.ipynb"
            hand_in(path, [*sources, extra])
            known[extra] = points(graded(course, path)[0])
        return known[extra]

    return of


def test_the_toy_can_be_solved(course: Course) -> None:
    record, faults = graded(course, course.solutions_dir / "00_trial.ipynb")
    assert not faults
    assert all(e.status == "passed" for e in record.notebooks[0].exercises)


@pytest.mark.parametrize("program", PROGRAMS)
def test_gains_nothing(
    program: str, course: Course, worth: Callable[[str], Points], robbed: Robbed, tmp_path: Path
) -> None:
    path = tmp_path / "handed_in" / "00_trial.ipynb"
    hand_in(path, cells(program, toy.NAMES))
    record, faults = graded(course, path)
    if program in DISK and not record.isolation.layers:
        pytest.skip("nothing on this machine keeps a process from the disk: Landlock is missing")
    assert points(record) == worth(program)
    assert not faults
    assert (course.base / "victim.txt").read_text() == "untouched"
    assert sorted(entry.name for entry in course.hidden_dir.glob("[!_]*")) == ["out.txt", "test_00.py"]
    assert not list(path.parent.glob("predictions/*"))
    if program in SEARCHES:
        assert robbed.pages, "the attack did not live to tell what it found"
    for page in robbed.pages:
        for secret in (toy.CANARY, str(toy.NUMBER), f"{toy.NUMBER:_}", toy.REVERSED.decode(), "Another one is cheaper"):
            assert secret not in page


def naive_grade(folder: Path, sources: list[str]) -> tuple[int, str]:
    """How many tests pass in the careless checker, and what the attack found there."""
    folder.mkdir(parents=True)
    (folder / "hidden").mkdir()
    (folder / "hidden" / "out.txt").write_bytes(toy.REVERSED)
    (folder / "hidden" / "tests.py").write_text((HERE / "naive_tests.txt").read_text("utf-8"), "utf-8")
    (folder / "program.py").write_text("\n# %%\n".join(sources), "utf-8")
    done = subprocess.run(
        [sys.executable, str(HERE / "naive.py"), "program.py", "hidden/tests.py", str(SEED)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(toy.ROOT), "EXPECTED": str(toy.NUMBER), "IPYTHONDIR": str(folder / "ipy")},
        capture_output=True,
        text=True,
        errors="replace",
        timeout=60,
        check=False,
    )
    results = [line.partition(" ")[2] for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    found = [line for line in done.stdout.splitlines() if line.startswith("LOOT ")]
    assert results, done.stderr[-2000:]
    return sum(value is True for value in json.loads(results[-1]).values()), "".join(found)


@pytest.fixture(scope="module")
def naive_stub(tmp_path_factory: pytest.TempPathFactory) -> int:
    stubs = [f"def {name}(*args):\n    raise NotImplementedError({name!r})\n" for name in toy.NAMES]
    return naive_grade(tmp_path_factory.mktemp("naive") / "stub", ["\n".join(stubs)])[0]


@pytest.mark.parametrize("program", PROGRAMS)
def test_is_an_attack(program: str, naive_stub: int, tmp_path: Path) -> None:
    """The same program, in a checker that judges beside the answer, earns what the stub does not."""
    passed, found = naive_grade(tmp_path / "naive", cells(program, toy.NAMES))
    assert naive_stub == 0
    assert passed > 0
    if program in SEARCHES and program != "spy_on_doubles":
        assert toy.CANARY in found or str(toy.NUMBER) in found.replace("_", "")


def test_each_says_how(course: Course) -> None:
    for program in PROGRAMS:
        assert ast.get_docstring(ast.parse((HERE / "programs" / f"{program}.py").read_text("utf-8")))
