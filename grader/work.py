"""One notebook being graded: read, run in its kernel, judged while that is up, made into its part of the record."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from difflib import get_close_matches
from time import monotonic

from grader.course import Course, ExerciseFacts, NotebookFacts
from grader.judge import predictions as prediction_checks
from grader.judge.job import Job
from grader.judge.predictions import PredictionVerdict
from grader.judge.verdict import Verdict
from grader.kernel.session import Session
from grader.kernel.trouble import Trouble
from grader.notebook import Notebook, NotebookError, first_line, read_notebook
from grader.record import (
    ExerciseRecord,
    NotebookRecord,
    PredictionRecord,
    TestRecord,
)
from grader.submissions import Submitted


@dataclass(frozen=True)
class Progress:
    """How far grading is: `done` of `total` steps of one notebook; `total` is 0 before it is known."""

    notebook: NotebookFacts
    done: int
    total: int


class NotebookWork:
    """One notebook on its way from bytes to a record."""

    def __init__(
        self,
        course: Course,
        submitted: Submitted,
        seed: int,
        exercise: str | None = None,
        on_progress: Callable[[Progress], None] = lambda progress: None,
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
        self.session: Session | None = None

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

    def launch(self) -> bool:
        """Have a kernel start meanwhile, for `jobs` to use; whether one does, and must be ended with `close`."""
        if self.notebook is None or self.submitted.path is None:
            return False
        self.session = self._session(self.notebook)
        self.session.launch()
        return True

    def close(self) -> None:
        """End the kernel that `launch` has started; safe to call when it is gone."""
        if self.session is not None:
            self.session.close()

    def _session(self, notebook: Notebook) -> Session:
        exercises = self.submitted.facts.exercises
        return Session(
            notebook.sources,
            {name: exercise.stubs.get(name, "") for exercise in exercises for name in exercise.defines},
            self.course.limits,
            self.course.library_dir,
            beside=self.submitted.folder,
        )

    def jobs(self) -> Generator[Job, None, None]:
        """Run the notebook, then hand out the job of judging it while its kernel is up."""
        if self.notebook is None or self.submitted.path is None:
            return
        facts, clock = self.submitted.facts, monotonic()
        wanted = [e for e in facts.exercises if self.only in (None, e.name)]
        steps = len(self.notebook.sources) + sum(len(e.tests) for e in wanted)
        done = iter(range(1, 10 * steps + 10))

        def step(*_: object) -> None:
            self.on_progress(Progress(facts, min(next(done, steps), steps), steps))

        # Before a cell runs: where nothing confines the kernel, a cell could write a journal there.
        kept = self.submitted.journal()
        session = self.session or self._session(self.notebook)
        session.on_cell = step
        with ExitStack() as stack:
            try:
                stack.enter_context(session)
                self._pick(session, self.notebook.retyped)
            except Trouble as trouble:
                self.notebook, self.problem = None, f"{self.submitted.path.name}: {trouble.sentence}"
                return
            started = frozenset(e.name for e in wanted if self.status[e.name] == "started")
            job = Job(session, started, self.seed, on_verdict=step)
            yield job
            self.verdicts, self.faults = job.verdicts, job.tracebacks
            notes = [*_cell_notes(session, self.notebook.sources), *_near_misses(wanted, self.status, session)]
            self.notes += [f"{self.submitted.path.name}: {note}" for note in notes]
            self._check_predictions(session, kept)
        self.seconds = monotonic() - clock

    def _pick(self, session: Session, retyped: frozenset[int]) -> None:
        self.layers = session.layers
        picks: dict[str, int] = {}
        for exercise in self.submitted.facts.exercises:
            self.status[exercise.name], chosen = _choose(exercise, session, retyped)
            picks |= chosen
        if picks:
            session.pick(picks)

    def _check_predictions(self, session: Session, kept: bytes) -> None:
        assert self.notebook is not None
        facts = self.submitted.facts
        record = kept or prediction_checks.recorded_lines(self.notebook.outputs)
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
            score=plain(sum(e.score for e in counted) + sum(p.points for p in predictions)),
            max_score=plain(sum(e.max_score for e in counted) + sum(p.max_points for p in predictions)),
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
                points=plain(v.points),
                max_points=plain(v.max_points),
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
                    points=plain(facts.points if verdict and verdict.outcome == "passed" else 0),
                    max_points=plain(facts.points),
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
            score=plain(score),
            max_score=plain(max_score),
            tests=tests,
        )


def _choose(exercise: ExerciseFacts, session: Session, retyped: frozenset[int]) -> tuple[str, dict[str, int]]:
    """Which definition of each of the exercise's names counts, and whether anything but stubs is there.

    It is the last one whose code differs from the stub; one in a `retyped` cell only where no code cell has any.
    Names that have only their stub keep it.
    """
    picks: dict[str, int] = {}
    written = there = False
    for name in exercise.defines:
        cells = [cell for cell, is_callable in session.noted.get(name, []) if is_callable]
        there = there or bool(cells)
        own = [cell for cell in cells if not _is_stub(session, cell, name, exercise.stubs.get(name))]
        own = [cell for cell in own if cell not in retyped] or own
        if own or cells:
            picks[name] = (own or cells)[-1]
        written = written or bool(own)
    return ("started" if written else "not_started" if there else "missing"), picks


def _is_stub(session: Session, cell: int, name: str, stub: str | None) -> bool:
    definitions = [d for d in session.scan.cells[cell].definitions if d.name == name]
    # A stub of an earlier version of the course is told by its form.
    return bool(definitions) and (definitions[-1].digest == stub or bool(definitions[-1].stub))


def _cell_notes(session: Session, sources: list[str]) -> Iterator[str]:
    for cell, run in sorted(session.runs.items()):
        if run.outcome == "time":
            yield f"the cell {first_line(sources[cell])} was {run.error}"
        elif run.outcome == "killed":
            yield f"the cell {first_line(sources[cell])} ended the whole kernel and was left out"
    for cell, parsed in enumerate(session.scan.cells):
        if parsed.problem:
            yield f"the cell {first_line(sources[cell])} is not Python: {parsed.problem}"


def _near_misses(exercises: list[ExerciseFacts], status: Mapping[str, str], session: Session) -> Iterator[str]:
    """For each exercise that nothing defines: what became of its name, or a name that looks like it."""
    there = {name for cell in session.scan.cells for name in cell.names}
    for exercise in exercises:
        if status.get(exercise.name) != "missing":
            continue
        if session.noted.get(exercise.name):
            yield f"{exercise.name} is bound to something that is no function and no class"
        elif exercise.name in there:
            yield f"the cell that defines {exercise.name} stopped before it came to that"
        else:
            near = get_close_matches(exercise.name, there - {e.name for e in exercises}, n=1, cutoff=0.8)
            yield f"no cell defines {exercise.name}" + (f"; there is a {near[0]}" if near else "")


def plain(points: float) -> int | float:
    """2 rather than 2.0."""
    return int(points) if points == int(points) else round(points, 4)
