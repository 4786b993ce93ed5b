"""Say what will happen, with a confidence; then see it. Both go on record."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from course_lib import journal, kinds
from course_lib.display import Row, card, say, show
from course_lib.values import Plain, readable, to_plain


def predict(id: str, value: object, confidence: object = ..., *, kind: kinds.AnswerKind | None = None) -> None:
    """Put a prediction on record before you look.

    id: "P04.2". value: what you expect; a number, text, a set, a list, or a pair (low, high) for a
    number. confidence: how sure you are, from 0 to 1. While either is `...` nothing is recorded. kind: what sort
    of value is asked for ("number", "set", "text", "interval", or a list of texts to choose from); any other
    value is not recorded. The same prediction again adds nothing; another one is a further entry. What cannot be
    recorded is said in one line, never raised.
    """
    if not _is_id(id, "Nothing recorded"):
        return
    try:
        wanted = "" if kind is None else kinds.wanted(kind)
    except ValueError as error:
        say(f"{id}: nothing recorded. {_reason(error)}")
        return
    if value is ... or confidence is ...:
        answer = f"your answer ({wanted})" if wanted else "your answer"
        parts = [(answer, value), ("your confidence, from 0 to 1,", confidence)]
        missing = " and ".join(what for what, given in parts if given is ...)
        say(f"{id} is open: put {missing} in place of the dots and run this cell. Nothing recorded yet.")
        return
    if kind is not None and not kinds.fits(value, kind):
        say(f"{id}: nothing recorded. Answer with {wanted}.")
        return
    sure = _confidence(confidence)
    if sure is None:
        say(f"{id}: nothing recorded. A confidence lies between 0 and 1 (0.8 for 80 %).")
        return
    path = journal.journal_path(id)
    try:
        line = journal.append(path, id=id, kind="prediction", value=value, confidence=sure, notebook=_notebook(id))
    except _UNRECORDED as error:
        say(f"{id}: nothing recorded. {_reason(error)}")
        return
    counted, seen = journal.standing(journal.read(_content(path))[0], id)
    remark = ""
    if seen is not None and seen.seq < line.seq:
        remark = "The outcome was on record before this entry, so this one does not count"
        in_time = counted is not None and counted.seq < seen.seq
        remark += f"; entry {counted.seq}, made in time, does." if counted and in_time else "."
    notes = [("you say", readable(line.value, value)), ("confidence", _percent(sure))]
    _show(f"{id} · on record", Row("", notes=notes), remark, path, line)


def reveal(id: str, fn: Callable[[], object]) -> None:
    """Call `fn` and show what it returned beside the prediction `id`.

    Without that prediction on record `fn` is not called, and one line says so. What `fn` raises goes through, and
    then nothing is recorded.
    """
    if not _is_id(id, "Nothing to show"):
        return
    path = journal.journal_path(id)
    if journal.standing(journal.read(_content(path))[0], id)[0] is None:
        say(f"{id} has no prediction yet, so nothing is run. Fill in its predict(...) and run that first.")
        return
    observed = fn()
    plain = _recordable(observed)
    try:
        line = journal.append(path, id=id, kind="observation", value=plain, notebook=_notebook(id))
    except _UNRECORDED as error:
        say(f"{id}: the outcome was not recorded. {_reason(error)}")
        return
    predicted, _ = journal.standing(journal.read(_content(path))[0], id)
    said, right = "unknown", False
    if predicted is not None:
        said = f"{readable(predicted.value, observed)}  (confidence {_percent(predicted.confidence)})"
        right = journal.agrees(predicted.value, plain)
    notes = [("predicted", said), ("observed", readable(plain, observed))]
    row = Row("As you said." if right else "Not as you said.", "✓" if right else "≠", notes)
    _show(f"{id} · predicted and observed", row, "", path, line)


_UNRECORDED = (OSError, TypeError, ValueError, RecursionError)


def _is_id(id: object, otherwise: str) -> bool:
    if isinstance(id, str) and journal.ID.fullmatch(id):
        return True
    say(f"{otherwise}: {readable(str(id))} is not the id of a prediction. Ids look like P04.2.")
    return False


def _show(title: str, row: Row, remark: str, path: Path, line: journal.Line) -> None:
    content = _content(path)
    problems = journal.read(content)[1]
    footer = [remark, f"Entry {line.seq} of {path.name}."]
    footer += [f"In {path.name}, {problem.message}." for problem in problems[:1]]
    bundle = card(title, [row], " ".join(filter(None, footer)))
    # All lines up to this one: a cell that was run twice, or cleared, then leaves no hole in the chain.
    bundle[journal.MIME] = {"lines": journal.texts(content, line.seq)}
    show(bundle)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _recordable(observed: object) -> Plain:
    """The plain value, or {"not recorded": type name} for something that a journal line cannot hold."""
    try:
        plain = to_plain(observed)
        if journal.fits(plain):
            return plain
    except (TypeError, ValueError, RecursionError):
        pass
    return {"not recorded": type(observed).__name__}


def _confidence(given: object) -> float | None:
    try:
        plain = to_plain(given)
    except (TypeError, ValueError, RecursionError):
        return None
    if isinstance(plain, bool) or not isinstance(plain, int | float) or not 0 <= plain <= 1:
        return None
    return float(plain)


def _percent(confidence: float | None) -> str:
    return "unknown" if confidence is None else f"{100 * confidence:g} %"


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "The answer is nested too deeply."
    what = str(error) or type(error).__name__
    return f"{what[0].upper()}{what[1:]}."


def _notebook(id: str) -> str:
    """The notebook that is running: Jupyter's name for it, else its number."""
    return Path(os.environ.get("JPY_SESSION_NAME") or id[1:3]).stem
