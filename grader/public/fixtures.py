"""Fixtures that the public and the hidden tests share."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import course_lib
from course_lib.agent import Action, Adapter, RunResult, Trace
from course_lib.faults import SCENARIOS
from course_lib.recordings import recorded_names, recording
from course_lib.store import SCHEMA
from grader.judge import promise, shape
from grader.judge.learner import Handle, Learner, Outcome


@dataclass(frozen=True)
class Run:
    """One recorded run, and how to make the adapter that it was recorded with."""

    result: RunResult
    adapter: Callable[[], Adapter]

    @property
    def trace(self) -> Trace:
        return self.result["trace"]


@pytest.fixture
def runs() -> dict[str, Run]:
    """The four recorded runs by name; fresh copies for each test."""
    return {name: Run(recording(name), SCENARIOS[name][0]) for name in recorded_names()}


@pytest.fixture
def json_object() -> Callable[[bytes | None], dict[str, Any] | None]:
    """The JSON object that a file's bytes hold; None when they hold anything else, or there is no file."""

    def parse(data: bytes | None) -> dict[str, Any] | None:
        try:
            value = json.loads((data or b"").decode("utf-8"))
        except (ValueError, RecursionError):
            return None
        return value if isinstance(value, dict) else None

    return parse


@dataclass(frozen=True)
class Trial:
    """One call of an answer on a record of its own, with a rival who makes the same call before one statement of it.

    `statement` is the one before which the rival comes; `args` are the call's arguments after the connection.
    """

    learner: Learner
    name: str
    args: tuple[Any, ...]
    statement: str
    path: str
    db: Handle

    def call(self) -> Outcome:
        """The call itself, with the rival in it."""
        return self.learner.call(self.name, self.db, *self.args)

    def ask_again(self) -> Outcome:
        """The same call once more, on a new connection, after everything is over."""
        return self.learner.call(self.name, self.learner.lib("course_lib.store:open_store", self.path), *self.args)


@pytest.fixture
def answer_itself(learner: Learner) -> Callable[[str], Handle]:
    """The learner's function of this name, to be handed to something in the learner's process that will call it."""
    return lambda name: learner.lib("builtins:getattr", learner.lib("importlib:import_module", "__main__"), name)


@pytest.fixture
def rivals(
    learner: Learner, answer_itself: Callable[[str], Handle]
) -> Callable[[str, Callable[[str], tuple[Any, ...]]], Iterator[Trial]]:
    """Makes one Trial for each statement that a call runs on its connection.

    It takes the answer's name and what makes, for the trial's own name, the arguments that follow the connection.
    """

    def connection(path: str) -> Handle:
        return learner.lib("course_lib.store:open_store", path)

    def trials(name: str, args: Callable[[str], tuple[Any, ...]]) -> Iterator[Trial]:
        db = connection(learner.path("alone.db"))
        watching = learner.lib("course_lib.effects:Rival", db, None, None)
        _ = learner.call(name, db, *args("alone")).value
        statements = watching.get("statements").value
        for at, statement in enumerate(statements[:40] if shape(statements, [str]) else []):
            path, arguments = learner.path(f"{at}.db"), args(str(at))
            db, other = connection(path), connection(path)
            other.call("execute", "PRAGMA busy_timeout = 0")
            act = learner.lib("functools:partial", answer_itself(name), other, *arguments)
            learner.lib("course_lib.effects:Rival", db, at, act)
            yield Trial(learner, name, arguments, statement, path, db)

    return trials


@dataclass
class Answers:
    """An adapter with one answer for each history that it knows, and a useless one for all others."""

    answers: dict[str, Action]

    def next_action(self, history: Trace) -> Action:
        unknown: Action = {"tool": "ask_again", "args": {}}
        return self.answers.get(as_text(history), unknown)


def as_text(history: Any) -> str:
    return json.dumps(history, sort_keys=True, default=repr)


ASK = """
import json, sys
from course_lib.faults import SetOrderAdapter
trace = json.load(sys.stdin)
print(json.dumps([SetOrderAdapter().next_action(trace[:k]) for k in range(len(trace) + 1)]))
"""


@pytest.fixture
def set_order() -> Callable[[int, Trace], list[Action]]:
    """What a SetOrderAdapter in a new process with this hash seed proposes after each prefix of a trace."""

    def proposals(hash_seed: int, trace: Trace) -> list[Action]:
        library = str(Path(course_lib.__file__).parents[1])
        done = subprocess.run(
            [sys.executable, "-c", ASK],
            input=json.dumps(trace),
            env={**os.environ, "PYTHONHASHSEED": str(hash_seed), "PYTHONPATH": library},
            capture_output=True,
            text=True,
            check=True,
        )
        found: list[Action] = json.loads(done.stdout)
        return found

    return proposals


@pytest.fixture
def by_prefix() -> Callable[[Trace, list[Action]], Adapter]:
    """An adapter that proposes the k-th of the given actions after the first k entries of the given trace."""

    def adapter(trace: Trace, proposals: list[Action]) -> Adapter:
        return Answers({as_text(trace[:k]): action for k, action in enumerate(proposals)})

    return adapter


NOT_A_LIST = "The answer is not a list of Divergence(k, recorded, proposed)"
NEVER_MADE = "make_adapter was never called, and only calling it gives an adapter"
Place = tuple[Any, Any, Any]


class Factory:
    """What verify_replay is given as make_adapter. It stays in the grader and counts its calls."""

    def __init__(self, learner: Learner, make: Callable[[], Adapter]) -> None:
        self._learner = learner
        self._make = make
        self._made = 0

    def __call__(self) -> Any:
        self._made += 1
        return self._learner.remote(self._make())


@dataclass(frozen=True)
class Verification:
    """What one call of verify_replay did, and how many adapters it had made."""

    outcome: Outcome
    made: int

    def places(self, expected: list[int]) -> list[Place]:
        """(k, recorded, proposed) for each Divergence of the answer; promises that it is a list of them.

        Whoever does not arrive at the `expected` k, and never called make_adapter, is told so.
        """
        if self.outcome.raised("AttributeError"):
            promise(self.made > 0, NEVER_MADE)
        found = _places(self.outcome.value)
        promise(found is not None, NOT_A_LIST)
        assert found is not None
        promise(self.made > 0 or [k for k, _, _ in found] == expected, NEVER_MADE)
        return found


def _places(value: Any) -> list[Place] | None:
    if not isinstance(value, list):
        return None
    fields = [getattr(item, "fields", None) for item in value]
    if not all(isinstance(f, dict) and f.keys() == {"k", "recorded", "proposed"} for f in fields):
        return None
    return [(f["k"], f["recorded"], f["proposed"]) for f in fields if f is not None]


@pytest.fixture
def verify(learner: Learner) -> Callable[[Trace, Callable[[], Adapter]], Verification]:
    """Calls verify_replay with a trace and a factory whose adapters stay in the grader."""

    def call(trace: Trace, make: Callable[[], Adapter]) -> Verification:
        factory = Factory(learner, make)
        outcome = learner.call("verify_replay", trace, learner.remote(factory))
        return Verification(outcome, factory._made)

    return call


@pytest.fixture
def refused() -> Callable[..., None]:
    """Promises that a call raised `kind`; `accepted` is the sentence for a call that let the input pass."""

    def check(outcome: Outcome, kind: str, accepted: str, **details: Any) -> None:
        fault = outcome.error
        if fault is None:
            promise(outcome.returned is not None, f"None comes back; {kind} has to be raised")
            promise(False, accepted, **details)
        elif not outcome.raised(kind):
            if fault.own_line is None or fault.type == "NotImplementedError":
                _ = outcome.value  # there is no such function, or it is still to be written: that is said as it is
            promise(False, f"It raised another exception than {kind}", raised=fault.type)

    return check


# A record whose rows the test decides: it is opened where the answer is, and read back from its file.

FACT = ["task_id", "subject", "predicate", "value", "source", "observed_at", "recorded_at", "superseded_by"]
OBLIGATION = ["task_id", "kind", "key", "state", "created_at", "deadline", "worker", "lease_until", "token", "result"]
USUAL: dict[str, Any] = {
    "task_id": "task",
    "predicate": "value",
    "source": "note",
    "observed_at": "2026-01-01T00:00:00",
    "recorded_at": "2026-01-01T00:00:00",
    "kind": "charge",
    "state": "open",
    "created_at": "2026-01-01T00:00:00",
    "token": 0,
}
Row = Mapping[str, Any]


class Records:
    """Records of one test. Ids of rows count from 1 in the order given; what a row leaves out is as in USUAL."""

    def __init__(self, learner: Learner) -> None:
        self._learner = learner
        self._opened: list[Handle] = []

    def open(
        self,
        facts: Sequence[Row] = (),
        obligations: Sequence[Row] = (),
        requires: Sequence[tuple[int, int, str]] = (),
        *,
        sql: str = "",
        name: str = "record.db",
    ) -> Handle:
        """`open_store` of a new record, in the learner's process."""
        path = self._learner.write(name, self.data(facts, obligations, requires, sql=sql))
        self._opened.append(self._learner.lib("course_lib.store:open_store", path))
        return self._opened[-1]

    @staticmethod
    def data(
        facts: Sequence[Row] = (),
        obligations: Sequence[Row] = (),
        requires: Sequence[tuple[int, int, str]] = (),
        *,
        sql: str = "",
    ) -> bytes:
        """The file of such a record; `sql` is run at the end of making it."""
        with closing(sqlite3.connect(":memory:")) as made:
            made.executescript(SCHEMA)
            for table, names, rows in (("facts", FACT, facts), ("obligations", OBLIGATION, obligations)):
                for number, row in enumerate(rows, 1):
                    full = {**USUAL, "key": f"key {number}", **row}
                    values = [number, *(full.get(name) for name in names)]
                    made.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(values))})", values)
            made.executemany("INSERT INTO requires VALUES (?, ?, ?)", requires)
            made.commit()
            made.executescript(sql)
            return made.serialize()

    def rows(self, query: str, name: str = "record.db") -> list[tuple[Any, ...]]:
        """What another connection finds in the record: only what has been committed."""
        found = self._learner.crash.own_rows(query, db=name)
        promise(found is not None, "The record cannot be read any more")
        assert found is not None
        return found

    def idle(self) -> bool:
        """Whether no connection that was opened here is in a transaction."""
        return not any(each.get("in_transaction").value for each in self._opened)

    def close(self) -> None:
        """Close what was opened."""
        for each in self._opened:
            each.call("close")


@pytest.fixture
def records(learner: Learner) -> Iterator[Records]:
    """Records for the answer to work on."""
    made = Records(learner)
    yield made
    made.close()


FIELDS = {"task_id", "steps", "retries", "status", "termination", "trace"}


class Plan:
    """An adapter that goes by the history: what is settled is not proposed again, a conflict gives way to the record.

    Texts that it hands over end in a digest of all that it was shown, but for keys, and unless they begin with "=".
    """

    def __init__(self, plan: Sequence[Action]) -> None:
        self._plan = plan
        self._asked: list[int] = []

    def next_action(self, history: Any) -> Any:
        """The next call of the plan that is not settled; the last one again and again."""
        self._asked.append(len(history))
        seen = [entry["observation"] for entry in history]
        settled = sum(answer["ok"] or answer.get("error") == "in_doubt" for answer in seen)
        action = self._plan[min(settled, len(self._plan) - 1)]
        args: dict[str, Any] = dict(action["args"])
        told = json.dumps([[entry["action"], _keyless(entry["observation"])] for entry in history], sort_keys=True)
        for name in {"text", "content"} & set(args):
            if not args[name].startswith("="):
                args[name] += f" after {hashlib.sha256(told.encode()).hexdigest()[:12]}"
        if "amount" in args and seen and seen[-1].get("error") == "conflict":
            args["amount"] = int(seen[-1]["held"][-1])
        return {**action, "args": args}


def _keyless(answer: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if name != "key"}


class Work:
    """The world around one durable run: adapter, tools, gates and card service, with notes of what was asked of them.

    fails    which of the calls of tools (from 0) come back as failed
    refuses  called with the notes: whether a gate says no
    breaks   "before" or "after": the line to the card service breaks there
    """

    def __init__(
        self,
        plan: Sequence[Action],
        *,
        dedupes: bool = True,
        fails: Collection[int] = (),
        refuses: Callable[[Any], bool] = lambda notes: False,
        breaks: str = "",
    ) -> None:
        self._plan, self._fails, self._refuses, self._breaks = list(plan), fails, refuses, breaks
        self._calls: list[Action] = []
        self._shown: list[Any] = []
        self._acted: list[tuple[str, str]] = []
        self._adapter = Plan(self._plan)
        self._dedupes = dedupes

    def args(self, learner: Learner, db: Any, task: str, *limit: int) -> tuple[Any, ...]:
        """Arguments of the run; what stands for the world stays on this side."""
        tools = {name: learner.remote(_Tool(self, name)) for name in ("list_notes", "read_note", "write_report")}
        return (
            db,
            learner.remote(self._adapter),
            tools,
            learner.remote(_Gate(self)),
            learner.remote(_Card(self)),
            task,
            *limit,
        )

    def _call(self, tool: str, args: Any) -> Any:
        self._calls.append({"tool": tool, "args": args})
        if len(self._calls) - 1 in self._fails:
            return {"ok": False, "error": "tool_unavailable"}
        return self._answer(tool, args)

    @staticmethod
    def _answer(tool: str, args: Any) -> Any:
        if tool == "list_notes":
            return {"ok": True, "notes": ["a.txt", "b.txt"]}
        if tool == "read_note":
            return {"ok": True, "name": args["name"], "text": f"{args['name']} {'x' * 40}", "written": args["name"]}
        return {"ok": True, "sha256": hashlib.sha256(args["content"].encode()).hexdigest()}

    def whole(self) -> list[Any]:
        """The trace of the run that nothing disturbs, without keys; facts are none."""
        trace: list[Any] = []
        while len(trace) < len(self._plan):
            action = Plan(self._plan).next_action(trace)
            tool = action["tool"]
            local = {
                "append_note": {"ok": True},
                "charge_card": {"ok": True},
                "state.read_facts": {"ok": True, "facts": []},
            }
            answer = local[tool] if tool in local else self._answer(tool, action["args"])
            trace.append({"action": {"tool": tool, "args": action["args"]}, "observation": answer})
        return trace

    @staticmethod
    def result(outcome: Outcome) -> dict[str, Any]:
        """What a run returned; promises that it has the form of a RunResult."""
        got = outcome.value
        whole = isinstance(got, dict) and set(got) == FIELDS and isinstance(got["trace"], list)
        promise(whole, "What comes back does not have the six fields of a RunResult")
        fits = all(
            isinstance(entry, dict)
            and all(isinstance(entry.get(name), dict) for name in ("action", "observation"))
            and isinstance(entry["observation"].get("ok"), bool)
            for entry in got["trace"]
        )
        promise(fits, "An entry of the trace has no action, or no observation with an ok that is True or False")
        return dict(got)

    @staticmethod
    def bare(trace: Any) -> list[Any]:
        """A trace without the keys, which everybody may spell."""
        return [{**entry, "observation": _keyless(entry["observation"])} for entry in trace]


class _Tool:
    def __init__(self, work: Work, name: str) -> None:
        self._work, self._name = work, name

    def __call__(self, args: Any) -> Any:
        return self._work._call(self._name, args)


class _Card:
    def __init__(self, work: Work) -> None:
        self._work = work
        self.dedupes = work._dedupes

    def send(self, key: Any, payload: Any) -> None:
        """Act, once for each key where it dedupes."""
        work = self._work
        if work._breaks == "before":
            raise ConnectionError("the line broke")
        if not (self.dedupes and any(known == key for known, _ in work._acted)):
            work._acted.append((key, payload))
        if work._breaks == "after":
            raise ConnectionError("the line broke")


class _Gate:
    def __init__(self, work: Work) -> None:
        self._work = work

    def __call__(self, notes: Any) -> str | None:
        self._work._shown.append(list(notes))
        return "freshness" if self._work._refuses(notes) else None


@pytest.fixture
def work() -> type[Work]:
    """Makes the world around a durable run."""
    return Work
