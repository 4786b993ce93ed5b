"""A verdict: what one test says of one submission."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from grader.judge.api import AnswerRaised, BrokenPromise
from grader.judge.learner import Fault, Seen
from grader.judge.spec import TestSpec
from grader.kernel.trouble import Trouble

# Characters of one value in a sentence.
MAX_DETAIL = 200

Result = Literal["passed", "failed", "error", "skipped"]


@dataclass(frozen=True)
class Verdict:
    """`reason` is a reason code when there was no verdict; `seen` and `promised` serve the card of `check()`.

    `grader_fault` is set when the test itself broke: that is never the learner's.
    """

    spec: TestSpec
    outcome: Result
    sentence: str = ""
    reason: str | None = None
    seen: Seen | None = None
    promised: Any = None
    grader_fault: bool = False

    @property
    def points(self) -> float:
        """What this verdict earns."""
        return self.spec.points if self.outcome == "passed" else 0


def verdict_of(spec: TestSpec, error: BaseException | None, seen: Seen | None) -> Verdict:
    """What it means that a test ended with `error` (None: it passed)."""
    match error:
        case None:
            return Verdict(spec, "passed", seen=seen)
        case BrokenPromise():
            details = ", ".join(f"{name} = {str(value)[:MAX_DETAIL]}" for name, value in error.details.items())
            sentence = _printable(error.sentence + (f" ({details})" if details else ""))
            promised = error.promised if spec.visibility == "public" else None
            return Verdict(spec, "failed", sentence, seen=seen, promised=promised)
        case AnswerRaised():
            return Verdict(spec, "failed", _printable(raised_sentence(error.fault)), seen=seen)
        case Trouble():
            return Verdict(spec, "error", error.sentence, error.reason, seen=seen)
        case _:
            sentence = f"The grader could not judge this ({type(error).__name__} in the test). Tell your instructor."
            return Verdict(spec, "error", sentence, seen=seen, grader_fault=True)


def _printable(text: str) -> str:
    """`text` without what would move a terminal's cursor or fit into no file: it may hold a learner's own words."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


def raised_sentence(fault: Fault) -> str:
    """An exception of the learner's code in one line, with the line of their own cell."""
    message = " ".join(fault.message.split())[:160]
    where = f" at {fault.own_line}" if fault.own_line else ""
    if fault.type == "NotImplementedError":
        return f"Part of it is still to be written: NotImplementedError{where}."
    return f"It raised {fault.type}{f' ({message})' if message else ''}{where}."
