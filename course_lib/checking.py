"""`check("replay")`: the public tests of an exercise, run against what stands in this notebook now.

They are the same test functions that the grader runs, through the same `learner`; here its calls go straight into
the notebook's own namespace. Hidden tests are not opened: they are for `grader check`.
"""

from __future__ import annotations

import inspect
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from course_lib import definitions
from course_lib.display import Row, card, say, show

if TYPE_CHECKING:
    from grader.course import Course, ExerciseFacts
    from grader.judge.learner import Seen
    from grader.judge.verdict import Verdict
    from grader.kernel.crash import Crashes

MAX_SHOWN = 240

Message = dict[str, Any]


def check(name: str, namespace: dict[str, Any] | None = None) -> None:
    """Show a card with a line for each public test of exercise `name`.

    `namespace` is where the answer stands; by default the notebook's. Never raises for a wrong answer. While a
    notebook is graded it returns at once: the grader runs these tests itself.
    """
    if os.environ.get("COURSE_GRADING"):
        return
    if not isinstance(name, str):  # check(replay), without the quotes
        name = getattr(name, "__name__", str(name))
    try:
        from grader.course import Course, CourseError
    except ImportError:
        say("check() needs the grader. Install the course as its README says, then restart the kernel.")
        return
    if namespace is None:
        namespace = sys.modules["__main__"].__dict__
    try:
        course = Course.load()
        facts = course.manifest.exercise(name)
        if facts is None:
            known = ", ".join(e.name for n in course.manifest.notebooks for e in n.exercises)
            say(f"There is no exercise {name}. The course has {known}.")
            return
        _check(course, facts, namespace)
    except CourseError as error:
        say(f"check: {error}")
    except KeyboardInterrupt:
        say(f"check: {name} was stopped before it was through.")


def _check(course: Course, facts: ExerciseFacts, namespace: dict[str, Any]) -> None:
    from grader.judge.session import Job, judge

    for name in facts.defines:
        if name not in namespace:
            say(f"{name} is not defined here. Run the cell that defines it, then check again.")
            return
        if not callable(namespace[name]):
            kind = f"of type {type(namespace[name]).__name__}"
            say(f"{name} is no function or class here but {kind}. Run the cell that defines it, then check again.")
            return
    if all(_is_stub(namespace[name], facts.stubs.get(name)) for name in facts.defines):
        say(f"{facts.name} is still the stub: fill it in, run its cell, then check again.")
        return
    with tempfile.TemporaryDirectory(prefix="check-") as scratch:
        limits = course.limits
        live = _Live(namespace, Path(scratch), limits.call_seconds, lambda: _crashes(course, facts, namespace))
        job = Job(live, frozenset({facts.name}), seed=0)
        try:
            judge(course, [job], visibilities=("public",))
        finally:
            live.close()
    _show(course, facts, job.verdicts, namespace)


class _Live:
    """The live notebook as a `Transport`: the same requests as to a kernel, answered here, with the same time limit."""

    def __init__(
        self,
        namespace: dict[str, Any],
        scratch: Path,
        seconds: float,
        start_crashes: Callable[[], Crashes] | None = None,
    ) -> None:
        from grader.kernel import inside

        self.perform = inside.perform
        self.desk = inside.Desk(namespace)
        self.scratch = scratch
        self.seconds = seconds
        self.folders = 0
        self.start_crashes = start_crashes
        self.killing: Crashes | None = None

    def request(self, message: Message, callback: Callable[[Message], Message] | None = None) -> Message:
        from grader.kernel.trouble import Trouble

        with _alarm(self.seconds) as rang:
            reply = self.perform(self.desk, message, callback or (lambda _: {}))
        if rang:
            raise Trouble("time", f"It did not come back within {self.seconds:g} s.")
        if any(outcome.get("error", {}).get("type") == "KeyboardInterrupt" for outcome in reply.get("outcomes", [])):
            raise KeyboardInterrupt  # the stop button is for the whole check, not for one call of it
        return reply

    def folder(self) -> Path:
        self.folders += 1
        folder = self.scratch / f"t{self.folders}"
        folder.mkdir()
        return folder

    def crashes(self) -> Crashes:
        """Answers are killed in processes of their own here too."""
        if self.killing is None:
            assert self.start_crashes is not None
            self.killing = self.start_crashes()
        return self.killing

    def close(self) -> None:
        if self.killing is not None:
            self.killing.close()


def _crashes(course: Course, facts: ExerciseFacts, namespace: dict[str, Any]) -> Crashes:
    """The harness for what this notebook has defined so far; no walls around it, as there are none around here."""
    from course_lib.crash import sources_of
    from grader.kernel.crash import Crashes

    cells = [cell for name in facts.defines for cell in sources_of(namespace[name])]
    limits = course.limits
    return Crashes(
        cells,
        facts.stubs,
        course.library_dir,
        sweep_seconds=limits.sweep_seconds,
        call_seconds=limits.call_seconds,
        walls=False,
    )


@contextmanager
def _alarm(seconds: float) -> Iterator[list[bool]]:
    """Interrupt what runs inside after `seconds`; the list is not empty then. Without signals there is no limit."""
    rang: list[bool] = []
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield rang
        return

    def ring(number: int, frame: FrameType | None) -> None:
        rang.append(True)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield rang
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _show(course: Course, facts: ExerciseFacts, verdicts: list[Verdict], namespace: dict[str, Any]) -> None:
    passed = sum(verdict.outcome == "passed" for verdict in verdicts)
    rows = [_row(verdict) for verdict in verdicts]
    rows += [Row(text, "≠") for text in _unsaved(course, facts, namespace)]
    notebook = course.manifest.notebook_of(facts.name)
    hidden = sum(test.visibility == "hidden" for test in facts.tests)
    number = notebook.number if notebook else ""
    wait = f"{hidden} hidden test{'s' if hidden != 1 else ''} wait{'s' if hidden == 1 else ''}"
    footer = f"{wait}: save, then `grader check {number}` in a terminal."
    if passed < len(verdicts):
        footer = f"Stuck? `grader hint {facts.name}`. {footer}"
    show(card(f"{facts.name} · public tests", rows, footer, bar=(passed, len(verdicts))))


def _row(verdict: Verdict) -> Row:
    title = verdict.spec.title
    if verdict.outcome == "passed":
        return Row(title, "✓")
    if verdict.outcome == "skipped":
        return Row(title, "–", [("", _ended(verdict.sentence))])
    notes = [("", _ended(verdict.sentence))]
    if verdict.seen is not None:
        notes += _call(verdict.seen)
    if verdict.promised is not None:
        notes.append(("promised", _short(verdict.promised)))
    return Row(title, "✗", notes)


def _call(seen: Seen) -> list[tuple[str, str]]:
    args = [*map(_short, seen.args), *(f"{name}={_short(value)}" for name, value in seen.kwargs.items())]
    notes = [("called", f"{seen.name}({', '.join(args)})")]
    error = seen.outcome.error
    if error is None:
        notes.append(("came back", _short(seen.outcome.returned)))
    else:
        at = f" at {error.own_line}" if error.own_line else ""
        notes.append(("raised", f"{error.type}: {error.message[:MAX_SHOWN]}{at}"))
    if seen.outcome.stdout.strip():
        notes.append(("printed", seen.outcome.stdout.strip()[:MAX_SHOWN]))
    return notes


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."


def _short(value: Any) -> str:
    text = _written(value)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]} …"


def _written(value: Any) -> str:
    """A value as a learner would write or call it; a trace as what happened in it, entry by entry."""
    from grader.judge.learner import Handle, Remote
    from grader.kernel.wire import Opaque, Record, Ref

    match value:
        case Remote():  # an object that stays with the test: its class says enough
            return f"<{type(value.obj).__name__}>"
        case Handle() | Ref():
            return "<your object>"
        case Record():
            fields = ", ".join(f"{name}={_written(field)}" for name, field in value.fields.items())
            return f"{_last_name(value.type_name)}({fields})"
        case Opaque():
            return "<a class>" if value.type_name == "builtins:type" else f"<{_last_name(value.type_name)}>"
        case list() if value and all(map(_is_entry, value)):
            steps = [f"{step['action']['tool']} {'ok' if step['observation']['ok'] else 'failed'}" for step in value]
            return f"[{len(steps)} {'entry' if len(steps) == 1 else 'entries'}: {', '.join(steps)}]"
        case list():
            return f"[{', '.join(map(_written, value))}]"
        case tuple():
            return f"({', '.join(map(_written, value))}{',' if len(value) == 1 else ''})"
        case dict():
            return f"{{{', '.join(f'{_written(key)}: {_written(item)}' for key, item in value.items())}}}"
        case set() if value:
            return f"{{{', '.join(sorted(map(_written, value)))}}}"
    if type(value).__repr__ is object.__repr__:  # an object of the test that came back: no address
        return f"<{type(value).__name__}>"
    return repr(value)


def _is_entry(value: Any) -> bool:
    match value:
        case {"action": {"tool": str()}, "observation": {"ok": bool()}}:
            return True
    return False


def _last_name(type_name: str) -> str:
    """Divergence, of "course_lib.agent:Divergence" or "__main__:make.<locals>.Divergence"."""
    return type_name.rpartition(":")[2].rpartition(".")[2]


def _digest(source: str, name: str) -> str | None:
    found = [d for cell in definitions.scan([source]).cells for d in cell.definitions if d.name == name]
    return found[-1].digest if found else None


def _live_digest(value: object, name: str) -> str | None:
    """The digest of a live definition's own text, None where Python cannot say what that is."""
    try:
        return _digest(inspect.getsource(value), name)  # type: ignore[arg-type]
    except (OSError, TypeError):
        return None


def _is_stub(value: object, stub: str | None) -> bool:
    name = getattr(value, "__name__", "")
    return stub is not None and _live_digest(value, name) == stub


def _unsaved(course: Course, facts: ExerciseFacts, namespace: dict[str, Any]) -> Iterator[str]:
    """A line for each name whose text in the saved notebook is not what was checked here."""
    from grader.notebook import NotebookError, read_notebook

    notebook = course.manifest.notebook_of(facts.name)
    path = Path(f"{notebook.name}.ipynb") if notebook else Path()
    if not path.is_file():
        return
    try:
        cells = definitions.scan(read_notebook(path.read_bytes()).sources).cells
    except NotebookError:
        return
    for name in facts.defines:
        saved = [d.digest for cell in cells for d in cell.definitions if d.name == name]
        live = _live_digest(namespace[name], name)
        if saved and live is not None and live not in saved:
            yield f"The saved notebook holds another {name} than the one you ran. Save before `grader check`."
