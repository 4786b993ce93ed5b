from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from course_lib.agent import Adapter, DeterministicModelAdapter, Trace, run_task
from course_lib.faults import (
    SCENARIOS,
    ClockAdapter,
    MalformedFirstRead,
    MalformedFirstWrite,
    SetOrderAdapter,
    StatefulAdapter,
    Stuck,
    broken,
)
from course_lib.tools import make_notes, notes_tools


def run(make_adapter: Callable[[], Adapter], root: Path, steps: int) -> Trace:
    make_notes(root)
    rule = lambda trace: ("stopped", "by the test") if len(trace) == steps else None  # noqa: E731
    return run_task(make_adapter(), notes_tools(root), rule)["trace"]


def diverges_at(trace: Trace, make_adapter: Callable[[], Adapter]) -> list[int]:
    return [k for k, step in enumerate(trace) if make_adapter().next_action(trace[:k]) != step["action"]]


def outcomes(trace: Trace) -> list[tuple[str, str]]:
    return [(step["action"]["tool"], step["observation"].get("error", "ok")) for step in trace]


READS = [("read_note", "ok"), ("read_note", "ok")]


@pytest.mark.parametrize(
    ("make_adapter", "expected"),
    [
        (
            MalformedFirstRead,
            [("list_notes", "ok"), ("read_note", "invalid_arguments"), *READS, ("write_report", "ok")],
        ),
        (
            MalformedFirstWrite,
            [("list_notes", "ok"), *READS, ("write_report", "invalid_arguments"), ("write_report", "ok")],
        ),
        (Stuck, [("list_notes", "ok"), *READS, *READS]),
    ],
)
def test_a_pure_fault_can_be_replayed_by_itself_and_not_by_the_healthy_adapter(
    tmp_path: Path, make_adapter: Callable[[], Adapter], expected: list[tuple[str, str]]
) -> None:
    trace = run(make_adapter, tmp_path, 5)
    assert outcomes(trace) == expected
    assert diverges_at(trace, make_adapter) == []
    assert diverges_at(trace, DeterministicModelAdapter) != []


def test_the_malformed_read_names_its_argument_wrongly(tmp_path: Path) -> None:
    trace = run(MalformedFirstRead, tmp_path, 5)
    assert trace[1]["action"]["args"] == {"path": "alpha.txt"}
    assert diverges_at(trace, DeterministicModelAdapter) == [1]


def test_stuck_reads_in_turn_and_copes_without_notes(tmp_path: Path) -> None:
    trace = run(Stuck, tmp_path, 6)
    names = [step["action"]["args"].get("name") for step in trace]
    assert names == [None, "alpha.txt", "beta.txt", "alpha.txt", "beta.txt", "alpha.txt"]
    nothing: Trace = [
        {"action": {"tool": "list_notes", "args": {}}, "observation": {"ok": True, "notes": []}},
    ]
    assert Stuck().next_action(nothing) == {"tool": "list_notes", "args": {}}


def test_broken_breaks_one_tool_and_leaves_the_others(tmp_path: Path) -> None:
    make_notes(tmp_path)
    whole = notes_tools(tmp_path)
    tools = broken(whole, "read_note")
    assert tools["read_note"]({"name": "alpha.txt"}) == {"ok": False, "error": "tool_unavailable"}
    assert tools["list_notes"]({})["ok"] is True
    assert whole["read_note"]({"name": "alpha.txt"})["ok"] is True
    with pytest.raises(KeyError, match="there is no tool 'shell'"):
        broken(whole, "shell")


@pytest.mark.parametrize(
    ("make_adapter", "expected"), [(ClockAdapter, [3]), (StatefulAdapter, [1, 2, 3]), (SetOrderAdapter, [])]
)
def test_an_impure_adapter_runs_like_a_healthy_one_and_is_caught_by_replay(
    tmp_path: Path, make_adapter: Callable[[], Adapter], expected: list[int]
) -> None:
    trace = run(make_adapter, tmp_path, 4)
    assert outcomes(trace) == [("list_notes", "ok"), *READS, ("write_report", "ok")]
    assert diverges_at(trace, make_adapter) == expected


def test_one_stateful_adapter_for_all_prefixes_hides_its_fault(tmp_path: Path) -> None:
    trace = run(StatefulAdapter, tmp_path, 4)
    same = StatefulAdapter()
    assert diverges_at(trace, lambda: same) == []


def test_the_clock_can_be_given(tmp_path: Path) -> None:
    trace = run(lambda: ClockAdapter(lambda: 7), tmp_path, 4)
    assert trace[3]["action"]["args"]["content"].endswith("Written at 7\n")


def test_the_order_of_a_set_differs_between_processes() -> None:
    code = (
        "from course_lib.faults import SetOrderAdapter;"
        "listed = {'ok': True, 'notes': ['alpha.txt', 'beta.txt']};"
        "history = [{'action': {'tool': 'list_notes', 'args': {}}, 'observation': listed}];"
        "print(SetOrderAdapter().next_action(history)['args']['name'])"
    )

    def first_read(seed: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        ).stdout.strip()

    assert {first_read("0"), first_read("1")} == {"alpha.txt", "beta.txt"}


def test_the_scenarios_are_the_four_of_the_course() -> None:
    assert list(SCENARIOS) == ["summarize-notes", "invalid-arguments", "tool-failure", "step-budget"]
