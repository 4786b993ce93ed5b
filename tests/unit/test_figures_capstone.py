"""The figures of the capstone say in words what they show."""

from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from course_lib.figures import alt_text
from course_lib.figures.capstone import run_kill_map, run_report


@dataclass
class Struck:
    n: int
    outcome: tuple[int, int, str]


def _sweep(*outcomes):
    trace = [{"action": {"tool": name, "args": {}}, "observation": {"ok": True}} for name in ("charge_card", "report")]
    whole = SimpleNamespace(ending=SimpleNamespace(outcome=SimpleNamespace(value={"trace": trace})))
    return SimpleNamespace(cases=[Struck(n, outcome) for n, outcome in enumerate(outcomes, 1)], whole=whole)


def test_the_kill_map_names_what_stays_unsettled() -> None:
    struck = _sweep((0, 0, "none"), (0, 0, "claimed"), (2, 1, "done"))
    resumed = _sweep((2, 1, "done"), (2, 0, "claimed"), (2, 1, "done"))
    told = alt_text(run_kill_map(struck, resumed))
    assert "never more than 1 charge, unsettled after 1 kill" in told
    assert "charge_card: 1 charge, obligation done, no charges, obligation claimed" in told
    with pytest.raises(ValueError, match="same kills"):
        run_kill_map(struck, _sweep((2, 1, "done")))


def test_the_report_names_open_items() -> None:
    steps = [
        {"action": {"tool": "read_note", "args": {}}, "observation": {"ok": True, "name": "a.txt", "text": "x" * 40}},
        {"action": {"tool": "charge_card", "args": {}}, "observation": {"ok": False, "error": "in_doubt", "key": "k"}},
    ]
    told = alt_text(run_report("t", {"steps": steps, "obligations": [["charge", "k", "claimed"]], "effects": []}))
    assert told.startswith("t: 2 entries, no charges settled, 1 open item: k.")
    assert "1 charge_card: in_doubt, key k" in told
    with pytest.raises(ValueError, match="nothing of t"):
        run_report("t", {"steps": [], "obligations": [], "effects": []})
