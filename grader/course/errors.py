"""The one kind of error that a course's author meets: one line with where, what, and what to do."""

from __future__ import annotations

from pathlib import Path


class CourseError(ValueError):
    """Something in the course itself is wrong; the message is one line for its author."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))


def shown(path: Path, base: Path) -> str:
    """`path` as an author would type it: relative to `base` where it lies inside, with forward slashes."""
    try:
        return path.relative_to(base).as_posix()
    except ValueError:
        return path.as_posix()
