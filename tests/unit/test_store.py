"""The record in SQLite: tables, modes, and what two connections see of each other."""

import sqlite3
import threading

import pytest

from course_lib.store import open_store

OBLIGATION = "INSERT INTO obligations (task_id, kind, key, created_at) VALUES ('t', 'note', ?, '2026-01-01')"


def test_opening_again_keeps_what_is_there(tmp_path) -> None:
    with open_store(tmp_path / "record.db") as db:
        db.execute(OBLIGATION, ("k",))
    db.close()
    again = open_store(tmp_path / "record.db")
    assert again.execute("SELECT key, state, token FROM obligations").fetchall() == [("k", "open", 0)]
    assert again.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    again.close()


def test_one_obligation_for_one_key_and_any_number_of_effects(tmp_path) -> None:
    db = open_store(tmp_path / "record.db")
    db.execute(OBLIGATION, ("k",))
    with pytest.raises(sqlite3.IntegrityError):
        db.execute(OBLIGATION, ("k",))
    for _ in range(2):
        db.execute("INSERT INTO effects (key, payload) VALUES ('k', '{}')")
    assert db.execute("SELECT count(*) FROM effects").fetchone() == (2,)
    db.close()


def test_states_are_those_of_the_record(tmp_path) -> None:
    db = open_store(tmp_path / "record.db")
    db.execute(OBLIGATION, ("k",))
    with pytest.raises(sqlite3.IntegrityError):
        db.execute("UPDATE obligations SET state = 'forgotten'")
    with pytest.raises(sqlite3.IntegrityError):
        db.execute("INSERT INTO requires VALUES (1, 99, 'causal')")
    db.close()


def test_many_may_open_it_at_once(tmp_path) -> None:
    together = threading.Barrier(8)
    failed: list[BaseException] = []

    def opened() -> None:
        together.wait()
        try:
            open_store(tmp_path / "record.db").close()
        except sqlite3.Error as error:
            failed.append(error)

    threads = [threading.Thread(target=opened) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
