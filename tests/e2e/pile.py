"""A class of some sixty as it arrives: good work, stubs, wrong answers, and all that happens to files and people.

`CLASS` says for each student what was handed in, and which score or which reason must come of it.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from grader.course import Course, digest, dump_manifest
from tests.e2e.changes import CHANGES
from tests.e2e.toy import ANSWERS, MAX_SCORE, PREDICTION, REPO, STUBS, answered, cell, hand_in, make_course, notebook

SETTINGS = """\
name = "Toy"
version = "0.1"

[limits]
cell_seconds = 2
call_seconds = 2
"""
SOLVED = notebook(answered())
# A notebook that comes without its journal has its prediction as a mere literal: half of it counts.
ALONE = MAX_SCORE - 0.5


def make_pile_course(base: Path, **changes: str) -> Course:
    """The toy with a manifest that is in step with its tests, as a batch wants it."""
    course = make_course(base, **{"settings": SETTINGS, **changes})
    copy_library(course)
    settle(course)
    return course


def copy_library(course: Course) -> None:
    """Make course_lib the course's own: an author may be working on the real one, and a batch would refuse to go on."""
    course.library_dir.unlink(missing_ok=True)
    shutil.copytree(REPO / "course_lib", course.library_dir, ignore=shutil.ignore_patterns("__pycache__"))


def settle(course: Course) -> None:
    """Bring the manifest's digest up to date, as `grader build` does."""
    facts = msgspec.structs.replace(course.manifest.course, digest=digest(course, course.manifest))
    course.manifest_path.write_bytes(dump_manifest(msgspec.structs.replace(course.manifest, course=facts)))
    vars(course).pop("manifest")


@dataclass(frozen=True)
class Student:
    """`lay` puts the work below the class's folder; `expected` is the score, or a part of the reason for none."""

    id: str
    lay: Callable[[Path], object]
    expected: float | str


def folder(name: str, data: bytes, expected: float | str = MAX_SCORE) -> Student:
    return Student(name, lambda place: hand_in(place / name, data), expected)


def solved(name: str, *extra: str, answers: dict[str, str] | None = None, score: float = MAX_SCORE) -> Student:
    """Right but for `answers`, with `extra` cells in its middle."""
    cells = answered(answers)
    cells[2:2] = [cell(source) for source in extra]
    return folder(name, notebook(cells), score)


def file(name: str, data: bytes, expected: float | str, called: str | None = None) -> Student:
    return Student(called or Path(name).stem, lambda place: (place / name).write_bytes(data), expected)


def renamed(place: Path) -> None:
    path = hand_in(place / "renamed", SOLVED)
    path.rename(path.with_name("00_toy (1).ipynb"))
    newer = path.with_name("Untitled.ipynb")
    newer.write_bytes(notebook([cell("1 + 1")]))
    os.utime(path.with_name("00_toy (1).ipynb"), (1, 1))


def noisy(place: Path) -> None:
    hand_in(place / "noisy", SOLVED)
    for name in ("__MACOSX/00_toy.ipynb", ".ipynb_checkpoints/00_toy.ipynb", ".DS_Store", "Thumbs.db", "notes.pdf"):
        path = place / "noisy" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"\x00\x05\x16\x07")
    (place / "__MACOSX").mkdir()
    (place / ".DS_Store").write_bytes(b"\x00")


def linked(place: Path) -> None:
    (place / "linked").mkdir()
    (place / "linked" / "work").symlink_to(place / "ada")
    (place / "linked" / "00_toy.ipynb").symlink_to(place / "ada" / "00_toy.ipynb")


def twins(place: Path) -> None:
    hand_in(place / "twin", SOLVED)
    (place / "twin.ipynb").write_bytes(notebook(answered(STUBS)))


def without_notebook(place: Path) -> None:
    (place / "essay").mkdir()
    (place / "essay" / "report.pdf").write_bytes(b"%PDF-1.7")


STUBBORN = "import time\nwhile True:\n    try:\n        time.sleep(9)\n    except BaseException:\n        pass"
CHILD = "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(99)', 'left-behind'])"
WARNS = "import sys, warnings\nwarnings.warn('old')\nprint('careful', file=sys.stderr)"
LATE = "import os, grader.kernel.inside as i\ni.perform = lambda *_: os._exit(0)"
CONFLICT = SOLVED.replace(b' "cells": [\n', b' "cells": [\n<<<<<<< HEAD\n', 1)
MERGED = [cell("import json\nfrom course_lib import *"), cell(PREDICTION), cell("\n\n\n".join(ANSWERS.values()))]
SQUARED = "def double(number):\n    return number ** 2"
FOUR = "def double(number):\n    return 4"
BACKWARDS = ANSWERS["pack"].replace("dumps(items)", "dumps(items[::-1])")
DEADLY = "def double(number):\n    import os\n    return number * 2 if number else os._exit(0)"
ENDLESS = "def double(number):\n    while number == 0:\n        pass\n    return number * 2"
NO_PACK = [c for c in answered() if c["metadata"].get("exercise") != "pack"]

CLASS: list[Student] = [
    # Names.
    *(folder(name, SOLVED) for name in ("ada", "O'Neil, Jr.", "=HYPERLINK(1)", "李伟", "Zoë Müller", '-1+"1"; @x')),
    Student("line\\nbreak \\x1b[2J", lambda place: hand_in(place / "line\nbreak \x1b[2J", SOLVED), MAX_SCORE),
    file("好" * 80 + ".ipynb", SOLVED, ALONE),
    file(os.fsdecode(b"caf\xe9.ipynb"), SOLVED, ALONE, called="caf\\udce9"),
    # Places.
    file("alone.ipynb", SOLVED, ALONE),
    file("LOUD.IPYNB", SOLVED, ALONE),
    Student("renamed", renamed, MAX_SCORE),
    Student("noisy", noisy, MAX_SCORE),
    Student("nested", lambda place: hand_in(place / "nested" / "week 1" / "notebooks", SOLVED), MAX_SCORE),
    Student("twin", twins, MAX_SCORE),
    Student("twin.ipynb", lambda place: None, 0.5),
    Student("linked", linked, "no notebook in this folder"),
    Student("link", lambda place: (place / "link").symlink_to(place / "ada"), "links are not followed"),
    # Cells, of which some came another way than they went.
    *(folder(change.__name__, notebook(change(answered()))) for change in CHANGES[1:]),
    folder("kernel", notebook(answered(), kernel="julia-1.9")),
    folder("merged", notebook(MERGED)),
    folder("deleted", notebook(NO_PACK), MAX_SCORE - 2),
    folder("utf-16", json.dumps(json.loads(SOLVED)).encode("utf-16")),
    # Cells and answers that go wrong.
    solved("cell loops", "while True: pass"),
    solved("cell ignores", STUBBORN),
    solved("cell exits", "import os\nos._exit(0)"),
    solved("cell forks", CHILD, CHILD + "\nimport os\nos._exit(1)"),
    solved("cell warns", WARNS),
    solved("cell prints", "text = 'x' * 1_000_000\nfor _ in range(60):\n    print(text)"),
    solved("answer loops", answers={"double": ENDLESS}, score=MAX_SCORE - 1),
    solved("answer exits", answers={"double": DEADLY}, score=MAX_SCORE - 1),
    # Wrong answers, and none.
    solved("squared", answers={"double": SQUARED}, score=MAX_SCORE - 2),
    solved("four", answers={"double": FOUR}, score=MAX_SCORE - 3),
    solved("backwards", answers={"pack": BACKWARDS}, score=MAX_SCORE - 1),
    solved("stub", answers=STUBS, score=1),
    file("stub alone.ipynb", notebook(answered(STUBS)), 0.5),
    folder("no cells", notebook([]), 0),
    # Files that are no notebooks, or no longer.
    folder("meddles", notebook([*answered(), cell(LATE)]), "could not be kept alive"),
    folder("cut short", SOLVED[: len(SOLVED) // 2], "cut short"),
    folder("conflict", CONFLICT, "merge-conflict marker"),
    folder("page", b"<!DOCTYPE html>\n<html><body>Sign in</body></html>", "web page"),
    folder("empty", b"", "the file is empty"),
    folder("zeros", bytes(5000), "the file is empty"),
    folder("other JSON", b'{"score": 100}', "not a notebook"),
    file("empty too.ipynb", b"", "the file is empty"),
    file("essay.pdf", b"%PDF-1.7", "a .pdf file, not a notebook", called="essay.pdf"),
    file("all.zip", b"PK\x03\x04", "a .zip file, not a notebook", called="all.zip"),
    Student("essay", without_notebook, "no notebook in this folder"),
    Student("nothing", lambda place: (place / "nothing").mkdir(), "no notebook in this folder"),
]


def lay_class(place: Path) -> None:
    place.mkdir()
    for student in CLASS:
        student.lay(place)
