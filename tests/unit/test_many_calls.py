"""Many calls of one method in one round trip: in their order, on one object, each with its own outcome."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.judge.api import AnswerRaised
from grader.judge.learner import Handle, Learner
from grader.kernel import inside


class Counter:
    """Adds up, and refuses what is negative."""

    def __init__(self, start: int) -> None:
        self.count = start

    def add(self, number: int) -> int:
        """The new sum."""
        if number < 0:
            raise ValueError("less than nothing")
        self.count += number
        return self.count


class Here:
    """A transport into this process, which counts its requests."""

    def __init__(self, scratch: Path) -> None:
        self.desk, self.scratch, self.requests = inside.Desk({"Counter": Counter}), scratch, 0

    def request(self, message: dict[str, Any], callback: Callable[..., dict[str, Any]] | None = None) -> dict[str, Any]:
        self.requests += 1
        return inside.perform(self.desk, message, callback or (lambda _: {}))

    def folder(self) -> Path:
        return self.scratch


@pytest.fixture
def here(tmp_path: Path) -> Here:
    return Here(tmp_path)


@pytest.fixture
def counter(here: Here) -> Handle:
    return Learner(here).new("Counter", 5)


def test_calls_come_in_their_order_in_one_request(here: Here, counter: Handle) -> None:
    before = here.requests
    assert [outcome.value for outcome in counter.map("add", [(1,), (10,), (100,)])] == [6, 16, 116]
    assert here.requests == before + 1


def test_one_that_raises_ends_nothing(counter: Handle) -> None:
    first, second, third = counter.map("add", [(1,), (-1,), (1,)])
    assert (first.value, third.value) == (6, 7)
    assert second.raised("ValueError")
    with pytest.raises(AnswerRaised):
        _ = second.value


def test_no_calls_have_no_outcomes(counter: Handle) -> None:
    assert counter.map("add", []) == []
