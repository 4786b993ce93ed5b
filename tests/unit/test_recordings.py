"""Every recording is made again and compared; nothing in the folder was typed by hand.

To write the recordings anew, after a change of the agent that is meant to change them:

    python -m tests.unit.test_recordings
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest

from course_lib.agent import RunResult, Trace, run_task
from course_lib.faults import SCENARIOS
from course_lib.recordings import FOLDER, project, recorded_names, recording, rerun
from course_lib.tools import make_notes

LEDGER = {
    "summarize-notes": (4, 0, "completed", "goal_reached"),
    "invalid-arguments": (5, 1, "completed", "goal_reached"),
    "tool-failure": (3, 3, "failed", "tool_failure"),
    "step-budget": (6, 0, "budget_exhausted", "step_budget"),
}


def reference_rule(trace: Trace) -> tuple[str, str] | None:
    """When a run ends, kept out of course_lib because learners write it themselves."""
    if sum(not step["observation"]["ok"] for step in trace) > 2:
        return "failed", "tool_failure"
    if trace[-1]["action"]["tool"] == "write_report" and trace[-1]["observation"]["ok"]:
        return "completed", "goal_reached"
    return ("budget_exhausted", "step_budget") if len(trace) >= 6 else None


def record(name: str) -> RunResult:
    make_adapter, make_tools = SCENARIOS[name]
    with tempfile.TemporaryDirectory() as folder:
        make_notes(Path(folder))
        return run_task(make_adapter(), make_tools(Path(folder)), reference_rule)


def file_text(result: RunResult) -> str:
    return json.dumps(result, indent=2) + "\n"


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_file_is_what_the_scenario_gives(name: str) -> None:
    assert (FOLDER / f"{name}.json").read_text(encoding="utf-8") == file_text(record(name))


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_ledger_line(name: str) -> None:
    run = recording(name)
    assert (run["steps"], run["retries"], run["status"], run["termination"]) == LEDGER[name]
    assert run["steps"] == len(run["trace"])


@pytest.mark.parametrize("name", SCENARIOS)
def test_its_own_adapter_proposes_every_recorded_action_again(name: str) -> None:
    make_adapter, _ = SCENARIOS[name]
    trace = recording(name)["trace"]
    for k, step in enumerate(trace):
        assert make_adapter().next_action(trace[:k]) == step["action"], k


def test_the_two_completed_runs_leave_the_same_report() -> None:
    normal, faulty = recording("summarize-notes"), recording("invalid-arguments")
    assert normal["trace"][-1]["observation"] == faulty["trace"][-1]["observation"]


def test_no_recording_holds_a_forbidden_field() -> None:
    forbidden = project()["evidence"]["forbidden_fields"]
    assert forbidden == ["thought", "chain_of_thought"]
    for name in recorded_names():
        text = (FOLDER / f"{name}.json").read_text(encoding="utf-8")
        assert not [field for field in forbidden if f'"{field}"' in text]


def test_each_call_gives_a_copy() -> None:
    recording("summarize-notes")["trace"].clear()
    assert len(recording("summarize-notes")["trace"]) == 4


def test_the_folder_holds_nothing_else() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == {*recorded_names(), "project"}


@pytest.mark.parametrize("name", ["", "summarize_notes", "../recordings/project", "project"])
def test_an_unknown_name_is_refused_with_the_names_there_are(name: str) -> None:
    with pytest.raises(ValueError, match="choose from summarize-notes, invalid-arguments"):
        recording(name)


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_rerun_is_a_real_run(name: str, tmp_path: Path) -> None:
    assert rerun(name, tmp_path) == recording(name)
    completed = recording(name)["status"] == "completed"
    assert (tmp_path / "report.txt").exists() is completed


def test_a_rerun_that_departs_from_its_recording_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SCENARIOS, "summarize-notes", SCENARIOS["step-budget"])
    with pytest.raises(RuntimeError, match="differs from its recording"):
        rerun("summarize-notes", tmp_path)


if __name__ == "__main__":
    for scenario in SCENARIOS:
        (FOLDER / f"{scenario}.json").write_text(file_text(record(scenario)), encoding="utf-8")
