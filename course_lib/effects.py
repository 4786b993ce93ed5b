"""Effects to measure, the answer of a call that is made once, and a rival who acts in between."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .card import CardService
from .tools import notes_tools


@dataclass(frozen=True)
class Response:
    """What is known of a call. status: "done", with the value that came back, or "in_doubt", with None."""

    status: str
    value: Any = None


def read_note(root: Path) -> Any:
    """Read the note alpha.txt below `root`."""
    return notes_tools(root)["read_note"]({"name": "alpha.txt"})


def write_report(root: Path) -> Any:
    """Write one and the same report to `root`/report.txt."""
    return notes_tools(root)["write_report"]({"content": "The pump is fine.\n"})


def append_note(root: Path) -> Any:
    """Append one and the same line to `root`/log.txt. The answer is the number of bytes that went out."""
    with (root / "log.txt").open("ab") as file:
        return {"ok": True, "bytes": file.write(b"Pump checked.\n")}


def charge_card(root: Path) -> Any:
    """Charge 5.00 to one and the same card; the service keeps its ledger in `root`/ledger.jsonl."""
    with CardService(root / "ledger.jsonl") as card:
        return card.charge("4711", 500)


EFFECTS: dict[str, Callable[[Path], Any]] = {
    "read_note": read_note,
    "write_report": write_report,
    "append_note": append_note,
    "charge_card": charge_card,
}


class Rival:
    """Somebody else who acts just before one statement of a connection, as another process could.

    Rival(db, 2, act) calls act() once, before the third statement that `db` runs from now on (0 is the first; a
    BEGIN that Python adds by itself counts too). `statements` holds the beginnings of those that were run, `outcome`
    what act() returned, and `error` the name of what it raised. With `at` None nobody acts, and statements are noted.
    """

    def __init__(self, db: sqlite3.Connection, at: int | None, act: Callable[[], Any]) -> None:
        self.statements: list[str] = []
        self.outcome: Any = None
        self.error: str | None = None
        self._at = at
        self._act = act
        db.set_trace_callback(self._before)

    def _before(self, statement: str) -> None:
        self.statements.append(" ".join(statement.split())[:60])
        if self._at is not None and len(self.statements) > self._at:
            self._at = None
            self.outcome, self.error = _try(self._act)


class Meanwhile:
    """A function in the middle of which somebody else acts: first `act`, then `function`, whose value comes back.

    `outcome` and `error` are those of `act`, as a Rival has them.
    """

    def __init__(self, act: Callable[[], Any], function: Callable[[], Any]) -> None:
        self.outcome: Any = None
        self.error: str | None = None
        self._act = act
        self._function = function

    def __call__(self) -> Any:
        """Both, one after the other."""
        self.outcome, self.error = _try(self._act)
        return self._function()


def _try(act: Callable[[], Any]) -> tuple[Any, str | None]:
    """What `act` returned, or the name of what it raised."""
    try:
        return act(), None
    except Exception as error:
        return None, type(error).__name__
