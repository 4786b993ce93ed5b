"""Racing two workers: which orders are tried, what SQLite's locks make of them, and who may go on."""

import sqlite3
from collections.abc import Callable
from typing import Any

import pytest

from course_lib.closure import NotWrittenError
from course_lib.crash import Outside, SweepError, store
from course_lib.gated import open_gated
from course_lib.race import Leave, Run, follow, race, stage
from course_lib.store import open_store


class Service(Outside):
    def __init__(self) -> None:
        self.acted: list[str] = []

    def act(self, worker: str) -> None:
        self.acted.append(worker)


def owe_one(db: sqlite3.Connection) -> None:
    db.execute("INSERT INTO obligations (task_id, kind, key, created_at) VALUES ('t', 'charge', 'k', '')")


def looks_then_takes(db, service, worker):
    (state,) = db.execute("SELECT state FROM obligations").fetchone()
    if state == "open":
        db.execute("UPDATE obligations SET state = 'claimed'")
        db.commit()
        service.act(worker)


def begins_deferred(db, service, worker):
    db.execute("BEGIN")
    looks_then_takes(db, service, worker)


def begins_immediate(db, service, worker):
    with db:
        db.execute("BEGIN IMMEDIATE")
        (state,) = db.execute("SELECT state FROM obligations").fetchone()
        db.execute("UPDATE obligations SET state = 'claimed'")
    if state == "open":
        service.act(worker)


def asks_for_ever(db, service, worker):
    while True:
        db.execute("SELECT 1").fetchone()


def not_written(db, service, worker):
    raise NotImplementedError("not_written")


def uses_a_stub(db, service, worker):
    not_written(db, service, worker)


def takes_and_acts(db, service, worker):
    with db:
        hit = db.execute(
            "UPDATE obligations SET state = 'claimed', worker = ? WHERE state = 'open'", (worker,)
        ).rowcount
    if hit:
        service.act(worker)
    return hit


def arguments() -> dict[str, tuple[Any, ...]]:
    service = Service()
    return {worker: (store(), service, worker) for worker in "AB"}


def ended(run: Run) -> str:
    if run.raised:
        return "crash"
    acted: list[str] = run.args["A"][1].acted
    return {0: "never", 1: "once"}.get(len(acted), "twice")


@pytest.mark.parametrize(
    ("program", "outcomes"),
    [
        (looks_then_takes, {"once", "twice"}),
        (begins_deferred, {"once", "crash"}),
        (begins_immediate, {"once"}),
    ],
)
def test_what_can_happen(program: Callable[..., Any], outcomes: set[str]) -> None:
    made = race(program, arguments, ended, record=owe_one)
    assert made.outcomes == outcomes
    assert made.note == ""
    orders = [run.order for run in made.runs]
    assert len(set(orders)) == len(orders)
    assert {"A", "B"} <= {order[0].upper() for order in orders}


def test_each_worker_has_its_statements_in_order() -> None:
    made = race(
        looks_then_takes, arguments, lambda run: run.rows("SELECT state FROM obligations")[0][0], record=owe_one
    )
    assert made.outcomes == {"claimed"}
    for run in made.runs:
        for worker in "AB":
            steps = zip(run.order, run.statements, strict=True)
            mine = [text[:6] for letter, (name, text) in steps if name == worker and letter == worker]
            assert mine in (["SELECT", "UPDATE", "COMMIT"], ["SELECT"])
    # One after the other, the two ways; and both look before one of them takes, so that the other meets its lock.
    assert {"AAAB", "BBBA", "ABAbABB", "BABaBAA"} <= {run.order for run in made.runs}


def test_too_many_orders_are_sampled() -> None:
    made = race(begins_deferred, arguments, ended, record=owe_one, most=12)
    assert 6 < len(made.runs) <= 12
    assert "more orders" in made.note
    assert made.outcomes == {"once", "crash"}


def test_a_worker_without_end_is_named() -> None:
    with pytest.raises(SweepError, match="statements"):
        race(asks_for_ever, arguments, ended, record=owe_one)
    assert race(takes_and_acts, arguments, ended, record=owe_one, most=4).outcomes == {"once"}  # none is left of it


def test_a_stub_is_said_to_be_one() -> None:
    with pytest.raises(NotWrittenError, match="not_written"):
        race(not_written, arguments, ended, record=owe_one)
    with stage(owe_one, uses_a_stub) as play, pytest.raises(NotWrittenError, match=r"^not_written$"):
        play.alone(uses_a_stub, (store(), Service(), "A"))
    with stage(owe_one, uses_a_stub) as play, pytest.raises(NotWrittenError, match=r"^not_written$"):
        play.together({"A": (uses_a_stub, (store(), Service(), "A"))})


def test_free_workers_and_a_killed_winner() -> None:
    service = Service()
    with stage(owe_one, takes_and_acts) as play:
        calls = {worker: (takes_and_acts, (store(), service, worker)) for worker in "AB"}
        endings = play.together(calls, kill_at_call=1)
        assert sorted(end.signal or 0 for end in endings.values()) == [0, 9]
        assert service.acted == []
        (row,) = play.rows("SELECT state, worker FROM obligations")
        assert row == ("claimed", next(worker for worker, end in endings.items() if end.signal == 9))
        assert play.alone(takes_and_acts, (store(), service, "C")).value == 0


# Who may go on: no processes needed.


def message(statement: str = "SELECT", *, waits: bool = False, opened: bool = False) -> dict[str, Any]:
    return {"gate": statement, "waits": waits, "open": opened}


def test_nobody_goes_on_while_one_is_at_work() -> None:
    leave = Leave(2, follow([1]))
    leave.park(0, message())
    assert leave.next() is None
    leave.park(1, message())
    assert leave.next() == (1, True)
    assert leave.next() is None
    leave.end(1)
    assert leave.next() == (0, True)
    leave.end(0)
    assert leave.next() is None
    assert leave.trail == [(1, [0, 1]), (0, [0])]


def test_who_met_a_lock_waits_for_the_other_to_let_go() -> None:
    leave = Leave(2, follow([]))
    leave.park(0, message(waits=True))
    leave.park(1, message(opened=True))
    assert leave.next() == (1, True)
    leave.park(1, message())
    assert leave.next() == (0, True)


def test_a_wait_without_end_is_ended() -> None:
    leave = Leave(2, follow([]))
    leave.park(0, message(waits=True, opened=True))
    leave.park(1, message(waits=True, opened=True))
    assert leave.next() == (0, False)


# The connection of a worker.


@pytest.fixture
def path(tmp_path) -> str:
    made = tmp_path / "record.db"
    with open_store(made) as db:
        owe_one(db)
    db.close()
    return str(made)


def test_every_statement_asks_once(path: str) -> None:
    asked: list[str] = []

    def ask(said: dict[str, Any]) -> dict[str, Any]:
        asked.append(said["gate"].split()[0])
        return {"go": True}

    db = open_gated(path, ask)
    with db:
        db.execute("BEGIN IMMEDIATE")
        db.cursor().execute("UPDATE obligations SET state = 'claimed'")

    def divides() -> float:
        with db:
            return len(list(db.executemany("UPDATE obligations SET token = ?", [(1,), (2,)]))) / 0

    with pytest.raises(ZeroDivisionError):
        divides()
    db.commit()
    assert db.execute("SELECT state, token FROM obligations").fetchone() == ("claimed", 0)
    assert asked == ["BEGIN", "UPDATE", "COMMIT", "UPDATE", "ROLLBACK", "SELECT"]
    db.close()


def test_a_lock_is_met_again_until_it_is_gone(path: str) -> None:
    holder = open_store(path)
    holder.execute("BEGIN IMMEDIATE")
    said: list[bool] = []

    def ask(given: dict[str, Any]) -> dict[str, Any]:
        said.append(given["waits"])
        if len(said) == 3:
            holder.commit()
        return {"go": True}

    db = open_gated(path, ask)
    db.execute("BEGIN IMMEDIATE")
    assert said == [False, True, True]
    db.rollback()
    db.close()
    holder.close()


@pytest.mark.parametrize("go", [True, False])
def test_what_cannot_be_waited_for_is_raised(path: str, go: bool) -> None:
    holder = open_store(path)
    db = open_gated(path, lambda said: {"go": go})
    if go:  # an old snapshot, however long one waits
        db.execute("BEGIN")
        db.execute("SELECT * FROM obligations").fetchall()
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(sqlite3.OperationalError):
        db.execute("UPDATE obligations SET token = 1")
    db.close()
    holder.close()
