"""The four checks on prediction records: made, first, intact, own words. None of them asks whether it came true."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from course_lib import journal
from course_lib.definitions import PREDICTION_ID
from course_lib.values import readable
from grader.course import PredictionFacts

# What a prediction is worth that stands in the notebook as a literal, with no record of when it was made.
UNVERIFIED_SHARE = 0.5


@dataclass(frozen=True)
class PredictionVerdict:
    """What the record says of one prediction. `problem` is a line for the learner, empty when all four checks hold."""

    id: str
    made: bool
    first: bool
    intact: bool
    own_words: bool
    verified: bool
    confidence: float | None
    correct: bool | None
    points: float
    max_points: float
    problem: str


@dataclass(frozen=True)
class Call:
    """One ``predict(...)`` call as it stands in the notebook."""

    id: str
    constant: bool
    value: Any
    confidence: float | None


def recorded_lines(outputs: Iterable[list[dict[str, Any]]]) -> bytes:
    """The journal that a notebook's stored outputs carry; empty bytes when they carry none."""
    texts: list[str] = []
    for output in (output for cell in outputs for output in cell):
        data = output.get("data")
        if isinstance(data, dict):
            texts += journal.carried(data.get(journal.MIME))
    return journal.gather(texts)


def calls_of(scan: Any) -> list[Call]:
    """The filled ``predict`` calls that the extractor found, in notebook order."""
    return [
        Call(call.id, call.constant, call.value, call.confidence)
        for cell in scan.cells
        for call in cell.predictions
        if call.filled and isinstance(call.id, str) and PREDICTION_ID.fullmatch(call.id)
    ]


def check_predictions(
    asked: list[PredictionFacts], record: bytes, calls: list[Call]
) -> tuple[list[PredictionVerdict], list[str]]:
    """A verdict for every prediction asked, and what is wrong with the journal as a whole (lines for the learner).

    `record` is the journal (or what the outputs carry of it); `calls` are the predictions as the notebook words them.
    """
    lines, problems = journal.read(record)
    verdicts = [_check(facts, lines, bool(lines), [c for c in calls if c.id == facts.id]) for facts in asked]
    return verdicts, [problem.message for problem in problems]


def _check(facts: PredictionFacts, lines: list[journal.Line], has_record: bool, calls: list[Call]) -> PredictionVerdict:
    predicted, observed = journal.standing(lines, facts.id)
    literal = any(call.constant and _fair(call.confidence) for call in calls)
    if predicted is None:
        unverified = literal and not has_record
        problem = "is not made yet: fill in the value and a confidence, and run the cell."
        if unverified:
            problem = "stands in the notebook, but nothing records when it was made; that earns half."
        elif calls and not literal:
            problem = "is computed in the notebook, not written down. Write the value you expect."
        points = facts.points * UNVERIFIED_SHARE if unverified else 0
        return PredictionVerdict(
            facts.id,
            unverified,
            unverified,
            unverified,
            unverified,
            False,
            None,
            None,
            points,
            facts.points,
            problem,
        )
    made = _fair(predicted.confidence)
    first = observed is None or predicted.seq < observed.seq
    intact = predicted.intact and (observed is None or observed.intact)
    own_words = any(
        call.constant and journal.same(call.value, predicted.value) and call.confidence == predicted.confidence
        for call in calls
    )
    problem = ""
    if not made:
        problem = "has no confidence between 0 and 1."
    elif not first:
        problem = "was written after its outcome had been seen."
    elif not intact:
        problem = "stands on a line of the journal that cannot be relied on."
    elif not own_words:
        problem = _other_words(calls, predicted)
    points = 0 if problem else facts.points
    correct = journal.agrees(predicted.value, observed.value) if observed is not None else None
    return PredictionVerdict(
        facts.id,
        made,
        first,
        intact,
        own_words,
        True,
        predicted.confidence,
        correct,
        points,
        facts.points,
        problem,
    )


def _other_words(calls: list[Call], predicted: journal.Line) -> str:
    """Why the notebook's own words are not those of the record, and what to put back."""
    again = f"Put back {readable(predicted.value)}, confidence={predicted.confidence}, as recorded."
    if not calls:
        return f"is on record, but no cell says it any more. {again}"
    if not any(call.constant for call in calls):
        return f"is computed in the notebook, not written down. {again}"
    if not any(_fair(call.confidence) for call in calls):
        return f"has a confidence in the notebook that is not between 0 and 1. {again}"
    return f"reads otherwise in the notebook than in the record. {again}"


def _fair(confidence: float | None) -> bool:
    return confidence is not None and 0 <= confidence <= 1
