"""The agent's three tools. Nothing is simulated here: they read and write real files.

    root/notes/*.txt    what list_notes and read_note see
    root/report.txt     what write_report writes

A tool takes the arguments of an action and returns an observation. It answers a call that it
cannot carry out; it does not raise.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from .agent import Observation, Tool, Tools

__all__ = ["Tool", "Tools", "make_notes", "notes_tools"]

NOTES = {
    "alpha.txt": "The pump was serviced on Monday. Its filter is new and the pressure is back to normal.\n",
    "beta.txt": "Valve 3 leaks about one litre a day. A spare part is ordered and arrives next week.\n",
}


def make_notes(root: Path) -> None:
    """Write the two notes, alpha.txt and beta.txt, into root/notes."""
    folder = root / "notes"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in NOTES.items():
        (folder / name).write_bytes(text.encode())


def notes_tools(root: Path) -> Tools:
    """The tools list_notes, read_note and write_report over the files below `root`.

    Two of them only read. write_report overwrites: the same content twice leaves the same file.
    """

    def list_notes(args: dict[str, Any]) -> Observation:
        if not _fits(args):
            return {"ok": False, "error": "invalid_arguments"}
        return {"ok": True, "notes": _names(root)}

    def read_note(args: dict[str, Any]) -> Observation:
        if not _fits(args, "name"):
            return {"ok": False, "error": "invalid_arguments"}
        name = args["name"]
        if name not in _names(root):  # also what keeps "../secret" out: it is no note's name
            return {"ok": False, "error": "not_found"}
        text = (root / "notes" / name).read_bytes().decode(errors="replace")
        return {"ok": True, "name": name, "text": text}

    def write_report(args: dict[str, Any]) -> Observation:
        if not _fits(args, "content"):
            return {"ok": False, "error": "invalid_arguments"}
        data = args["content"].encode(errors="replace")
        report = root / "report.txt"
        if not _inside(root, report):
            return {"ok": False, "error": "tool_unavailable"}
        report.write_bytes(data)  # bytes, so that the hash is the same on every system
        return {"ok": True, "sha256": hashlib.sha256(data).hexdigest()}

    return {"list_notes": list_notes, "read_note": read_note, "write_report": write_report}


def _fits(args: dict[str, Any], *names: str) -> bool:
    """A payload fits its contract when it has exactly these keys, each with a string."""
    return set(args) == set(names) and all(isinstance(args[name], str) for name in names)


def _names(root: Path) -> list[str]:
    """The notes in alphabetical order: the order of a directory differs between file systems."""
    return sorted(path.name for path in (root / "notes").glob("*.txt") if path.is_file() and _inside(root, path))


def _inside(root: Path, path: Path) -> bool:
    """False for a link that leads out of `root`."""
    return path.resolve().is_relative_to(root.resolve())
