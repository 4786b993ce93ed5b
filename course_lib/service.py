"""The world outside, in small: a receiver that does something for every message that it takes."""

from __future__ import annotations

from course_lib.crash import Outside


class Service(Outside):
    """Takes messages with a key. With `dedupes` it takes each key once: the same key again changes nothing.

    effects   the (key, payload) pairs that it acted on, in order; what it did cannot be undone
    """

    def __init__(self, *, dedupes: bool = False) -> None:
        self.dedupes = dedupes
        self.effects: list[tuple[str, str]] = []

    def send(self, key: str, payload: str) -> None:
        """Act on `payload`. Over a real network this could raise ConnectionError, before or after it has acted."""
        if not (self.dedupes and any(known == key for known, _ in self.effects)):
            self.effects.append((key, payload))
