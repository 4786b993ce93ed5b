"""Predict, then see: in plain Python, and in a real notebook run by a real kernel."""

import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from course_lib import journal
from course_lib.display import Row, card
from course_lib.predictions import predict, reveal

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def book(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_JOURNAL", str(tmp_path / "kept"))
    monkeypatch.setenv("COURSE_CLOCK", "2026-11-30T09:15:00Z")
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    return tmp_path / "kept" / "04.jsonl"


def lines(book):
    found, problems = journal.read(book.read_bytes()) if book.exists() else ([], [])
    assert not problems
    return found


@pytest.mark.parametrize(
    "value",
    [(5, 1, "completed"), [("list_notes", True, 1, 0)], {(2, 2)}, (1,), [1, 2], {"pair": (1, [2])}, ()],
)
def test_cards_show_a_tuple_as_it_was_given(value, book, capsys):
    predict("P04.2", value, confidence=0.8)
    assert repr(value) in capsys.readouterr().out
    reveal("P04.2", lambda: value)
    assert capsys.readouterr().out.count(repr(value)) == 2


def test_an_outcome_of_another_length_is_shown_whole(book, capsys):
    predict("P04.2", [(1, 2), (3, 4)], confidence=0.8)
    reveal("P04.2", lambda: [(1, 2)])
    shown = capsys.readouterr().out
    assert "[(1, 2), (3, 4)]  (confidence" in shown
    assert "≠" in shown


def test_a_prediction_and_its_outcome_go_on_record(book, capsys):
    predict("P04.2", 3, confidence=0.8)
    shown = capsys.readouterr().out
    assert "P04.2" in shown
    assert "80 %" in shown
    reveal("P04.2", lambda: 3)
    shown = capsys.readouterr().out
    assert "✓ As you said." in shown
    assert re.search(r"predicted +3", shown)
    assert re.search(r"observed +3", shown)
    assert [(line.seq, line.kind, line.value, line.confidence, line.notebook) for line in lines(book)] == [
        (1, "prediction", 3, 0.8, "04"),
        (2, "observation", 3, None, "04"),
    ]


def test_a_wrong_prediction_is_shown_calmly(capsys):
    predict("P04.2", {"torn", "old"}, 1)
    reveal("P04.2", lambda: {"new", "old"})
    shown = capsys.readouterr().out
    assert "≠ Not as you said." in shown
    assert "{'old', 'torn'}" in shown


def test_running_again_shows_the_card_and_adds_nothing(book, capsys):
    for _ in range(2):
        predict("P04.2", (0, 5), confidence=0.8)
        reveal("P04.2", lambda: 3)
    assert len(lines(book)) == 2
    assert capsys.readouterr().out.count("As you said.") == 2


def test_dots_record_nothing_and_reveal_nothing(book, capsys):
    predict("P04.2", ..., confidence=...)
    assert "your answer" in capsys.readouterr().out
    predict("P04.2", 3)
    assert "your confidence" in capsys.readouterr().out
    called = []
    reveal("P04.2", lambda: called.append(1))
    assert called == []
    assert "P04.2 has no prediction yet" in capsys.readouterr().out
    assert not book.exists()


def test_a_prediction_of_another_id_reveals_nothing():
    predict("P04.1", 3, confidence=0.5)
    reveal("P04.11", lambda: pytest.fail("was called"))


@pytest.mark.parametrize("confidence", [80, -0.1, True, "0.8", None, float("nan"), object(), 1.0000001])
def test_a_bad_confidence_is_one_line(book, capsys, confidence):
    predict("P04.2", 3, confidence=confidence)
    assert capsys.readouterr().out == ("P04.2: nothing recorded. A confidence lies between 0 and 1 (0.8 for 80 %).\n")
    assert not book.exists()


CHOICES = ["goal_reached", "tool_failure", "step_budget"]


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("number", 3),
        ("number", 2.5),
        ("set", {1, 4}),
        ("set", set()),
        ("set", frozenset({"a"})),
        ("text", "both"),
        ("interval", (2, 5)),
        ("interval", [2, 2]),
        (CHOICES, "step_budget"),
        (tuple(CHOICES), " goal_reached "),
    ],
    ids=repr,
)
def test_a_value_of_the_kind_that_is_asked_for_goes_on_record(book, kind, value):
    predict("P04.2", value, confidence=0.5, kind=kind)
    assert len(lines(book)) == 1


@pytest.mark.parametrize(
    ("kind", "values", "asked"),
    [
        ("number", ["two", "2", None, True, (2, 5), {2}, float("inf"), object()], "a number, such as 3."),
        ("set", ["append_note", ["a"], {}, {"a": 1}, 3], "a set, such as {1, 4}; the empty one is set()."),
        ("text", [3, "", " ", ["both"], None], "text in quotes, such as 'both'."),
        (
            "interval",
            [3, (5, 2), (1, 2, 3), ("1", "2"), {1, 2}, (True, 2)],
            "a pair of numbers, the lower one first, such as (2, 5).",
        ),
        (CHOICES, ["stepbudget", "", 3, None, CHOICES], "one of 'goal_reached', 'tool_failure', 'step_budget'."),
    ],
    ids=lambda value: str(value)[:8],
)
def test_a_value_of_another_kind_is_asked_back_in_one_line(book, capsys, kind, values, asked):
    for value in values:
        predict("P04.2", value, confidence=0.5, kind=kind)
        assert capsys.readouterr().out == f"P04.2: nothing recorded. Answer with {asked}\n"
    reveal("P04.2", lambda: pytest.fail("was called"))
    assert not book.exists()


def test_an_open_prediction_says_what_sort_of_answer_it_wants(capsys):
    predict("P04.2", ..., confidence=..., kind=CHOICES)
    assert "your answer (one of 'goal_reached', 'tool_failure', 'step_budget') and your" in capsys.readouterr().out


@pytest.mark.parametrize(
    "kind",
    ["maybe", "", [], (), [1, 2], 3, {"a", "b"}],
    ids=["unknown", "no word", "no choice", "no choice at all", "numbers", "a number", "a set"],
)
def test_a_kind_that_does_not_exist_is_one_line(book, capsys, kind):
    predict("P04.2", 3, confidence=0.5, kind=kind)
    said = "P04.2: nothing recorded. Kind is 'number', 'set', 'text', 'interval', or a list of texts to choose from.\n"
    assert capsys.readouterr().out == said
    assert not book.exists()


def test_without_a_kind_and_for_ids_that_nobody_asked_anything_is_recorded(book):
    for number, value in enumerate([3, "two", None, {"a"}, [1]]):
        predict(f"P04.9{number}", value, confidence=0.5)
    assert len(lines(book)) == 5


@pytest.mark.parametrize("id", ["P4.2", "04.2", "P04.", "p04.2", "P04.2 ", "P04.2\n", "../P04.2", "", 4, None])
def test_a_bad_id_is_one_line(book, capsys, id):
    predict(id, 3, confidence=0.5)
    reveal(id, lambda: pytest.fail("was called"))
    assert [line.split(":")[0] for line in capsys.readouterr().out.splitlines()] == [
        "Nothing recorded",
        "Nothing to show",
    ]
    assert not book.parent.exists()


@pytest.mark.parametrize("value", [object(), print, "x" * 20_000])
def test_a_value_that_cannot_be_recorded_is_one_line(book, capsys, value):
    predict("P04.2", value, confidence=0.5)
    shown = capsys.readouterr().out
    assert shown.startswith("P04.2: nothing recorded.")
    assert shown.count("\n") == 1
    assert not lines(book)


def test_a_journal_that_cannot_be_written_is_one_line(tmp_path, capsys, monkeypatch):
    (tmp_path / "taken").write_text("a file, no folder")
    monkeypatch.setenv("COURSE_JOURNAL", str(tmp_path / "taken"))
    predict("P04.2", 3, confidence=0.5)
    shown = capsys.readouterr().out
    assert shown.startswith("P04.2: nothing recorded.")
    assert shown.count("\n") == 1


def test_an_outcome_of_any_kind_comes_back_and_is_noted(book, capsys):
    predict("P04.2", 3, confidence=0.5)
    thing = object()
    reveal("P04.2", lambda: thing)
    assert "a value of type object" in capsys.readouterr().out
    reveal("P04.2", lambda: [0] * 50_000)
    assert [line.value for line in lines(book)] == [3, {"not recorded": "object"}, {"not recorded": "list"}]


def test_an_error_of_the_run_goes_through_and_records_nothing(book):
    predict("P04.2", 3, confidence=0.5)
    with pytest.raises(ZeroDivisionError):
        reveal("P04.2", lambda: 1 / 0)
    assert [line.kind for line in lines(book)] == ["prediction"]


def test_a_prediction_after_the_outcome_is_kept_and_does_not_count(book, capsys):
    predict("P04.2", 3, confidence=0.5)
    reveal("P04.2", lambda: 4)
    capsys.readouterr()
    predict("P04.2", 4, confidence=1)
    assert "so this one does not count; entry 1, made in time, does." in capsys.readouterr().out
    reveal("P04.2", lambda: 4)
    assert "Not as you said." in capsys.readouterr().out
    assert [line.value for line in lines(book)] == [3, 4, 4]


def test_a_damaged_journal_is_said_on_the_card(book, capsys):
    predict("P04.1", 3, confidence=0.5)
    predict("P04.2", 3, confidence=0.5)
    book.write_bytes(book.read_bytes().replace(b'"value":3', b'"value":4', 1))
    capsys.readouterr()
    reveal("P04.2", lambda: 3)
    assert "line 1 was edited" in capsys.readouterr().out


def test_without_the_variable_the_journal_stands_beside_the_notebook(tmp_path):
    program = "from course_lib import predict; predict('P07.1', 'lost', confidence=0.5)"
    env = {"PYTHONPATH": str(ROOT), "JPY_SESSION_NAME": "work/07_state (copy).ipynb"}
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=env, check=True, timeout=60)
    (line,) = lines(tmp_path / "predictions" / "07.jsonl")
    assert (line.value, line.notebook) == ("lost", "07_state (copy)")


def test_the_record_travels_in_the_outputs_of_a_real_notebook(tmp_path, book, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    sources = [
        "from course_lib import predict, reveal",
        'predict("P04.1", 1.0, confidence=1.0)',
        'predict("P04.1", 2.0, confidence=1.0)',
        'reveal("P04.1", lambda: "<b>&\\"bold\\"")',
        'reveal("P04.2", lambda: 1 / 0)',
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    NotebookClient(notebook, timeout=60, resources={"metadata": {"path": str(tmp_path)}}).execute()
    nbformat.validate(notebook)
    saved = nbformat.reads(nbformat.writes(notebook), as_version=4)
    bundles = [out.data for cell in saved.cells for out in cell.outputs if out.output_type == "display_data"]
    refused = bundles.pop()
    assert set(refused) == {"text/html", "text/plain"}
    assert "no prediction yet" in refused["text/plain"]
    assert len(bundles) == 3
    assert all({"text/html", "text/plain", journal.MIME} == set(bundle) for bundle in bundles)

    # The cell of the first prediction may be gone: the others carry its line too.
    texts = [text for bundle in bundles[1:] for text in journal.carried(bundle[journal.MIME])]
    assert journal.gather(texts) == book.read_bytes()
    assert len(lines(book)) == 3

    html = bundles[2]["text/html"]
    assert "&lt;b&gt;&amp;" in html
    assert "<b>" not in html
    assert "<script" not in html
    assert 'role="group" aria-label="' in html


def test_a_card_escapes_everything_and_says_the_same_in_text():
    evil = "<img src=x onerror='a()'>\"&"
    bundle = card(evil, [Row(evil, "✗", [(evil, evil)])], evil, bar=(2, 3))
    assert "<img" not in bundle["text/html"]
    assert "onerror='" not in bundle["text/html"]
    assert bundle["text/plain"].count(evil) == 5
    assert "2/3" in bundle["text/plain"]
    assert "width: 67%" in bundle["text/html"]
    assert 'aria-label="short"' in card("title", label="short")["text/html"]
    assert card("empty", bar=(0, 0))["text/plain"] == "empty  0/0"
