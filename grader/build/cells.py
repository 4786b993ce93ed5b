"""Reading a percent-format file: its header, and its cells with the lines that they came from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import jupytext
import yaml  # type: ignore[import-untyped]  # no types are shipped with it

from grader.course import CourseError

_MARKER = re.compile(r"#\s*%%+(\s.*)?$")


@dataclass(frozen=True)
class Cell:
    """One cell as its author wrote it; `line` is where its first line of text stands, `marker` its `# %%`."""

    kind: Literal["markdown", "code"]
    source: str
    line: int
    marker: int
    metadata: dict[str, Any]


def mistake(where: str, line: int, what: str, todo: str) -> CourseError:
    """The error for something in an author's file: where, what, and what to do, on one line."""
    return CourseError(f"{where}:{line}: {what}. {todo}.")


def read_cells(path: Path, where: str) -> tuple[dict[str, Any], list[Cell]]:
    """The `course:` part of the file's header, and its cells. Raises CourseError; `where` names the file."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except UnicodeDecodeError:
        raise CourseError(f"{where}: not UTF-8 text. Save it as UTF-8.") from None
    except OSError as error:
        raise CourseError(f"{where}: cannot be read ({error.strerror}).") from None
    for number, line in enumerate(lines, 1):
        if line.startswith(("<<<<<<< ", ">>>>>>> ")):
            raise mistake(where, number, "a merge conflict is left in the file", "Resolve it and save again")
    header, first = _read_header(lines, where)
    return header, _read_body(lines, first, where)


def _read_header(lines: list[str], where: str) -> tuple[dict[str, Any], int]:
    """The header's `course:` mapping and the index of the first line after it."""
    todo = "Begin the file with '# ---', '# course:', '#   title: ...', '#   minutes: ...', '# ---'"
    start = next((i for i, line in enumerate(lines) if line.strip()), len(lines))
    if start == len(lines) or lines[start].rstrip() != "# ---":
        raise mistake(where, min(start + 1, len(lines) or 1), "the file has no header", todo)
    end = next((i for i in range(start + 1, len(lines)) if lines[i].rstrip() == "# ---"), None)
    if end is None:
        raise mistake(where, start + 1, "the header is never closed", "End it with a second line '# ---'")
    text = "\n".join(line.removeprefix("#").removeprefix(" ") for line in lines[start + 1 : end])
    try:
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        at = getattr(error, "problem_mark", None)
        number = start + 2 + (at.line if at else 0)
        reason = getattr(error, "problem", None) or "it cannot be read"
        raise mistake(where, number, f"the header is not YAML: {reason}", "Correct it") from None
    data = data if isinstance(data, dict) else {}
    jupyter = data.get("jupyter")
    course = data.get("course", jupyter.get("course") if isinstance(jupyter, dict) else None)
    if not isinstance(course, dict):
        raise mistake(where, start + 1, "the header has no 'course:' part", todo)
    return course, end + 1


def _read_body(lines: list[str], first: int, where: str) -> list[Cell]:
    first = next((i for i in range(first, len(lines)) if lines[i].strip()), len(lines))
    if first == len(lines):
        return []
    notebook = jupytext.reads("\n".join(lines[first:]) + "\n", fmt="py:percent")
    cells: list[Cell] = []
    at = first
    for raw in notebook.cells:
        marker = next((i for i in range(at, len(lines)) if _MARKER.match(lines[i])), None)
        between = range(at, len(lines) if marker is None else marker)
        stray = next((i for i in between if lines[i].strip() not in {"", "#"}), None)
        if stray is not None:
            raise mistake(where, stray + 1, "a line stands outside every cell", "Put '# %%' before it")
        if marker is None:
            break
        text = raw.source.splitlines()
        start = marker + 1 + ("cell_marker" in raw.metadata)
        at = start + len(text)
        blank = next((i for i, line in enumerate(text) if line.strip()), len(text))
        if blank == len(text):
            continue
        metadata = {k: v for k, v in raw.metadata.items() if k not in {"cell_marker", "lines_to_next_cell"}}
        _check_marker(raw.cell_type, metadata, lines[marker], marker + 1, where)
        if raw.cell_type == "markdown" and "cell_marker" not in raw.metadata:
            _check_commented(lines, start, at, where)
        at += "cell_marker" in raw.metadata
        cells.append(Cell(raw.cell_type, "\n".join(text[blank:]), start + blank + 1, marker + 1, metadata))
    return cells


def _check_marker(kind: str, metadata: dict[str, Any], marker: str, line: int, where: str) -> None:
    if kind not in {"markdown", "code"}:
        raise mistake(where, line, f"a {kind} cell", "Make it '# %% [markdown]' or '# %%'")
    if "incorrectly_encoded_metadata" in metadata:
        raise mistake(
            where,
            line,
            f"the settings {metadata['incorrectly_encoded_metadata']!r} cannot be read",
            'Write key="text", key=2 or key=true, with a space between them',
        )
    keys = re.findall(r"\b(\w+)=", re.sub(r'"[^"]*"', "", marker))
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice:
        raise mistake(where, line, f"{twice}= is given twice", "Keep one")


def _check_commented(lines: list[str], start: int, end: int, where: str) -> None:
    for i in range(start, min(end, len(lines))):
        if lines[i].strip() and not lines[i].startswith("#"):
            raise mistake(
                where,
                i + 1,
                "a line of a markdown cell does not begin with '#'",
                "Begin it with '# ', or put '# %%' before it if it is code",
            )
