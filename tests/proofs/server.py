"""A process that has run a notebook's cells once, and forks itself for each answer to be judged.

``python -m tests.proofs.server FD``. A fork is the cheapest honest isolation: a candidate finds the notebook as its
cells left it, modules and current folder included, and what it does to them ends with its process. Requests are those
of `grader.kernel.inside.perform`, one JSON object a line, as a kernel would be asked.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import socket
import sys
import tempfile
import traceback
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from grader.kernel import inside

SETTINGS = Config({"HistoryManager": {"enabled": False}, "InteractiveShell": {"colors": "nocolor"}})


def main(control: socket.socket) -> None:
    """Run the cells that come first, then fork once for each socket that comes, until nobody holds the other end."""
    shell = InteractiveShell.instance(config=SETTINGS)
    lines = control.makefile("rwb")
    cells = json.loads(lines.readline())
    failed = [f"cell {at + 1}: {error}" for at, cell in enumerate(cells) if (error := _run(shell, cell))]
    gc.freeze()  # a collection in a fork would touch, and so copy, all that is shared
    _send(lines, {"failed": failed, "warm": True})
    while True:
        ask, descriptors, _, _ = socket.recv_fds(control, 1, 1)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not ask:
            return
        if os.fork() == 0:
            control.close()
            _serve(shell, socket.socket(fileno=descriptors[0]))
        os.close(descriptors[0])


def _serve(shell: InteractiveShell, talk: socket.socket) -> None:
    """One candidate's life. Never returns."""
    try:
        # What a candidate starts dies with it.
        os.setpgid(0, 0)
        lines = talk.makefile("rwb")
        _send(lines, {"pid": os.getpid()})
        desk = inside.Desk(shell.user_ns)

        def ask(message: dict[str, Any]) -> dict[str, Any]:
            _send(lines, message)
            reply: dict[str, Any] = json.loads(lines.readline())
            return reply

        for line in lines:
            request = json.loads(line)
            match request["op"]:
                case "define":
                    for name in request["forget"]:
                        shell.user_ns.pop(name, None)
                    _send(lines, {"t": "reply", "failed": _run(shell, request["cell"])})
                case "witness":
                    _send(lines, {"t": "reply", "said": _witness(shell, request)})
                case _:
                    _send(lines, {"t": "reply", "reply": inside.perform(desk, request, ask)})
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


def _run(shell: InteractiveShell, cell: str) -> str:
    """What kept the cell from running to its end, or nothing."""
    result = shell.run_cell(cell, store_history=False)
    error = result.error_before_exec or result.error_in_exec
    return f"{type(error).__name__}: {error}" if error else ""


def _witness(shell: InteractiveShell, request: dict[str, Any]) -> str:
    """What the witness came to, as text: "True" when the mutant differs from the notebook's own answer."""
    module = dict(shell.user_ns)
    for name in request["forget"]:
        module.pop(name, None)
    reference = shell.user_ns[request["name"]]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            exec(compile(request["text"], request["file"], "exec"), module)
            return repr(module["witness"](module[request["name"]], reference))
        except BaseException as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            return f"{type(error).__name__}: {error} (line {last.lineno} of {last.name})"
        finally:
            os.chdir("/")


def _send(lines: Any, message: dict[str, Any]) -> None:
    lines.write(json.dumps(message).encode() + b"\n")
    lines.flush()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one who started this process ends it
    main(socket.socket(fileno=int(sys.argv[1])))
