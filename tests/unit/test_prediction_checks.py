"""The four checks, each on a journal that course_lib itself has written."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from course_lib import definitions, journal
from grader.course import PredictionFacts
from grader.judge.predictions import PredictionVerdict, calls_of, check_predictions, recorded_lines

ASKED = [PredictionFacts(id="P00.1", points=1), PredictionFacts(id="P00.2", points=2)]
CELLS = ['predict("P00.1", 3, confidence=0.8)', 'predict("P00.2", (1, 5), confidence=0.6)']
Entry = tuple[str, str, Any, float | None]
FULL: list[Entry] = [
    ("P00.1", "prediction", 3, 0.8),
    ("P00.1", "observation", 4, None),
    ("P00.2", "prediction", (1, 5), 0.6),
    ("P00.2", "observation", 2, None),
]


@pytest.fixture
def write(tmp_path: Path) -> Callable[[list[Entry]], bytes]:
    def written(entries: list[Entry]) -> bytes:
        path = tmp_path / "00.jsonl"
        path.unlink(missing_ok=True)
        for id, kind, value, confidence in entries:
            journal.append(path, id=id, kind=kind, value=value, confidence=confidence, notebook="00")  # type: ignore[arg-type]
        return path.read_bytes() if entries else b""

    return written


def checked(record: bytes, cells: list[str] = CELLS) -> tuple[list[PredictionVerdict], list[str]]:
    return check_predictions(ASKED, record, calls_of(definitions.scan(cells)))


def test_a_whole_record_earns_everything_and_being_wrong_costs_nothing(write: Callable[[list[Entry]], bytes]) -> None:
    verdicts, problems = checked(write(FULL))
    assert problems == []
    assert [(v.made, v.first, v.intact, v.own_words, v.verified) for v in verdicts] == [(True,) * 5] * 2
    assert [(v.points, v.max_points, v.correct, v.confidence) for v in verdicts] == [
        (1, 1, False, 0.8),
        (2, 2, True, 0.6),
    ]


def test_made(write: Callable[[list[Entry]], bytes]) -> None:
    verdicts, _ = checked(write(FULL[:2]))
    assert [v.made for v in verdicts] == [True, False]
    assert [v.points for v in verdicts] == [1, 0]
    assert "is not made yet" in verdicts[1].problem


@pytest.mark.parametrize("confidence", [None, 1.5, -0.1])
def test_made_needs_a_confidence(write: Callable[[list[Entry]], bytes], confidence: float | None) -> None:
    entries: list[Entry] = [("P00.1", "prediction", 3, confidence)]
    first = checked(write(entries), [f'predict("P00.1", 3, confidence={confidence})'])[0][0]
    assert (first.made, first.points) == (False, 0)


def test_an_outcome_need_not_have_been_seen(write: Callable[[list[Entry]], bytes]) -> None:
    first = checked(write(FULL[:1]))[0][0]
    assert (first.points, first.correct) == (1, None)


def test_first(write: Callable[[list[Entry]], bytes]) -> None:
    first = checked(write([FULL[1], FULL[0]]))[0][0]
    assert (first.made, first.first, first.intact, first.points) == (True, False, True, 0)
    assert "after its outcome had been seen" in first.problem


def test_a_changed_mind_before_the_run_is_fine_afterwards_it_does_not_count(
    write: Callable[[list[Entry]], bytes],
) -> None:
    changed: Entry = ("P00.1", "prediction", 9, 0.8)
    before = checked(write([changed, *FULL[:2]]))[0][0]
    assert (before.points, before.confidence) == (1, 0.8)
    after = checked(write([*FULL[:2], ("P00.1", "prediction", 4, 1.0)]))[0][0]
    assert (after.points, after.correct) == (1, False)  # what was said first stands


def lines_of(record: bytes) -> list[bytes]:
    return record.splitlines(keepends=True)


def test_intact_an_edited_line_is_named(write: Callable[[list[Entry]], bytes]) -> None:
    record = write(FULL).replace(b'"confidence":0.8', b'"confidence":0.9', 1)
    verdicts, problems = checked(record, [CELLS[0].replace("0.8", "0.9"), CELLS[1]])
    assert [(v.intact, v.points) for v in verdicts] == [(False, 0), (True, 2)]
    assert problems == ["line 1 was edited after it was written; it does not count"]


def test_intact_an_edited_outcome_counts_too(write: Callable[[list[Entry]], bytes]) -> None:
    record = write(FULL).replace(b'"value":4', b'"value":3', 1)
    first = checked(record)[0][0]
    assert (first.intact, first.points) == (False, 0)


def test_intact_a_dropped_line_is_named(write: Callable[[list[Entry]], bytes]) -> None:
    kept = lines_of(write(FULL))
    verdicts, problems = checked(kept[0] + kept[2] + kept[3])
    assert [v.points for v in verdicts] == [1, 0]
    assert problems == ["entry 2 is missing before line 2; nothing from line 2 on counts"]


def test_intact_reordered_lines_are_named(write: Callable[[list[Entry]], bytes]) -> None:
    kept = lines_of(write([FULL[1], FULL[0]]))
    verdicts, problems = checked(kept[1] + kept[0])
    assert (verdicts[0].first, verdicts[0].intact, verdicts[0].points) == (False, False, 0)
    assert "out of order" in problems[0]


def test_a_dropped_tail_is_simply_missing(write: Callable[[list[Entry]], bytes]) -> None:
    verdicts, problems = checked(b"".join(lines_of(write(FULL))[:1]))
    assert [(v.made, v.points) for v in verdicts] == [(True, 1), (False, 0)]
    assert problems == []


def test_a_clock_that_runs_backwards_is_told_and_costs_nothing(
    write: Callable[[list[Entry]], bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "clock.jsonl"
    for clock, (id, kind, value, confidence) in zip(("2026-01-02", "2026-01-01"), FULL[:2], strict=True):
        monkeypatch.setenv("COURSE_CLOCK", f"{clock}T00:00:00Z")
        journal.append(path, id=id, kind=kind, value=value, confidence=confidence)  # type: ignore[arg-type]
    verdicts, problems = checked(path.read_bytes())
    assert verdicts[0].points == 1
    assert problems == ["line 2 is dated earlier than the line before; this changes no marks"]


# Own words.


@pytest.mark.parametrize(
    "source",
    [
        "n = 3\npredict('P00.1', n, confidence=0.8)",
        "predict('P00.1', len(run), confidence=0.8)",
        "predict('P00.1', 3, confidence=c)",
    ],
)
def test_a_computed_prediction_is_found(write: Callable[[list[Entry]], bytes], source: str) -> None:
    first = checked(write(FULL), [source])[0][0]
    assert (first.own_words, first.points) == (False, 0)
    assert first.problem == f"is computed in the notebook, not written down. {BACK}"


BACK = "Put back 3, confidence=0.8, as recorded."


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("predict('P00.1', 4, confidence=0.8)", "reads otherwise in the notebook than in the record."),
        ("predict('P00.1', 3, confidence=0.7)", "reads otherwise in the notebook than in the record."),
        ("predict('P00.1', 3, confidence=80)", "has a confidence in the notebook that is not between 0 and 1."),
        ("predict('P00.1', ..., confidence=...)", "is on record, but no cell says it any more."),
        ("x = 1", "is on record, but no cell says it any more."),
    ],
)
def test_the_notebook_must_say_what_the_record_says(
    write: Callable[[list[Entry]], bytes], source: str, problem: str
) -> None:
    first = checked(write(FULL), [source])[0][0]
    assert (first.own_words, first.points) == (False, 0)
    assert first.problem == f"{problem} {BACK}"


@pytest.mark.parametrize(
    ("value", "confidence"), [("step_budget", 1.0), ({"b", "a"}, 0.1), ((1, 5), 0.123456789), (-2.5, 0.0)]
)
def test_what_is_to_be_put_back_earns_full_marks(
    write: Callable[[list[Entry]], bytes], value: Any, confidence: float
) -> None:
    record = write([("P00.1", "prediction", value, confidence), FULL[1]])
    said = checked(record, ["x = 1"])[0][0].problem
    again = re.search("Put back (.*), as recorded", said)
    assert again
    assert checked(record, [f"predict('P00.1', {again[1]})"])[0][0].points == 1


@pytest.mark.parametrize(
    "source", ["predict('P00.1', 2 + 1, 0.8)", "course_lib.predict(id='P00.1', value=3.0, confidence=4 / 5)"]
)
def test_constant_expressions_are_own_words(write: Callable[[list[Entry]], bytes], source: str) -> None:
    assert checked(write(FULL), [source])[0][0].points == 1


def test_one_of_several_calls_may_be_the_one_on_record(write: Callable[[list[Entry]], bytes]) -> None:
    assert checked(write(FULL), ["predict('P00.1', 9, confidence=0.1)", *CELLS])[0][0].points == 1


# Without a journal.


def test_a_literal_without_any_record_earns_half() -> None:
    verdicts, problems = checked(b"")
    assert problems == []
    assert [(v.points, v.max_points, v.verified) for v in verdicts] == [(0.5, 1, False), (1, 2, False)]
    assert "that earns half" in verdicts[0].problem


@pytest.mark.parametrize(
    "source",
    [
        "predict('P00.1', ..., confidence=...)",
        "predict('P00.1', 3, confidence=...)",
        "predict('P00.1', n, 0.5)",
        "predict('P00.1', 3, 7)",
    ],
)
def test_what_is_no_literal_prediction_earns_nothing(source: str) -> None:
    assert checked(b"", [source])[0][0].points == 0


def test_with_a_record_of_others_the_missing_one_is_missing(write: Callable[[list[Entry]], bytes]) -> None:
    assert checked(write(FULL[2:]))[0][0].points == 0


def outputs(record: bytes, *counts: int) -> list[list[dict[str, Any]]]:
    """One cell for each count, whose output carries that many lines, as predict() and reveal() put them there."""
    texts = record.decode().splitlines()
    return [[{"output_type": "display_data", "data": {journal.MIME: {"lines": texts[:count]}}}] for count in counts]


def test_recorded_outputs_alone_carry_the_record(write: Callable[[list[Entry]], bytes]) -> None:
    record = write(FULL)
    assert recorded_lines(outputs(record, 1, 2, 3, 4)) == record
    assert recorded_lines(outputs(record, 4, 2)) == record  # run in another order, some cleared
    assert [v.points for v in checked(recorded_lines(outputs(record, 2, 4)))[0]] == [1, 2]


def test_an_edited_output_is_found(write: Callable[[list[Entry]], bytes]) -> None:
    carried = outputs(write(FULL), 4)
    lines = carried[0][0]["data"][journal.MIME]["lines"]
    lines[0] = lines[0].replace('"value":3', '"value":4')
    verdicts, problems = checked(recorded_lines(carried), [CELLS[0].replace("3", "4"), CELLS[1]])
    assert [v.points for v in verdicts] == [0, 2]
    assert problems


@pytest.mark.parametrize(
    "data",
    [None, 5, {}, {journal.MIME: None}, {journal.MIME: {"lines": [5, None, "?"]}}, {journal.MIME: ["a"]}],
    ids=repr,
)
def test_odd_outputs_do_no_harm(data: Any) -> None:
    record = recorded_lines([[{"data": data}, {}]])
    assert isinstance(record, bytes)
    checked(record)


def test_odd_journals_do_no_harm(write: Callable[[list[Entry]], bytes]) -> None:
    for record in (b"\xff\xfe", b"{}\n[]", write(FULL)[:-30], json.dumps({"seq": 1}).encode()):
        verdicts, _ = checked(record)
        assert sum(v.max_points for v in verdicts) == 3
