"""What surrounds the run of notebook 09: who proposes, what carries out, who says no, and a record to read from.

The run itself, which joins all of this, is the learner's.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeAlias, cast

from course_lib.agent import Tool, Trace, good_answers, unpack
from course_lib.crash import Outside
from course_lib.service import Service
from course_lib.tools import notes_tools

# Notes in, None when they will do, or the name of the gate that says no.
Gates: TypeAlias = Callable[[Sequence[Mapping[str, Any]]], str | None]

EFFECTS = ("append_note", "charge_card", "write_report")
SUBJECT = "pump 4"  # whose service is to be charged
WRITTEN = {"alpha.txt": "2026-11-30T08:00:00", "beta.txt": "2026-11-30T09:30:00"}
TEXTS = {
    "alpha.txt": "The pump was serviced on Monday. Its filter is new and the pressure is back to normal.\n",
    "beta.txt": "Valve 3 leaks about one litre a day. A spare part is ordered and arrives next week.\n",
}


def tokens_of(history: Trace) -> int:
    """Tokens that a model has read in these entries: a quarter of the characters of every text that came back."""
    return sum(len(answer.get("text", "")) // 4 for _, answer in map(unpack, history))


# --- who proposes ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class BillingAdapter:
    """List, read, look up the price, append, charge, report: a pure function of the history.

    remembered   a price from some old conversation, which it charges without looking the price up
    """

    remembered: int | None = None

    def next_action(self, history: Trace) -> dict[str, Any]:
        """The next call that is still missing from `history`."""
        listings = good_answers(history, "list_notes")
        if not listings:
            return {"tool": "list_notes", "args": {}}
        texts: dict[str, str] = {answer["name"]: answer["text"] for answer in good_answers(history, "read_note")}
        for name in listings[-1]["notes"]:
            if name not in texts:
                return {"tool": "read_note", "args": {"name": name}}
        price = self._price(history)
        if price is None:
            return {"tool": "state.read_facts", "args": {"subject": SUBJECT}}
        if not good_answers(history, "append_note"):
            return {"tool": "append_note", "args": {"text": f"{len(texts)} notes read, {price} euros due"}}
        charge = [
            cast("dict[str, Any]", said) for action, said in map(unpack, history) if action["tool"] == "charge_card"
        ]
        if not charge or charge[-1].get("error") == "conflict":
            return {"tool": "charge_card", "args": {"subject": SUBJECT, "amount": price}}
        billed = "charged" if charge[-1]["ok"] else "charge in doubt, to be settled"
        lines = [f"Read: {', '.join(sorted(texts))}", f"{SUBJECT}: {price} euros, {billed}"]
        return {"tool": "write_report", "args": {"content": "\n".join(lines) + "\n"}}

    def _price(self, history: Trace) -> int | None:
        for action, answer in reversed([*map(unpack, history)]):
            said: Mapping[str, Any] = answer
            if action["tool"] == "charge_card" and said.get("error") == "conflict":
                return int(said["held"][-1])
            if action["tool"] == "state.read_facts" and said["ok"]:
                prices = [fact["value"] for fact in said["facts"] if fact["predicate"] == "price"]
                return int(prices[-1]) if prices else 0
        return self.remembered


# --- what carries out, outside of the process that is killed --------------------------------------


class Noted(Outside):
    """A tool that stays here, with a note of every call in `calls`, a list that several of them may share."""

    def __init__(self, name: str, tool: Tool, calls: list[str]) -> None:
        self.name, self.tool, self.calls = name, tool, calls

    def __call__(self, args: dict[str, Any]) -> Any:
        """Note the call, then make it."""
        self.calls.append(" ".join([self.name, *filter(None, [args.get("name")])]))
        return self.tool(args)


class Freshness(Outside):
    """Gates over notes: at least two of them, none older than a day at `now`, none from after it.

    `now` is an ISO text and can be set: time passes between a crash and a restart. `asked` holds, for each time that
    they were asked, how many notes they were shown.
    """

    def __init__(self, now: str = "2026-11-30T12:00:00") -> None:
        self.now = now
        self.asked: list[int] = []

    def __call__(self, notes: Sequence[Mapping[str, Any]]) -> str | None:
        """None, "coverage" or "freshness"."""
        self.asked.append(len(notes))
        if len(notes) < 2:
            return "coverage"
        now = datetime.fromisoformat(self.now)
        ages = [now - datetime.fromisoformat(note["written"]) for note in notes]
        return None if all(timedelta(0) <= age <= timedelta(days=1) for age in ages) else "freshness"


@dataclass
class World:
    """Everything outside one run: adapter, tools over the files below `root`, gates, and the card service.

    calls   the tool calls that were really made, in order
    """

    root: Path
    adapter: Any
    tools: dict[str, Noted]
    gates: Freshness
    card: Service
    calls: list[str]

    def args(self, db: Any, task_id: str = "invoice-7", *limit: int) -> tuple[Any, ...]:
        """The arguments of a run: `db`, adapter, tools, gates, card, task and, when given, the tokens allowed."""
        return db, self.adapter, self.tools, self.gates, self.card, task_id, *limit


def make_world(root: Path, *, adapter: Any = None, dedupes: bool = True) -> World:
    """A new world over `root`, in which two dated notes are written. `dedupes`: the card service takes a key once."""
    folder = root / "notes"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in TEXTS.items():
        (folder / name).write_bytes(text.encode())
    plain, calls = notes_tools(root), list[str]()

    def read_note(args: dict[str, Any]) -> Any:
        answer = plain["read_note"](args)
        return {**answer, "written": WRITTEN[args["name"]]} if answer["ok"] else answer

    made = {name: Noted(name, tool, calls) for name, tool in {**plain, "read_note": read_note}.items()}
    return World(root, adapter or BillingAdapter(), made, Freshness(), Service(dedupes=dedupes), calls)


# --- the record, read -----------------------------------------------------------------------------


def price_facts(db: sqlite3.Connection, *prices: int) -> None:
    """Write down the price of the service, then another that stands in its place, and so on; and commit."""
    last = None
    for day, price in enumerate(prices, 1):
        row = (SUBJECT, "price", str(price), "price list", f"2026-11-0{day}", f"2026-11-1{day}")
        new = db.execute(
            "INSERT INTO facts (subject, predicate, value, source, observed_at, recorded_at) VALUES (?, ?, ?, ?, ?, ?)",
            row,
        ).lastrowid
        if last is not None:
            db.execute("UPDATE facts SET superseded_by = :new WHERE id = :old", {"new": new, "old": last})
        last = new
    db.commit()


def recorded(db: sqlite3.Connection, task_id: str) -> dict[str, list[Any]]:
    """What the record holds of a task, and nothing else: "steps", "obligations" (kind, key, state), "effects".

    effects are the (key, payload) of every row: they are not kept by task.
    """
    entries = db.execute("SELECT n, entry FROM steps WHERE task_id = :task ORDER BY n", {"task": task_id})
    steps = [json.loads(entry) for _, entry in entries]
    owed = db.execute("SELECT kind, key, state FROM obligations WHERE task_id = :task ORDER BY id", {"task": task_id})
    return {
        "steps": steps,
        "obligations": [list(row) for row in owed],
        "effects": [list(row) for row in db.execute("SELECT key, payload FROM effects ORDER BY id")],
    }


def digest(value: object) -> str:
    """sha256 of a plain value, the same for equal values."""
    plain = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode(value)
    return hashlib.sha256(plain.encode()).hexdigest()
