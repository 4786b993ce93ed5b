"""Demonstrations that need an answer which may not be written yet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from course_lib.display import say


@contextmanager
def attempt(*names: str) -> Iterator[None]:
    """Run a block that needs answers which may still be stubs; `names` are the answers.

    NotImplementedError, which every stub raises, becomes one line, so that Run All goes on. Everything else
    goes through: a mistake in an answer must be seen.
    """
    try:
        yield
    except NotImplementedError as error:
        message = " ".join(str(error).split())
        detail = f" ({message})" if message and message not in names else ""
        them = "them" if len(names) > 1 else "it"
        say(f"Waiting for {_listed(names)}: write {them}, then run this again.{detail}")


def _listed(names: tuple[str, ...]) -> str:
    if len(names) < 2:
        return "".join(names) or "an answer"
    return f"{', '.join(names[:-1])} and {names[-1]}"
