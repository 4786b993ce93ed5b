"""The grader's side of the crash harness: started when a test first asks for it, ended with the notebook.

It has nothing to do with the notebook's kernel. It gets the cells' text, and runs answers from that.
"""

from __future__ import annotations

import json
import select
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

from course_lib import crash
from grader.kernel import wire
from grader.kernel.process import environment
from grader.kernel.trouble import Trouble

INSPECTOR_SECONDS = 30


class Crashes:
    """Kills answers that stand in `cells`. `stubs` are the digests that count as not written, by name."""

    def __init__(
        self,
        cells: Sequence[str],
        stubs: Mapping[str, str],
        library: Path,
        *,
        sweep_seconds: float,
        call_seconds: float,
        walls: bool = True,
    ) -> None:
        self.cells = list(cells)
        self.stubs = stubs
        self.library = library
        self.sweep_seconds = sweep_seconds
        self.call_seconds = call_seconds
        self.walls = walls
        self._helper: crash.Helper | None = None
        self._inspector: subprocess.Popen[bytes] | None = None
        self._scratch: Path | None = None
        self._cases: Path | None = None

    def teach(self, cells: Sequence[str]) -> None:
        """From now on kill what stands in these cells; the process stays."""
        self.cells = list(cells)
        if self._helper is not None:
            self._helper.sources.clear()

    def bench(self, names: Sequence[str], new_desk: Callable[[], Any], programs: Sequence[str] = ()) -> crash.Bench:
        """Where cases of these functions run, in a new folder. Raises NotWrittenError and Trouble.

        `programs` are texts of a test's own that stand below the cells: functions that use the answers.
        """
        if self._helper is None:
            self._start()
        helper, cases = self._helper, self._cases
        assert helper is not None
        assert cases is not None
        for name in dict.fromkeys(names):
            if name not in helper.sources:
                helper.learn(name, [*self.cells, *programs], [digest for digest in self.stubs.values() if digest])
        root = Path(tempfile.mkdtemp(prefix="c", dir=cases))
        return crash.Bench(helper, root, new_desk, seconds=self.call_seconds)

    @property
    def layers(self) -> list[str]:
        """The isolation that the harness applied to itself; none before it has started."""
        with suppress(OSError, ValueError):
            return list(json.loads((self._scratch / "layers").read_text())) if self._scratch else []
        return []

    def inspect(self, folders: Sequence[Path], request: dict[str, Any]) -> list[Any]:
        """What a process that knows nothing of the learner sees in each of these folders."""
        self._rooms()
        asked = json.dumps({**request, "folders": [str(folder) for folder in folders]})
        try:
            answers = json.loads(self._inspected(asked.encode() + b"\n"))["answers"]
            return [wire.decode(answer) for answer, _ in zip(answers, folders, strict=True)]
        except (OSError, EOFError, ValueError, LookupError, RecursionError):
            self._unlook()
            raise Trouble("protocol", "What the cases left behind could not be read.") from None

    def room(self) -> Path:
        """A new empty folder that the inspector can read, for files of a test's own folder."""
        self._rooms()
        return Path(tempfile.mkdtemp(prefix="r", dir=self._cases))

    def _inspected(self, asked: bytes) -> bytes:
        """The inspector's line in answer to one of ours; it is started when it is not there."""
        if self._inspector is None or self._inspector.poll() is not None:
            assert self._scratch is not None
            (self._scratch / "look").mkdir(exist_ok=True)
            self._inspector = subprocess.Popen(
                self._command("inspector"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=self._environment(),
                bufsize=0,
            )
        stdin, stdout = self._inspector.stdin, self._inspector.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(asked)
        ends, answer = monotonic() + INSPECTOR_SECONDS, b""
        while not answer.endswith(b"\n"):
            if not select.select([stdout], [], [], max(ends - monotonic(), 0))[0]:
                raise TimeoutError
            more = stdout.read(1 << 18)
            if not more:
                raise EOFError
            answer += more
        return answer

    def _unlook(self) -> None:
        """End the inspector."""
        inspector, self._inspector = self._inspector, None
        if inspector is not None:
            inspector.kill()
            inspector.wait()
            for end in (inspector.stdin, inspector.stdout):
                if end is not None:
                    end.close()

    def lost(self) -> None:
        """Forget a harness that did not answer; the next test gets another."""
        helper, self._helper = self._helper, None
        if helper is not None:
            helper.close()

    def close(self) -> None:
        """End the process and remove the folders; safe to call twice."""
        self.lost()
        self._unlook()
        for folder in (self._scratch, self._cases):
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)
        self._scratch = self._cases = None

    def _start(self) -> None:
        self._rooms()
        assert self._scratch is not None
        with (self._scratch / "crash.log").open("ab") as log:
            self._helper = crash.Helper(self._command("harness"), self._environment(), log)

    def _rooms(self) -> None:
        """Make the folders, once."""
        if self._scratch is None or self._cases is None:
            self._scratch = Path(tempfile.mkdtemp(prefix="grader-"))
            self._cases = Path(tempfile.mkdtemp(prefix="grader-cases-", dir=crash.roomy()))
            for name in ("tmp", "work", "lib"):
                (self._scratch / name).mkdir()
            (self._scratch / "lib" / "course_lib").symlink_to(self.library, target_is_directory=True)

    def _command(self, name: str) -> list[str]:
        walls = "yes" if self.walls else "no"
        return [sys.executable, "-P", "-m", f"grader.kernel.{name}", str(self._scratch), str(self._cases), walls]

    def _environment(self) -> dict[str, str]:
        assert self._scratch is not None
        made = environment(self._scratch)
        made["TMPDIR"] = str(self._scratch / "tmp")
        return made
