"""Grading one submission: read, run, judge, record. The one place where the parts meet."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import monotonic

from grader.course import Course, ExerciseFacts, NotebookFacts
from grader.judge import predictions as prediction_checks
from grader.judge.predictions import PredictionVerdict
from grader.judge.session import Job, judge
from grader.judge.verdict import Verdict
from grader.kernel.session import Session
from grader.notebook import Notebook, NotebookError, read_notebook
from grader.record import (
    SCHEMA,
    CourseId,
    ExerciseRecord,
    GradeRecord,
    NotebookRecord,
    PredictionRecord,
    SubmissionId,
    TestRecord,
    isolation_of,
)
from grader.submissions import Submission, Submitted


@dataclass(frozen=True)
class Progress:
    """How far grading is: `done` of `total` steps of one notebook; `total` is 0 before it is known."""

    notebook: NotebookFacts
    done: int
    total: int


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
    """Grade every notebook of `submission`, or only one exercise's tests in it.

    Never raises for what a learner handed in. Raises CourseError when the course itself cannot be used, and
    KernelStartError when no kernel can be started here.
    """
    started, clock = datetime.now(UTC), monotonic()
    work = [_Work(course, submitted, seed, exercise, on_progress) for submitted in submission.notebooks]

    def jobs() -> Iterator[Job]:
        for one in work:
            yield from one.jobs()

    if any(one.readable for one in work):
        judge(course, jobs())
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
        score=_plain(sum(notebook.score for notebook in notebooks)),
        max_score=_plain(sum(notebook.max_score for notebook in notebooks)),
        isolation=isolation_of(layers),
        grader=grader_version(),
        python=".".join(map(str, sys.version_info[:3])),
        started=started.strftime("%Y-%m-%dT%H:%M:%SZ"),
        seconds=round(monotonic() - clock, 3),
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


class _Work:
    """One notebook on its way from bytes to a record."""

    def __init__(
        self,
        course: Course,
        submitted: Submitted,
        seed: int,
        exercise: str | None,
        on_progress: Callable[[Progress], None],
    ) -> None:
        self.course = course
        self.submitted = submitted
        self.seed = seed
        self.only = exercise
        self.on_progress = on_progress
        self.problem = ""
        self.notes: list[str] = []
        self.faults: list[str] = []
        self.layers: list[str] = []
        self.seconds = 0.0
        self.status: dict[str, str] = {}
        self.verdicts: list[Verdict] = []
        self.predicted: list[PredictionVerdict] = []
        self.notebook = self._read()

    @property
    def readable(self) -> bool:
        return self.notebook is not None

    def _read(self) -> Notebook | None:
        if self.submitted.path is None:
            return None
        names = {name for exercise in self.submitted.facts.exercises for name in exercise.defines}
        try:
            notebook = read_notebook(self.submitted.data, names)
        except NotebookError as error:
            self.problem = f"{self.submitted.path.name}: {error}"
            return None
        self.notes += [f"{self.submitted.path.name}: {note}" for note in notebook.notes]
        return notebook

    def jobs(self) -> Iterator[Job]:
        """Run the notebook, then hand out the job of judging it while its kernel is up."""
        if self.notebook is None or self.submitted.path is None:
            return
        facts, clock = self.submitted.facts, monotonic()
        names = {name for exercise in facts.exercises for name in exercise.defines}
        wanted = [e for e in facts.exercises if self.only in (None, e.name)]
        steps = len(self.notebook.sources) + sum(len(e.tests) for e in wanted)
        done = iter(range(1, 10 * steps + 10))

        def step(*_: object) -> None:
            self.on_progress(Progress(facts, min(next(done, steps), steps), steps))

        with Session(
            self.notebook.sources,
            names,
            self.course.limits,
            self.course.library_dir,
            beside=self.submitted.path.parent,
            on_cell=step,
        ) as session:
            self.layers = session.layers
            picks: dict[str, int] = {}
            for exercise in facts.exercises:
                self.status[exercise.name], chosen = _choose(exercise, session)
                picks |= chosen
            if picks:
                session.pick(picks)
            started = frozenset(e.name for e in wanted if self.status[e.name] == "started")
            job = Job(session, started, self.seed, on_verdict=step)
            yield job
            self.verdicts, self.faults = job.verdicts, job.tracebacks
            self.notes += [f"{self.submitted.path.name}: {note}" for note in _cell_notes(session)]
            self._check_predictions(session)
        self.seconds = monotonic() - clock

    def _check_predictions(self, session: Session) -> None:
        assert self.notebook is not None
        assert self.submitted.path is not None
        facts = self.submitted.facts
        kept = self.submitted.path.parent / "predictions" / f"{facts.number}.jsonl"
        record = _small_file(kept) or prediction_checks.recorded_lines(self.notebook.outputs)
        calls = prediction_checks.calls_of(session.scan)
        self.predicted, problems = prediction_checks.check_predictions(facts.predictions, record, calls)
        self.notes += [f"prediction journal {facts.number}: {problem}" for problem in problems]
        self.notes += [
            f"{verdict.id} {verdict.problem}" for verdict in self.predicted if verdict.made and verdict.problem
        ]

    def record(self) -> NotebookRecord:
        """What it came to; an unreadable or missing notebook has the same maximum as any other."""
        facts = self.submitted.facts
        exercises = [self._exercise(exercise) for exercise in facts.exercises if self.only in (None, exercise.name)]
        predictions = [] if self.only else self._predictions(facts)
        counted = [e for e in exercises if not e.stretch]
        if self.notebook is not None:
            status, message = "graded", ""
        elif self.submitted.path is not None:
            status, message = "rejected", self.problem
        else:
            status, message = "not_submitted", ""
        return NotebookRecord(
            name=facts.name,
            status=status,  # type: ignore[arg-type]
            message=message,
            score=_plain(sum(e.score for e in counted) + sum(p.points for p in predictions)),
            max_score=_plain(sum(e.max_score for e in counted) + sum(p.max_points for p in predictions)),
            seconds=round(self.seconds, 3),
            exercises=exercises,
            predictions=predictions,
        )

    def _predictions(self, facts: NotebookFacts) -> list[PredictionRecord]:
        verdicts = self.predicted or prediction_checks.check_predictions(facts.predictions, b"", [])[0]
        return [
            PredictionRecord(
                id=v.id,
                made=v.made,
                first=v.first,
                intact=v.intact,
                own_words=v.own_words,
                verified=v.verified,
                confidence=v.confidence,
                correct=v.correct,
                points=_plain(v.points),
                max_points=_plain(v.max_points),
            )
            for v in verdicts
        ]

    def _exercise(self, exercise: ExerciseFacts) -> ExerciseRecord:
        verdicts = {(v.spec.name, v.spec.visibility): v for v in self.verdicts if v.spec.exercise == exercise.name}
        tests = []
        for facts in exercise.tests:
            verdict = verdicts.get((facts.name, facts.visibility))
            tests.append(
                TestRecord(
                    name=facts.name,
                    title=facts.title,
                    visibility=facts.visibility,
                    outcome=verdict.outcome if verdict else "skipped",
                    reason=verdict.reason if verdict else None,  # type: ignore[arg-type]
                    sentence=verdict.sentence if verdict else "",
                    points=_plain(facts.points if verdict and verdict.outcome == "passed" else 0),
                    max_points=_plain(facts.points),
                )
            )
        score, max_score = sum(test.points for test in tests), sum(test.max_points for test in tests)
        status = self.status.get(exercise.name, "missing")
        if status == "started":
            status = "passed" if tests and score == max_score else "partial" if score else "failed"
        return ExerciseRecord(
            name=exercise.name,
            stretch=exercise.stretch,
            status=status,  # type: ignore[arg-type]
            score=_plain(score),
            max_score=_plain(max_score),
            tests=tests,
        )


def _choose(exercise: ExerciseFacts, session: Session) -> tuple[str, dict[str, int]]:
    """Which definition of each of the exercise's names counts, and whether anything but stubs is there.

    It is the last one whose code differs from the stub. Names that have only their stub keep it.
    """
    picks: dict[str, int] = {}
    written = there = False
    for name in exercise.defines:
        cells = [cell for cell, is_callable in session.noted.get(name, []) if is_callable]
        there = there or bool(cells)
        own = [cell for cell in cells if not _is_stub(session, cell, name, exercise.stubs.get(name))]
        if own or cells:
            picks[name] = (own or cells)[-1]
        written = written or bool(own)
    return ("started" if written else "not_started" if there else "missing"), picks


def _is_stub(session: Session, cell: int, name: str, stub: str | None) -> bool:
    definitions = [d for d in session.scan.cells[cell].definitions if d.name == name]
    # A stub of an earlier version of the course is told by its form.
    return bool(definitions) and (definitions[-1].digest == stub or bool(definitions[-1].stub))


def _cell_notes(session: Session) -> Iterator[str]:
    for cell, run in sorted(session.runs.items()):
        if run.outcome == "time":
            yield f"code cell {cell + 1} was {run.error}"
        elif run.outcome == "killed":
            yield f"code cell {cell + 1} ended the whole kernel and was left out"
    for cell, parsed in enumerate(session.scan.cells):
        if parsed.problem:
            yield f"code cell {cell + 1} is not Python: {parsed.problem}"


def _small_file(path: Path) -> bytes:
    """A plain file of at most 4 MB, or nothing."""
    if path.is_symlink() or not path.is_file() or path.stat().st_size > 4_000_000:
        return b""
    return path.read_bytes()


def _plain(points: float) -> int | float:
    """2 rather than 2.0."""
    return int(points) if points == int(points) else round(points, 4)
