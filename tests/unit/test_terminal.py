from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rich.console import Console

from grader.course import Course, Manifest
from grader.record import GradeRecord
from grader.report import terminal
from tests.e2e.toy import make_course

replace = msgspec.structs.replace


@pytest.fixture(scope="module")
def manifest(tmp_path_factory: pytest.TempPathFactory) -> Manifest:
    course: Course = make_course(tmp_path_factory.mktemp("toy"))
    return course.manifest


def check(name: str, visibility: str, outcome: str = "passed", sentence: str = "") -> dict[str, Any]:
    return {
        "name": name,
        "title": f"The promise of {name}.",
        "visibility": visibility,
        "outcome": outcome,
        "reason": None,
        "sentence": sentence,
        "points": int(outcome == "passed"),
        "max_points": 1,
    }


def exercise(name: str, status: str, *tests: dict[str, Any], stretch: bool = False) -> dict[str, Any]:
    score, most = sum(t["points"] for t in tests), sum(t["max_points"] for t in tests)
    return {"name": name, "stretch": stretch, "status": status, "score": score, "max_score": most, "tests": list(tests)}


def prediction(points: float, *, made: bool) -> dict[str, Any]:
    held = points == 1
    return {
        "id": "P00.1",
        "made": made,
        **dict.fromkeys(("first", "intact", "own_words", "verified"), held),
        "confidence": None,
        "correct": None,
        "points": points,
        "max_points": 1,
    }


def record(
    *exercises: dict[str, Any], points: float = 1, made: bool = True, status: str = "graded", message: str = ""
) -> GradeRecord:
    score = sum(e["score"] for e in exercises if not e["stretch"]) + points
    most = sum(e["max_score"] for e in exercises if not e["stretch"]) + 1
    notebook = {
        "name": "00_toy",
        "status": status,
        "message": message,
        "score": score,
        "max_score": most,
        "seconds": 1.0,
        "exercises": list(exercises),
        "predictions": [prediction(points, made=made)],
    }
    whole = {
        "schema": "grader/record/1",
        "course": {"name": "Toy", "version": "0.1", "digest": "0" * 64},
        "submission": {"id": "00", "sha256": "0" * 64},
        "status": "graded",
        "message": "",
        "scope": ["00_toy"],
        "seed_commitment": "0" * 64,
        "score": score,
        "max_score": most,
        "isolation": {"level": "none", "layers": []},
        "grader": "1",
        "python": "3.11",
        "started": "2026-01-01T00:00:00Z",
        "seconds": 1.0,
        "notebooks": [notebook],
    }
    return msgspec.convert(whole, GradeRecord)


def printed(of: GradeRecord, manifest: Manifest, notes: list[str] | None = None, **how: Any) -> str:
    console = Console(file=io.StringIO(), width=terminal.WIDTH, highlight=False)
    terminal.show(of, manifest, notes or [], console, **how)
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    assert max(map(len, text.splitlines())) <= terminal.WIDTH
    return text


PASSED = exercise("double", "passed", check("test_a", "public"), check("test_b", "hidden"))


def test_the_table(manifest: Manifest) -> None:
    wrong = exercise(
        "pack",
        "partial",
        check("test_c", "public"),
        check("test_d", "hidden", "failed", "It looks as if lists are sorted (k = 2)"),
        check("test_e", "hidden", "skipped", "Waits for “d”."),
    )
    text = printed(record(PASSED, wrong), manifest)
    rows = [" ".join(line.split()) for line in text.splitlines()]
    assert "notebook exercise public hidden predicted points" in rows
    assert "00 toy double ✓ 1/1 ✓ 1/1 2 / 2" in rows
    assert "pack ✓ 1/1 ✗ 0/2 1 / 3" in rows
    assert "predictions 1/1 1 / 1" in rows
    assert "4 / 6" in rows
    assert "✗ pack · the promise of test_d" in rows
    assert "It looks as if lists are sorted (k = 2)." in rows
    assert "test_e" not in text  # what was skipped is not a failure
    assert rows[-1] == 'Next: pack (notebook 00, exercise 0.2 "The pack") · grader hint pack'


def test_no_more_than_three_failures_of_an_exercise(manifest: Manifest) -> None:
    tests = [check(f"test_{n}", "hidden", "failed", f"Sentence {n}") for n in range(5)]
    of = record(exercise("double", "failed", *tests))
    text = printed(of, manifest)
    assert text.count("Sentence") == 3
    assert "and 2 more of double: grader check --exercise double" in text
    every = printed(of, manifest, all_of_it=True)
    assert every.count("Sentence") == 5
    assert "more of" not in every


def test_words_for_what_is_not_there(manifest: Manifest) -> None:
    text = printed(
        record(exercise("double", "not_started", check("a", "public", "skipped")), exercise("pack", "missing")),
        manifest,
    )
    assert "not started" in text
    assert "no definition" in text


def test_next_goes_from_exercises_to_predictions_to_nothing(manifest: Manifest) -> None:
    unmade, spoiled = record(PASSED, points=0, made=False), record(PASSED, points=0)
    assert terminal.next_step(unmade, manifest) == (
        "prediction P00.1 (notebook 00): write it down before you run its cell"
    )
    assert terminal.next_step(spoiled, manifest) == "prediction P00.1 (notebook 00): what is said of it above"
    assert terminal.next_step(record(PASSED), manifest) == "nothing. Everything asked for is there."


def test_next_names_a_notebook_that_is_not_there(manifest: Manifest) -> None:
    """Those that are there come first, whatever their order."""
    absent = record(status="not_submitted", points=0)
    assert terminal.next_step(absent, manifest) == "notebook 00, which is not here yet"
    assert "not handed in" in printed(absent, manifest)
    both = replace(absent, notebooks=[*absent.notebooks, *record(exercise("pack", "missing")).notebooks])
    assert terminal.next_step(both, manifest).startswith("pack (notebook 00")


def test_a_stretch_exercise_is_shown_outside_score_and_next_step(manifest: Manifest) -> None:
    more = exercise("pack", "failed", check("test_c", "public", "failed", "Wrong"), stretch=True)
    of = record(PASSED, more)
    assert "stretch" in printed(of, manifest)
    assert terminal.next_step(of, manifest) == "nothing. Everything asked for is there."


def test_an_unreadable_notebook_among_others_says_why(manifest: Manifest) -> None:
    of = record(status="rejected", message="00_toy.ipynb: the file is empty.", points=0)
    text = printed(of, manifest)
    assert "could not be read" in text
    assert "! 00_toy.ipynb: the file is empty." in text
    assert "Next: the notebooks that could not be read, see above" in text


def test_what_a_learner_wrote_is_no_markup(manifest: Manifest) -> None:
    rude = exercise(
        "double", "failed", check("test_a", "public", "failed", "It raised ValueError ([red]x[/blink] [/]).")
    )
    text = printed(record(rude), manifest, ["[bold]note[/x]"])
    assert "It raised ValueError ([red]x[/blink] [/])." in text
    assert "[bold]note[/x]" in text


def test_a_long_sentence_is_wrapped_below_its_promise(manifest: Manifest, tmp_path: Path) -> None:
    long = exercise("double", "failed", check("test_a", "public", "failed", "word " * 60))
    lines = [line for line in printed(record(long), manifest).splitlines() if line.strip().startswith("word")]
    assert len(lines) > 2
    assert all(line.startswith("      word") for line in lines)
