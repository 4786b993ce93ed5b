"""Starting and stopping one kernel: a process of its own, in a scratch folder of its own, over unix sockets."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from jupyter_client.asynchronous.client import AsyncKernelClient
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager

LAUNCH = [sys.executable, "-P", "-m", "grader.kernel.launch"]


class KernelStartError(RuntimeError):
    """The kernel did not come up: the grader's own trouble, never the learner's."""


@dataclass
class KernelProcess:
    """A running kernel. `work` is the folder that its cells run in; `layers` names the isolation that it applied."""

    manager: AsyncKernelManager
    client: AsyncKernelClient
    scratch: Path
    layers: list[str]

    @property
    def work(self) -> Path:
        """The folder that cells run in."""
        return self.scratch / "work"

    async def interrupt(self) -> None:
        """Interrupt what runs, as the stop button of a notebook does."""
        await self.manager.signal_kernel(signal.SIGINT)

    async def alive(self) -> bool:
        """Whether the process is there."""
        return bool(await self.manager.is_alive())

    async def idle(self, seconds: float) -> bool:
        """Whether the kernel answers a plain question within `seconds`: not while it runs a cell or a call."""
        try:
            await asyncio.wait_for(_kernel_info(self.client), seconds)
        except Exception:  # no answer in time, or nonsense
            return False
        return True

    async def stop(self) -> None:
        """End the process and everything in its process group, and remove its scratch folder."""
        try:
            self.client.stop_channels()
            await self.manager.shutdown_kernel(now=True)
        finally:
            shutil.rmtree(self.scratch, ignore_errors=True)


async def start(library: Path, seconds: float) -> KernelProcess:
    """A kernel that is ready to be asked; raises KernelStartError when it is not so within `seconds`.

    `library` is the folder that holds the grader's own ``course_lib``.
    """
    # A short path: a unix socket's name may have 108 bytes.
    scratch = Path(tempfile.mkdtemp(prefix="grader-"))
    try:
        return await _start(scratch, library, seconds)
    except BaseException:  # whoever presses Ctrl-C meanwhile leaves no folder behind either
        shutil.rmtree(scratch, ignore_errors=True)
        raise


async def _start(scratch: Path, library: Path, seconds: float) -> KernelProcess:
    for name in ("work", "work/tmp", "sockets", "lib"):
        (scratch / name).mkdir()
    (scratch / "lib" / "course_lib").symlink_to(library, target_is_directory=True)
    manager = AsyncKernelManager(
        transport="ipc",
        ip=str(scratch / "sockets" / "k"),
        connection_file=str(scratch / "sockets" / "connection.json"),
        shutdown_wait_time=0.1,
    )
    manager._kernel_spec = KernelSpec(argv=[*LAUNCH, str(scratch), "{connection_file}"], language="python")
    try:
        with (scratch / "kernel.log").open("wb") as log:
            await manager.start_kernel(cwd=str(scratch / "work"), env=environment(scratch), stdout=log, stderr=log)
        client = await asyncio.wait_for(_connect(manager, scratch), seconds)
        layers = json.loads((scratch / "sockets" / "layers").read_text())
    except BaseException as error:
        await manager.shutdown_kernel(now=True)
        if not isinstance(error, TimeoutError | KernelStartError | FileNotFoundError | json.JSONDecodeError):
            raise
        log_tail = (scratch / "kernel.log").read_text(errors="replace").strip()[-600:]
        raise KernelStartError(f"the kernel did not start within {seconds:g} s. {log_tail}") from error
    return KernelProcess(manager, client, scratch, layers)


async def _connect(manager: AsyncKernelManager, scratch: Path) -> AsyncKernelClient:
    # A client that connects before the kernel has bound waits 100 ms for zmq's next try: look for the socket first.
    while not any((scratch / "sockets").glob("k-*")):
        if not await manager.is_alive():
            raise KernelStartError("the kernel's process ended")
        await asyncio.sleep(0.01)
    client: AsyncKernelClient = manager.client()
    client.allow_stdin = False
    client.start_channels(hb=False)
    # The kernel greets a subscriber once its output reaches us; before that a cell's output could be lost.
    await client.iopub_channel.get_msg(timeout=None)
    await _kernel_info(client)
    return client


async def _kernel_info(client: AsyncKernelClient) -> None:
    message = client.kernel_info()
    while (await client.shell_channel.get_msg(timeout=None))["parent_header"].get("msg_id") != message:
        pass


def environment(scratch: Path) -> dict[str, str]:
    """A kernel's whole environment, built from nothing: no secret of the grader's shell reaches a notebook."""
    work = str(scratch / "work")
    environment = {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), "/usr/local/bin", "/usr/bin", "/bin"]),
        "HOME": work,
        "TMPDIR": f"{work}/tmp",
        "LANG": "C.UTF-8",
        "IPYTHONDIR": f"{work}/tmp/ipython",
        "JUPYTER_CONFIG_DIR": f"{work}/tmp/jupyter",
        "JUPYTER_PLATFORM_DIRS": "1",
        "MPLCONFIGDIR": str(font_cache()),
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": str(scratch / "lib"),
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        "COURSE_GRADING": "1",
        "COURSE_JOURNAL": f"{work}/tmp/predictions",
    }
    for kept in ("SYSTEMROOT", "LD_LIBRARY_PATH"):
        if kept in os.environ:
            environment[kept] = os.environ[kept]
    return environment


def font_cache() -> Path:
    """The folder with matplotlib's list of fonts, made once per user: without it each kernel would look anew."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = base / "accountable-agents" / "matplotlib"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
