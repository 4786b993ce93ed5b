"""From a file's bytes to cells: notebook formats 3 to 4.5, forgiving about everything that does not matter here."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import msgspec

MAX_BYTES = 200_000_000
FIRST_LINE = 50
CONFLICT = re.compile(rb"^(<<<<<<<|=======|>>>>>>>)", re.MULTILINE)
BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

Output = dict[str, Any]


class NotebookError(ValueError):
    """A file that cannot be read as a notebook; the message says what is wrong with it and what to do."""


@dataclass(frozen=True)
class Notebook:
    """`sources` are the code cells in order, `outputs` the stored outputs of each; `notes` say what was mended.

    `retyped` are the positions in `sources` of cells that are of another type now.
    """

    sources: list[str]
    outputs: list[list[Output]]
    notes: list[str]
    retyped: frozenset[int] = frozenset()


def read_notebook(data: bytes, names: Iterable[str] = ()) -> Notebook:
    """The code cells of a notebook file. Raises NotebookError with one line for the person who handed it in.

    A Markdown or raw cell that holds a definition of one of `names` at the start of a line is read as the code cell
    that it once was: JupyterLab changes a cell's type at the press of one key.
    """
    document = _parse(data)
    defines = _definition_of(names)
    sources: list[str] = []
    outputs: list[list[Output]] = []
    notes: list[str] = []
    retyped: set[int] = set()
    for cell in _cells(document):
        kind, source = cell.get("cell_type"), _text(cell.get("source", cell.get("input", "")))
        if kind != "code":
            if not (defines is not None and defines.search(source)):
                continue
            notes.append(f"the {kind} cell {first_line(source)} holds a definition; it was read as code")
            retyped.add(len(sources))
        sources.append(source)
        stored = cell.get("outputs")
        outputs.append([o for o in stored if isinstance(o, dict)] if isinstance(stored, list) else [])
    return Notebook(sources, outputs, notes, frozenset(retyped))


def first_line(source: str) -> str:
    """A cell as a person finds it, by its first line, in quotes: JupyterLab shows no numbers that would do."""
    line = source.strip().partition("\n")[0].rstrip()
    shown = "".join(char if char.isprintable() else " " for char in line[:FIRST_LINE])  # no cursor is to move
    return f"“{shown}{'…' if len(line) > FIRST_LINE else ''}”"


def _parse(data: bytes) -> dict[str, Any]:
    if not data.strip(b"\x00 \t\r\n"):
        raise NotebookError("the file is empty. Save the notebook again and hand in that file.")
    if len(data) > MAX_BYTES:
        raise NotebookError("the file is larger than 200 MB. Clear its outputs and save again.")
    text = _decoded(data)
    document: Any = None
    try:
        document = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as strict:
        try:
            # The standard library takes what some editors write: lone surrogates, NaN.
            document = json.loads(text)
        except (ValueError, RecursionError):
            raise NotebookError(_diagnosis(data, text, strict)) from None
    if not isinstance(document, dict) or not ("cells" in document or "worksheets" in document):
        raise NotebookError("this is JSON, but not a notebook: it has no cells. Hand in the .ipynb file itself.")
    return document


def _decoded(data: bytes) -> str:
    for bom, encoding in BOMS:
        if data.startswith(bom):
            return data.decode(encoding, "replace")
    if data[1:2] == b"\x00":
        return data.decode("utf-16-le", "replace")
    return data.rstrip(b"\x00").decode("utf-8", "replace")


def _diagnosis(data: bytes, text: str, error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "its JSON is nested too deeply to be a notebook. Save it again in JupyterLab."
    if (marker := CONFLICT.search(data)) is not None:
        line = data.count(b"\n", 0, marker.start(1)) + 1
        found = marker[1].decode()
        marked = f'line {line} holds a merge-conflict marker ("{found}")'
        return f"not a notebook: {marked}. Resolve the conflict and save again."
    start = text.lstrip()[:200].lower()
    if start.startswith(("<!doctype", "<html", "<?xml")):
        return "this is a web page, not a notebook. Download the .ipynb file itself, not the page that shows it."
    if not start.startswith(("{", "[")):
        return "not a notebook: it does not begin like JSON. Hand in the .ipynb file that JupyterLab saved."
    if "truncated" in str(error) or not text.rstrip().endswith(("}", "]")):
        return "the file is cut short: its JSON does not end. Save or download it again."
    return f"not a notebook: its JSON is damaged ({str(error)[:80]}). Save it again in JupyterLab."


def _cells(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The cells of a version 4 notebook, or those of all worksheets of a version 3 one."""
    found: list[Any] = []
    if isinstance(document.get("cells"), list):
        found += document["cells"]
    worksheets = document.get("worksheets")
    for sheet in worksheets if isinstance(worksheets, list) else []:
        if isinstance(sheet, dict) and isinstance(sheet.get("cells"), list):
            found += sheet["cells"]
    return [cell for cell in found if isinstance(cell, dict)]


def _text(source: Any) -> str:
    """A cell's source, whether it is one string or a list of lines; what cannot be sent as UTF-8 is replaced."""
    lines = source if isinstance(source, list) else [source]
    text = "".join(line for line in lines if isinstance(line, str))
    return text.replace("\r\n", "\n").encode("utf-8", "replace").decode("utf-8")


def _definition_of(names: Iterable[str]) -> re.Pattern[str] | None:
    wanted = "|".join(re.escape(name) for name in sorted(names))
    return re.compile(rf"^(?:async\s+def|def|class)\s+(?:{wanted})\b", re.MULTILINE) if wanted else None
