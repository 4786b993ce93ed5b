"""One notebook being graded: its cells are run once, then its functions are called as often as the tests ask.

A kernel that dies is replaced and the cells are run again, without the one that took it down. All of it goes on in
one event loop that this session owns; its methods are ordinary blocking calls.
"""

from __future__ import annotations

import asyncio
import shutil
import stat
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

from grader.course import Limits
from grader.kernel import call, process, wire
from grader.kernel.call import Callback, KernelLost
from grader.kernel.crash import Crashes
from grader.kernel.execute import CellRun, run_cells
from grader.kernel.process import KernelProcess
from grader.kernel.trouble import Trouble

# A cell that ran out of time once gets this long when the cells are run again for a new kernel.
AGAIN_SECONDS = 2.0
# Files beside the notebook that its cells may read: enough for data, not enough to fill a disk.
MAX_FILES, MAX_FILE_BYTES = 60, 2_000_000

NO_KERNEL = "The notebook's kernel could not be kept alive."

Progress = Callable[[int], None]


class Session:
    """`cells` are the sources of the code cells; `stubs` the definitions of interest, each with its stub's digest.

    `scan` holds what the course's extractor says of the cells (read before any of them runs), `runs` how each
    cell went, `noted` after which cells each name was bound and whether to something callable.
    """

    def __init__(
        self,
        cells: list[str],
        stubs: Mapping[str, str],
        limits: Limits,
        library: Path,
        beside: Path | None = None,
        on_cell: Progress = lambda number: None,
    ) -> None:
        self.cells = cells
        self.stubs = stubs
        self.limits = limits
        self.library = library
        self.beside = beside
        self.on_cell = on_cell
        self.scan: Any = None
        self.runs: dict[int, CellRun] = {}
        self.noted: dict[str, list[tuple[int, bool]]] = {}
        self.picks: dict[str, int] = {}
        self.restarts = 0
        self._runner = asyncio.Runner()
        self._kernel: KernelProcess | None = None
        self._crashes: Crashes | None = None
        self._skipped: set[int] = set()
        self._cells_took = 0.0

    def __enter__(self) -> Session:
        try:
            self._run(self._open())
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the kernel and remove its folder; safe to call twice."""
        kernel, self._kernel = self._kernel, None
        try:
            if self._crashes is not None:
                self._crashes.close()
            if kernel is not None:
                self._run(kernel.stop())
        finally:
            self._runner.close()

    @property
    def layers(self) -> list[str]:
        """The isolation that the running kernel applied to itself."""
        return self._kernel.layers if self._kernel is not None else []

    def pick(self, picks: dict[str, int]) -> None:
        """Judge, of each name, the object that it had after the given cell; holds for replaced kernels too."""
        self.picks = picks
        with suppress(KernelLost):  # the kernel that has replaced it made the same picks
            self.request({"op": "pick", "picks": picks})

    def request(self, message: dict[str, Any], callback: Callback | None = None) -> dict[str, Any]:
        """Ask the learner's process. Raises Trouble when there is no answer; a lost kernel has been replaced then."""
        if self._kernel is None:
            raise Trouble("killed", NO_KERNEL)
        try:
            reply: dict[str, Any] = self._run(call.ask(self._kernel, message, callback, self.limits.call_seconds))
            return reply
        except KernelLost:
            self._run(self._replace())
            raise

    def folder(self) -> Path:
        """A new empty folder that the learner's code may write to. Raises Trouble when there is no kernel any more."""
        if self._kernel is None:
            raise Trouble("killed", NO_KERNEL)
        try:
            # A name that nobody can know beforehand: a learner's code may have put something else there.
            return Path(tempfile.mkdtemp(prefix="t", dir=self._kernel.work))
        except OSError:
            raise Trouble("protocol", "The folder that the notebook works in is not there any more.") from None

    def crashes(self) -> Crashes:
        """What kills this notebook's answers: processes of its own, which only get the cells' text."""
        if self._crashes is None:
            self._crashes = Crashes(
                self.cells,
                self.stubs,
                self.library,
                sweep_seconds=self.limits.sweep_seconds,
                call_seconds=self.limits.call_seconds,
            )
        return self._crashes

    def _run(self, coroutine: Any) -> Any:
        return self._runner.run(coroutine)

    async def _open(self) -> None:
        self._kernel = await process.start(self.library, self.limits.startup_seconds)
        self._lay_files(self._kernel)
        message = {"op": "scan", "sources": self.cells, "stubs": dict(self.stubs)}
        reply = await call.ask(self._kernel, message, None, self.limits.startup_seconds)
        self.scan, self.cells = wire.decode(reply["scan"]), reply["sources"]
        if isinstance(self.scan, wire.Opaque):
            raise Trouble("output", "The notebook holds more than the grader takes.")
        await self._run_cells()
        if self._kernel is None:
            raise Trouble("killed", NO_KERNEL)

    async def _replace(self) -> None:
        """A new kernel in place of the lost one, with every cell run but those that ended one; None at the limit."""
        if self._kernel is not None:
            kernel, self._kernel = self._kernel, None
            await kernel.stop()
        if self.restarts >= self.limits.max_restarts:
            return
        self.restarts += 1
        self._kernel = await process.start(self.library, self.limits.startup_seconds)
        self._lay_files(self._kernel)
        await self._run_cells()
        if self._kernel is not None and self.picks:
            await call.ask(self._kernel, {"op": "pick", "picks": self.picks}, None, self.limits.call_seconds)

    async def _run_cells(self) -> None:
        """Run the cells; when one takes the kernel with it, leave it out and begin anew with another kernel."""
        kernel = self._kernel
        assert kernel is not None
        plan = [(n, source) for n, source in enumerate(self.cells) if n not in self._skipped and source.strip()]
        announced = [[n, source, self._names_in(n)] for n, source in plan]
        await call.ask(kernel, {"op": "plan", "plan": announced}, None, self.limits.startup_seconds)
        started = monotonic()
        runs = await run_cells(kernel, plan, lambda cell: self._seconds(cell, monotonic() - started), self.on_cell)
        self._cells_took += monotonic() - started
        self.runs |= runs
        ended = [n for n, run in runs.items() if run.outcome == "killed"]
        if ended:
            self._skipped.update(ended)
            await self._replace()
            return
        try:
            reply = await call.ask(kernel, {"op": "noted"}, None, self.limits.startup_seconds)
        except KernelLost:
            # Something that a cell left running has ended the kernel; perhaps it does so later the next time.
            await self._replace()
            return
        self.noted = _noted(reply, len(self.cells))

    def _seconds(self, cell: int, taken: float) -> float:
        """How long a cell may take, when this run of the cells has taken `taken` seconds so far; 0: not run at all."""
        slow = cell in self.runs and self.runs[cell].outcome == "time"
        own = min(AGAIN_SECONDS, self.limits.cell_seconds) if slow else self.limits.cell_seconds
        left = self.limits.notebook_seconds - self._cells_took - taken
        return own if left > own else max(left, 0)

    def _names_in(self, cell: int) -> list[str]:
        return sorted(self.stubs.keys() & set(self.scan.cells[cell].names))

    def _lay_files(self, kernel: KernelProcess) -> None:
        """Copy the small plain files that lie beside the notebook, so that a notebook finds its data."""
        if self.beside is None:
            return
        laid = 0
        for entry in sorted(self.beside.iterdir()):
            info = entry.lstat()
            if stat.S_ISREG(info.st_mode) and info.st_size <= MAX_FILE_BYTES and laid < MAX_FILES:
                with suppress(OSError):  # a file that only its owner may read, or that is just being deleted
                    shutil.copyfile(entry, kernel.work / entry.name, follow_symlinks=False)
                    laid += 1


def _noted(reply: dict[str, Any], cells: int) -> dict[str, list[tuple[int, bool]]]:
    """What the kernel says it noted. Raises Trouble when a cell has made nonsense of it."""
    try:
        return {
            str(name): [(range(cells).index(cell), bool(called)) for cell, called in seen]
            for name, seen in reply["noted"].items()
        }
    except (AttributeError, KeyError, TypeError, ValueError):
        raise Trouble("protocol", "A cell has changed what the grader works with.") from None
