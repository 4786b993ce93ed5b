"""Fixtures of the hidden tests: random pure functions of the whole history as adapters, and their runs."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from course_lib.agent import Action, Adapter, Observation, Trace

TOOLS = ["list_notes", "read_note", "write_report", "search", "append_note"]
WORDS = ["alpha", "beta", "gamma", "Größe", "naïve", "日本", "x", ""]


def _value(rng: random.Random, depth: int) -> Any:
    kind = rng.randrange(6 if depth else 4)
    if kind == 4:
        return [_value(rng, depth - 1) for _ in range(rng.randrange(3))]
    if kind == 5:
        return {rng.choice(WORDS): _value(rng, depth - 1) for _ in range(rng.randrange(1, 3))}
    return [rng.choice(WORDS) + str(rng.randrange(1000)), rng.randrange(10_000), rng.random() < 0.5, None][kind]


def some_action(rng: random.Random) -> Action:
    args = {f"{rng.choice('abc')}{n}": _value(rng, 2) for n in range(rng.randrange(1, 4))}
    # A number of their own makes two draws different, whatever else they drew.
    return {"tool": rng.choice(TOOLS), "args": {**args, "nonce": rng.randrange(10**9)}}


def some_observation(rng: random.Random, fails: float = 0.35) -> Observation:
    if rng.random() < fails:
        return {"ok": False, "error": rng.choice(["invalid_arguments", "tool_unavailable", "not_found"])}
    return {"ok": True, "text": f"{rng.choice(WORDS)} {rng.randrange(10**6)}"}


class PureAdapter:
    """A random function of the whole history: every entry, every field, their order, and nothing else."""

    def __init__(self, seed: str) -> None:
        self._seed = seed

    def next_action(self, history: Trace) -> Action:
        return some_action(random.Random(self._seed + json.dumps(history, sort_keys=True, default=repr)))


@pytest.fixture
def pure_adapter(rng: random.Random) -> Callable[[], Adapter]:
    """Makes a new random function at each call."""
    return lambda: PureAdapter(f"{rng.random()}:")


@pytest.fixture
def random_run(rng: random.Random) -> Callable[[Adapter, int], Trace]:
    """The trace of a run of `length` entries of an adapter in a random world, in which many calls fail."""

    def run(adapter: Adapter, length: int) -> Trace:
        trace: Trace = []
        for _ in range(length):
            action = adapter.next_action(json.loads(json.dumps(trace)))
            trace.append({"action": action, "observation": some_observation(rng)})
        return trace

    return run


@pytest.fixture
def another_action(rng: random.Random) -> Callable[[], Action]:
    """A random action, different from every other one."""
    return lambda: some_action(rng)
