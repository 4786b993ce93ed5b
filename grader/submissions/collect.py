"""A folder of submissions: one folder or one notebook for each student, whatever else lies between them."""

from __future__ import annotations

import os
import stat
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.course import Course, NotebookFacts
from grader.notebook import NotebookError, read_notebook
from grader.notebook.read import MAX_BYTES
from grader.submissions.find import LEADING, InputError, Submission, Submitted, defined_by

# What operating systems and editors leave in folders; nobody handed it in.
NOISE = {"__MACOSX", "Thumbs.db", "desktop.ini", "__pycache__"}
MAX_DEPTH = 4
# More than anybody's course has: a folder of thousands must not hold up a class.
MAX_NOTEBOOKS = 100


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
        found = sorted(p for p in folder.iterdir() if not _noise(p.name))
    except OSError as error:
        raise InputError(f"{folder}: cannot be read ({error.strerror}). Name the folder of submissions.") from None
    if not found:
        raise InputError(f"{folder}: empty. Name the folder that holds one folder or notebook for each student.")
    count = Counter(name for path in found for name in {path.name, _plain(path)})
    named = [Entry(plain(_plain(p) if count[_plain(p)] == 1 else p.name), p) for p in found]
    return sorted(named, key=lambda entry: entry.id)


def collect(course: Course, entry: Entry, scope: list[NotebookFacts]) -> Collected:
    """What `entry` holds of the notebooks in `scope`. Never raises for what a student handed in."""
    nothing = Submission(entry.id, [Submitted(facts, None) for facts in scope])
    try:
        paths, problem = _paths(entry.path)
        return Collected(nothing, problem) if problem else _chosen(course, entry, scope, paths)
    except OSError as error:
        name = plain(Path(os.fsdecode(error.filename)).name) if error.filename else entry.id
        return Collected(nothing, f"{name} cannot be read ({error.strerror}). Look at its permissions.")


def plain(name: str) -> str:
    """A file's name as text that can be written and shown: bytes that are no text and control characters escaped."""
    return "".join(c.encode("unicode_escape").decode() if _odd(c) else c for c in name)


def _odd(character: str) -> bool:
    # The backslash too, or two names could become one.
    return character == "\\" or unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")


def _plain(path: Path) -> str:
    return path.stem if _is_notebook(path.name) and path.is_file() else path.name


def _is_notebook(name: str) -> bool:
    return name.lower().endswith(".ipynb")


def _noise(name: str) -> bool:
    return name.startswith(".") or name in NOISE


def _paths(path: Path) -> tuple[list[Path], str]:
    """The notebook files at `path`; or why there are none."""
    mode = path.lstat().st_mode
    if stat.S_ISDIR(mode):
        paths = list(_notebook_files(path, MAX_DEPTH))
        if len(paths) > MAX_NOTEBOOKS:
            return [], f"more than {MAX_NOTEBOOKS} notebooks in this folder. Ask for those of this course alone."
        return paths, "" if paths else "no notebook in this folder. Ask for the .ipynb files."
    if not stat.S_ISREG(mode):
        return [], "neither a file nor a folder: links are not followed. Ask for the .ipynb files."
    if _is_notebook(path.name):
        return [path], ""
    kind = f"{plain(path.suffix)} file" if path.suffix else "file without an ending"
    return [], f"a {kind}, not a notebook. Ask for the .ipynb file, or unpack the archive."


def _notebook_files(folder: Path, depth: int) -> Iterator[Path]:
    with os.scandir(folder) as items:
        found = sorted((item for item in items if not _noise(item.name)), key=lambda item: item.name)
    for item in found:
        if item.is_dir(follow_symlinks=False) and depth > 0:
            yield from _notebook_files(Path(item.path), depth - 1)
        elif item.is_file(follow_symlinks=False) and _is_notebook(item.name):
            yield Path(item.path)


def _chosen(course: Course, entry: Entry, scope: list[NotebookFacts], paths: list[Path]) -> Collected:
    """For each notebook of `scope` the file that counts, where several would do."""
    best: dict[str, tuple[tuple[int, float, str], Submitted]] = {}
    strangers: list[str] = []
    for path in paths:
        data = _bytes(path)
        facts, sure, problem = _which(course, path, data, scope)
        if facts is None:
            strangers.append(plain(path.name) + (f" ({problem})" if problem else ""))
            continue
        # A notebook that came alone may lie between those of other people.
        folder = None if path == entry.path else path.parent
        # The course's own name wins over "04_checkpoint (1).ipynb", that over "Untitled.ipynb"; then the newest does.
        rank = (sure + (path.stem == facts.name), path.stat().st_mtime, str(path))
        if facts.name not in best or rank > best[facts.name][0]:
            best[facts.name] = (rank, Submitted(facts, path, data, folder))
    notebooks = [best[facts.name][1] if facts.name in best else Submitted(facts, None) for facts in scope]
    problem = ""
    if not best:
        asked = ", ".join(facts.number for facts in scope)
        problem = f"no notebook of what was asked ({asked}) in: {'; '.join(sorted(strangers)[:5])}"
    return Collected(Submission(entry.id, notebooks), problem)


def _bytes(path: Path) -> bytes:
    """The file's content; of one that is too large so much that its reader says so."""
    with path.open("rb") as file:
        return file.read(MAX_BYTES + 1)


def _which(
    course: Course, path: Path, data: bytes, scope: list[NotebookFacts]
) -> tuple[NotebookFacts | None, bool, str]:
    """The notebook of the course that this file is, and whether that is sure; else None and what is wrong with it.

    It is told by its number, or by what it defines; failing both, it is taken for the only one asked for.
    """
    leading = LEADING.match(path.name)
    facts, problem = course.manifest.notebook(leading[1]) if leading else None, ""
    if facts is None:
        try:
            facts = defined_by(course, "\n".join(read_notebook(data).sources))
        except NotebookError as error:
            problem = str(error)
    if facts is None and len(scope) == 1:
        return scope[0], False, problem
    return (facts if facts in scope else None), True, problem
