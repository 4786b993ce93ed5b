"""One worker: a process that grades the submissions it is handed, one after the other, until the pipe closes.

Started as ``python -m grader.batch.worker``: JSON lines in on stdin, JSON lines out on stdout. Learner code runs in
kernels of this process, never in it; a worker that is lost takes one submission with it, and the batch goes on.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import IO, NoReturn

import msgspec

from grader.batch.messages import Done, Failed, Setup, Task
from grader.course import Course, CourseError
from grader.grade import Graded, grade_all, rejection
from grader.submissions import Submission
from grader.submissions.collect import Entry, collect


def main(inbox: IO[bytes], outbox: IO[bytes]) -> None:
    """Serve until SIGTERM or the end of `inbox`: either ends the running kernel and leaves nothing behind."""
    signal.signal(signal.SIGTERM, _stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process; the batch decides what it means
    setup = msgspec.json.decode(inbox.readline(), type=Setup)
    tempfile.tempdir = setup.scratch
    try:
        _serve(setup, inbox, outbox)
    except KeyboardInterrupt:
        raise
    except Exception as error:
        reason = str(error) if isinstance(error, CourseError) else f"the grader failed on this: {_line(error)}"
        _say(outbox, Failed(reason, traceback.format_exc(), course=isinstance(error, CourseError)))
    finally:
        with suppress(OSError):  # the batch removes it, if there is still one, and other workers may be using it
            Path(setup.scratch).rmdir()


def _serve(setup: Setup, inbox: IO[bytes], outbox: IO[bytes]) -> None:
    course = Course.load(Path(setup.root))
    scope = [facts for facts in course.manifest.notebooks if facts.name in setup.scope]

    def submissions() -> Iterator[Submission]:
        for line in _lines(inbox):
            task = msgspec.json.decode(line, type=Task)
            got = collect(course, Entry(task.id, Path(os.fsdecode(task.path))), scope)
            if got.problem:  # it was there when the batch looked
                deliver(Graded(rejection(course, got.submission, got.problem, seed=setup.seed), [], []))
            else:
                yield got.submission

    def deliver(graded: Graded) -> None:
        record = msgspec.Raw(msgspec.json.encode(graded.record))
        _say(outbox, Done(record, graded.notes, graded.faults))

    grade_all(course, submissions(), seed=setup.seed, on_graded=deliver)


def _lines(inbox: IO[bytes]) -> Iterator[bytes]:
    """The lines of `inbox`. Its end stops the process also in the middle of a submission: the batch is gone."""
    lines: SimpleQueue[bytes] = SimpleQueue()

    def read() -> None:
        for line in inbox:
            lines.put(line)
        os.kill(os.getpid(), signal.SIGTERM)

    Thread(target=read, daemon=True).start()
    while True:
        yield lines.get()


def _say(outbox: IO[bytes], message: Done | Failed) -> None:
    outbox.write(msgspec.json.encode(message) + b"\n")
    outbox.flush()


def _line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]


def _stop(number: int, frame: object) -> NoReturn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise KeyboardInterrupt


if __name__ == "__main__":
    # Whatever a library prints must not stand between the lines of the protocol. Unbuffered: a thread that waits
    # inside a buffered reader would hold its lock when Python ends.
    inbox, outbox = os.fdopen(os.dup(0), "rb", 0), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        main(inbox, outbox)
    except KeyboardInterrupt:
        sys.exit(130)
