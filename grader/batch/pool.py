"""Worker processes side by side: tasks out, results in, and none of them waited for for ever."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
from collections.abc import Generator
from dataclasses import dataclass
from time import monotonic

import msgspec

from grader.batch.messages import Done, Setup, Task

COMMAND = [sys.executable, "-m", "grader.batch.worker"]
# Seconds that a worker gets to end its kernel and go, before it is ended.
GRACE_SECONDS = 5.0


@dataclass(frozen=True)
class Lost:
    """A worker that ended, or did not come back in time, while it graded a task."""

    reason: str


class _Worker:
    def __init__(self, setup: Setup) -> None:
        # A session of its own: Ctrl-C in the terminal must reach the batch alone.
        self.process = subprocess.Popen(
            COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
        )
        self.task: Task | None = None
        self.since = 0.0
        self.buffer = b""
        self._send(setup)

    def _send(self, message: Setup | Task) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(msgspec.json.encode(message) + b"\n")
        self.process.stdin.flush()

    def give(self, task: Task) -> None:
        self.task, self.since = task, monotonic()
        self._send(task)

    @property
    def outlet(self) -> int:
        assert self.process.stdout is not None
        return self.process.stdout.fileno()

    def end(self, signal_number: int = signal.SIGTERM) -> None:
        """Ask the process to go; it ends its kernel first."""
        if self.process.poll() is None:
            self.process.send_signal(signal_number)

    def reap(self) -> None:
        """Wait until the process is gone; end it when it takes too long."""
        try:
            self.process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()


def work_off(
    setup: Setup, tasks: list[Task], jobs: int, seconds: float
) -> Generator[tuple[Task, Done | Lost], None, None]:
    """Grade `tasks` with `jobs` workers; results as they come. A task may take `seconds`, then its worker is ended.

    Closing the iterator, as an exception in its consumer does, ends every worker and its kernel.
    """
    waiting = list(reversed(tasks))
    workers: list[_Worker] = []
    selector = selectors.DefaultSelector()

    def start() -> _Worker:
        worker = _Worker(setup)
        workers.append(worker)
        selector.register(worker.outlet, selectors.EVENT_READ, worker)
        return worker

    def drop(worker: _Worker) -> None:
        selector.unregister(worker.outlet)
        workers.remove(worker)
        worker.end()
        worker.reap()

    try:
        for _ in range(min(jobs, len(tasks))):
            start().give(waiting.pop())
        while any(worker.task for worker in workers):
            for key, _ in selector.select(timeout=1.0):
                worker: _Worker = key.data
                chunk = os.read(worker.outlet, 1 << 20)
                worker.buffer += chunk
                task = worker.task
                if not chunk:
                    drop(worker)
                    if task is not None:
                        yield task, Lost("the grading process ended while it graded this")
                        if waiting:
                            start().give(waiting.pop())
                elif worker.buffer.endswith(b"\n") and task is not None:
                    done = msgspec.json.decode(worker.buffer, type=Done)
                    worker.buffer, worker.task = b"", None
                    if waiting:
                        worker.give(waiting.pop())
                    yield task, done
            for worker in [w for w in workers if w.task is not None and monotonic() - w.since > seconds]:
                late = worker.task
                assert late is not None
                drop(worker)
                yield late, Lost(f"grading did not come to an end within {seconds:g} s")
                if waiting:
                    start().give(waiting.pop())
    finally:
        for worker in workers:
            worker.end()
        for worker in workers:
            worker.reap()
        selector.close()
