"""Starting and stopping one kernel: a process of its own, in a scratch folder of its own, over unix sockets."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_client.asynchronous.client import AsyncKernelClient
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager

from grader.kernel.line import Line

LAUNCH = [sys.executable, "-P", "-m", "grader.kernel.launch"]
END_SECONDS = 5.0


class KernelStartError(RuntimeError):
    """The kernel did not come up: the grader's own trouble, never the learner's."""


@dataclass
class KernelProcess:
    """A running kernel. `work` is the folder that its cells run in; `layers` names the isolation that it applied.

    Cells go over Jupyter's channels, through `client`; calls go over `line`.
    """

    manager: AsyncKernelManager
    client: AsyncKernelClient
    process: subprocess.Popen[bytes]
    line: Line
    scratch: Path
    layers: list[str]

    @property
    def work(self) -> Path:
        """The folder that cells run in."""
        return self.scratch / "work"

    def interrupt(self) -> None:
        """Interrupt what runs, and what that has started, as the stop button of a notebook does."""
        if self.alive():
            os.killpg(self.process.pid, signal.SIGINT)

    def alive(self) -> bool:
        """Whether the process is there."""
        return self.process.poll() is None

    def ended(self, seconds: float) -> bool:
        """Whether the process is gone, or goes within `seconds`."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    async def idle(self, seconds: float) -> bool:
        """Whether the kernel answers a plain question within `seconds`: not while it runs a cell or a call."""
        try:
            await asyncio.wait_for(_kernel_info(self.client), seconds)
        except Exception:  # no answer in time, or one of the learner's making that Jupyter trips over somewhere
            return False
        return True

    async def stop(self) -> None:
        """End the process and everything in its process group, and remove its scratch folder."""
        try:
            self.line.end.close()
            self.client.stop_channels()
            await _end(self.manager, self.process)
        finally:
            shutil.rmtree(self.scratch, ignore_errors=True)


@dataclass
class Launched:
    """A kernel's process that has been started and may not be ready yet. It must be made `ready`, or stopped."""

    manager: AsyncKernelManager
    process: subprocess.Popen[bytes]
    line: Line
    scratch: Path

    async def ready(self, seconds: float) -> KernelProcess:
        """The kernel, once it can be asked; raises KernelStartError, and ends it, when it is not so in `seconds`."""
        try:
            client = await asyncio.wait_for(_connect(self.manager, self.scratch), seconds)
            layers = json.loads((self.scratch / "sockets" / "layers").read_text())
        except (TimeoutError, KernelStartError, FileNotFoundError, json.JSONDecodeError) as error:
            log_tail = (self.scratch / "kernel.log").read_text(errors="replace").strip()[-600:]
            await self.stop()
            raise KernelStartError(f"the kernel did not start within {seconds:g} s. {log_tail}") from error
        except BaseException:  # whoever presses Ctrl-C meanwhile leaves no kernel behind either
            await self.stop()
            raise
        return KernelProcess(self.manager, client, self.process, self.line, self.scratch, layers)

    async def stop(self) -> None:
        """End the process and everything in its process group, and remove its scratch folder."""
        try:
            self.line.end.close()
            await _end(self.manager, self.process)
        finally:
            shutil.rmtree(self.scratch, ignore_errors=True)


async def launch(library: Path) -> Launched:
    """Start a kernel's process. `library` is the folder that holds the grader's own ``course_lib``."""
    # A short path: a unix socket's name may have 108 bytes.
    scratch = Path(tempfile.mkdtemp(prefix="grader-"))
    try:
        return await _launch(scratch, library)
    except BaseException:
        shutil.rmtree(scratch, ignore_errors=True)
        raise


async def _launch(scratch: Path, library: Path) -> Launched:
    for name in ("work", "work/tmp", "sockets", "lib"):
        (scratch / name).mkdir()
    (scratch / "lib" / "course_lib").symlink_to(library, target_is_directory=True)
    manager = AsyncKernelManager(
        transport="ipc",
        ip=str(scratch / "sockets" / "k"),
        connection_file=str(scratch / "sockets" / "connection.json"),
        shutdown_wait_time=0.1,
    )
    ours, theirs = socket.socketpair()
    argv = [*LAUNCH, str(scratch), "{connection_file}", str(theirs.fileno())]
    manager._kernel_spec = KernelSpec(argv=argv, language="python")
    try:
        with theirs, (scratch / "kernel.log").open("wb") as log:
            await manager.start_kernel(
                cwd=str(scratch / "work"),
                env=environment(scratch),
                stdout=log,
                stderr=log,
                pass_fds=[theirs.fileno()],
            )
    except BaseException:
        ours.close()
        await manager.shutdown_kernel(now=True)
        raise
    provisioner: Any = manager.provisioner
    return Launched(manager, provisioner.process, Line(ours), scratch)


async def _end(manager: AsyncKernelManager, process: subprocess.Popen[bytes]) -> None:
    """What shutdown_kernel(now=True) does, without its looking every 100 ms whether the process is gone."""
    provisioner: Any = manager.provisioner
    await provisioner.kill()
    with suppress(subprocess.TimeoutExpired):
        process.wait(END_SECONDS)
        await provisioner.wait()
    await manager.cleanup_resources()


async def _connect(manager: AsyncKernelManager, scratch: Path) -> AsyncKernelClient:
    # A client that connects before the kernel has bound waits 100 ms for zmq's next try: look for the socket first.
    while not any((scratch / "sockets").glob("k-*")):
        if not await manager.is_alive():
            raise KernelStartError("the kernel's process ended")
        await asyncio.sleep(0.01)
    client: AsyncKernelClient = manager.client()
    client.allow_stdin = False
    client.start_channels(stdin=False, hb=False)
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
