"""Effects to measure, the card service in its own process, and a rival at a chosen statement."""

import sqlite3
from pathlib import Path

import pytest

from course_lib.card import CardService
from course_lib.crash import store, sweep
from course_lib.effects import EFFECTS, Meanwhile, Rival
from course_lib.store import open_store
from course_lib.tools import make_notes


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return tmp_path / "ledger.jsonl"


# --- the card service


def test_what_is_booked_outlives_the_service(ledger: Path) -> None:
    with CardService(ledger) as card:
        assert card.charge("4711", 500) == {"ok": True, "receipt": 1}
        assert card.charge("4711", 500, "k") == {"ok": True, "receipt": 2}
    with CardService(ledger) as card:
        assert card.charge("4712", 900)["receipt"] == 3
        assert [(b["receipt"], b["amount"], b["key"]) for b in card.charges()] == [
            (1, 500, None),
            (2, 500, "k"),
            (3, 900, None),
        ]


def test_a_card_that_ends_in_0_is_declined(ledger: Path) -> None:
    with CardService(ledger) as card:
        assert card.charge("4710", 500) == {"ok": False, "error": "card_declined"}
        assert card.charges() == []


def test_a_lost_request_books_nothing_and_a_lost_answer_does(ledger: Path) -> None:
    with CardService(ledger) as card:
        with pytest.raises(ConnectionRefusedError):
            card.charge("4711", 500, lose="request")
        assert card.charges() == []
        with pytest.raises(TimeoutError):
            card.charge("4711", 500, lose="answer")
        assert len(card.charges()) == 1
        assert card.charge("4711", 500)["receipt"] == 2


def test_only_the_deduping_kind_knows_keys(tmp_path: Path) -> None:
    for dedupes, bookings in ((True, 1), (False, 2)):
        with CardService(tmp_path / f"{dedupes}.jsonl", dedupes=dedupes) as card:
            receipts = [card.charge("4711", 500, "k")["receipt"] for _ in range(2)]
            assert receipts == ([1, 1] if dedupes else [1, 2])
            assert len(card.charges()) == bookings
            assert card.charge("4711", 500)["receipt"] == card.charge("4711", 500)["receipt"] - 1


# --- the tools that are measured


@pytest.mark.parametrize(
    ("name", "states"), [("read_note", 1), ("write_report", 2), ("append_note", 4), ("charge_card", 4)]
)
def test_each_tool_is_of_its_kind(name: str, states: int, tmp_path: Path) -> None:
    make_notes(tmp_path)

    def state() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in sorted(tmp_path.rglob("*")) if path.is_file()}

    seen = [state()]
    for _ in range(3):
        assert EFFECTS[name](tmp_path)["ok"]
        seen.append(state())
    assert sum(now not in seen[:k] for k, now in enumerate(seen)) == states


# --- rivals


def add(db: sqlite3.Connection) -> int:
    if db.execute("SELECT count(*) FROM effects").fetchone() == (0,):
        db.execute("INSERT INTO effects (key, payload) VALUES ('k', '{}')")
        db.commit()
    return 7


@pytest.mark.parametrize(
    ("at", "rows", "error"), [(0, 1, None), (1, 2, None), (2, 2, None), (3, 1, "OperationalError")]
)
def test_a_rival_acts_before_the_statement_that_was_chosen(
    at: int, rows: int, error: str | None, tmp_path: Path
) -> None:
    db, other = open_store(tmp_path / "run.db"), open_store(tmp_path / "run.db")
    other.execute("PRAGMA busy_timeout = 0")
    rival = Rival(db, at, lambda: add(other))
    add(db)
    assert db.execute("SELECT count(*) FROM effects").fetchone() == (rows,)
    assert (rival.outcome, rival.error) == (None if error else 7, error)
    assert [statement.split()[0] for statement in rival.statements[: at + 1]] == (
        ["SELECT", "BEGIN", "INSERT", "COMMIT"][: at + 1]
    )
    for connection in (db, other):
        connection.close()


def test_without_a_place_nobody_acts_and_statements_are_noted(tmp_path: Path) -> None:
    db = open_store(tmp_path / "run.db")
    rival = Rival(db, None, lambda: pytest.fail("nobody was asked to act"))
    add(db)
    assert len(rival.statements) == 4
    assert (rival.outcome, rival.error) == (None, None)
    db.close()


def test_meanwhile_acts_first_and_gives_the_functions_own_value() -> None:
    done: list[str] = []
    both = Meanwhile(lambda: done.append("act"), lambda: [*done, "function"])
    assert both() == ["act", "function"]
    failing = Meanwhile(lambda: [][0], lambda: 5)
    assert (failing(), failing.outcome, failing.error) == (5, None, "IndexError")


# --- the sweep, over what notebook 06 has answers use


def finally_commits(db: sqlite3.Connection) -> int:
    try:
        db.execute("INSERT INTO effects (key, payload) VALUES ('k', '{}')")
    finally:
        db.commit()
    return 1


def test_an_instruction_without_a_line_is_swept_like_others() -> None:
    made = sweep(finally_commits, lambda: (store(),), resume=False)
    assert made.cases
    assert all(case.ending.problem == "" for case in made.cases)
