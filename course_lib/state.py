"""What the state layer speaks of: a fact, the answer to a claim, a conflict. Plain records, as read from the store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Fact:
    """One row of `facts`. Times are ISO texts of one form, so that the earlier one is also the smaller text.

    observed_at     when it was so
    recorded_at     when it was written down
    superseded_by   id of the fact that stands in its place, or None while it stands itself
    """

    id: int
    subject: str
    predicate: str
    value: str
    source: str
    observed_at: str
    recorded_at: str
    superseded_by: int | None


@dataclass(frozen=True)
class Claim:
    """What a worker is told that asks for an obligation.

    outcome   "won": it is yours until the lease ends; "busy": somebody else holds it; "done": there is nothing to do
    token     with "won": the number to show when you commit; otherwise None
    result    with "done": what was committed; otherwise None
    """

    outcome: Literal["won", "busy", "done"]
    token: int | None = None
    result: object = None


@dataclass(frozen=True)
class Conflict:
    """A question to which a context and the record give different answers.

    said            the values that the context has, sorted
    held            the values of the facts that stand in the record, sorted
    obligation_id   the obligation to settle it
    """

    subject: str
    predicate: str
    said: list[str]
    held: list[str]
    obligation_id: int
