"""Running a solved notebook from top to bottom, in a folder and with a journal that are thrown away."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from traitlets import default

from grader.build.cells import mistake
from grader.build.notebook import Built, dump_notebook
from grader.course import Course, CourseError

# Predictions carry the time at which they were made; a fixed one keeps outputs the same between builds.
CLOCK = "2026-01-01T12:00:00Z"
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def solve(
    course: Course, notebook: dict[str, Any], cells: list[Built], where: str, beside: Mapping[str, bytes]
) -> bytes:
    """The file's bytes: `notebook` with its outputs. Raises CourseError naming the line whose cell failed.

    `beside` holds the notebooks that lie in its folder, by name: one that builds on earlier answers loads them there.
    """
    ran = nbformat.reads(dump_notebook(notebook).decode(), as_version=4)  # type: ignore[no-untyped-call]
    with tempfile.TemporaryDirectory(prefix="build-") as scratch:
        folder = Path(scratch)
        (folder / "work").mkdir()
        for name, data in beside.items():
            (folder / "work" / name).write_bytes(data)
        started: list[int] = []
        client = NotebookClient(
            ran,
            on_cell_start=lambda cell, cell_index: started.append(cell_index),
            kernel_name="python3",
            kernel_manager_class=_Kernel,
            timeout=int(course.limits.cell_seconds),
            startup_timeout=int(course.limits.startup_seconds),
            record_timing=False,
            coalesce_streams=True,
            resources={"metadata": {"path": str(folder / "work")}},
        )
        manager = client.create_kernel_manager()
        # Files in the scratch folder instead of ports that anybody on this machine may connect to.
        manager.transport, manager.ip = "ipc", str(folder / "kernel")
        try:
            client.execute(env=_environment(course, folder))
        except CellExecutionError as error:
            cell = cells[started[-1]]
            what = _COLOURS.sub("", f"{error.ename}: {error.evalue}")
            raise mistake(where, cell.line, f"the solved cell raises {what}", "Correct the cell") from None
        except CellTimeoutError:
            cell = cells[started[-1]]
            limit = f"{course.limits.cell_seconds:g} s"
            raise mistake(where, cell.line, f"the solved cell runs longer than {limit}", "Make it faster") from None
        except DeadKernelError:
            cell = cells[started[-1]]
            raise mistake(where, cell.line, "the solved cell ends the kernel", "Correct the cell") from None
        except RuntimeError as error:
            raise CourseError(f"{where}: no kernel to run it in ({error}). Run `grader doctor`.") from None
    # What ran it (a version of Python) is no part of the notebook.
    ran.metadata = nbformat.from_dict(notebook["metadata"])  # type: ignore[no-untyped-call]
    text: str = nbformat.writes(ran)  # type: ignore[no-untyped-call]
    return f"{text}\n".encode()


class _Kernel(AsyncKernelManager):
    """A kernel of this very Python, whatever kernels are installed elsewhere under the same name."""

    @default("kernel_spec_manager")
    def _only_this_python(self) -> KernelSpecManager:
        return KernelSpecManager(kernel_dirs=[])


def _environment(course: Course, folder: Path) -> dict[str, str]:
    here = Path(__file__).resolve().parents[2]
    paths = dict.fromkeys([str(course.base), str(here)])
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTHONHASHSEED": "0",
        "COURSE_JOURNAL": str(folder / "predictions"),
        "COURSE_CLOCK": CLOCK,
        "IPYTHONDIR": str(folder / "ipython"),  # nobody's own start-up files
    }
