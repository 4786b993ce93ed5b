"""Kill a function at every instruction, start it again, and see what is left.

`sweep` runs a function of your notebook once without disturbing it and counts its bytecode instructions. Then it runs
it again for each of them: in a process of its own, in an empty folder of its own, killed with SIGKILL (kill -9) just
before that instruction. No `finally` runs, no buffer is flushed. After that the same call is made once more, in a new
process, as a supervisor would do it; and `outcome` says what there is to see.

    made = sweep(act_then_record, lambda: (store(), Service(), "order-17", "2 notes"), lambda case: case.args[1].count)
    made.outcomes          {1, 2}
    made.cases[0].line     the line of the source at which the first kill struck

An object that stands for the world outside derives from `Outside`: it stays here, and what the function does to it
comes over a pipe. So it survives the kill, as a card company would, and sees exactly the calls that were made.

It cannot stop inside C (in the middle of a commit, say): `strike` kills at random times instead. SIGKILL is no power
loss: what was written to a file is there afterwards, on its way to the disk or not. It needs fork and signals (Linux,
macOS, WSL), and it uses Python's tracing, which a debugger or a coverage tool would use as well.
"""

from __future__ import annotations

import ast
import contextlib
import json
import linecache
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

from course_lib.closure import NotWrittenError
from course_lib.crash_worker import Frames, Message, Store, dump, frame, load

# More points than this are thinned out: all of the answer's own, as far as they go, and an even sample of the others.
MOST_POINTS = 600
# While a notebook is graded its own sweeps are thin: the grader sweeps by itself.
MOST_WHILE_GRADING = 8
SWEEP_SECONDS = 60.0
SIDES = "before", "after"
RUN_SECONDS = 5.0
NO_FILES: Mapping[str, str] = {}
# Without these a case could be about anything; both sides of a pipe must agree on them.
WORKER = [sys.executable, "-c", "from course_lib.crash_worker import main; main()"]


class SweepError(RuntimeError):
    """The sweep could not show anything; one line that says why. `reason` is a word for it."""

    def __init__(self, sentence: str, reason: str = "protocol") -> None:
        super().__init__(sentence)
        self.reason = reason


class Outside:
    """Base of what stands for the world outside. It stays in this process; the function gets a stand-in."""


def store(path: str = "record.db") -> Store:
    """An argument that becomes `open_store(path)`: a new connection in each run, to the record of the case."""
    return Store(path)


@dataclass(frozen=True)
class Outcome:
    """How a call that was left alone ended: what it returned, or the name and the text of what it raised."""

    value: Any = None
    error: str | None = None


@dataclass(frozen=True)
class Ending:
    """What the worker saw of one run.

    signal    the signal that ended it, None when it ended by itself
    outcome   what it returned or raised, None when it did not come to that
    problem   "", "time", "output", "hung up", or what it did that a sweep cannot follow
    asked     how many calls it made on objects outside
    count     instructions counted; `points` their (line, place), place 0 being the answer itself
    seconds   from the beginning of the call to its end
    """

    signal: int | None
    outcome: Any
    problem: str
    asked: int
    count: int = 0
    points: Sequence[tuple[int, int]] = ()
    seconds: float = 0.0


@dataclass
class Case:
    """One kill, and what came after.

    n          at which instruction (from 1), call or moment it struck
    line       the line of `Sweep.source` that was running, 0 where that is not known
    where      "answer", a module of `inside`, "before call", "after call", or "some time"
    folder     the folder in which all of it happened
    args       the arguments; objects outside have seen what was done to them
    ending     the run that was killed
    resumed    how the runs after it ended, in order; the last one was left alone. Empty without `resume`
    kills      how many runs were killed
    outcome    what `outcome` made of it
    """

    n: int
    line: int
    where: str
    folder: Path
    args: tuple[Any, ...]
    ending: Ending
    resumed: list[Ending] = field(default_factory=list)
    kills: int = 1
    outcome: Any = None

    @property
    def answer(self) -> Any:
        """What the last run came to: the one after the kill, or the one that nobody killed; None if there is none."""
        return self.resumed[-1].outcome if self.resumed else self.ending.outcome

    def rows(self, query: str, *values: Any, db: str = "record.db") -> list[tuple[Any, ...]]:
        """Rows of the record that the case left behind; none where there is no record yet."""
        import sqlite3

        path = self.folder / db
        if not path.exists():
            return []
        with contextlib.closing(sqlite3.connect(path)) as connection:
            try:
                return list(connection.execute(query, values))
            except sqlite3.OperationalError:  # killed before the tables were there
                return []

    def text(self, name: str) -> str | None:
        """What is in a file of the case; None where there is none."""
        path = self.folder / name
        return path.read_text("utf-8", "replace") if path.is_file() else None


@dataclass
class Sweep:
    """All kills of one function.

    source   the function's source, with what it needs of the notebook
    whole    the run that nobody disturbed, as a case without a kill
    cases    one for each kill, in order
    note     a line on what was left out, or ""
    """

    name: str
    source: str
    whole: Case
    cases: list[Case]
    note: str = ""

    @property
    def outcomes(self) -> set[Any]:
        """Every outcome that occurred."""
        return {case.outcome for case in self.cases}

    def histogram(self) -> Counter[Any]:
        """How many kills led to each outcome."""
        return Counter(case.outcome for case in self.cases)

    @property
    def span(self) -> range:
        """The lines of `source` on which the function stands."""
        for node in ast.parse(self.source).body:
            if isinstance(node, ast.FunctionDef) and node.name == self.name:
                return range(node.lineno, (node.end_lineno or node.lineno) + 1)
        return range(1, self.source.count("\n") + 1)

    def own_line(self, case: Case) -> int:
        """The line of the function itself at which a kill struck, its `def` being line 1; 0 outside of it."""
        return case.line - self.span.start + 1 if case.line in self.span else 0

    def lines(self, outcome: Any) -> set[int]:
        """The lines of the function (its `def` is line 1) at which a kill led to `outcome`."""
        return {self.own_line(case) for case in self.cases if case.outcome == outcome} - {0}

    def listing(self) -> list[str]:
        """The function's own lines, the first being its `def`."""
        lines = self.source.splitlines()
        return [lines[number - 1] for number in self.span]


# The plain way to use it, in a notebook.


def sweep(
    function: Callable[..., Any],
    make_args: Callable[[], tuple[Any, ...]],
    outcome: Callable[[Case], Any] = lambda case: None,
    *,
    resume: bool | Callable[..., Any] = True,
    inside: Sequence[str] = (),
    files: Mapping[str, str] = NO_FILES,
    twice: bool = False,
    most: int = MOST_POINTS,
) -> Sweep:
    """Kill `function(*make_args())` at each of its instructions.

    make_args   gives new arguments for each case; plain values, `store()`, objects derived from `Outside`
    outcome     what to note of a case when it is over; a number, a text, a tuple
    resume      True: make the same call again. A function: call that one with the same arguments. False: do not
    inside      modules of the standard library that are killed inside as well ("pathlib", "json")
    files       what lies in each case's folder before it begins: name -> text
    twice       kill the run after the kill, too, at a point of its own, before it is left alone
    most        more points are thinned out evenly; `note` says so

    Raises NotWrittenError for a stub, SweepError when nothing could be killed.
    """
    with _bench(function, resume, files) as bench:
        again = _again(function, resume)
        made = run_sweep(bench, function.__name__, make_args, again=again, inside=inside, twice=twice, most=most)
        return _noted(made, outcome)


def strike(
    function: Callable[..., Any],
    make_args: Callable[[], tuple[Any, ...]],
    outcome: Callable[[Case], Any] = lambda case: None,
    *,
    rounds: int = 40,
    resume: bool | Callable[..., Any] = True,
    seed: int = 0,
) -> Sweep:
    """Kill it at random times instead, from outside: also inside C, where no instruction boundary is.

    A run that was through before its kill came is a case all the same, with `ending.signal` None.
    """
    with _bench(function, resume) as bench:
        again = _again(function, resume)
        rng = random.Random(seed)
        made = run_strikes(bench, function.__name__, make_args, again=again, rounds=rounds, rng=rng)
        return _noted(made, outcome)


def _noted(cases: Iterator[Case | Sweep], outcome: Callable[[Case], Any]) -> Sweep:
    """Note each case's outcome while its folder is there, then remove that."""
    found: list[Case] = []
    for case in cases:
        if isinstance(case, Sweep):
            case.cases = found
            case.whole.outcome = outcome(case.whole)
            return case
        case.outcome = outcome(case)
        found.append(case)
        shutil.rmtree(case.folder, ignore_errors=True)
    raise AssertionError("the sweep itself comes last")


def _again(function: Callable[..., Any], resume: bool | Callable[..., Any]) -> str | None:
    if callable(resume):
        return resume.__name__
    return function.__name__ if resume else None


@contextlib.contextmanager
def _bench(
    function: Callable[..., Any], resume: bool | Callable[..., Any], files: Mapping[str, str] = NO_FILES
) -> Iterator[Bench]:
    functions = [function, resume] if callable(resume) else [function]
    with tempfile.TemporaryDirectory(prefix="crash-", dir=roomy()) as folder:
        helper = _own_helper()
        try:
            for each in functions:
                helper.learn(each.__name__, sources_of(each))
            yield Bench(helper, Path(folder), Desk, files=files)
        except (NotWrittenError, SweepError):
            raise
        except BaseException:  # stopped in the middle: what the worker says next would be taken for something else
            helper.close()
            raise


_helpers: dict[int, Helper] = {}


def _own_helper() -> Helper:
    """The worker of this process: started once, and again when it is gone. It ends when this process does."""
    helper = _helpers.get(os.getpid())
    if helper is None or helper.closed:
        helper = _helpers[os.getpid()] = Helper(WORKER, _environment())
    return helper


def roomy() -> str | None:
    """Memory that looks like a disk, where there is enough: an fsync there costs nothing, and a kill shows no less."""
    memory = "/dev/shm"
    try:
        with tempfile.TemporaryFile(dir=memory):
            return memory if shutil.disk_usage(memory).free > 300_000_000 else None
    except OSError:
        return None


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def sources_of(function: Callable[..., Any]) -> list[str]:
    """The cells that were run so far, in that order, the function's own last."""
    filename = getattr(getattr(function, "__code__", None), "co_filename", "")
    own = "".join(linecache.getlines(filename))
    main = sys.modules.get(function.__module__)
    cells = [text for text in getattr(main, "In", []) if isinstance(text, str) and text]
    if not cells and not Path(filename).exists():  # a shell that keeps no history still keeps its cells' text
        cells = ["".join(linecache.getlines(name)) for name in list(linecache.cache) if not Path(name).exists()]
    return [*cells, own]


class Leave(Protocol):
    """Decides which of several children makes its next SQL statement."""

    def park(self, number: int, message: Message) -> None:
        """A child asks for leave."""

    def end(self, number: int) -> None:
        """A child has ended."""

    def next(self) -> tuple[int, bool] | None:
        """Whose turn it is, and whether it may wait for a lock; None while a child is at work."""


class Desk:
    """How values cross in a live notebook, and what answers for the objects that stayed here."""

    def __init__(self) -> None:
        self.objects: list[Outside] = []

    def pack(self, args: Sequence[Any]) -> list[Any]:
        """The arguments, ready to be sent."""
        return [dump(arg, self._mark) for arg in args]

    def answer(self, message: Message) -> Message:
        """Make a call that came from a child, on the object that it is meant for."""
        try:
            args, kwargs = load(message["args"], self._find)
            target = self.objects[message["id"]]
            found = getattr(target, message["name"])
            return {"value": dump(found(*args, **kwargs) if message["op"] == "call" else found, self._mark)}
        except Exception as error:
            try:
                return {"raise": dump(error, self._mark)}
            except Exception:
                return {"raise": dump(RuntimeError(str(error)), self._mark)}

    def outcome(self, said: Message, args: int) -> Outcome:
        """What a child said of its end."""
        error = said.get("error")
        if error:
            line = error.get("own_line")
            at = f" at {line['text']!r}" if line else ""
            return Outcome(error=f"{error['type']}: {error['message']}{at}")
        return Outcome(load(said["value"], self._find))

    def raised(self, outcome: Any) -> Exception | None:
        """The exception to raise when the run that nobody disturbed came to this."""
        if outcome.error is None:
            return None
        if outcome.error.startswith("NotImplementedError"):
            return NotWrittenError(outcome.error.partition(": ")[2])
        return SweepError(f"left alone, it raised {outcome.error}", "raised")

    def _mark(self, value: object) -> Any:
        if not isinstance(value, Outside):
            return None
        if not any(value is known for known in self.objects):
            self.objects.append(value)
        number = next(n for n, known in enumerate(self.objects) if known is value)
        names = [name for name in dir(type(value)) if not name.startswith("_")]
        return number, frozenset(name for name in names if callable(getattr(type(value), name)))

    def _find(self, known: Any) -> Any:
        return self.objects[known[0]]


# What both the notebook and the grader do.


class Helper:
    """The worker process, started and spoken to. `command` and `environment` start it."""

    def __init__(self, command: Sequence[str], environment: dict[str, str], log: Any = subprocess.DEVNULL) -> None:
        if not hasattr(os, "fork"):
            raise SweepError("this system has no fork and no SIGKILL: use Linux, macOS or WSL")
        self.line, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [*command], stdin=theirs.fileno(), stdout=subprocess.DEVNULL, stderr=log, env=environment
            )
        self.frames = Frames(self.line)
        self.waiting: list[tuple[bytes, int, bytes]] = []
        self.sources: dict[str, str] = {}

    def __enter__(self) -> Helper:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def closed(self) -> bool:
        """Whether it was ended, or ended by itself."""
        return self.line.fileno() < 0 or self.frames.ended or self.process.poll() is not None

    def close(self) -> None:
        """End it; its children end with it."""
        self.line.close()
        try:
            self.process.wait(2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def learn(self, name: str, sources: Sequence[str], stubs: Sequence[str] = ()) -> str:
        """Have the source of `name` found in the cells; what was found. Raises NotWrittenError."""
        self._send(b"L", 0, {"name": name, "sources": list(sources), "stubs": list(stubs)})
        found = _plain(self._next(30)[2])
        if "source" not in found:
            raise NotWrittenError(str(found.get("unwritten", f"{name} could not be read"))[:300])
        self.sources[name] = str(found["source"])
        return self.sources[name]

    def run(
        self,
        folder: Path,
        calls: Sequence[Message],
        answer: Callable[[int, Message], Message | None],
        outcome: Callable[[Message, int], Any],
        hold: str | None = None,
        hold_seconds: float = 0.0,
        leave: Leave | None = None,
    ) -> list[Ending]:
        """Run calls side by side in `folder` until all have ended. `answer` gives None to have that child killed.

        With `leave`, a child that asks before an SQL statement is answered when it is that one's turn.
        """
        request = {"folder": str(folder), "calls": list(calls), "hold": hold, "hold_seconds": hold_seconds}
        self._send(b"C", 0, request)
        said: dict[int, Message] = {}
        asked: Counter[int] = Counter()
        endings: dict[int, Ending] = {}
        limit = max(call["seconds"] for call in calls) + hold_seconds + 15
        while len(endings) < len(calls):
            turn = leave.next() if leave else None
            if turn:
                self._send(b"R", turn[0], {"go": turn[1]})
            kind, number, body = self._next(limit)
            if not 0 <= number < len(calls):
                continue
            if kind == b"A" and leave is not None and "gate" in (message := _plain(body)):
                leave.park(number, message)
            elif kind == b"A":
                asked[number] += 1
                reply = answer(number, _plain(body))
                self._send(*((b"K", number, {}) if reply is None else (b"R", number, reply)))
            elif kind == b"D":
                said[number] = _plain(body)
            elif kind == b"E":
                args = len(calls[number]["args"])
                endings[number] = _ending(_plain(body), said.get(number), asked[number], args, outcome)
                if leave is not None:
                    leave.end(number)
        return [endings[number] for number in range(len(calls))]

    def _send(self, kind: bytes, number: int, message: Message) -> None:
        try:
            self.line.settimeout(10)
            self.line.sendall(frame(kind, number, message))
        except OSError:
            raise SweepError("the process that runs the cases is gone", "killed") from None

    def _next(self, seconds: float) -> tuple[bytes, int, bytes]:
        while not self.waiting:
            self.line.settimeout(seconds)
            try:
                self.waiting = list(self.frames.take())
            except ValueError:
                raise SweepError("a case sent more than is taken", "output") from None
            if self.frames.ended and not self.waiting:
                raise SweepError("the process that runs the cases is gone", "killed")
        return self.waiting.pop(0)


def _plain(body: bytes) -> Message:
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def _ending(
    seen: Message, said: Message | None, asked: int, args: int, outcome: Callable[[Message, int], Any]
) -> Ending:
    """One run, from what the worker saw (which counts) and what the child said of itself."""
    problem = str(seen.get("problem", ""))
    result, count, points = None, 0, []
    if said is not None and not problem:
        if "refused" in said:
            problem = str(said["refused"])[:100]
        else:
            try:
                result = outcome(said, args)
                count = int(said.get("count", 0))
                # Some instructions of a try or a with have no line of their own.
                points = [(int(line or 0), int(place)) for line, place in said.get("points", [])]
            except Exception as error:
                problem = f"said nothing that could be read ({type(error).__name__})"
    number = seen.get("signal")
    return Ending(number, result, problem, asked, count, points, float(seen.get("seconds", 0.0)))


@dataclass
class Bench:
    """Where cases run: a helper that knows the functions, a folder for the cases' folders, a new desk for each run."""

    helper: Helper
    root: Path
    new_desk: Callable[[], Any]
    seconds: float = RUN_SECONDS
    files: Mapping[str, str] = field(default_factory=dict)
    made: int = 0

    def folder(self) -> Path:
        """A new folder for a case, with `files` in it and nothing else."""
        self.made += 1
        folder = self.root / str(self.made)
        folder.mkdir()
        for name, text in self.files.items():
            (folder / name).write_text(text, "utf-8")
        return folder

    def run(self, folder: Path, name: str, args: tuple[Any, ...], **how: Any) -> Ending:
        """One run in `folder`; see `runs`."""
        return self.runs(folder, [(name, args)], **how)[0]

    def runs(
        self,
        folder: Path,
        calls: Sequence[tuple[str, tuple[Any, ...]]],
        *,
        kill_at: int | None = None,
        kill_after: float | None = None,
        kill_call: tuple[int, str] | None = None,
        trace: bool = False,
        inside: Sequence[str] = (),
        hold: str | None = None,
        hold_seconds: float = 0.0,
        leave: Leave | None = None,
    ) -> list[Ending]:
        """Run (name, args) pairs at the same time, each in a process of its own.

        kill_at     before this instruction; kill_after: so many seconds after the beginning
        kill_call   (k, "before" or "after"): at the k-th call on an object outside (from 1), before it is made or
                    after it, when its answer is still on the way
        hold        a record whose write lock is held for `hold_seconds`, so that all of them meet at it
        leave       decides whose SQL statement is next; see `course_lib.race`
        """
        # A desk for this run alone: what answers here can reach only the objects of its own case.
        desk = self.new_desk()
        wired = [
            {
                "name": name,
                "args": desk.pack(args),
                "kwargs": {},
                "seconds": self.seconds + hold_seconds,
                "trace": trace or kill_at is not None,
                "inside": list(inside),
                "kill_at": kill_at,
                "kill_after": kill_after,
                "gate": leave is not None,
            }
            for name, args in calls
        ]
        asked: Counter[int] = Counter()

        def answer(number: int, message: Message) -> Message | None:
            asked[number] += 1
            fatal = kill_call is not None and asked[number] == kill_call[0]
            if fatal and kill_call is not None and kill_call[1] == "before":
                return None
            reply: Message = desk.answer(message)
            return None if fatal else reply

        path = str(folder / hold) if hold else None
        return self.helper.run(folder, wired, answer, desk.outcome, path, hold_seconds, leave)


def run_whole(bench: Bench, name: str, args: tuple[Any, ...], inside: Sequence[str] = (), trace: bool = True) -> Case:
    """The run that nobody disturbs. Raises SweepError when it does not come to its end, and what it raised."""
    folder = bench.folder()
    ending = bench.run(folder, name, args, trace=trace, inside=inside)
    checked(name, ending)
    if ending.outcome is None:
        what = "ended its own process" if ending.signal is None else f"was ended by signal {ending.signal}"
        raise SweepError(f"{name} {what}, though nobody disturbed it", "killed")
    error = bench.new_desk().raised(ending.outcome)
    if error is not None:
        raise error
    return Case(0, 0, "answer", folder, args, ending, kills=0)


def run_sweep(
    bench: Bench,
    name: str,
    make_args: Callable[[], tuple[Any, ...]],
    *,
    again: str | None,
    inside: Sequence[str] = (),
    twice: bool = False,
    most: int = MOST_POINTS,
    seconds: float = SWEEP_SECONDS,
) -> Iterator[Case | Sweep]:
    """Each case as soon as it is over, then the Sweep. Raises SweepError unless there are kills, all by signal 9."""
    ends = monotonic() + seconds
    whole = run_whole(bench, name, make_args(), inside)
    points = whole.ending.points
    if not points:
        raise SweepError(f"no instruction of {name} was seen: nothing could be killed")
    if os.environ.get("COURSE_GRADING"):
        most = min(most, MOST_WHILE_GRADING)
    chosen, note = _chosen(points, most)
    places = ["answer", *inside]
    for number, n in enumerate(chosen):
        if monotonic() > ends:
            raise SweepError(f"the sweep of {name} took longer than {seconds:g} s", "time")
        folder, args = bench.folder(), make_args()
        ending = bench.run(folder, name, args, kill_at=n, inside=inside)
        checked(name, ending)
        if ending.signal != signal.SIGKILL:
            raise SweepError(f"{name} was through before instruction {n}: it does not do the same each time")
        line, place = points[n - 1]
        case = Case(n, line, places[place], folder, args, ending)
        if twice and again:
            second = bench.run(folder, again, args, kill_at=chosen[(number * 7 + 3) % len(chosen)], inside=inside)
            checked(again, second)
            case.resumed.append(second)
            case.kills += second.signal == signal.SIGKILL
        _resume(bench, case, again)
        yield case
    yield Sweep(name, bench.helper.sources[name], whole, [], note)


def run_calls(
    bench: Bench, name: str, make_args: Callable[[], tuple[Any, ...]], *, again: str | None, most: int = 100
) -> Iterator[Case | Sweep]:
    """Kill at each call on an object outside, just before it and just after it: from here, untraced."""
    whole = run_whole(bench, name, make_args(), trace=False)
    for k in range(1, min(whole.ending.asked, most) + 1):
        for when in SIDES:
            folder, args = bench.folder(), make_args()
            ending = bench.run(folder, name, args, kill_call=(k, when))
            checked(name, ending)
            if ending.signal != signal.SIGKILL:
                raise SweepError(f"{name} was through before call {k}: it does not do the same each time")
            case = Case(k, 0, f"{when} call", folder, args, ending)
            _resume(bench, case, again)
            yield case
    yield Sweep(name, bench.helper.sources[name], whole, [])


def run_strikes(
    bench: Bench,
    name: str,
    make_args: Callable[[], tuple[Any, ...]],
    *,
    again: str | None,
    rounds: int,
    rng: random.Random,
) -> Iterator[Case | Sweep]:
    """Kill at times drawn between the beginning of the call and a little after its usual end."""
    whole = run_whole(bench, name, make_args(), trace=False)
    if os.environ.get("COURSE_GRADING"):
        rounds = min(rounds, MOST_WHILE_GRADING)
    for n in range(1, rounds + 1):
        folder, args = bench.folder(), make_args()
        ending = bench.run(folder, name, args, kill_after=rng.random() * whole.ending.seconds * 1.1)
        checked(name, ending)
        case = Case(n, 0, "some time", folder, args, ending, kills=int(ending.signal == signal.SIGKILL))
        _resume(bench, case, again)
        yield case
    yield Sweep(name, bench.helper.sources[name], whole, [])


def _resume(bench: Bench, case: Case, again: str | None) -> None:
    if again is None:
        return
    ending = bench.run(case.folder, again, case.args)
    checked(again, ending)
    if ending.outcome is None:
        raise SweepError(f"{again}, started again after a kill, ended its own process", "killed")
    case.resumed.append(ending)


def checked(name: str, ending: Ending) -> None:
    """Raise SweepError for a run from which nothing can be learnt."""
    if ending.problem == "time":
        raise SweepError(f"{name} did not come to an end", "time")
    if ending.problem in ("output", "hung up"):
        raise SweepError(f"{name} broke off the line to the outside", "protocol")
    if ending.problem:
        reason = "processes" if "process" in ending.problem else "protocol"
        raise SweepError(f"{name} {ending.problem}: a sweep cannot follow it there", reason)


def _chosen(points: Sequence[tuple[int, int]], most: int) -> tuple[list[int], str]:
    """Which instructions to kill at (from 1), and a line on what was left out."""
    own = [n for n, (_, place) in enumerate(points, 1) if place == 0]
    others = [n for n, (_, place) in enumerate(points, 1) if place != 0]
    if len(points) <= most:
        return [*range(1, len(points) + 1)], ""
    own = _evenly(own, max(most - min(len(others), most // 4), 1))
    others = _evenly(others, most - len(own))
    kept = sorted([*own, *others])
    return kept, f"{len(kept)} of {len(points)} instructions were tried, evenly spread."


def _evenly(numbers: list[int], most: int) -> list[int]:
    if len(numbers) <= most:
        return numbers
    return [numbers[round(i * (len(numbers) - 1) / max(most - 1, 1))] for i in range(most)]
