from __future__ import annotations

import copy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import course_lib
from course_lib.agent import (
    RUNAWAY_STEPS,
    Action,
    DeterministicModelAdapter,
    Observation,
    Trace,
    _tool_call,
    run_task,
    summary,
)

HEALTHY = DeterministicModelAdapter()
LIST: Action = {"tool": "list_notes", "args": {}}


def listed(*names: str) -> Trace:
    return [{"action": LIST, "observation": {"ok": True, "notes": list(names)}}]


def read(name: str, text: str = "A text.") -> Trace:
    action: Action = {"tool": "read_note", "args": {"name": name}}
    return [{"action": action, "observation": {"ok": True, "name": name, "text": text}}]


def failed(tool: str) -> Trace:
    return [{"action": {"tool": tool, "args": {}}, "observation": {"ok": False, "error": "tool_unavailable"}}]


def after(entries: int) -> Any:
    return lambda trace: ("completed", "goal_reached") if len(trace) == entries else None


def ok(args: dict[str, Any]) -> Observation:
    return {"ok": True}


class Repeat:
    def next_action(self, history: Trace) -> Action:
        return {"tool": "ok", "args": {"k": len(history)}}


# --- the healthy adapter


def test_lists_first() -> None:
    assert HEALTHY.next_action([]) == LIST
    assert HEALTHY.next_action(failed("list_notes") * 2) == LIST


def test_reads_each_listed_note_once_in_order() -> None:
    history = listed("c.txt", "a.txt")
    assert HEALTHY.next_action(history)["args"] == {"name": "c.txt"}
    assert HEALTHY.next_action(history + read("c.txt"))["args"] == {"name": "a.txt"}
    assert HEALTHY.next_action(history + read("a.txt"))["args"] == {"name": "c.txt"}


def test_a_failed_call_teaches_it_nothing() -> None:
    history = listed("a.txt", "b.txt")
    assert HEALTHY.next_action(history + failed("read_note")) == HEALTHY.next_action(history)
    assert HEALTHY.next_action(history + read("a.txt") + failed("read_note"))["args"] == {"name": "b.txt"}


def test_the_report_depends_on_the_texts() -> None:
    history = listed("a.txt", "b.txt")
    one = HEALTHY.next_action(history + read("a.txt", "Red. More.") + read("b.txt", "Blue."))
    other = HEALTHY.next_action(history + read("a.txt", "Red. More.") + read("b.txt", "Green."))
    assert one["tool"] == other["tool"] == "write_report"
    assert one["args"] == {"content": "Summary of 2 notes\n- a.txt: Red.\n- b.txt: Blue.\n"}
    assert one != other


def test_the_last_listing_counts() -> None:
    history = listed("a.txt") + read("a.txt") + listed("a.txt", "b.txt")
    assert HEALTHY.next_action(history)["args"] == {"name": "b.txt"}


@given(st.lists(st.sampled_from(["list", "a", "b", "fail"]), max_size=8))
def test_is_a_pure_function_of_the_history(words: list[str]) -> None:
    pieces = {"list": listed("a", "b"), "a": read("a"), "b": read("b"), "fail": failed("read_note")}
    history = [step for word in words for step in pieces[word]]
    before = copy.deepcopy(history)
    assert HEALTHY.next_action(history) == DeterministicModelAdapter().next_action(history)
    assert history == before


@given(st.dictionaries(st.text(), st.text()))
def test_a_summary_has_its_head_and_takes_any_text(texts: dict[str, str]) -> None:
    assert summary(texts).startswith(f"Summary of {len(texts)} notes\n")


# --- carrying out an action


@pytest.mark.parametrize(
    ("action", "error"),
    [
        ({"tool": "shell", "args": {}}, "unknown_tool"),
        ({"tool": ["ok"], "args": {}}, "unknown_tool"),
        ({"args": {}}, "unknown_tool"),
        ({}, "unknown_tool"),
        ({"tool": "ok"}, "invalid_arguments"),
        ({"tool": "ok", "args": ["name"]}, "invalid_arguments"),
        ({"tool": "full", "args": {}}, "tool_unavailable"),
    ],
)
def test_what_goes_wrong_is_an_observation(action: Any, error: str) -> None:
    def full(args: dict[str, Any]) -> Observation:
        raise OSError("no space left on device")

    assert _tool_call({"ok": ok, "full": full}, action) == {"ok": False, "error": error}


def test_a_tool_cannot_change_the_action() -> None:
    def greedy(args: dict[str, Any]) -> Observation:
        args.clear()
        return {"ok": True}

    action: Action = {"tool": "greedy", "args": {"name": "a"}}
    assert _tool_call({"greedy": greedy}, action) == {"ok": True}
    assert action["args"] == {"name": "a"}


# --- the loop


def test_the_rule_sees_every_prefix_and_ends_the_run() -> None:
    seen: list[int] = []

    def rule(trace: Trace) -> tuple[str, str] | None:
        seen.append(len(trace))
        return ("done", "because") if len(trace) == 3 else None

    result = run_task(Repeat(), {"ok": ok}, rule, task_id="t")
    assert seen == [1, 2, 3]
    assert (result["task_id"], result["steps"]) == ("t", 3)
    assert (result["status"], result["termination"]) == ("done", "because")


def test_retries_are_all_failed_observations_not_a_streak() -> None:
    def every_other(args: dict[str, Any]) -> Observation:
        return {"ok": True} if args["k"] % 2 else {"ok": False, "error": "not_found"}

    assert run_task(Repeat(), {"ok": every_other}, after(5))["retries"] == 3


def test_the_adapter_is_shown_a_copy() -> None:
    class Vandal:
        def next_action(self, history: Trace) -> Action:
            for step in history:
                step["observation"]["ok"] = False
            history.clear()
            return {"tool": "ok", "args": {}}

    result = run_task(Vandal(), {"ok": ok}, after(3))
    assert [step["observation"] for step in result["trace"]] == [{"ok": True}] * 3


def test_the_trace_keeps_what_was_proposed_then() -> None:
    reused: Action = {"tool": "ok", "args": {}}

    class OneObject:
        def next_action(self, history: Trace) -> Action:
            reused["args"]["k"] = len(history)
            return reused

    result = run_task(OneObject(), {"ok": ok}, after(3))
    assert [step["action"]["args"]["k"] for step in result["trace"]] == [0, 1, 2]


def test_a_rule_that_never_ends_the_run_is_an_error() -> None:
    with pytest.raises(RuntimeError, match=f"let {RUNAWAY_STEPS} steps pass"):
        run_task(Repeat(), {"ok": ok}, lambda trace: None)


# --- the package


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = (
        "import sys; before = set(sys.modules); import course_lib;"
        "new = set(sys.modules) - before;"
        "heavy = {'matplotlib', 'pytest', 'IPython', 'jupyter_client', 'filelock', 'msgspec'};"
        "assert not heavy & new, heavy & new"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2], timeout=60)


def test_figures_load_matplotlib_only_when_one_is_drawn() -> None:
    code = "import sys, course_lib.figures; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2], timeout=60)


def test_the_package_names_what_it_offers() -> None:
    assert set(course_lib.__all__) <= set(dir(course_lib))
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        course_lib.nonsense  # noqa: B018
