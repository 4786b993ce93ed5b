"""Worker processes side by side: tasks out, results in, and none of them waited for for ever."""

from __future__ import annotations

import os
import selectors
import shutil
import subprocess
import sys
from collections import deque
from collections.abc import Generator
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic

import msgspec

from grader.batch.messages import Done, Failed, Setup, Task
from grader.course import CourseError

# -P: what lies in the folder that the batch is started in is no module of the grader, least of all a submission.
COMMAND = [sys.executable, "-P", "-m", "grader.batch.worker"]
ANSWER = msgspec.json.Decoder(Done | Failed)
# Seconds that a worker gets to end its kernel and go, before it is ended.
GRACE_SECONDS = 10.0


@dataclass(frozen=True)
class Lost:
    """A task without a record: its worker ended, failed, or did not come back in time. `details` may be long."""

    reason: str
    details: str = ""


class _Worker:
    def __init__(self, setup: Setup) -> None:
        # A session of its own: Ctrl-C in the terminal must reach the batch alone.
        self.process = subprocess.Popen(
            COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.inlet, self.outlet = self.process.stdin, self.process.stdout
        self.task: Task | None = None
        self.since = 0.0
        self.heard = b""
        self._send(setup)

    def _send(self, message: Setup | Task) -> None:
        with suppress(BrokenPipeError):  # it has ended; its own pipe says so when it is read
            self.inlet.write(msgspec.json.encode(message) + b"\n")
            self.inlet.flush()

    def give(self, task: Task) -> None:
        self.task, self.since = task, monotonic()
        self._send(task)

    def answer(self) -> Done | Failed | Lost | None:
        """What the worker has to say; None as long as it has not said all of it."""
        chunk = os.read(self.outlet.fileno(), 1 << 20)
        if not chunk:
            return Lost("the grading process ended while it graded this")
        self.heard += chunk
        if not self.heard.endswith(b"\n"):
            return None
        said, self.heard = self.heard, b""
        answer: Done | Failed = ANSWER.decode(said)
        return answer

    def end(self) -> None:
        """Ask the process to go; it ends its kernel first."""
        self.process.terminate()

    def reap(self) -> None:
        """Wait until the process is gone; end it when it takes too long."""
        try:
            self.process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        with suppress(BrokenPipeError):
            self.inlet.close()
        self.outlet.close()


def work_off(
    setup: Setup, tasks: list[Task], jobs: int, seconds: float
) -> Generator[tuple[Task, Done | Lost], None, None]:
    """Grade `tasks` with `jobs` workers; results as they come. A task may take `seconds`, then its worker is ended.

    Closing the iterator, as an exception in its consumer does, ends every worker and its kernel, and removes
    `setup.scratch`. Raises CourseError when a worker finds that the course cannot be used.
    """
    waiting = deque(tasks)
    workers: list[_Worker] = []
    selector = selectors.DefaultSelector()

    def hand_out(worker: _Worker | None = None) -> None:
        """The next task, if there is one: to `worker`, or to a new one."""
        if not waiting:
            return
        if worker is None:
            worker = _Worker(setup)
            workers.append(worker)
            selector.register(worker.outlet, selectors.EVENT_READ, worker)
        worker.give(waiting.popleft())

    def replace(worker: _Worker) -> None:
        selector.unregister(worker.outlet)
        workers.remove(worker)
        worker.end()
        worker.reap()
        hand_out()

    try:
        for _ in range(jobs):
            hand_out()
        while any(worker.task for worker in workers):
            for key, _ in selector.select(timeout=1.0):
                worker: _Worker = key.data
                answer = worker.answer()
                if answer is None:
                    continue
                task, worker.task = worker.task, None
                if isinstance(answer, Failed):
                    if answer.course:
                        raise CourseError(answer.reason)
                    answer = Lost(answer.reason, answer.details)
                if isinstance(answer, Done):
                    hand_out(worker)
                else:
                    replace(worker)
                if task is not None:
                    yield task, answer
            for worker in [w for w in workers if w.task is not None and monotonic() - w.since > seconds]:
                late = worker.task
                assert late is not None
                replace(worker)
                yield late, Lost(f"grading did not come to an end within {seconds:g} s")
    finally:
        for worker in workers:
            worker.end()
        for worker in workers:
            worker.reap()
        selector.close()
        shutil.rmtree(setup.scratch, ignore_errors=True)
