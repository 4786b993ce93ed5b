"""The grader's side of `tests.proofs.server`: a room where a notebook has been run, and the answers in it."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any

from grader.course import Course
from grader.kernel.crash import Crashes
from grader.kernel.trouble import Trouble
from tests.proofs.course import Solved
from tests.proofs.loader import Candidate

Message = dict[str, Any]
Callback = Callable[[Message], Message]
ROOT = Path(__file__).parents[2]


class Room:
    """One notebook, run once. `answer` gives the transport of one candidate."""

    def __init__(self, solved: Solved, call_seconds: float, startup_seconds: float) -> None:
        self.solved = solved
        self.call_seconds = call_seconds
        self._crashes: Crashes | None = None
        self.scratch = Path(tempfile.mkdtemp(prefix="proofs-"))
        (self.scratch / "work").mkdir()
        self._control, theirs = socket.socketpair()
        with theirs, (self.scratch / "log").open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.proofs.server", str(theirs.fileno())],
                cwd=self.scratch / "work",
                env=_environment(self.scratch),
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        try:
            self._control.settimeout(startup_seconds)
            lines = self._control.makefile("rwb")
            lines.write(json.dumps(solved.cells).encode() + b"\n")
            lines.flush()
            warm = json.loads(lines.readline() or b"{}")
            if warm.get("failed") or not warm.get("warm"):
                said = "; ".join(warm.get("failed", [])) or (self.scratch / "log").read_text(errors="replace")[-800:]
                raise RuntimeError(f"{solved.name}: the solved notebook does not run: {said}")
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the process and remove its folder."""
        self._control.close()
        self._process.kill()
        self._process.wait()
        if self._crashes is not None:
            self._crashes.close()
        shutil.rmtree(self.scratch, ignore_errors=True)

    def answer(self, candidate: Candidate) -> Answer:
        """A transport behind which `candidate` stands in the place of the notebook's own answer."""
        return Answer(self, candidate)

    def witness(self, mutant: Candidate) -> str:
        """What the mutant's witness says, as text."""
        request = {
            "op": "witness",
            "name": mutant.exercise,
            "forget": self.solved.own[mutant.exercise],
            "text": mutant.text,
            "file": f"{mutant.slug}.py",
        }
        fork = Fork(self, 2 * self.call_seconds)
        try:
            return str(fork.ask(request, None)["said"])
        except Trouble as trouble:
            return trouble.sentence
        finally:
            fork.close()

    def crashes(self, cells: list[str]) -> Crashes:
        """What kills answers, one notebook after the other: starting it costs more than most sweeps."""
        if self._crashes is None:
            limits = Course.load().limits
            seconds = {"sweep_seconds": limits.sweep_seconds, "call_seconds": limits.call_seconds}
            self._crashes = Crashes(cells, {}, ROOT / "course_lib", **seconds)
        self._crashes.teach(cells)
        return self._crashes

    def enter(self) -> socket.socket:
        """Our end of a line to a new fork."""
        ours, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(self._control, [b"f"], [theirs.fileno()])
        return ours


class Fork:
    """One forked process, held to a time limit for each request."""

    def __init__(self, room: Room, seconds: float) -> None:
        self._socket = room.enter()
        self._lines = self._socket.makefile("rwb")
        self.seconds = seconds
        self._socket.settimeout(seconds)
        self.pid = int(json.loads(self._lines.readline())["pid"])

    def ask(self, request: Message, callback: Callback | None) -> Message:
        """The reply to one request. After a Trouble the process is gone."""
        ends = monotonic() + self.seconds
        try:
            self._send(request)
            while True:
                self._socket.settimeout(max(0.001, ends - monotonic()))
                line = self._lines.readline()
                if not line:
                    raise Trouble("killed", "The call ended the whole process it ran in.")
                message: Message = json.loads(line)
                if message["t"] != "callback":
                    return message
                self._send(callback(message) if callback else {})
        except TimeoutError:
            raise Trouble("time", f"It did not come back within {self.seconds:g} s.") from None
        except OSError:
            raise Trouble("killed", "The call ended the whole process it ran in.") from None

    def close(self) -> None:
        """End the process and whatever it started."""
        with contextlib.suppress(OSError):
            os.killpg(self.pid, signal.SIGKILL)
        self._lines.close()
        self._socket.close()

    def _send(self, message: Message) -> None:
        self._lines.write(json.dumps(message).encode() + b"\n")
        self._lines.flush()


class Answer:
    """A candidate as the judge's `Transport`. `failed` says what kept its cell from running to the end."""

    def __init__(self, room: Room, candidate: Candidate) -> None:
        self._room = room
        self._candidate = candidate
        self._folders = Path(tempfile.mkdtemp(dir=room.scratch))
        self._count = 0
        self._fork: Fork | None = None
        self._crashes: Crashes | None = None
        self.failed = ""

    def __enter__(self) -> Answer:
        return self

    def __exit__(self, *_: object) -> None:
        if self._fork is not None:
            self._fork.close()
        shutil.rmtree(self._folders, ignore_errors=True)

    def request(self, message: Message, callback: Callback | None = None) -> Message:
        """Ask the candidate; a process that was lost is replaced at the next request, as a kernel would be."""
        if self._fork is None:
            self._fork = self._begin()
        try:
            reply: Message = self._fork.ask(message, callback)["reply"]
            return reply
        except Trouble:
            self._fork.close()
            self._fork = None
            raise

    def folder(self) -> Path:
        """A new empty folder for one test."""
        self._count += 1
        folder = self._folders / f"t{self._count}"
        folder.mkdir()
        return folder

    def crashes(self) -> Crashes:
        """What kills this candidate: its cell among the notebook's own."""
        if self._crashes is None:
            self._crashes = self._room.crashes(self._room.solved.with_answer(self._candidate))
        return self._crashes

    def _begin(self) -> Fork:
        fork = Fork(self._room, self._room.call_seconds)
        forget = self._room.solved.own[self._candidate.exercise]
        self.failed = fork.ask({"op": "define", "cell": self._candidate.cell, "forget": forget}, None)["failed"]
        return fork


def _environment(scratch: Path) -> dict[str, str]:
    """As in a grading kernel: nothing of this shell but what Python needs."""
    work = str(scratch / "work")
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": work,
        "TMPDIR": str(scratch),
        "LANG": "C.UTF-8",
        "IPYTHONDIR": f"{work}/.ipython",
        "MPLBACKEND": "agg",
        "MPLCONFIGDIR": os.environ.get("MPLCONFIGDIR") or str(Path.home() / ".cache" / "matplotlib"),
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
        "COURSE_GRADING": "1",
        "COURSE_JOURNAL": f"{work}/predictions",
    }
