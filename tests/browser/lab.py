"""A real JupyterLab on loopback, started as `make lab` starts it, with every folder that it writes to its own."""

from __future__ import annotations

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

COURSE = Path(__file__).parents[2]
START_SECONDS = 60
STOP_SECONDS = 20


@contextmanager
def lab(folder: Path, home: Path) -> Iterator[str]:
    """JupyterLab on `folder`, without a token, settings and the like in `home`: the URL of the server."""
    port = _free_port()
    arguments = [
        "--no-browser",
        f"--port={port}",
        "--ServerApp.port_retries=0",
        "--ServerApp.ip=127.0.0.1",
        "--ServerApp.allow_root=True",
        "--IdentityProvider.token=",
        # The tests read the notebook's state where JupyterLab keeps it: cells that are out of view have no elements.
        "--LabApp.expose_app_in_browser=True",
    ]
    with (home / "lab.log").open("wb") as log:
        command = ["/bin/sh", "-c", _make_lab(folder, arguments)]
        shell = subprocess.Popen(command, cwd=COURSE, env=_environment(home), stdout=log, stderr=log)
        server = _started(shell, home)
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            _end(server, shell)


def _make_lab(folder: Path, arguments: list[str]) -> str:
    """The line of shell behind `make lab`, on another folder."""
    clean = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL")}
    venv = os.path.relpath(sys.prefix, COURSE)
    call = ["make", "-n", "lab", f"VENV={venv}", f"LAB_ARGS={shlex.join(arguments)}"]
    done = subprocess.run(call, cwd=COURSE, env=clean, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1].replace(" lab notebooks ", f" lab {shlex.quote(str(folder))} ")


def _environment(home: Path) -> dict[str, str]:
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("COURSE_", "JUPYTER"))}
    folders = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
    }
    return {**ours, **{name: str(home / folder) for name, folder in folders.items()}}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _started(shell: subprocess.Popen[bytes], home: Path) -> int:
    """The server's process id, once it answers: it says so by a file in its runtime folder."""
    until = time.monotonic() + START_SECONDS
    while shell.poll() is None and time.monotonic() < until:
        for said in (home / "runtime").glob("jpserver-*.json"):
            with suppress(ValueError):  # still being written
                return int(json.loads(said.read_text())["pid"])
        time.sleep(0.1)
    shell.kill()
    raise RuntimeError(f"JupyterLab did not start:\n{(home / 'lab.log').read_text()}")


def _end(server: int, shell: subprocess.Popen[bytes]) -> None:
    """Ask the server to stop, which ends its kernels too; insist when it does not. The shell follows it."""
    os.kill(server, signal.SIGTERM)
    try:
        shell.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        os.kill(server, signal.SIGKILL)
        shell.wait()
