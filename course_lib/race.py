"""Two workers and one record: every order of their SQL statements, one after the other, from a fresh record each time.

Each worker is a process of its own with a connection of its own, and asks for leave before each statement. `race`
gives leave to one at a time, tries all orders, and says what came of each:

    races = race(work, lambda: {"A": (store(), service, "A"), "B": (store(), service, "B")}, outcome, record=owe_one)
    races.outcomes          {"once"}
    races.runs[0].order     "AAABBB"; a small letter is a statement that met the other one's lock and had to wait

Locks are SQLite's own. A worker that meets one waits until the other has gone on, which stands for the time that a
connection of `open_store` waits; a wait that nobody can end, and a snapshot that is too old to write from, are raised
in the worker, as they would be without a race. Where there are more orders than `most`, an even sample is tried.

`stage` lets workers run freely instead, as it happens, and kills them where they come to the world outside.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

from course_lib.closure import NotWrittenError
from course_lib.crash import Bench, Ending, SweepError, _bench, sources_of
from course_lib.store import open_store

MOST_ORDERS = 300
# While a notebook is graded its own races are short: the grader races by itself.
MOST_WHILE_GRADING = 4
# A worker that makes more statements than this in one race goes round in circles.
MOST_STATEMENTS = 60
# So many orders at random tell roughly how many there are.
PROBES = 8

Args = Mapping[str, tuple[Any, ...]]


@dataclass
class Run:
    """One order of the statements, and what came of it.

    order        a letter for each step: the worker's name, small where the statement met a lock and has to be repeated
    statements   (worker, statement) for each step
    args         the arguments of each worker; objects outside have seen what was done to them
    endings      how each worker ended
    folder       where the record lies, while `outcome` looks at it
    outcome      what `outcome` made of it
    """

    order: str
    statements: list[tuple[str, str]]
    args: Args
    endings: dict[str, Ending]
    folder: Path
    outcome: Any = None
    trail: list[tuple[int, list[int]]] = field(default_factory=list, repr=False)

    @property
    def raised(self) -> dict[str, str]:
        """What workers raised, by worker."""
        ends = {worker: end.outcome for worker, end in self.endings.items()}
        return {worker: end.error for worker, end in ends.items() if end is not None and end.error is not None}

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Rows of the record as it was left."""
        return _rows(self.folder, query)


@dataclass
class Race:
    """All orders that were tried. `note` is a line on what was left out, or ""."""

    runs: list[Run]
    note: str = ""

    @property
    def outcomes(self) -> set[Any]:
        """Every outcome that occurred."""
        return {run.outcome for run in self.runs}


def race(
    function: Callable[..., Any],
    make_args: Callable[[], Args],
    outcome: Callable[[Run], Any] = lambda run: None,
    *,
    record: Callable[[sqlite3.Connection], Any] = lambda db: None,
    most: int = MOST_ORDERS,
) -> Race:
    """Race `function` against itself: each worker calls it with its own arguments.

    make_args   gives new arguments for each order, by worker (two names of one capital letter); plain values,
                `store()`, objects derived from `Outside`
    outcome     what to note of an order when both workers have ended; a number, a text, a tuple
    record      puts into the record what is there at the start of each order
    most        more orders than this are sampled; `note` says so

    Raises NotWrittenError for a stub, SweepError when a worker does not come to an end.
    """
    with _bench(function, resume=False) as bench:
        start = _record(bench.root, record)
        made = Race([])
        for run in run_race(bench, function.__name__, make_args, start, most=most):
            if isinstance(run, str):
                made.note = run
                continue
            for ending in run.endings.values():
                _written(ending)
            run.outcome = outcome(run)
            made.runs.append(run)
            shutil.rmtree(run.folder, ignore_errors=True)
        return made


def _written(ending: Ending) -> None:
    """Raises NotWrittenError when a run ended at a stub."""
    error = "" if ending.outcome is None else str(ending.outcome.error)
    if error.startswith("NotImplementedError"):
        raise NotWrittenError(error.partition(": ")[2].partition(" at ")[0])


def _record(root: Path, record: Callable[[sqlite3.Connection], Any]) -> bytes:
    path = root / "start.db"
    with contextlib.closing(open_store(path)) as db:
        record(db)
        db.commit()
    return path.read_bytes()


def _rows(folder: Path, query: str) -> list[tuple[Any, ...]]:
    with contextlib.closing(sqlite3.connect(folder / "record.db")) as db:
        return db.execute(query).fetchall()


class Stage:
    """One record, and workers that run freely on it."""

    def __init__(self, bench: Bench, record: bytes) -> None:
        self.bench = bench
        self.folder = bench.folder()
        (self.folder / "record.db").write_bytes(record)

    def together(
        self, calls: Mapping[str, tuple[Callable[..., Any], tuple[Any, ...]]], *, kill_at_call: int | None = None
    ) -> dict[str, Ending]:
        """Start these calls at the same time and let them meet at the record; how each of them ended, by worker.

        With `kill_at_call`, whoever makes that many calls on an object outside (1: its first) is killed there, before
        the call is made.
        """
        pairs = [(function.__name__, args) for function, args in calls.values()]
        kill = None if kill_at_call is None else (kill_at_call, "before")
        endings = self.bench.runs(self.folder, pairs, kill_call=kill, hold="record.db", hold_seconds=0.02)
        for ending in endings:
            _written(ending)
        return dict(zip(calls, endings, strict=True))

    def alone(self, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """One call in a process of its own: what it returned, or the name and text of what it raised."""
        ending = self.bench.run(self.folder, function.__name__, args)
        if ending.outcome is None:
            raise SweepError(f"{function.__name__} did not come to its end", "killed")
        _written(ending)
        return ending.outcome

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Rows of the record as it is now."""
        return _rows(self.folder, query)


@contextlib.contextmanager
def stage(record: Callable[[sqlite3.Connection], Any], *functions: Callable[..., Any]) -> Iterator[Stage]:
    """A stage for these functions, with what `record` puts into the record. Raises NotWrittenError for a stub."""
    with _bench(functions[0], resume=False) as bench:
        for function in functions[1:]:
            bench.helper.learn(function.__name__, sources_of(function))
        yield Stage(bench, _record(bench.root, record))


# What the notebook and the grader share.


def run_race(
    bench: Bench,
    name: str,
    make_args: Callable[[], Args],
    record: bytes,
    *,
    most: int = MOST_ORDERS,
    seed: int = 0,
) -> Iterator[Run | str]:
    """Each order as it was run, then perhaps a line on those that were left out. `record` is the file to start from.

    Raises SweepError when a worker does not come to an end.
    """
    if os.environ.get("COURSE_GRADING"):
        most = min(most, MOST_WHILE_GRADING)
    rng = random.Random(seed)
    seen: dict[str, Run] = {}

    def new(choose: Choose) -> Iterator[Run]:
        run = run_order(bench, name, make_args(), record, Leave(2, choose))
        if run.order not in seen:
            seen[run.order] = run
            yield run

    # First one after the other and in turn; then a few at random, which also tell how many orders there may be.
    for choose in (follow([0] * MOST_STATEMENTS), follow([1] * MOST_STATEMENTS), _in_turn):
        yield from new(choose)
    sizes = []
    for _ in range(min(PROBES, most - 3)):
        leave = Leave(2, lambda eligible, made: rng.choice(eligible))
        run = run_order(bench, name, make_args(), record, leave)
        sizes.append(prod(len(eligible) for _, eligible in run.trail))
        if run.order not in seen:
            seen[run.order] = run
            yield run
    if sizes and sum(sizes) / len(sizes) <= most:
        prefix: list[int] | None = []
        for _ in range(2 * most):
            run = run_order(bench, name, make_args(), record, Leave(2, follow(prefix or [])))
            if run.order not in seen:
                seen[run.order] = run
                yield run
            prefix = _untried(run.trail)
            if prefix is None:
                return
    workers = list(next(iter(seen.values())).args)
    steps = [max(run.order.upper().count(worker) for run in seen.values()) for worker in workers]

    def by_what_is_left(eligible: list[int], made: list[int]) -> int:
        return rng.choices(eligible, [max(steps[number] - made[number], 1) for number in eligible])[0]

    for _ in range(most - len(seen)):
        yield from new(by_what_is_left)
    yield f"There are more orders than the {len(seen)} that were tried."


def _untried(trail: Sequence[tuple[int, list[int]]]) -> list[int] | None:
    """The next way through the tree of choices, depth first; None when all have been gone."""
    for place in range(len(trail) - 1, -1, -1):
        chosen, eligible = trail[place]
        later = eligible[eligible.index(chosen) + 1 :]
        if later:
            return [*(choice for choice, _ in trail[:place]), later[0]]
    return None


Choose = Callable[[list[int], list[int]], int]


def follow(prefix: Sequence[int]) -> Choose:
    """Choose as `prefix` says, as long as it lasts and can be followed; then always the first who can go on."""
    left = list(prefix)

    def choose(eligible: list[int], made: list[int]) -> int:
        wanted = left.pop(0) if left else eligible[0]
        return wanted if wanted in eligible else eligible[0]

    return choose


def _in_turn(eligible: list[int], made: list[int]) -> int:
    return min(eligible, key=lambda number: made[number])


@dataclass
class Worker:
    """A worker as the one who gives leave sees it."""

    parked: bool = False
    waits: bool = False
    open: bool = False
    ended: bool = False
    made: int = 0


class Leave:
    """Gives leave to one worker at a time; `choose` gets those who can go on, and how many steps each has made.

    trail   for each step who was chosen, and out of whom
    steps   for each step the worker, its statement, and whether it met a lock
    """

    def __init__(self, workers: int, choose: Choose) -> None:
        self.workers = [Worker() for _ in range(workers)]
        self.choose = choose
        self.trail: list[tuple[int, list[int]]] = []
        self.steps: list[tuple[int, str, bool]] = []
        self._asking: dict[int, str] = {}

    def park(self, number: int, message: Mapping[str, Any]) -> None:
        """A worker asks for leave for its next statement."""
        worker = self.workers[number]
        if worker.ended:
            return
        worker.parked, worker.waits, worker.open = True, message.get("waits") is True, message.get("open") is True
        self._asking[number] = str(message.get("gate"))[:200]
        if worker.waits and self.steps and self.steps[-1][0] == number:
            self.steps[-1] = (*self.steps[-1][:2], True)

    def end(self, number: int) -> None:
        """A worker has ended; its connection went with it."""
        self.workers[number] = Worker(ended=True, made=self.workers[number].made)

    def next(self) -> tuple[int, bool] | None:
        """Whose turn it is, and whether it may wait for a lock; None while somebody is at work, or all have ended."""
        if not all(worker.parked or worker.ended for worker in self.workers):
            return None
        parked = [number for number, worker in enumerate(self.workers) if worker.parked]
        if not parked:
            return None
        eligible = [number for number in parked if not self._locked_out(number)]
        go = bool(eligible)
        number = self.choose(eligible, [worker.made for worker in self.workers]) if go else parked[0]
        if go:
            self.trail.append((number, eligible))
        self.steps.append((number, self._asking[number], False))
        worker = self.workers[number]
        worker.parked = False
        worker.made += 1
        if worker.made > MOST_STATEMENTS:
            raise SweepError(f"a worker made more than {MOST_STATEMENTS} statements", "time")
        return number, go

    def _locked_out(self, number: int) -> bool:
        others = [other for n, other in enumerate(self.workers) if n != number and not other.ended]
        return self.workers[number].waits and any(other.open for other in others)


def run_order(bench: Bench, name: str, args: Args, record: bytes, leave: Leave) -> Run:
    """One race, one statement at a time. Raises SweepError where a worker does not come to its end."""
    folder = bench.folder()
    (folder / "record.db").write_bytes(record)
    try:
        found = bench.runs(folder, [(name, each) for each in args.values()], leave=leave)
    except BaseException:  # stopped in the middle: workers that still wait for leave would be heard next time
        bench.helper.close()
        raise
    for ending in found:
        if ending.outcome is None:
            why = ending.problem or (f"was ended by signal {ending.signal}" if ending.signal else "ended its process")
            raise SweepError(f"{name}: a worker did not come to its end ({why})", "time" if why == "time" else "killed")
    names = list(args)
    order = "".join(names[n].lower() if waited else names[n] for n, _, waited in leave.steps)
    statements = [(names[n], text) for n, text, _ in leave.steps]
    return Run(order, statements, args, dict(zip(names, found, strict=True)), folder, trail=leave.trail)
