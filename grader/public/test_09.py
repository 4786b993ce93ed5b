"""Public tests of notebook 09: a durable run, looked at from outside."""

from __future__ import annotations

from course_lib.crash import store
from grader.judge.api import exercise, promise

ROWS = "SELECT key, payload FROM effects ORDER BY id"
OWED = "SELECT kind, key, state FROM obligations WHERE kind = 'charge'"
STEPS = "SELECT entry FROM steps WHERE task_id = 'task-1' ORDER BY n"

READING = [
    {"tool": "list_notes", "args": {}},
    {"tool": "read_note", "args": {"name": "a.txt"}},
    {"tool": "read_note", "args": {"name": "b.txt"}},
]
ACTING = [
    {"tool": "append_note", "args": {"text": "two notes"}},
    {"tool": "charge_card", "args": {"subject": "pump 4", "amount": 95}},
    {"tool": "write_report", "args": {"content": "done"}},
]
PLAN = [*READING, {"tool": "state.read_facts", "args": {"subject": "pump 4"}}, *ACTING]


def _ended(got):
    return got["status"], got["termination"]


@exercise("durable_run", points=1, rule="a-durable-run")
def test_a_whole_run(learner, records, work):
    """Trial 1. Left alone, it makes every call once, has one of each effect and puts every entry on record."""
    world, db = work(PLAN), records.open()
    got = work.result(learner.call("durable_run", *world.args(learner, db, "task-1")))
    wanted = world.whole()
    trace = work.bare(got["trace"])
    promise(trace == wanted, "The trace is not that of the run", promised=wanted)
    counted = {name: got[name] for name in ("task_id", "steps", "retries")}
    numbers = {"task_id": "task-1", "steps": 7, "retries": 0}
    promise(counted == numbers, "Task or counters are not those of the run", promised=numbers, found=counted)
    promise(_ended(got) == ("completed", "goal_reached"), "A report that was written should end the run as completed")
    called = [action["tool"] for action in world._calls]
    once = ["list_notes", "read_note", "read_note", "write_report"]
    promise(called == once, "The tools were not called once each, in the order of the plan", promised=once)
    promise(
        [payload for _, payload in records.rows(ROWS)] == [wanted[4]["action"]["args"]["text"]], "One row is missing"
    )
    promise(
        [payload for _, payload in world._acted] == ["95"], "The card was not charged once, with the amount as text"
    )
    keys = {got["trace"][at]["observation"].get("key") for at in (4, 5)}
    on_record = {records.rows(ROWS)[0][0], world._acted[0][0]}
    promise(keys == on_record, "The entries of the two effects do not name the keys that were used")
    promise(len(records.rows(STEPS)) == 7, "There is not one row in steps for each entry", promised=7)
    states = [row[2] for row in records.rows(OWED)]
    promise(states == ["done"], "The obligation of the charge is not done", promised=["done"], states=states)


@exercise("durable_run", points=1, after="test_a_whole_run", rule=["resume-not-restart", "kill-anywhere"])
def test_killed_around_each_call(learner, work):
    """Trial 2, in small. Killed around any call on the outside and started again: the same run, each effect once."""
    worlds = []

    def new_args():
        worlds.append(work([*READING[:2], *ACTING]))
        return worlds[-1].args(learner, store(), "task-1")

    made = learner.crash.calls("durable_run", new_args)
    wanted = worlds[0].whole()
    for case, world, rows in zip(made.cases, worlds[1:], learner.crash.rows(made, ROWS), strict=True):
        got = work.result(case.answer)
        same = work.bare(got["trace"]) == wanted
        promise(same, "After a kill and a new start the trace is not that of the run", killed=f"{case.where} {case.n}")
        promise(len(rows or []) == 1, "After a kill the note was appended twice, or never", rows=len(rows or []))
        promise(len(world._acted) == 1, "After a kill the card was charged twice, or never", charges=len(world._acted))
        listed = [action["tool"] for action in world._calls].count("list_notes")
        promise(listed <= 2, "A step that was on record has been made again", made=listed)


@exercise("durable_run", points=1, after="test_a_whole_run", rule="in-doubt-is-told")
def test_a_broken_line_is_told(learner, records, work):
    """Trial 11. A charge whose line broke is in doubt in the trace, its obligation stays open, and the run goes on."""
    world, db = work([*READING, *ACTING], dedupes=False, breaks="after"), records.open()
    got = work.result(learner.call("durable_run", *world.args(learner, db, "task-1")))
    promise(len(got["trace"]) > 4, "The run has no entry for the charge", promised=6)
    seen = got["trace"][4]["observation"]
    told = seen["ok"] is False and seen.get("error") == "in_doubt"
    promise(told, "The entry of the charge does not say in_doubt", observation=seen)
    promise(len(got["trace"]) == 6, "The run should have six entries, the charge being one", promised=6)
    owed = records.rows(OWED)
    promise(len(owed) == 1, "There should be one obligation of kind charge", owed=owed)
    promise(owed[0][2] != "done", "An obligation that is in doubt is called done", owed=owed)
    promise(seen.get("key") == owed[0][1], "The entry does not name the key of the obligation", observation=seen)
    promise(_ended(got) == ("completed", "goal_reached"), "The run should go on to its report")


@exercise("durable_run", points=1, after="test_a_whole_run", rule="the-record-decides-the-price")
def test_a_price_that_the_record_has_superseded(learner, records, work):
    """Trial 5. An amount that the record contradicts is not charged; the entry says what the record holds."""
    old = {"subject": "pump 4", "predicate": "price", "value": "120", "superseded_by": 2}
    stale = {"tool": "charge_card", "args": {"subject": "pump 4", "amount": 120}}
    world = work([ACTING[0], stale, ACTING[2]])
    db = records.open([old, {"subject": "pump 4", "predicate": "price", "value": "95"}])
    got = work.result(learner.call("durable_run", *world.args(learner, db, "task-1")))
    promise([payload for _, payload in world._acted] == ["95"], "Another amount was charged than the one that stands")
    seen = got["trace"][1]["observation"]
    wanted = {"ok": False, "error": "conflict", "held": ["95"]}
    promise(seen == wanted, "The entry does not tell of the conflict", promised=wanted, observation=seen)


@exercise("durable_run", points=1, after="test_a_whole_run", rule=["both-budgets", "gates-before-every-effect"])
def test_two_more_ends(learner, records, work):
    """Trials 7 and 8. Too much read: refused. A gate says no before an effect: abstained. Neither is a failure."""
    world, db = work([*READING, *ACTING]), records.open()
    got = work.result(learner.call("durable_run", *world.args(learner, db, "task-1", 11)))
    ended = ("refused", "observation_budget")
    promise(_ended(got) == ended, "After 11 of 11 tokens the run should be refused", promised=ended, found=_ended(got))
    promise((got["steps"], got["retries"]) == (2, 0), "A refusal is no entry and no failure", promised=(2, 0))
    world = work([*READING, *ACTING], refuses=lambda notes: True)
    got = work.result(learner.call("durable_run", *world.args(learner, db, "task-2")))
    promise(records.rows(ROWS) == [], "A note was appended although a gate said no")
    ended = ("abstained", "evidence_gate")
    promise(_ended(got) == ended, "With a gate that says no it should abstain", promised=ended, found=_ended(got))
    promise((got["steps"], got["retries"]) == (3, 0), "An abstention is no entry and no failure", promised=(3, 0))
    promise(len(world._shown[0]) == 2, "The gates should be shown both notes", shown=len(world._shown[0]))
