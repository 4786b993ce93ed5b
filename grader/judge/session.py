"""The pytest session that judges: items are collected once, then run for each job that comes.

The tests are pytest functions in this process; the learner's code is elsewhere, behind `job.transport`.
"""

from __future__ import annotations

import os
import random
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from grader.course import Course, CourseError, shown
from grader.judge.learner import Learner, Transport
from grader.judge.spec import BOTH, TestSpec, load_module, load_specs
from grader.judge.verdict import Verdict, verdict_of

# Settings of the user's own pytest, and its plugins, have no say in a grade.
ARGUMENTS = [
    "-c",
    os.devnull,
    "--noconftest",
    "--disable-plugin-autoload",
    "--import-mode=importlib",
    "--assert=plain",
    "--capture=no",
    "--tb=native",  # nobody reads these tracebacks, and pytest's own are slow to make
    "-p",
    "no:cacheprovider",
    "-p",
    "no:faulthandler",
    "-p",
    "no:unraisableexception",  # it collects garbage at the end of each session, for a report that nobody reads
]
VARIABLES = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS")
TIMEOUTS_PER_EXERCISE = 2


@dataclass
class Job:
    """One notebook to judge: which exercises' tests to run, with which seed. `verdicts` fills as tests end."""

    transport: Transport
    exercises: frozenset[str]
    seed: int
    on_verdict: Callable[[Verdict], None] = lambda verdict: None
    verdicts: list[Verdict] = field(default_factory=list)
    tracebacks: list[str] = field(default_factory=list)

    def wants(self, spec: TestSpec) -> bool:
        """Whether this test is to be run for this job."""
        return spec.exercise in self.exercises


def judge(course: Course, jobs: Iterable[Job], visibilities: Sequence[str] = BOTH) -> None:
    """Run every test for each job, in the order of the test files. `jobs` may be produced as they are judged.

    Only test files of the given visibilities are opened. Raises CourseError when a test file cannot be used, and
    whatever the iteration over `jobs` raises.
    """
    plugin = _Judge(load_specs(course, visibilities), jobs)
    folders = [course.root / visibility for visibility in visibilities if (course.root / visibility).is_dir()]
    modules = [load_module(f / "fixtures.py", course) for f in folders if (f / "fixtures.py").is_file()]
    targets = [str(folder) for folder in folders]
    _forget_modules(folders)
    # Without a confcutdir pytest lists every folder above the course as well, and all that lies there.
    places = [f"--rootdir={course.root}", f"--confcutdir={course.root}"]
    with _without(*VARIABLES):
        status = pytest.main([*ARGUMENTS, *places, *targets], plugins=[plugin, *modules])
    if plugin.error is not None:
        raise plugin.error
    if plugin.broken:
        raise CourseError(f"{shown(course.root, course.base)}: a test file cannot be used: {plugin.broken[0]}")
    if status == pytest.ExitCode.INTERRUPTED:
        raise KeyboardInterrupt
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        raise CourseError(f"{shown(course.root, course.base)}: pytest gave up on the tests (status {status}).")


@contextmanager
def _without(*names: str) -> Iterator[None]:
    """Leave these variables of the environment out for as long as this lasts."""
    kept = {name: os.environ.pop(name) for name in names if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(kept)


def _forget_modules(folders: list[Path]) -> None:
    """Let pytest read the test files anew: it would take a module of that name from an earlier session."""
    for name, module in list(sys.modules.items()):
        path = getattr(module, "__file__", None)
        if path and Path(path).name.startswith("test_") and name.split(".")[0] in {folder.name for folder in folders}:
            del sys.modules[name]


class _Judge:
    def __init__(self, specs: list[TestSpec], jobs: Iterable[Job]) -> None:
        self.specs = {(spec.path, spec.name): spec for spec in specs}
        self.jobs = jobs
        self.job: Job | None = None
        self.spec: TestSpec | None = None
        self.current: Learner | None = None
        self.caught: BaseException | None = None
        self.broken: list[str] = []
        self.error: BaseException | None = None

    # Fixtures that every test may ask for.

    @pytest.fixture
    def learner(self) -> Iterator[Learner]:
        """The learner's answers, asked afresh for each test."""
        assert self.job is not None
        self.current = learner = Learner(self.job.transport)
        yield learner
        learner.close()

    @pytest.fixture
    def rng(self) -> random.Random:
        """Where a test draws its inputs from: the run's seed and the test's own name decide them."""
        assert self.job is not None
        assert self.spec is not None
        return random.Random(f"{self.job.seed}/{self.spec.exercise}/{self.spec.name}")

    # pytest's hooks.

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        config.pluginmanager.unregister(name="terminalreporter")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.broken.append(str(report.longrepr).strip().splitlines()[-1])

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = [
            (self.specs[item.path, item.name], item) for item in session.items if (item.path, item.name) in self.specs
        ]
        lost = self.specs.keys() - {(item.path, item.name) for item in session.items}
        for path, name in sorted(lost):
            self.broken.append(f"{path.name}: {name} is not collected as one plain test function")
        if self.broken:
            return True
        try:
            for job in self.jobs:
                self.job = job
                self._run([(spec, item) for spec, item in items if job.wants(spec)], job)
        except BaseException as error:
            self.error = error
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
        report = yield
        if call.excinfo is not None and self.caught is None:
            self.caught = call.excinfo.value
        return report

    def _run(self, items: list[tuple[TestSpec, pytest.Item]], job: Job) -> None:
        passed: set[tuple[str, str]] = set()
        timeouts: Counter[str] = Counter()
        for spec, item in items:
            if spec.after is not None and (spec.exercise, spec.after) not in passed:
                verdict = Verdict(spec, "skipped", f"Waits for “{self._title(items, spec)}”.")
            elif timeouts[spec.exercise] >= TIMEOUTS_PER_EXERCISE:
                verdict = Verdict(spec, "skipped", "Left out: earlier calls of this exercise ran out of time.", "time")
            else:
                verdict = self._verdict(spec, item, job)
            if verdict.outcome == "passed":
                passed.add((spec.exercise, spec.name))
            timeouts[spec.exercise] += verdict.outcome == "error" and verdict.reason == "time"
            job.verdicts.append(verdict)
            job.on_verdict(verdict)

    def _verdict(self, spec: TestSpec, item: pytest.Item, job: Job) -> Verdict:
        self.spec, self.current, self.caught = spec, None, None
        # No next item: which one that is depends on this verdict, and pytest wants to know it beforehand.
        runtestprotocol(item, log=False, nextitem=None)
        if isinstance(self.caught, KeyboardInterrupt):
            raise self.caught
        verdict = verdict_of(spec, self.caught, self.current.last if self.current else None)
        if verdict.grader_fault and self.caught is not None:
            job.tracebacks.append("".join(traceback.format_exception(None, self.caught, _within(self.caught, spec))))
        return verdict

    @staticmethod
    def _title(items: list[tuple[TestSpec, Any]], spec: TestSpec) -> str:
        named = [s.title for s, _ in items if s.exercise == spec.exercise and s.name == spec.after]
        return named[0] if named else str(spec.after)


def _within(error: BaseException, spec: TestSpec) -> TracebackType | None:
    """The frames from the test on: pytest's own, above it, tell an author nothing. All of them if it is not there."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != str(spec.path):
        trace = trace.tb_next
    return trace or error.__traceback__
