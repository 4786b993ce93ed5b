"""A folder of submissions: one folder or one notebook for each student, whatever else lies between them."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.course import Course, NotebookFacts
from grader.notebook import NotebookError, read_notebook
from grader.submissions.find import LEADING, InputError, Submission, Submitted, defined_by

# What operating systems and editors leave in folders; nobody handed it in.
NOISE = {"__MACOSX", "Thumbs.db", "desktop.ini", "__pycache__"}
MAX_DEPTH = 4
MAX_BYTES = 200_000_000


@dataclass(frozen=True)
class Entry:
    """One student's part of the folder. `id` names it in every report; `path` is a folder or a file."""

    id: str
    path: Path


@dataclass(frozen=True)
class Collected:
    """A submission ready to be graded; or why it cannot be, with `submission` empty."""

    submission: Submission
    problem: str = ""


def entries(folder: Path) -> list[Entry]:
    """Every student's entry in `folder`, sorted by id. Raises InputError when there is no such folder or no entry.

    The id is the folder's or the file's name without .ipynb; where that would name two entries, a file keeps its
    whole name. Files that are no notebooks are entries too: a student who handed in a PDF gets a row that says so.
    """
    try:
        found = sorted(p for p in folder.iterdir() if not p.name.startswith(".") and p.name not in NOISE)
    except OSError as error:
        raise InputError(f"{folder}: cannot be read ({error.strerror}). Name the folder of submissions.") from None
    if not found:
        raise InputError(f"{folder}: empty. Name the folder that holds one folder or notebook for each student.")
    plain = [path.name.removesuffix(".ipynb") if path.is_file() else path.name for path in found]
    count = Counter(plain)
    named = [Entry(path.name if count[name] > 1 else name, path) for name, path in zip(plain, found, strict=True)]
    return sorted(named, key=lambda entry: entry.id)


def collect(course: Course, entry: Entry, scope: list[NotebookFacts]) -> Collected:
    """What `entry` holds of the notebooks in `scope`. Never raises for what a student handed in."""
    nothing = Submission(entry.id, [Submitted(facts, None) for facts in scope])
    info = entry.path.lstat()
    if stat.S_ISDIR(info.st_mode):
        paths = list(_notebook_files(entry.path, MAX_DEPTH))
        alone = False
        if not paths:
            return Collected(nothing, "no notebook in this folder. Ask for the .ipynb files.")
    elif stat.S_ISREG(info.st_mode) and entry.path.suffix == ".ipynb":
        paths, alone = [entry.path], True
    elif stat.S_ISREG(info.st_mode):
        kind = entry.path.suffix or "file without an ending"
        return Collected(nothing, f"a {kind}, not a notebook. Ask for the .ipynb file, or unpack the archive.")
    else:
        return Collected(nothing, "neither a file nor a folder: links are not followed.")
    best: dict[str, tuple[float, Submitted]] = {}
    strangers: list[str] = []
    for path in paths:
        status = path.stat()
        data = path.read_bytes() if status.st_size <= MAX_BYTES else b""
        facts, problem = _which(course, path, data, scope)
        if facts is None:
            strangers.append(f"{path.name} ({problem})" if problem else path.name)
            continue
        # The course's own name wins over "04_checkpoint (1).ipynb"; among equals the newest does.
        folder = None if alone else path.parent
        rank = status.st_mtime + (1e12 if path.stem == facts.name else 0)
        if facts.name not in best or rank > best[facts.name][0]:
            best[facts.name] = (rank, Submitted(facts, path, data, folder))
    notebooks = [best[facts.name][1] if facts.name in best else Submitted(facts, None) for facts in scope]
    problem = ""
    if not best:
        asked = ", ".join(facts.number for facts in scope)
        problem = f"no notebook of what was asked ({asked}) in: {'; '.join(sorted(strangers)[:5])}"
    return Collected(Submission(entry.id, notebooks), problem)


def _notebook_files(folder: Path, depth: int) -> Iterator[Path]:
    for item in sorted(os.scandir(folder), key=lambda item: item.name):
        if item.name.startswith(".") or item.name in NOISE or item.is_symlink():
            continue
        if item.is_dir() and depth > 0:
            yield from _notebook_files(Path(item.path), depth - 1)
        elif item.is_file() and item.name.endswith(".ipynb"):
            yield Path(item.path)


def _which(course: Course, path: Path, data: bytes, scope: list[NotebookFacts]) -> tuple[NotebookFacts | None, str]:
    """The notebook of the course that this file is: by its number, by what it defines, or as the only one asked for.

    None, with what is wrong with the file where something is, when it is none of those asked for.
    """
    leading = LEADING.match(path.name)
    facts, problem = course.manifest.notebook(leading[1]) if leading else None, ""
    if facts is None:
        try:
            facts = defined_by(course, "\n".join(read_notebook(data).sources))
        except NotebookError as error:
            problem = str(error)
        if facts is None and len(scope) == 1:
            facts = scope[0]
    return (facts if facts in scope else None), problem
