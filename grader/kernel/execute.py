"""Running a notebook's cells, one after the other, through nbclient."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any

# jsonschema loads these where they are installed, as JupyterLab has them, for formats that no notebook uses: the first
# compiles a grammar of 1.3 s in every start of the grader. An entry of None makes them "absent".
for _package in ("rfc3987_syntax", "isoduration", "uri_template"):
    sys.modules.setdefault(_package, None)  # type: ignore[arg-type]

from nbclient.client import NotebookClient  # noqa: E402
from nbclient.exceptions import DeadKernelError  # noqa: E402
from nbformat import v4  # noqa: E402

from grader.kernel.process import KernelProcess  # noqa: E402

# nbclient reports every dead kernel and timeout as an error of its own; here they are outcomes.
QUIET = logging.getLogger("grader.nbclient")
QUIET.disabled = True
# After an interrupt a cell may clean up for this long before its kernel is ended.
GRACE_SECONDS = 2.0


@dataclass(frozen=True)
class CellRun:
    """How one cell went: "ok", "error" (it raised), "time" (it was interrupted), "killed" (its kernel is gone)."""

    outcome: str
    error: str = ""


class _Client(NotebookClient):
    """Keeps no output but errors: nobody looks at it, and a loop that prints would fill the grader's memory."""

    def process_message(self, msg: dict[str, Any], cell: Any, cell_index: int) -> Any:
        """Pass on what says how the cell went."""
        if msg["header"]["msg_type"] in ("error", "status", "execute_input", "clear_output"):
            return super().process_message(msg, cell, cell_index)
        return None


async def run_cells(
    kernel: KernelProcess,
    cells: list[tuple[int, str]],
    seconds: Callable[[int], float],
    on_cell: Callable[[int], None],
) -> dict[int, CellRun]:
    """Execute (number, source) pairs in order; the outcome of each by its number.

    Stops after a cell that took the kernel with it; the cells behind that one have no entry.
    """
    notebook = v4.new_notebook(cells=[v4.new_code_cell(source) for _, source in cells])  # type: ignore[no-untyped-call]
    client = _Client(
        notebook,
        km=kernel.manager,
        allow_errors=True,
        interrupt_on_timeout=True,
        error_on_timeout={"ename": "TimeoutError", "evalue": "the cell ran out of time", "traceback": []},
        iopub_timeout=1,  # for the last output of an interrupted cell, which nobody waits for
        record_timing=False,
        store_widget_state=False,
        log=QUIET,
    )
    client.kc = kernel.client
    runs: dict[int, CellRun] = {}
    for position, (number, _) in enumerate(cells):
        on_cell(number)
        allowed = seconds(number)
        if allowed < 1:
            runs[number] = CellRun("time", "not run: the cells before it used up the notebook's time")
            continue
        run = await _run_cell(client, kernel, position, allowed)
        runs[number] = run
        if run.outcome == "killed":
            break
    return runs


async def _run_cell(client: NotebookClient, kernel: KernelProcess, position: int, seconds: float) -> CellRun:
    cell = client.nb.cells[position]
    client.timeout = max(1, round(seconds))
    started = monotonic()
    gone = CellRun("killed", "the kernel did not survive this cell")
    try:
        async with asyncio.timeout(client.timeout + GRACE_SECONDS + client.iopub_timeout):
            await client.async_execute_cell(cell, position)
    except (DeadKernelError, TimeoutError):
        task = asyncio.current_task()
        if task is not None and task.cancelling():  # Ctrl-C: nbclient calls every cancellation a dead kernel
            raise asyncio.CancelledError from None
        return gone
    except Exception:  # the learner's code can send anything in the kernel's name, and nbclient trips where it will
        return CellRun("killed", "the kernel talked nonsense during this cell")
    if monotonic() - started >= client.timeout:
        # nbclient has interrupted it. A cell that goes on all the same would hold up every cell behind it.
        idle = await kernel.idle(GRACE_SECONDS)
        return CellRun("time", f"stopped after {client.timeout} s") if idle else gone
    if not kernel.alive():
        return gone
    for output in cell.outputs:
        if output.output_type == "error":
            return CellRun("error", f"{output.ename}: {output.evalue}"[:300])
    return CellRun("ok")
