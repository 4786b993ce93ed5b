"""Fixtures that the public and the hidden tests share."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import course_lib
from course_lib.agent import Action, Adapter, RunResult, Trace
from course_lib.faults import SCENARIOS
from course_lib.recordings import recorded_names, recording


@dataclass(frozen=True)
class Run:
    """One recorded run, and how to make the adapter that it was recorded with."""

    result: RunResult
    adapter: Callable[[], Adapter]

    @property
    def trace(self) -> Trace:
        return self.result["trace"]


@pytest.fixture
def runs() -> dict[str, Run]:
    """The four recorded runs by name; fresh copies for each test."""
    return {name: Run(recording(name), SCENARIOS[name][0]) for name in recorded_names()}


@pytest.fixture
def json_object() -> Callable[[bytes | None], dict[str, Any] | None]:
    """The JSON object that a file's bytes hold; None when they hold anything else, or there is no file."""

    def parse(data: bytes | None) -> dict[str, Any] | None:
        try:
            value = json.loads((data or b"").decode("utf-8"))
        except (ValueError, RecursionError):
            return None
        return value if isinstance(value, dict) else None

    return parse


@dataclass
class Answers:
    """An adapter with one answer for each history that it knows, and a useless one for all others."""

    answers: dict[str, Action]

    def next_action(self, history: Trace) -> Action:
        unknown: Action = {"tool": "ask_again", "args": {}}
        return self.answers.get(as_text(history), unknown)


def as_text(history: Any) -> str:
    return json.dumps(history, sort_keys=True, default=repr)


ASK = """
import json, sys
from course_lib.faults import SetOrderAdapter
trace = json.load(sys.stdin)
print(json.dumps([SetOrderAdapter().next_action(trace[:k]) for k in range(len(trace) + 1)]))
"""


@pytest.fixture
def set_order() -> Callable[[int, Trace], list[Action]]:
    """What a SetOrderAdapter in a new process with this hash seed proposes after each prefix of a trace."""

    def proposals(hash_seed: int, trace: Trace) -> list[Action]:
        library = str(Path(course_lib.__file__).parents[1])
        done = subprocess.run(
            [sys.executable, "-c", ASK],
            input=json.dumps(trace),
            env={**os.environ, "PYTHONHASHSEED": str(hash_seed), "PYTHONPATH": library},
            capture_output=True,
            text=True,
            check=True,
        )
        found: list[Action] = json.loads(done.stdout)
        return found

    return proposals


@pytest.fixture
def by_prefix() -> Callable[[Trace, list[Action]], Adapter]:
    """An adapter that proposes the k-th of the given actions after the first k entries of the given trace."""

    def adapter(trace: Trace, proposals: list[Action]) -> Adapter:
        return Answers({as_text(trace[:k]): action for k, action in enumerate(proposals)})

    return adapter


@pytest.fixture
def places() -> Callable[[Any], list[tuple[int, Any, Any]] | None]:
    """Takes an answer of verify_replay apart: (k, recorded, proposed) each, or None for anything else."""

    def read(value: Any) -> list[tuple[int, Any, Any]] | None:
        if not isinstance(value, list):
            return None
        fields = [getattr(item, "fields", None) for item in value]
        if not all(isinstance(f, dict) and f.keys() == {"k", "recorded", "proposed"} for f in fields):
            return None
        return [(f["k"], f["recorded"], f["proposed"]) for f in fields if f is not None]

    return read
