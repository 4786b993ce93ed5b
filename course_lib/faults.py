"""Adapters and tools that go wrong, each in one way, and the four scenarios of the course.

The first group is faulty but *pure*: its mistakes depend on the history alone, so its runs can be
replayed. The second group is impure, each member for another reason. Its runs look as healthy as
any other; only a replay gives them away.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from .agent import Action, Adapter, DeterministicModelAdapter, Observation, Tools, Trace, good_answers, unpack
from .tools import notes_tools

_healthy = DeterministicModelAdapter()


# --- faulty, yet pure ---------------------------------------------------------------------------


class MalformedFirstRead:
    """Names read_note's argument wrongly, until an observation tells it so."""

    def next_action(self, history: Trace) -> Action:
        """The healthy proposal, except for the first read."""
        action = _healthy.next_action(history)
        first_read = action["tool"] == "read_note" and not good_answers(history, "read_note")
        if first_read and not _was_told_off(history):
            return {"tool": "read_note", "args": {"path": action["args"]["name"]}}
        return action


class MalformedFirstWrite:
    """Hands write_report a payload with a key too many, until an observation tells it so."""

    def next_action(self, history: Trace) -> Action:
        """The healthy proposal, except for the first write."""
        action = _healthy.next_action(history)
        if action["tool"] == "write_report" and not _was_told_off(history):
            return {"tool": "write_report", "args": {**action["args"], "format": "markdown"}}
        return action


class Stuck:
    """Reads the notes in turn, again and again, and never comes to the report."""

    def next_action(self, history: Trace) -> Action:
        """A listing, then a read for ever."""
        listings = good_answers(history, "list_notes")
        if not listings or not listings[-1]["notes"]:
            return {"tool": "list_notes", "args": {}}
        notes = listings[-1]["notes"]
        turn = len(good_answers(history, "read_note")) % len(notes)
        return {"tool": "read_note", "args": {"name": notes[turn]}}


def broken(tools: Tools, name: str) -> Tools:
    """The same tools, but `name` is unavailable at every call. Raises KeyError for an unknown name."""
    if name not in tools:
        raise KeyError(f"broken: there is no tool {name!r}; choose from {', '.join(tools)}")

    def unavailable(args: object) -> Observation:
        return {"ok": False, "error": "tool_unavailable"}

    return {**tools, name: unavailable}


def _was_told_off(history: Trace) -> bool:
    return not all(answer["ok"] for _, answer in map(unpack, history))


# --- impure: these cannot be replayed -----------------------------------------------------------


class ClockAdapter:
    """Stamps its report with the time (ns). Two reports on the same notes are never the same."""

    def __init__(self, clock: Callable[[], int] = time.time_ns) -> None:
        self._clock = clock

    def next_action(self, history: Trace) -> Action:
        """The healthy proposal; the report also depends on the clock."""
        action = _healthy.next_action(history)
        if action["tool"] == "write_report":
            action["args"]["content"] += f"Written at {self._clock()}\n"
        return action


class StatefulAdapter:
    """Counts its own calls and trusts the count instead of the history.

    While a run is being recorded the two agree, so nobody notices. A fresh one that is shown a
    history starts counting from zero.
    """

    def __init__(self) -> None:
        self._calls = 0

    def next_action(self, history: Trace) -> Action:
        """The healthy proposal for as much of `history` as the count covers."""
        known = history[: self._calls]
        self._calls += 1
        return _healthy.next_action(known)


class SetOrderAdapter:
    """Reads the notes in the order of a set of their names.

    Python mixes a secret into the hash of a string, anew for each process. So the order is steady
    within one process and may change in the next (PYTHONHASHSEED fixes it).
    """

    def next_action(self, history: Trace) -> Action:
        """The healthy proposal; which note is read first depends on the process."""
        action = _healthy.next_action(history)
        if action["tool"] != "read_note":
            return action
        listed = good_answers(history, "list_notes")[-1]["notes"]
        read = {answer["name"] for answer in good_answers(history, "read_note")}
        unread = set(listed) - read
        return {"tool": "read_note", "args": {"name": next(iter(unread))}}


# --- the scenarios ------------------------------------------------------------------------------


def _without_listing(root: Path) -> Tools:
    return broken(notes_tools(root), "list_notes")


# name -> (what makes the adapter, what makes the tools for a root folder)
SCENARIOS: dict[str, tuple[Callable[[], Adapter], Callable[[Path], Tools]]] = {
    "summarize-notes": (DeterministicModelAdapter, notes_tools),
    "invalid-arguments": (MalformedFirstRead, notes_tools),
    "tool-failure": (DeterministicModelAdapter, _without_listing),
    "step-budget": (Stuck, notes_tools),
}
