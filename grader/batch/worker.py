"""One worker: a process that grades the submissions it is handed, one after the other, until the pipe closes.

Started as ``python -m grader.batch.worker``: JSON lines in on stdin, JSON lines out on stdout. Learner code runs in
kernels of this process, never in it; a worker that is lost takes one submission with it, and the batch goes on.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import msgspec

from grader.batch.messages import Done, Setup, Task
from grader.course import Course
from grader.grade import Graded, grade_all
from grader.submissions import Submission
from grader.submissions.collect import Entry, collect


def main(inbox: IO[bytes], outbox: IO[bytes]) -> None:
    """Serve until `inbox` ends. SIGTERM ends the running kernel and leaves nothing behind."""
    signal.signal(signal.SIGTERM, _stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process; the batch decides what it means
    setup = msgspec.json.decode(inbox.readline(), type=Setup)
    course = Course.load(Path(setup.root))
    scope = [facts for facts in course.manifest.notebooks if facts.name in setup.scope]

    def submissions() -> Iterator[Submission]:
        for line in inbox:
            task = msgspec.json.decode(line, type=Task)
            yield collect(course, Entry(task.id, Path(task.path)), scope).submission

    def deliver(graded: Graded) -> None:
        done = Done(record=msgspec.Raw(msgspec.json.encode(graded.record)), notes=graded.notes, faults=graded.faults)
        outbox.write(msgspec.json.encode(done) + b"\n")
        outbox.flush()

    grade_all(course, submissions(), seed=setup.seed, on_graded=deliver)


def _stop(number: int, frame: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise KeyboardInterrupt


if __name__ == "__main__":
    # Whatever a library prints must not stand between the lines of the protocol.
    channel = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        main(sys.stdin.buffer, channel)
    except KeyboardInterrupt:
        sys.exit(130)
