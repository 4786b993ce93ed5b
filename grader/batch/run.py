"""`grader batch`: from a folder of submissions to records and a table, as often as it takes."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import msgspec

from grader.batch.messages import Done, Setup, Task
from grader.batch.pool import Lost, work_off
from grader.course import Course, NotebookFacts
from grader.grade import commitment, rejection
from grader.record import GradeRecord
from grader.submissions import InputError
from grader.submissions.collect import Collected, Entry, collect, entries

# What one submission may take beyond the sum of its notebooks' limits: starting, reading, writing.
SLACK_SECONDS = 60.0


class Plan(msgspec.Struct, frozen=True):
    """What a results folder was made with, kept in it as ``batch.json``. The seed in it is the instructor's secret."""

    seed: int
    scope: list[str]
    course: str


@dataclass(frozen=True)
class Batch:
    """What is to be graded and where results go. `seed` None: the folder's own, or a new secret one."""

    course: Course
    submissions: Path
    results: Path
    scope: list[NotebookFacts]
    jobs: int
    seed: int | None
    regrade: bool


@dataclass(frozen=True)
class Outcome:
    """One submission is done. `kept` when its record was there already; `faults` are the grader's own."""

    record: GradeRecord
    kept: bool
    faults: list[str]
    done: int
    total: int


def run_batch(batch: Batch) -> Generator[Outcome, None, None]:
    """Grade what is to be graded; an outcome for every entry, those kept from an earlier run first.

    Raises InputError when the folders cannot be used. Closing the iterator stops the workers; finished records stay.
    """
    found = entries(batch.submissions)
    records = batch.results / "records"
    try:
        records.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{batch.results}: cannot be written to ({error.strerror}). Name another folder.") from None
    seed = _settle(batch)
    total, done = len(found), 0
    tasks: list[Task] = []
    for entry in found:
        got = collect(batch.course, entry, batch.scope)
        kept = None if batch.regrade else _kept(records, entry, got, batch, seed)
        if kept is not None or got.problem:
            record = kept or rejection(batch.course, got.submission, got.problem, seed=seed)
            _write(records, record)
            done += 1
            yield Outcome(record, kept is not None, [], done, total)
            continue
        # The bytes are read again by the worker: a class of notebooks need not lie in memory at once.
        tasks.append(Task(entry.id, str(entry.path)))
    setup = Setup(str(batch.course.root), [facts.name for facts in batch.scope], seed)
    seconds = SLACK_SECONDS + batch.course.limits.notebook_seconds * len(batch.scope)
    with closing(work_off(setup, tasks, batch.jobs, seconds)) as results:
        for task, result in results:
            faults: list[str] = []
            match result:
                case Done():
                    record = msgspec.json.decode(result.record, type=GradeRecord)
                    faults = result.faults
                case Lost():
                    submission = collect(batch.course, Entry(task.id, Path(task.path)), batch.scope).submission
                    record = rejection(batch.course, submission, f"{result.reason}.", seed=seed)
            _write(records, record)
            done += 1
            yield Outcome(record, False, faults, done, total)


def _settle(batch: Batch) -> int:
    """The seed of this results folder: one for everybody, kept from the first run on."""
    path = batch.results / "batch.json"
    scope = [facts.name for facts in batch.scope]
    try:
        plan = msgspec.json.decode(path.read_bytes(), type=Plan)
    except (OSError, msgspec.DecodeError):
        plan = None
    seed = batch.seed if batch.seed is not None else plan.seed if plan else secrets.randbelow(2**63)
    if plan and not batch.regrade and (plan.seed != seed or plan.scope != scope):
        what = "another seed" if plan.seed != seed else f"other notebooks ({', '.join(plan.scope)})"
        raise InputError(f"{batch.results}: holds results of {what}. Name another folder, or add --regrade.")
    replace_file(path, msgspec.json.encode(Plan(seed, scope, batch.course.manifest.course.digest)) + b"\n")
    return seed


def _kept(records: Path, entry: Entry, got: Collected, batch: Batch, seed: int) -> GradeRecord | None:
    """The record of an earlier run, when it is of the same bytes, course, notebooks and seed; else None.

    A submission that could not be graded then is tried again.
    """
    try:
        record = msgspec.json.decode((records / record_name(entry.id)).read_bytes(), type=GradeRecord)
    except (OSError, msgspec.DecodeError):
        return None
    fits = (
        record.status == "graded"
        and record.submission.id == entry.id
        and record.submission.sha256 == got.submission.sha256
        and record.course.digest == batch.course.manifest.course.digest
        and record.scope == [facts.name for facts in batch.scope]
        and record.seed_commitment == commitment(seed)
    )
    return record if fits else None


def record_name(submission: str) -> str:
    """The record's file name: the submission's id, shortened where a file's name may not be that long."""
    if len(submission.encode()) <= 200:
        return f"{submission}.json"
    return f"{submission[:60]}-{hashlib.sha256(submission.encode()).hexdigest()[:12]}.json"


def _write(records: Path, record: GradeRecord) -> None:
    replace_file(
        records / record_name(record.submission.id), msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n"
    )


def replace_file(path: Path, data: bytes) -> None:
    """Write a file whole or not at all: a batch that is killed leaves the old one or the new one."""
    beside = path.with_name(f".{path.name}.{os.getpid()}"[:250])
    beside.write_bytes(data)
    beside.replace(path)
