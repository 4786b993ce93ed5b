"""How far a batch is: a bar with the time left in a terminal, a line now and then elsewhere."""

from __future__ import annotations

from time import monotonic
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

# Seconds between two lines where there is no terminal to redraw.
QUIET_SECONDS = 10.0


class BatchProgress:
    """Shows each outcome of a batch as it comes."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.started = self.spoke = monotonic()
        self.ran = 0
        columns = (TextColumn("  {task.description}"), BarColumn(30), MofNCompleteColumn(), TextColumn("·"))
        times = (TimeElapsedColumn(), TextColumn("{task.fields[left]}"))
        self.bar = Progress(*columns, *times, console=console, transient=True, disable=not console.is_terminal)
        self.task = self.bar.add_task("grading", total=None, left="")

    def __enter__(self) -> BatchProgress:
        self.bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.bar.stop()

    def step(self, outcome: Any) -> None:
        """Count one more outcome of `grader.batch.run_batch`."""
        self.ran += outcome.ran
        now = monotonic()
        done, total, took = outcome.done, outcome.total, now - self.started
        # What was there already took no time and says nothing about the rest.
        left = f" · about {_time((total - done) * took / self.ran)} left" if self.ran and done < total else ""
        self.bar.update(self.task, completed=done, total=total, left=left)
        if not self.console.is_terminal and (now - self.spoke >= QUIET_SECONDS or done == total):
            self.spoke = now
            self.console.print(f"  {done} of {total} · {_time(took)}{left}")


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
