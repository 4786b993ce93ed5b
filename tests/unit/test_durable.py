"""What surrounds the durable run: the adapter, the gates, the record as it is read; trials that can be failed."""

import pytest

from course_lib.agent import _tool_call
from course_lib.durable import BillingAdapter, Freshness, digest, make_world, price_facts, recorded, tokens_of
from course_lib.store import open_store
from course_lib.trials import TRIALS, Leaves, hold_trials


def _play(adapter, tools, answers, most=12):
    trace = []
    while len(trace) < most and (not trace or trace[-1]["action"]["tool"] != "write_report"):
        action = adapter.next_action(trace)
        answer = answers.get(action["tool"]) or _tool_call(tools, action)
        trace.append({"action": action, "observation": answer})
    return trace


GOOD = {
    "append_note": {"ok": True},
    "charge_card": {"ok": True},
    "state.read_facts": {"ok": True, "facts": [{"predicate": "price", "value": "95"}]},
}


def test_the_adapter_comes_to_its_report(tmp_path) -> None:
    world = make_world(tmp_path)
    trace = _play(world.adapter, world.tools, GOOD)
    names = [entry["action"]["tool"] for entry in trace]
    assert names == [
        "list_notes",
        "read_note",
        "read_note",
        "state.read_facts",
        "append_note",
        "charge_card",
        "write_report",
    ]
    assert trace[5]["action"]["args"]["amount"] == 95
    assert world.calls == ["list_notes", "read_note alpha.txt", "read_note beta.txt", "write_report"]
    assert tokens_of(trace) == sum(len(entry["observation"].get("text", "")) // 4 for entry in trace[1:3])


def test_after_a_conflict_the_adapter_takes_the_price_of_the_record(tmp_path) -> None:
    world = make_world(tmp_path, adapter=BillingAdapter(120))
    trace = _play(world.adapter, world.tools, {**GOOD, "charge_card": {"ok": False, "error": "in_doubt", "key": "k"}})
    assert trace[4]["action"]["args"]["amount"] == 120
    assert "in doubt" in trace[-1]["action"]["args"]["content"]
    conflict = {"ok": False, "error": "conflict", "held": ["95"]}
    trace = [*trace[:4], {"action": trace[4]["action"], "observation": conflict}]
    assert world.adapter.next_action(trace)["args"]["amount"] == 95


@pytest.mark.parametrize(
    ("now", "said"),
    [
        ("2026-11-30T12:00:00", None),
        ("2026-12-01T08:00:00", None),
        ("2026-12-01T08:00:01", "freshness"),
        ("2026-11-30T09:00:00", "freshness"),
    ],
)
def test_gates_want_two_notes_of_the_last_day(now, said) -> None:
    notes = [{"written": "2026-11-30T08:00:00"}, {"written": "2026-11-30T09:30:00"}]
    gates = Freshness(now)
    assert gates(notes) == said
    assert gates(notes[:1]) == "coverage"
    assert gates.asked == [2, 1]


def test_prices_stand_in_each_others_place() -> None:
    db = open_store(":memory:")
    price_facts(db, 120, 110, 95)
    assert db.execute("SELECT value FROM facts WHERE superseded_by IS NULL").fetchall() == [("95",)]
    assert db.execute("SELECT value, superseded_by FROM facts ORDER BY id").fetchall()[:2] == [("120", 2), ("110", 3)]
    assert recorded(db, "t") == {"steps": [], "obligations": [], "effects": []}


def test_digests_go_by_the_value() -> None:
    assert digest({"a": 1, "b": [2]}) == digest({"b": [2], "a": 1}) != digest({"a": 1, "b": [3]})


def test_leaves_once(tmp_path) -> None:
    from course_lib.trials import Gone

    adapter = Leaves(BillingAdapter(), "list_notes")
    trace = [{"action": adapter.next_action([]), "observation": {"ok": True, "notes": []}}]
    with pytest.raises(Gone):
        adapter.next_action(trace)
    assert adapter.next_action(trace)["tool"] == "state.read_facts"


def idle(db, adapter, tools, gates, card, task_id, max_tokens=200):
    return {"status": "completed", "termination": "goal_reached", "steps": 0, "retries": 0, "trace": []}


def test_a_run_that_does_nothing_stands_no_trial(tmp_path) -> None:
    assert hold_trials(idle, tmp_path) == dict.fromkeys(TRIALS, False)


def test_a_stub_is_not_tried(tmp_path) -> None:
    def stub(*args):
        raise NotImplementedError("durable_run")

    with pytest.raises(NotImplementedError):
        hold_trials(stub, tmp_path)
