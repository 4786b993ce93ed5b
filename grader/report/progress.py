"""How far a batch is: a bar with the time left in a terminal, a line now and then elsewhere."""

from __future__ import annotations

from time import monotonic
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

# Seconds between two lines where there is no terminal to redraw.
QUIET_SECONDS = 10.0


class BatchProgress:
    """Shows each outcome of a batch as it comes."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.started = self.spoke = monotonic()
        self.graded = 0
        columns = (TextColumn("  {task.description}"), BarColumn(30), MofNCompleteColumn())
        times = (
            TextColumn("·"),
            TimeElapsedColumn(),
            TextColumn("· left"),
            TimeRemainingColumn(),
        )
        self.bar = Progress(*columns, *times, console=console, transient=True, disable=not console.is_terminal)
        self.task = self.bar.add_task("grading", total=None)

    def __enter__(self) -> BatchProgress:
        self.bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.bar.stop()

    def step(self, outcome: Any) -> None:
        """Count one more outcome of `grader.batch.run_batch`."""
        self.bar.update(self.task, completed=outcome.done, total=outcome.total)
        self.graded += not outcome.kept
        now = monotonic()
        if not self.console.is_terminal and (now - self.spoke >= QUIET_SECONDS or outcome.done == outcome.total):
            self.spoke = now
            left = (outcome.total - outcome.done) * (now - self.started) / max(self.graded, 1)
            self.console.print(f"  {outcome.done} of {outcome.total} graded · about {_time(left)} left")


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
