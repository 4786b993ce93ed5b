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
        say(f"Waiting for {' and '.join(names) or 'an answer'}: write it, then run this again.{detail}")
