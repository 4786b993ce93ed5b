"""A connection that asks for leave before each SQL statement. It stands in the process of a worker that is raced.

Whoever raced the workers (`course_lib.race`) lets one of them go on at a time, so the order of all statements is
theirs to choose. Nothing else is changed: what runs is SQLite, with its own locks.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any, Literal, TypeVar

# What is sent for leave: {"gate": the statement, "waits": it met a lock, "open": in a transaction}; the reply holds
# "go": True, or "go": False when the wait for a lock can have no end.
Ask = Callable[[dict[str, Any]], dict[str, Any]]
Found = TypeVar("Found")


class GatedCursor(sqlite3.Cursor):
    """A cursor whose statements ask first."""

    connection: GatedConnection

    def execute(self, sql: str, parameters: Any = (), /) -> GatedCursor:
        """As in sqlite3."""
        self.connection.step(sql, lambda: super(GatedCursor, self).execute(sql, parameters))
        return self

    def executemany(self, sql: str, parameters: Any, /) -> GatedCursor:
        """As in sqlite3; all of it is one step."""
        given = list(parameters)
        self.connection.step(sql, lambda: super(GatedCursor, self).executemany(sql, given))
        return self

    def executescript(self, sql: str, /) -> GatedCursor:
        """As in sqlite3; all of it is one step."""
        self.connection.step(sql, lambda: super(GatedCursor, self).executescript(sql))
        return self


class GatedConnection(sqlite3.Connection):
    """A connection whose statements ask first. `ask` is None while it is being set up."""

    ask: Ask | None = None
    has_read = False  # within this transaction: its snapshot is taken, and the right to write cannot be waited for

    def step(self, statement: str, run: Callable[[], Found]) -> Found:
        """Run one statement when there is leave; where it meets a lock, ask again once the other has gone on."""
        waits = False
        while True:
            if self.ask is None:
                return run()
            leave = self.ask({"gate": statement[:200], "waits": waits, "open": self.in_transaction})
            old_snapshot = self.in_transaction and self.has_read
            try:
                found = run()
            except sqlite3.OperationalError as problem:
                # SQLite itself does not wait where a transaction that has begun with reading wants to write.
                waits = problem.sqlite_errorname == "SQLITE_BUSY"
                if not waits or old_snapshot or not leave.get("go"):
                    raise
            else:
                begins = statement.lstrip()[:5].upper() == "BEGIN"
                self.has_read = self.in_transaction and (self.has_read or not begins)
                return found

    def cursor(self, factory: Any = GatedCursor) -> Any:
        """A cursor that asks, unless it is of a kind of the caller's own."""
        return super().cursor(factory)

    def execute(self, sql: str, parameters: Any = (), /) -> GatedCursor:
        """As in sqlite3."""
        made: GatedCursor = self.cursor()
        return made.execute(sql, parameters)

    def executemany(self, sql: str, parameters: Any, /) -> GatedCursor:
        """As in sqlite3."""
        made: GatedCursor = self.cursor()
        return made.executemany(sql, parameters)

    def executescript(self, sql: str, /) -> GatedCursor:
        """As in sqlite3."""
        made: GatedCursor = self.cursor()
        return made.executescript(sql)

    def commit(self) -> None:
        """As in sqlite3; a step where there is something to commit."""
        if self.in_transaction:
            self.step("COMMIT", super().commit)

    def rollback(self) -> None:
        """As in sqlite3; a step where there is something to roll back."""
        if self.in_transaction:
            self.step("ROLLBACK", super().rollback)

    def __exit__(self, kind: object, *rest: object) -> Literal[False]:
        """As in sqlite3: commit, or roll back when an exception comes out."""
        if kind is not None:
            self.rollback()
            return False
        try:
            self.commit()
        except BaseException:
            self.rollback()
            raise
        return False


def open_gated(path: str, ask: Ask) -> GatedConnection:
    """The record at `path`, which has to be there already, as `open_store` opens it; but it asks, and does not wait."""
    db = sqlite3.connect(path, timeout=0, factory=GatedConnection)
    db.execute("PRAGMA foreign_keys = ON")
    db.ask = ask
    return db
