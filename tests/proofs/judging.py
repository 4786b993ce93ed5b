"""Judging many answers: one pytest session of the grader for a batch of them, batches side by side in processes.

Everything that comes back is a plain record; a batch may run in another process.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from grader.course import Course
from grader.judge.job import Job
from grader.judge.session import judge
from grader.judge.spec import TestSpec
from grader.judge.verdict import Verdict
from grader.kernel.crash import Crashes
from grader.kernel.trouble import Trouble
from tests.proofs.course import Solved
from tests.proofs.loader import RAISES, Candidate
from tests.proofs.room import Answer, Callback, Message, Room

# What a test that kills the answer meets when there is none: a table can be asked, it cannot be run.
NO_SOURCE = "There is no source."


@dataclass(frozen=True)
class Said:
    """What one test said of one answer. `sent` is a digest of everything that the test let it see."""

    test: str
    visibility: str
    outcome: str
    sentence: str
    reason: str | None
    sent: str = ""
    fault: bool = False

    @property
    def lost(self) -> bool:
        """Whether the answer broke this promise."""
        return self.outcome in ("failed", "error")

    def breaks(self, sentence: str) -> bool:
        """Whether it is this promise that was broken; facts in brackets may follow it."""
        if sentence == RAISES:
            return self.outcome == "failed" and self.sentence.startswith("It raised ")
        return self.outcome == "failed" and (self.sentence == sentence or self.sentence.startswith(f"{sentence} ("))


@dataclass(frozen=True)
class Judged:
    """One answer under one seed. `failed` says what kept its cell from running, `faults` are the grader's own."""

    candidate: Candidate
    seed: int
    said: tuple[Said, ...]
    seconds: float
    failed: str = ""
    faults: tuple[str, ...] = ()

    def of(self, test: str) -> Said | None:
        """What this test said, None when it was not run at all."""
        return next((said for said in self.said if said.test == test), None)


class Recording:
    """A transport that digests what tests send through another one: arguments, files, and answers to callbacks."""

    def __init__(self, inner: Answer) -> None:
        self._inner = inner
        self._folder: Path | None = None
        self._digest = hashlib.sha256()

    def request(self, message: Message, callback: Callback | None = None) -> Message:
        """Pass it on."""
        self._add(message)
        for path in sorted(self._folder.rglob("*")) if self._folder else ():
            self._add([path.name, path.read_bytes().hex() if path.is_file() else ""])

        def answering(asked: Message) -> Message:
            reply = callback(asked) if callback else {}
            self._add(reply)
            return reply

        return self._inner.request(message, answering)

    def folder(self) -> Path:
        """Pass it on."""
        self._folder = self._inner.folder()
        return self._folder

    def crashes(self) -> Crashes:
        """Pass it on, and digest what cases are given and what they get back."""
        return _Watched(self._inner.crashes(), self._add)

    def take(self) -> str:
        """The digest since the last time."""
        digest, self._digest, self._folder = self._digest.hexdigest(), hashlib.sha256(), None
        return digest

    def _add(self, value: Any) -> None:
        text = json.dumps(value, sort_keys=True)
        self._digest.update((text.replace(str(self._folder), "FOLDER") if self._folder else text).encode())


class _Watched:
    """`Crashes` whose cases are noted."""

    def __init__(self, inner: Crashes, note: Callable[[Any], None]) -> None:
        self._inner = inner
        self._note = note

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def bench(self, names: Sequence[str], new_desk: Callable[[], Any], programs: Sequence[str] = ()) -> Any:
        """The bench of a test, whose desks are watched."""

        def watched() -> Any:
            desk = new_desk()
            pack, answer = desk.pack, desk.answer

            def packing(args: Sequence[Any]) -> list[Any]:
                packed = pack(args)
                self._note(packed)
                return packed

            def answering(message: Message) -> Message:
                reply = answer(message)
                self._note(reply)
                return reply

            desk.pack, desk.answer = packing, answering
            return desk

        return self._inner.bench(names, watched, programs)

    def inspect(self, folders: Sequence[Path], request: Message) -> list[Any]:
        """Pass it on; the values of a query count as given."""
        self._note(request)
        return self._inner.inspect(folders, request)


@dataclass
class SomeTests(Job):
    """A job that runs only these tests."""

    tests: frozenset[str] = frozenset()

    def wants(self, spec: TestSpec) -> bool:
        """Only those."""
        return super().wants(spec) and spec.name in self.tests


def named_tests(candidate: Candidate) -> frozenset[str]:
    """The test that should catch this mutant, and those that it waits for."""
    facts = Course.load().manifest.exercise(candidate.exercise)
    after = {test.name: test.after for test in facts.tests} if facts else {}
    names, name = set(), candidate.test or None
    while name is not None and name not in names:
        names.add(name)
        name = after.get(name)
    return frozenset(names)


_rooms: dict[str, Room] = {}


def room_of(solved: Solved) -> Room:
    """The room of this notebook, kept while this process works on it."""
    if solved.number not in _rooms:
        close_rooms()
        limits = Course.load().limits
        _rooms[solved.number] = Room(solved, limits.call_seconds, limits.startup_seconds)
    return _rooms[solved.number]


def close_rooms() -> None:
    """End the processes of every room."""
    while _rooms:
        _rooms.popitem()[1].close()


def judge_all(
    solved: Solved,
    candidates: Sequence[Candidate],
    seeds: Sequence[int],
    *,
    whole: bool = False,
    named_only: bool = False,
) -> list[Judged]:
    """Each candidate under each seed, judged by all tests of its exercise, or with `whole` of its notebook.

    With `named_only` a mutant is judged by no more than the test that should catch it and those that it waits for.
    """
    room, done = room_of(solved), []

    def jobs() -> Iterator[Job]:
        for seed in seeds:
            for candidate in candidates:
                started, sent = monotonic(), []
                with room.answer(candidate) as answer:
                    recording = Recording(answer)
                    exercises = frozenset(solved.answers) if whole else frozenset({candidate.exercise})
                    told = partial(_take, recording, sent)
                    if named_only and candidate.kind == "mutant":
                        job: Job = SomeTests(recording, exercises, seed, told, tests=named_tests(candidate))
                    else:
                        job = Job(recording, exercises, seed, told)
                    yield job
                    said = _said(job, sent)
                    done.append(
                        Judged(candidate, seed, said, monotonic() - started, answer.failed, tuple(job.tracebacks))
                    )

    judge(Course.load(), jobs())
    return done


def _take(recording: Recording, sent: list[str], verdict: Verdict) -> None:
    """Note what a test sent, when it is over."""
    sent.append(recording.take())


def judge_until_lost(solved: Solved, candidates: Sequence[Candidate], tests: Sequence[str], seed: int) -> list[str]:
    """The ids of the candidates that pass every one of `tests`. One test after the other, so wrong ones cost little."""
    room = room_of(solved)
    left = list(candidates)
    for test in tests:
        passed = []

        def jobs(test: str = test, passed: list[Candidate] = passed) -> Iterator[Job]:
            for candidate in left:
                with room.answer(candidate) as answer:
                    job = SomeTests(answer, frozenset({candidate.exercise}), seed, tests=frozenset({test}))
                    yield job
                    if all(verdict.outcome in ("passed", "skipped") for verdict in job.verdicts):
                        passed.append(candidate)

        judge(Course.load(), jobs())
        if not (left := passed):
            return []
    # A test that waits for another was skipped above: what is left must pass them all in one go.
    whole: list[str] = []

    def in_one_go() -> Iterator[Job]:
        for candidate in left:
            with room.answer(candidate) as answer:
                job = Job(answer, frozenset({candidate.exercise}), seed)
                yield job
                if all(verdict.outcome == "passed" for verdict in job.verdicts):
                    whole.append(candidate.slug)

    judge(Course.load(), in_one_go())
    return whole


def witnesses(solved: Solved, mutants: Sequence[Candidate]) -> dict[str, str]:
    """What each mutant's witness says, by the mutant's id."""
    room = room_of(solved)
    return {mutant.id: room.witness(mutant) for mutant in mutants}


_HANDLE = re.compile(r'("handle": |"\$": "handle", "callable": (?:true|false), "id": )\d+')


class Table:
    """A transport that knows no more than what it once saw: for each question of a test, the answer of that time,
    the files that were there then, and what was asked of the test's own objects.
    """

    def __init__(self) -> None:
        self.answers: dict[str, list[tuple[Message, dict[str, bytes], list[Message]]]] = {}

    def copy(self) -> Table:
        """The same table, to be used up."""
        copy = Table()
        copy.answers = {key: list(known) for key, known in self.answers.items()}
        return copy

    def key(self, message: Message, folder: Path) -> str:
        """A question, wherever the folder lies and however many objects earlier tests have made."""
        files = {path.name: path.read_bytes().hex() for path in sorted(folder.iterdir()) if path.is_file()}
        text = json.dumps([message, files], sort_keys=True).replace(str(folder), "FOLDER")
        return _HANDLE.sub(r"\1", text)


@dataclass
class Learning:
    """Fills a table."""

    table: Table
    inner: Answer
    home: Path = field(default_factory=Path)

    def request(self, message: Message, callback: Callback | None = None) -> Message:
        """Pass it on, and note the answer, the files that are there now and the calls on the grader's objects."""
        key, asked = self.table.key(message, self.home), []

        def answering(question: Message) -> Message:
            asked.append(question)
            return callback(question) if callback else {}

        reply = self.inner.request(message, answering)
        files = {path.name: path.read_bytes() for path in self.home.iterdir() if path.is_file()}
        self.table.answers.setdefault(key, []).append((reply, files, asked))
        return reply

    def folder(self) -> Path:
        """Pass it on."""
        self.home = self.inner.folder()
        return self.home

    def crashes(self) -> Crashes:
        """Pass it on."""
        return self.inner.crashes()


@dataclass
class Telling:
    """Answers from a table; what is not in it gets None."""

    table: Table
    inner: Answer
    home: Path = field(default_factory=Path)

    def request(self, message: Message, callback: Callback | None = None) -> Message:
        """The first answer to this question that has not been given yet, or the last one."""
        known = self.table.answers.get(self.table.key(message, self.home))
        if not known:
            return {
                "outcomes": [{"value": None, "args_after": call["args"], "stdout": ""} for call in message["calls"]]
            }
        reply, files, asked = known.pop(0) if len(known) > 1 else known[0]
        for question in asked if callback else ():
            callback(question)
        for name, data in files.items():
            (self.home / name).write_bytes(data)
        return reply

    def folder(self) -> Path:
        """Pass it on."""
        self.home = self.inner.folder()
        return self.home

    def crashes(self) -> Crashes:
        """A table has no source that could be run and killed."""
        raise Trouble("protocol", NO_SOURCE)


def judge_table(solved: Solved, exercise: str, recorded: int, asked: int) -> dict[int, tuple[Said, ...]]:
    """Record the reference's answers under one seed, then judge the record itself under that seed and another."""
    room, table, told = room_of(solved), Table(), {}
    reference = solved.reference(exercise)

    def jobs() -> Iterator[Job]:
        with room.answer(reference) as answer:
            yield Job(Learning(table, answer), frozenset({exercise}), recorded)
        for seed in (recorded, asked):
            with room.answer(reference) as answer:
                job = Job(Telling(table.copy(), answer), frozenset({exercise}), seed)
                yield job
                told[seed] = _said(job, [""] * len(job.verdicts))

    judge(Course.load(), jobs())
    return told


def _said(job: Job, sent: list[str]) -> tuple[Said, ...]:
    return tuple(
        Said(
            verdict.spec.name,
            verdict.spec.visibility,
            verdict.outcome,
            verdict.sentence,
            verdict.reason,
            digest,
            verdict.grader_fault,
        )
        for verdict, digest in zip(job.verdicts, sent, strict=True)
    )
