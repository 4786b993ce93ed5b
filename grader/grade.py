"""Grading submissions: each notebook is run and judged, and a record is made of it. The one place where all meets."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Generator, Iterable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from time import monotonic

import msgspec

from grader.course import Course
from grader.judge.job import Job
from grader.record import SCHEMA, CourseId, GradeRecord, SubmissionId, isolation_of
from grader.submissions import Submission
from grader.work import NotebookWork, Progress, plain


@dataclass(frozen=True)
class Graded:
    """The record, and what is not part of it: lines on how things went, and tracebacks of the grader's own faults."""

    record: GradeRecord
    notes: list[str]
    faults: list[str]


def grade(
    course: Course,
    submission: Submission,
    *,
    seed: int,
    exercise: str | None = None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> Graded:
    """Grade every notebook of one submission, or only one exercise's tests in it; errors as in `grade_all`."""
    graded: list[Graded] = []
    grade_all(course, [submission], seed=seed, exercise=exercise, on_progress=on_progress, on_graded=graded.append)
    return graded[0]


def grade_all(
    course: Course,
    submissions: Iterable[Submission],
    *,
    seed: int,
    on_graded: Callable[[Graded], None],
    exercise: str | None = None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> None:
    """Grade submissions as they come, in one session of tests; `on_graded` gets each as soon as it is done.

    Never raises for what a learner handed in. Raises CourseError when the course itself cannot be used, and
    KernelStartError when no kernel can be started here.
    """
    left = iter(submissions)

    def begun() -> _Begun | None:
        submission = next(left, None)
        if submission is None:
            return None
        started, clock = datetime.now(UTC), monotonic()
        work = [NotebookWork(course, entry, seed, exercise, on_progress) for entry in submission.notebooks]
        return _Begun(submission, work, started, clock)

    def jobs(begin: _Begun | None) -> Generator[Job, None, None]:
        while begin is not None:
            for notebook in begin.work:
                yield from notebook.jobs()
            seconds = monotonic() - begin.clock
            on_graded(_graded(course, begin.submission, begin.work, seed, begin.started, seconds))
            begin = begun()

    with ExitStack() as stack:
        first = begun()
        for notebook in first.work if first else []:
            stack.callback(notebook.close)
            if notebook.launch():
                break
        # pytest takes as long to load as a kernel to start: the first one does so meanwhile.
        from grader.judge.session import judge

        # Closed at once whatever happens: a kernel must not wait for the garbage collector.
        judge(course, stack.enter_context(closing(jobs(first))))


@dataclass(frozen=True)
class _Begun:
    """A submission whose notebooks have been read; `started` and `clock` say when that began."""

    submission: Submission
    work: list[NotebookWork]
    started: datetime
    clock: float


def rejection(course: Course, submission: Submission, message: str, *, seed: int) -> GradeRecord:
    """The record of a submission that could not be graded, for the reason that `message` gives. Nothing is run."""
    work = [NotebookWork(course, entry, seed) for entry in submission.notebooks]
    record = _graded(course, submission, work, seed, datetime.now(UTC), 0.0).record
    return msgspec.structs.replace(record, status="rejected", message=message)


def _graded(
    course: Course, submission: Submission, work: list[NotebookWork], seed: int, started: datetime, seconds: float
) -> Graded:
    notebooks = [one.record() for one in work]
    layers = next((one.layers for one in work if one.layers), [])
    broken = [one for one in work if one.problem]
    all_rejected = bool(broken) and len(broken) == sum(one.submitted.path is not None for one in work)
    record = GradeRecord(
        schema=SCHEMA,
        course=CourseId(name=course.name, version=course.version, digest=course.manifest.course.digest),
        submission=SubmissionId(id=submission.id, sha256=submission.sha256),
        status="rejected" if all_rejected else "graded",
        message="; ".join(one.problem for one in broken) if all_rejected else "",
        scope=[one.submitted.facts.name for one in work],
        seed_commitment=commitment(seed),
        score=plain(sum(notebook.score for notebook in notebooks)),
        max_score=plain(sum(notebook.max_score for notebook in notebooks)),
        isolation=isolation_of(layers),
        grader=grader_version(),
        python=".".join(map(str, sys.version_info[:3])),
        started=started.strftime("%Y-%m-%dT%H:%M:%SZ"),
        seconds=round(seconds, 3),
        notebooks=notebooks,
    )
    return Graded(record, [note for one in work for note in one.notes], [f for one in work for f in one.faults])


def commitment(seed: int) -> str:
    """What is published of a seed: enough to show later which one it was, not enough to find it."""
    return hashlib.sha256(f"grader/seed/{seed}".encode()).hexdigest()


def grader_version() -> str:
    """The installed version of this grader."""
    try:
        return version("accountable-agents")
    except PackageNotFoundError:
        return "unknown"
