"""One digest for everything that decides a grade: the tests, the manifest, and the library they run on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from grader.course.course import Course
from grader.course.manifest import Manifest, dump_manifest


def digest(course: Course, manifest: Manifest) -> str:
    """The sha256 (hex) of `manifest` without its own digest, and of public/, hidden/ and course_lib now."""
    bare = msgspec.structs.replace(manifest, course=msgspec.structs.replace(manifest.course, digest=""))
    total = hashlib.sha256()
    _add(total, "manifest.json", dump_manifest(bare))
    for path in _files(course):
        _add(total, path.relative_to(course.base).as_posix(), path.read_bytes())
    return total.hexdigest()


def digest_of_run(course: Course, number: str) -> str:
    """The sha256 (hex) of what the outputs of notebook `number` depend on besides its source.

    That is course_lib, and the notebook's public tests, which its `check(...)` cells show.
    """
    public = [course.public_dir / "fixtures.py", course.public_dir / f"test_{number}.py"]
    library = sorted(path for path in course.library_dir.rglob("*") if path.is_file() and _is_source(path))
    total = hashlib.sha256()
    for path in [*library, *filter(Path.is_file, public)]:
        _add(total, path.relative_to(course.base).as_posix(), path.read_bytes())
    return total.hexdigest()


def _files(course: Course) -> Iterator[Path]:
    for folder in (course.public_dir, course.hidden_dir, course.library_dir):
        yield from sorted(path for path in folder.rglob("*") if path.is_file() and _is_source(path))


def _is_source(path: Path) -> bool:
    """Python and editors leave other files beside the sources; they must not change the digest."""
    return "__pycache__" not in path.parts and path.suffix in {".py", ".json"}


def _add(total: hashlib._Hash, name: str, data: bytes) -> None:
    # Lengths first, so that moving bytes from one file to the next cannot leave the digest unchanged.
    total.update(f"{len(name.encode())}:{name}:{len(data)}:".encode())
    total.update(data)
