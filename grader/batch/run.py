"""`grader batch`: from a folder of submissions to records and a table, as often as it takes."""

from __future__ import annotations

import hashlib
import os
import secrets
import tempfile
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import msgspec
from filelock import FileLock, Timeout

from grader.batch.messages import Done, Setup, Task
from grader.batch.pool import Lost, work_off
from grader.course import Course, CourseError, NotebookFacts, digest, shown
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
    """One submission is done. `ran` when it was graded just now; `faults` are the grader's own."""

    record: GradeRecord
    ran: bool
    faults: list[str]
    done: int
    total: int


def run_batch(batch: Batch) -> Generator[Outcome, None, None]:
    """Grade what is to be graded; an outcome for every entry, first those for which nothing has to be run.

    Raises InputError when the folders cannot be used, CourseError when the course cannot. Closing the iterator stops
    the workers; finished records stay.
    """
    _in_step(batch.course)
    found = entries(batch.submissions)
    _apart(batch.submissions, batch.results)
    records = batch.results / "records"
    try:
        records.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(batch.results, error) from None
    lock = _alone(batch.results)
    try:
        yield from _run(batch, found, records, _settle(batch))
    finally:
        lock.release()


def _run(batch: Batch, found: list[Entry], records: Path, seed: int) -> Generator[Outcome, None, None]:
    total, done = len(found), 0
    tasks: list[Task] = []
    for entry in found:
        got = collect(batch.course, entry, batch.scope)
        record = None if batch.regrade else _kept(records, entry, got, batch, seed)
        if record is None and got.problem:
            record = rejection(batch.course, got.submission, got.problem, seed=seed)
            _write(records, record)
        if record is None:
            # The bytes are read again by the worker: a class of notebooks need not lie in memory at once.
            tasks.append(Task(entry.id, os.fsencode(entry.path)))
            continue
        done += 1
        yield Outcome(record, False, [], done, total)
    scratch = tempfile.mkdtemp(prefix="grader-")
    setup = Setup(str(batch.course.root), [facts.name for facts in batch.scope], seed, scratch)
    seconds = SLACK_SECONDS + batch.course.limits.notebook_seconds * len(batch.scope)
    with closing(work_off(setup, tasks, batch.jobs, seconds)) as results:
        for task, result in results:
            match result:
                case Done():
                    record, faults = msgspec.json.decode(result.record, type=GradeRecord), result.faults
                case Lost():
                    entry = Entry(task.id, Path(os.fsdecode(task.path)))
                    submission = collect(batch.course, entry, batch.scope).submission
                    record = rejection(batch.course, submission, f"{result.reason}.", seed=seed)
                    faults = [result.details or f"{task.id}: {result.reason}."]
            _write(records, record)
            done += 1
            yield Outcome(record, True, faults, done, total)


def _in_step(course: Course) -> None:
    """A grade must be of the tests that lie there, or records of an earlier course would be taken for new ones."""
    if digest(course, course.manifest) != course.manifest.course.digest:
        where = shown(course.manifest_path, course.base)
        raise CourseError(f"{where}: older than the tests or course_lib. Run `grader build`.")


def _apart(submissions: Path, results: Path) -> None:
    if results.resolve().is_relative_to(submissions.resolve()):
        raise InputError(f"{results}: lies among the submissions and would be taken for one. Name a folder outside.")


def _alone(results: Path) -> FileLock:
    """Keep a second batch off the folder. The lock goes with the process, whatever ends it."""
    lock = FileLock(results / ".lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise InputError(f"{results}: another batch is writing to it. Wait for it, or name another folder.") from None
    except OSError as error:
        raise _unwritable(results, error) from None
    return lock


def _settle(batch: Batch) -> int:
    """The seed of this results folder: one for everybody, kept from the first run on."""
    path = batch.results / "batch.json"
    scope = [facts.name for facts in batch.scope]
    try:
        plan = msgspec.json.decode(path.read_bytes(), type=Plan)
    except FileNotFoundError:
        plan = None
    except (OSError, msgspec.DecodeError):
        raise InputError(f"{path}: cannot be read. Put it back, or name another folder.") from None
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
    name = submission.encode()
    if len(name) <= 200:
        return f"{submission}.json"
    return f"{name[:100].decode(errors='ignore')}-{hashlib.sha256(name).hexdigest()[:12]}.json"


def _write(records: Path, record: GradeRecord) -> None:
    name = record_name(record.submission.id)
    replace_file(records / name, msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n")


def replace_file(path: Path, data: bytes) -> None:
    """Write a file whole or not at all: a batch that is killed leaves the old one or the new one. Raises InputError."""
    beside = path.with_name(f".{path.name}.new")
    try:
        beside.write_bytes(data)
        beside.replace(path)
    except OSError as error:
        raise _unwritable(path, error) from None


def _unwritable(path: Path, error: OSError) -> InputError:
    return InputError(f"{path}: cannot be written to ({error.strerror}). Make it writable, or name another folder.")
