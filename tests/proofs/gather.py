"""Batches of judging, spread over processes: what the tests of this folder and the kill matrix are made from."""

from __future__ import annotations

import importlib
import json
import multiprocessing
import multiprocessing.util
import os
import pkgutil
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TextIO

import course_lib
from grader.course import Course
from grader.grade import grade
from grader.submissions import Submission, Submitted
from tests.proofs.course import Solved, solved_notebooks
from tests.proofs.judging import Judged, Said, close_rooms, judge_all, judge_table, judge_until_lost, witnesses
from tests.proofs.loader import Candidate, load

Progress = Callable[[str, int, int], None]
# Seeds judged in one batch: enough to be worth a session's start, few enough that every process has work.
SEEDS_PER_BATCH = 5


def tell(stream: TextIO, what: str, done: int, total: int) -> None:
    """Say how far it is: in place on a terminal, line by line in a log."""
    ends = "" if stream.isatty() and done < total else "\n"
    begins = "\r" if stream.isatty() else ""
    print(f"{begins}  {what}: {done} of {total} batches", end=ends, file=stream, flush=True)


@dataclass(frozen=True)
class Work:
    """Processes to judge in, and whom to tell how far it is."""

    pool: ProcessPoolExecutor
    progress: Progress

    def each(self, what: str, function: Callable[..., Any], calls: Iterable[tuple[Any, ...]]) -> list[Any]:
        """The results of `function` for each tuple of arguments, in their order."""
        futures: list[Future[Any]] = [self.pool.submit(function, *call) for call in calls]
        try:
            for done, future in enumerate(as_completed(futures), 1):
                future.result()
                self.progress(what, done, len(futures))
        except BaseException:
            for future in futures:
                future.cancel()
            raise
        return [future.result() for future in futures]


@contextmanager
def workers(progress: Progress = lambda what, done, total: None) -> Iterator[Work]:
    """As many processes as there are cores; each ends what it started when it ends."""
    context = multiprocessing.get_context("spawn")
    count = min(os.cpu_count() or 1, 8)
    with ProcessPoolExecutor(count, mp_context=context, initializer=_begin) as pool:
        yield Work(pool, progress)


def _begin() -> None:
    # A pool's process ends without atexit; this is what it calls instead.
    multiprocessing.util.Finalize(None, close_rooms, exitpriority=10)


def judgements(work: Work, seeds: list[int], *, named_only: bool = False) -> list[Judged]:
    """Every mutant, variant, reference and stub, under every seed; `named_only` as in `judge_all`."""
    course = Course.load()
    written = [candidate for kind in ("mutant", "variant") for candidate in load(course, kind)[0]]  # type: ignore[arg-type]
    size = max(1, min(SEEDS_PER_BATCH, len(seeds) // 2))
    calls = []
    for number, solved in reversed(solved_notebooks().items()):  # the last ones take longest
        candidates = [make(exercise) for make in (solved.reference, solved.stub) for exercise in solved.answers]
        candidates += [candidate for candidate in written if candidate.notebook == number]
        calls += [(solved, candidates, seeds[at : at + size]) for at in range(0, len(seeds), size)]
    judging = partial(judge_all, named_only=named_only)
    return [judged for batch in work.each("answers judged", judging, calls) for judged in batch]


def witnessed(work: Work) -> dict[str, str]:
    """What each mutant's witness says, by the mutant's id."""
    mutants = load(Course.load(), "mutant")[0]
    calls = [(s, [m for m in mutants if m.notebook == number]) for number, s in solved_notebooks().items()]
    return {key: said for batch in work.each("witnesses heard", witnesses, calls) for key, said in batch.items()}


def tables(work: Work, recorded: int, asked: int) -> dict[str, dict[int, tuple[Said, ...]]]:
    """By exercise: what tests say of answers learnt by heart under one seed, under that seed and under another."""
    calls = [(solved, name, recorded, asked) for solved in solved_notebooks().values() for name in solved.answers]
    found = work.each("tables tried", judge_table, calls)
    return {name: told for (_, name, _, _), told in zip(calls, found, strict=True)}


def imports(work: Work, seed: int, *, private: bool) -> dict[str, tuple[int, list[str]]]:
    """By exercise: how many callables of course_lib were tried in its place, and which of them pass every test."""
    calls = [(solved, name, seed, private) for solved in solved_notebooks().values() for name in solved.answers]
    found = work.each("exercises tried with course_lib", judge_imports, calls)
    return {name: told for (_, name, _, _), told in zip(calls, found, strict=True)}


def judge_imports(solved: Solved, exercise: str, seed: int, private: bool) -> tuple[int, list[str]]:
    """Each callable of course_lib under each name of one exercise, its other names solved."""
    candidates = [
        Candidate(
            "import",
            solved.number,
            exercise,
            f"{module}.{name} as {target}",
            f"{solved.answer(exercise)}\n\nfrom {module} import {name} as {target}",
        )
        for target in solved.defines[exercise]
        for module, name in library_callables(private)
    ]
    facts = Course.load().manifest.exercise(exercise)
    assert facts is not None
    return len(candidates), judge_until_lost(solved, candidates, [test.name for test in facts.tests], seed)


# What these hold draws, displays, records predictions or kills processes: `make prove` tries it, `make test` does not.
TOOLING = re.compile(r"course_lib\.(figures|crash|race|gated|journal|display|definitions|closure|source|constants)")


def library_callables(private: bool) -> list[tuple[str, str]]:
    """The functions and classes of course_lib as (module, name); with `private` all, those that begin with "_" too."""
    found = {}
    for info in pkgutil.walk_packages(course_lib.__path__, "course_lib."):
        if info.name.endswith("__main__") or (not private and TOOLING.match(info.name)):
            continue
        for name, value in vars(importlib.import_module(info.name)).items():
            own = str(getattr(value, "__module__", "")).startswith("course_lib")
            if callable(value) and own and not name.startswith("__" if private else "_"):
                found.setdefault(id(value), (info.name, name))
    return sorted(found.values())


@dataclass(frozen=True)
class Compared:
    """One answer judged in a forked process and, as a learner's notebook, by the grader from end to end."""

    candidate: Candidate
    forked: list[tuple[str, ...]]
    graded: list[tuple[str, ...]]


def compared(work: Work, seed: int, *, every_exercise: bool) -> list[Compared]:
    """A sample of mutants both ways: one of each notebook, or of each exercise."""
    mutants = load(Course.load(), "mutant")[0]
    calls = []
    for number, solved in solved_notebooks().items():
        by_exercise = [[m for m in mutants if (m.notebook, m.exercise) == (number, name)] for name in solved.answers]
        sample = [found[seed % len(found)] for found in by_exercise if found]
        calls += [(solved, candidate, seed) for candidate in (sample if every_exercise else sample[-1:])]
    return work.each("notebooks graded from end to end", compare, calls)


def compare(solved: Solved, candidate: Candidate, seed: int) -> Compared:
    """All tests of the notebook, both ways."""
    [judged] = judge_all(solved, [candidate], [seed], whole=True)
    forked = [(said.test, said.outcome, said.sentence, said.reason or "") for said in judged.said]
    course = Course.load()
    facts = course.manifest.notebook(solved.number)
    assert facts is not None
    data = as_notebook(solved.with_answer(candidate))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"{solved.name}.ipynb")
        path.write_bytes(data)
        record = grade(course, Submission("proof", [Submitted(facts, path, data)]), seed=seed).record
    tests = [test for exercise in record.notebooks[0].exercises for test in exercise.tests]
    graded = [(test.name, test.outcome, test.sentence, test.reason or "") for test in tests]
    return Compared(candidate, sorted(forked), sorted(graded))


def as_notebook(cells: list[str]) -> bytes:
    """A notebook file with these code cells."""
    code = [
        {"cell_type": "code", "id": f"c{at}", "metadata": {}, "source": text, "outputs": [], "execution_count": None}
        for at, text in enumerate(cells)
    ]
    return json.dumps({"cells": code, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()
