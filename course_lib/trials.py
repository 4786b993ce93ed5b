"""Eleven trials that a run has to stand, from outside: only what it did and what it left is looked at."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from course_lib.agent import Trace, unpack
from course_lib.crash import Case, Sweep, SweepError, _bench, _noted, run_calls, store, sweep
from course_lib.durable import BillingAdapter, World, make_world, price_facts, recorded
from course_lib.race import race
from course_lib.store import open_store

TASK = "invoice-7"
PRICE = 95
TRIALS = {
    1: "left alone, it comes to its end with one of each effect",
    2: "killed at its instructions and started again",
    3: "killed twice and started again",
    4: "the same task again, then another one",
    5: "a price from memory that the record has superseded",
    6: "two workers on one task",
    7: "too much read",
    8: "evidence that is thin, or has become stale",
    9: "the declared end is the one that the trace gives",
    10: "no forbidden field on record",
    11: "what is not settled can be seen",
}

Left: TypeAlias = tuple[int, int, str]
Run: TypeAlias = Callable[..., dict[str, Any]]
# Kills in one sweep of a trial: enough to fall between any two steps.
KILLS = 16


class Gone(BaseException):
    """Stands for the end of a process, where a real one would be too slow."""


class Leaves:
    """An adapter whose process is gone when it is asked for the step after a tool; the next time it answers."""

    def __init__(self, adapter: Any, tool: str) -> None:
        self.adapter, self.tool, self.gone = adapter, tool, False

    def next_action(self, history: Trace) -> object:
        """What the adapter says, or the end."""
        if not self.gone and history and history[-1]["action"]["tool"] == self.tool:
            self.gone = True
            raise Gone
        return self.adapter.next_action(history)


class Chatty:
    """An adapter that hands over what it was thinking as well."""

    def __init__(self, adapter: Any) -> None:
        self.adapter = adapter

    def next_action(self, history: Trace) -> object:
        """The action, with a field that belongs into no record."""
        return {**self.adapter.next_action(history), "thought": "it is cheap, they will not notice"}


def hold_trials(run: Run, root: Path) -> dict[int, bool]:
    """Whether `run` stands each trial, by its number. A run that raises does not stand the trial that it raises in.

    Raises NotImplementedError for a stub: then there is nothing to try.
    """
    held = {}
    if os.environ.get("COURSE_GRADING"):  # nobody looks, and the grader has trials of its own
        return dict.fromkeys(TRIALS, False)
    for number, trial in enumerate(_ALL, 1):
        try:
            held[number] = trial(run, root)
        except NotImplementedError:
            raise
        except (Exception, SweepError):
            held[number] = False
    return held


def kill_cases(
    run: Run,
    root: Path,
    *,
    dedupes: bool,
    twice: bool = False,
    resume: bool = True,
    around: bool = False,
    most: int = KILLS,
) -> Sweep:
    """A sweep over `run`. A case's outcome is (entries on record, sends that were acted on, state of the charge).

    With `around` it is killed just before and just after each call on the outside instead of at its instructions.
    """

    def new_args() -> tuple[Any, ...]:
        return _world(root, dedupes=dedupes, adapter=BillingAdapter(PRICE)).args(store(), TASK)

    if os.environ.get("COURSE_GRADING"):
        most = 2
    if around:
        with _bench(run, resume) as bench:
            return _noted(run_calls(bench, run.__name__, new_args, again=run.__name__, most=max(most, 2)), _left)
    return sweep(run, new_args, _left, twice=twice, resume=resume, most=most)


def _left(case: Case) -> Left:
    (entries,) = case.rows("SELECT count(*) FROM steps") or [(0,)]
    owed = case.rows("SELECT state FROM obligations WHERE kind = 'charge'")
    appended = case.rows("SELECT count(*) FROM effects") or [(0,)]
    state = owed[0][0] if len(owed) == 1 else "none" if not owed else "several"
    if appended[0][0] > 1:
        state = "appended twice"
    return entries[0], len(case.args[4].effects), state


def _world(root: Path, **how: Any) -> World:
    return make_world(root, **how)


@contextlib.contextmanager
def _record(*prices: int) -> Iterator[sqlite3.Connection]:
    with tempfile.TemporaryDirectory() as folder:
        db = open_store(Path(folder) / "record.db")
        try:
            price_facts(db, *prices)
            yield db
        finally:
            db.close()


def _undisturbed(run: Run, root: Path) -> bool:
    for dedupes in (True, False):
        world = _world(root, dedupes=dedupes)
        with _record(120, PRICE) as db:
            got, left = run(*world.args(db, TASK)), recorded(db, TASK)
        right = (got["status"], got["termination"], got["steps"]) == ("completed", "goal_reached", 7)
        once = [payload for _, payload in world.card.effects] == [str(PRICE)] and len(left["effects"]) == 1
        if not (right and once and left["steps"] == got["trace"]):
            return False
    return True


def _swept(run: Run, root: Path, *, twice: bool) -> bool:
    sweeps = [(dedupes, around) for dedupes in (True, False) for around in ((False,) if twice else (False, True))]
    for dedupes, around in sweeps:
        made = kill_cases(run, root, dedupes=dedupes, twice=twice, around=around)
        wanted = made.whole.ending.outcome.value
        for case in made.cases:
            entries, acted, state = case.outcome
            got = case.answer.value if case.answer.error is None else None
            if not isinstance(got, Mapping) or entries != 6 or state in ("several", "appended twice", "none"):
                return False
            sure = state == "done" and acted == 1 and got == wanted
            if not sure and (dedupes or acted > 1 or state == "done" or not _doubts(got)):
                return False
            calls = case.args[2]["list_notes"].calls
            repeated = sum(calls[at] == calls[at - 1] for at in range(1, len(calls)))
            if len(calls) - repeated != 4 or repeated > case.kills:
                return False
    return True


def _doubts(got: Mapping[str, Any]) -> bool:
    return any(entry["observation"].get("error") == "in_doubt" for entry in got["trace"])


def _again(run: Run, root: Path) -> bool:
    world = _world(root)
    with _record(PRICE) as db:
        first, calls = run(*world.args(db, TASK)), len(world.calls)
        same = run(*world.args(db, TASK)) == first and len(world.calls) == calls
        once = len(world.card.effects) == 1
        run(*world.args(db, "invoice-8"))
        rows = recorded(db, TASK)["effects"]
    return same and once and len(world.card.effects) == 2 and len(rows) == 2


def _stale_fact(run: Run, root: Path) -> bool:
    world = _world(root, adapter=BillingAdapter(120))
    with _record(120, PRICE) as db:
        got = run(*world.args(db, TASK))
    seen: list[Any] = [said.get("error") for _, said in map(unpack, got["trace"])]
    return [payload for _, payload in world.card.effects] == [str(PRICE)] and seen.count("conflict") == 1


def _two_workers(run: Run, root: Path) -> bool:
    for dedupes in (True, False):
        worlds: list[World] = []

        def both(worlds: list[World] = worlds, dedupes: bool = dedupes) -> dict[str, tuple[Any, ...]]:
            worlds.append(_world(root, dedupes=dedupes, adapter=BillingAdapter(PRICE)))
            return {worker: worlds[-1].args(store(), TASK) for worker in "AB"}

        made = race(run, both, lambda one: len(one.rows("SELECT id FROM effects")), most=6)
        acted = {len(one.args["A"][4].effects) for one in made.runs}
        raised = any(one.raised for one in made.runs)
        if raised or made.outcomes != {1} or acted != {1}:
            return False
    return True


def _too_much(run: Run, root: Path) -> bool:
    world = _world(root)
    with _record(PRICE) as db:
        got, left = run(*world.args(db, TASK, 20)), recorded(db, TASK)
    ended = (got["status"], got["termination"], got["retries"]) == ("refused", "observation_budget", 0)
    return ended and world.card.effects == [] and left["effects"] == [] and world.calls[-1] == "read_note alpha.txt"


def _evidence(run: Run, root: Path) -> bool:
    late = _world(root)
    late.gates.now = "2026-12-24T12:00:00"
    with _record(PRICE) as db:
        got = run(*late.args(db, TASK))
        old = got["termination"] == "evidence_gate" and recorded(db, TASK)["effects"] == [] and not late.card.effects
    world = _world(root)
    world.adapter = Leaves(world.adapter, "append_note")
    with _record(PRICE) as db:
        with contextlib.suppress(Gone):
            run(*world.args(db, TASK))
        world.gates.now = "2026-12-24T12:00:00"
        got = run(*world.args(db, TASK))
        kept = len(recorded(db, TASK)["effects"]) == 1
    return old and kept and got["status"] == "abstained" and world.card.effects == []


def _audited(run: Run, root: Path) -> bool:
    world = _world(root)
    world.tools["write_report"].tool = lambda args: {"ok": False, "error": "tool_unavailable"}
    with _record(PRICE) as db:
        got = run(*world.args(db, TASK))
    counted = len(got["trace"]) == got["steps"] == 9 and got["retries"] == 3
    return counted and (got["status"], got["termination"]) == ("failed", "tool_failure")


def _no_forbidden(run: Run, root: Path) -> bool:
    world = _world(root)
    world.adapter = Chatty(world.adapter)
    with _record(PRICE) as db:
        got = run(*world.args(db, TASK))
        text = repr((got, recorded(db, TASK)))
    return (got["status"], len(got["trace"])) == ("completed", 7) and "thought" not in text


def _open_is_visible(run: Run, root: Path) -> bool:
    world = _world(root, dedupes=False)

    def broken(key: str, payload: str) -> None:
        raise ConnectionError("the line broke")

    world.card.send = broken  # type: ignore[method-assign]
    with _record(PRICE) as db:
        got, left = run(*world.args(db, TASK)), recorded(db, TASK)
    unsettled = {key for kind, key, state in left["obligations"] if kind == "charge" and state != "done"}
    told = {said.get("key") for _, said in map(unpack, got["trace"]) if not said["ok"]}
    return len(unsettled) == 1 and unsettled <= told and got["status"] == "completed"


_ALL: list[Callable[[Run, Path], bool]] = [
    _undisturbed,
    lambda run, root: _swept(run, root, twice=False),
    lambda run, root: _swept(run, root, twice=True),
    _again,
    _stale_fact,
    _two_workers,
    _too_much,
    _evidence,
    _audited,
    _no_forbidden,
    _open_is_visible,
]
