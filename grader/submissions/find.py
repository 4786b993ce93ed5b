"""From what stands on the command line to the files to be graded."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from grader.course import Course, NotebookFacts
from grader.notebook import NotebookError, read_notebook

NUMBER = re.compile(r"\d{1,2}")
MAX_JOURNAL = 4_000_000
LEADING = re.compile(r"(\d\d)(?=\D)")


class InputError(ValueError):
    """The call or the input is wrong; the message is one line that says what, where and what to do."""


@dataclass(frozen=True)
class Submitted:
    """One notebook of the course: its file and bytes, or None where nothing was handed in.

    `folder` is what belongs to the same person: files beside the notebook, and its prediction journal. None when the
    notebook came alone: the folder that it lies in may hold other people's work.
    """

    facts: NotebookFacts
    path: Path | None
    data: bytes = b""
    folder: Path | None = None

    def journal(self) -> bytes:
        """The prediction journal that lies with the notebook, at most 4 MB of it; empty when there is none to read.

        No link is followed: it could lead to somebody else's.
        """
        if self.folder is None:
            return b""
        path = self.folder / "predictions" / f"{self.facts.number}.jsonl"
        try:
            if path.is_symlink() or path.parent.is_symlink() or not path.is_file():
                return b""
            with path.open("rb") as file:
                return file.read(MAX_JOURNAL)
        except OSError:  # a folder or a file that only its owner may read
            return b""


@dataclass(frozen=True)
class Submission:
    """What one person handed in. `id` is the folder's or file's name."""

    id: str
    notebooks: list[Submitted]

    @property
    def sha256(self) -> str:
        """Over the names and bytes of the notebooks that are there, and of their journals."""
        seen = hashlib.sha256()
        for submitted in self.notebooks:
            if submitted.path is not None:
                parts = (submitted.facts.name.encode(), submitted.data, submitted.journal())
                seen.update(b"".join(hashlib.sha256(part).digest() for part in parts))
        return seen.hexdigest()


def find_submission(course: Course, targets: list[str], here: Path) -> Submission:
    """The notebooks that `targets` name, in the course's order; without any, the whole of ``notebooks/``.

    A target is a notebook's number, a file, or a folder (then every notebook of the course counts, found or not).
    `here` is the current folder; ``notebooks/`` is looked for there and upwards. Raises InputError.
    """
    found: dict[str, Submitted] = {}
    names: list[str] = []
    for target in targets or [str(_notebooks(course, here))]:
        try:
            entries = _named(course, target, here)
        except OSError as error:
            raise InputError(
                f"{target}: cannot be read ({error.strerror}). Check the name and its permissions."
            ) from None
        names.append(Path(here, target).resolve().name)
        for entry in entries:
            found.setdefault(entry.facts.name, entry)
    order = [facts.name for facts in course.manifest.notebooks]
    return Submission("+".join(names), sorted(found.values(), key=lambda entry: order.index(entry.facts.name)))


def _named(course: Course, target: str, here: Path) -> list[Submitted]:
    path = Path(here, target)
    if not path.exists() and (NUMBER.fullmatch(target) or course.manifest.notebook(target)):
        facts = numbered(course, target)
        entry = _of_folder(_notebooks(course, here), facts)
        if entry.path is None:
            raise InputError(f"no file {facts.number}_*.ipynb in {_notebooks(course, here)}. Put the notebook there.")
        return [entry]
    if path.is_dir():
        entries = [_of_folder(path, facts) for facts in course.manifest.notebooks]
        if all(entry.path is None for entry in entries):
            raise InputError(f"{target}: no notebook of this course in this folder. Name the folder that has them.")
        return entries
    if path.is_file():
        return [_of_file(course, path, target)]
    if course.manifest.exercise(target):
        raise InputError(f"{target} is an exercise: grader check --exercise {target}")
    if path.exists():
        raise InputError(f"{target}: neither a file nor a folder. Name a notebook or a folder of notebooks.")
    raise InputError(f"{target}: there is no such file or folder. Name a notebook, a folder or a number.")


def _notebooks(course: Course, here: Path) -> Path:
    """Where somebody's notebooks are, seen from `here`: this folder, ``notebooks/`` in it, or the like further up.

    Never the course's own copy from anywhere: stubs that look like one's own lost work would frighten anybody. In a
    folder that is neither `here` nor called notebooks a number that begins a file's name says nothing yet.
    """
    for folder in (here, *here.parents):
        for candidate in (folder, folder / "notebooks"):
            find = _file if candidate == here or candidate.name == "notebooks" else _exact_file
            if any(find(candidate, facts) for facts in course.manifest.notebooks):
                return candidate
    raise InputError(f"no folder notebooks/ here or above ({here}). Go to the course's folder, or name a file.")


def numbered(course: Course, number: str) -> NotebookFacts:
    """The notebook of that number (or name). Raises InputError that names those there are."""
    facts = course.manifest.notebook(number)
    if facts is None:
        known = ", ".join(n.number for n in course.manifest.notebooks)
        raise InputError(f"no notebook numbered {number.zfill(2)}. The course has {known}.")
    return facts


def _of_folder(folder: Path, facts: NotebookFacts) -> Submitted:
    path = _file(folder, facts)
    return Submitted(facts, path, path.read_bytes(), folder) if path else Submitted(facts, None)


def _file(folder: Path, facts: NotebookFacts) -> Path | None:
    if exact := _exact_file(folder, facts):
        return exact
    # "04_checkpoint (1).ipynb" as a browser names a second download; the newest wins.
    named = filter(Path.is_file, folder.glob(f"{facts.number}[!0-9]*.ipynb"))
    return max(named, key=lambda path: (path.stat().st_mtime, path.name), default=None)


def _exact_file(folder: Path, facts: NotebookFacts) -> Path | None:
    path = folder / f"{facts.name}.ipynb"
    return path if path.is_file() else None


def _of_file(course: Course, path: Path, target: str) -> Submitted:
    """The file's number says which notebook it is; when it was renamed, what it defines does."""
    data = path.read_bytes()
    leading = LEADING.match(path.name)
    facts = course.manifest.notebook(leading[1]) if leading else None
    if facts is not None:
        return Submitted(facts, path, data, path.parent)
    try:
        text = "\n".join(read_notebook(data).sources)
    except NotebookError as error:
        raise InputError(f"{target}: {error}") from None
    best = defined_by(course, text)
    if best is None:
        raise InputError(f"{target}: it defines no exercise of this course. Is it the notebook you meant?")
    return Submitted(best, path, data, path.parent)


def defined_by(course: Course, text: str) -> NotebookFacts | None:
    """The notebook whose exercises `text` (all code of a file) defines most of; None when it defines none."""
    scored = [(sum(_defines(text, e.defines) for e in n.exercises), n) for n in course.manifest.notebooks]
    score, best = max(scored, key=lambda pair: pair[0], default=(0, None))
    return best if score else None


def _defines(text: str, names: list[str]) -> bool:
    return any(re.search(rf"^(?:def|class)\s+{re.escape(name)}\b", text, re.MULTILINE) for name in names)
