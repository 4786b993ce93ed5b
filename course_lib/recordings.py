"""The runs that the notebooks read: one JSON file a scenario, in the folder beside this file.

They were made by running the scenarios, and tests/unit/test_recordings.py makes them again and
compares. Nothing here ends a run by itself: when a run ends is for the learner to work out.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

from .agent import RunResult, Trace, run_task
from .faults import SCENARIOS
from .tools import make_notes

FOLDER = Path(__file__).with_suffix("")


def recorded_names() -> list[str]:
    """The scenarios on record: the healthy run first, then the faulty ones."""
    return list(SCENARIOS)


def recording(name: str) -> RunResult:
    """The recorded run of a scenario, a fresh copy at each call. Raises ValueError for an unknown name."""
    if name not in SCENARIOS:
        raise ValueError(f"no recording {name!r}; choose from {', '.join(recorded_names())}")
    return cast(RunResult, _load(name))


def project() -> dict[str, Any]:
    """The project's settings; `evidence.forbidden_fields` names what a trace must not hold."""
    return cast(dict[str, Any], _load("project"))


def rerun(name: str, root: Path) -> RunResult:
    """Run a scenario for real in the folder `root`, for as long as its recording lasted.

    Raises ValueError for an unknown name, RuntimeError when the run departs from the recording.
    """
    recorded = recording(name)
    make_adapter, make_tools = SCENARIOS[name]
    make_notes(root)

    def as_recorded(trace: Trace) -> tuple[str, str] | None:
        over = len(trace) == recorded["steps"]
        return (recorded["status"], str(recorded["termination"])) if over else None

    result = run_task(make_adapter(), make_tools(root), as_recorded, task_id=recorded["task_id"])
    if result != recorded:
        raise RuntimeError(f"{name}: this run differs from its recording; run the tests of course_lib")
    return result


def _load(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_bytes())
