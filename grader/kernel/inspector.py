"""The command that looks at what cases left behind: a process of its own, confined, that runs no learner code.

``python -m grader.kernel.inspector SCRATCH CASES yes|no``: each line on stdin is a request in JSON, each line on stdout
the answer to one. A database is copied first, so that looking changes nothing; a learner's code wrote it, so neither
its size nor its schema is trusted.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import stat
import sys
import tempfile
from pathlib import Path
from time import monotonic
from typing import Any

from grader.kernel import confine, wire

MAX_DATABASE = 20_000_000
MAX_FILE = 1_000_000
MAX_ROWS = 200
MAX_CELL = 20_000
SECONDS = 2.0


def main(scratch: Path, cases: Path, walls: bool) -> None:
    """Answer requests until the grader hangs up."""
    import course_lib

    if walls:
        library = Path(course_lib.__file__).resolve().parent
        confine.confine(writable=[scratch / "look"], readable=[cases], library=library)
    for line in sys.stdin:
        request = json.loads(line)
        look = {"rows": _rows, "file": _file, "names": _names}[request["look"]]
        answers = [_plain(look, Path(folder), request, scratch / "look") for folder in request["folders"]]
        sys.stdout.write(json.dumps({"answers": answers}) + "\n")
        sys.stdout.flush()


def _plain(look: Any, folder: Path, request: dict[str, Any], room: Path) -> Any:
    try:
        return wire.encode(look(folder, request, room))
    except (OSError, sqlite3.Error, ValueError, OverflowError):
        return None


def _rows(folder: Path, request: dict[str, Any], room: Path) -> list[tuple[Any, ...]] | None:
    """The rows that a query gives, None where there is no such database or it cannot answer."""
    with tempfile.TemporaryDirectory(dir=room) as copy:
        for ending in ("", "-wal"):
            if not _copied(folder / (request["db"] + ending), Path(copy) / f"db{ending}") and not ending:
                return None
        with contextlib.closing(sqlite3.connect(Path(copy) / "db")) as connection:
            ends = monotonic() + SECONDS
            connection.set_progress_handler(lambda: monotonic() > ends, 10_000)
            connection.execute("PRAGMA trusted_schema = OFF")
            rows = connection.execute(request["query"], request["values"]).fetchmany(MAX_ROWS)
    return [tuple(value[:MAX_CELL] if isinstance(value, str | bytes) else value for value in row) for row in rows]


def _copied(source: Path, target: Path) -> bool:
    try:
        descriptor = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    with os.fdopen(descriptor, "rb") as file:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode) or info.st_size > MAX_DATABASE:
            return False
        with target.open("wb") as copy:
            shutil.copyfileobj(file, copy)
    return True


def _file(folder: Path, request: dict[str, Any], room: Path) -> bytes | None:
    """A plain file, None where there is none."""
    descriptor = os.open(folder / request["name"], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        return file.read(MAX_FILE) if stat.S_ISREG(os.fstat(descriptor).st_mode) else None


def _names(folder: Path, request: dict[str, Any], room: Path) -> list[str]:
    """What lies in the folder, sorted."""
    return sorted(entry.name for entry in folder.iterdir())[:MAX_ROWS]


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] == "yes")
