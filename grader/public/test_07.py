"""Notebook 07: what learners may read. The first line of each docstring is the promise on their card."""

from __future__ import annotations

import json

from grader.judge import exercise, promise, same, shape

VALVE = {"subject": "valve 3", "predicate": "litres a day"}
DAYS = [f"2026-03-0{day}T09:00:00" for day in range(1, 10)]
MONDAY, TUESDAY, WEDNESDAY = DAYS[1:4]
FIRST = {**VALVE, "value": "1", "source": "beta.txt", "observed_at": MONDAY, "recorded_at": MONDAY}
ALL = "SELECT id, subject, predicate, value, source, observed_at, recorded_at, superseded_by FROM facts ORDER BY id"


# --- supersede and read_facts -------------------------------------------------------------------


@exercise("supersede", rule=["facts-are-never-overwritten", "superseding-is-a-link"])
def test_the_old_version_stays(learner, records):
    """The old row keeps its value and gets a link; the new one is a row of its own, with its source."""
    db = records.open([FIRST])
    got = learner.call("supersede", db, 1, "0", "repair sheet", TUESDAY, recorded_at=WEDNESDAY).value
    rows = records.rows(ALL)
    promise(rows[:1] != [] and rows[0][0] == 1, "The row of the old fact is gone")
    promise(rows[0][3] == "1", "The old value is overwritten", promised="1", value=rows[0][3])
    promise(len(rows) == 2, "There should be two rows now, committed", promised=2, rows=len(rows))
    new = rows[1][0]
    promise(rows[0][:7] == (1, *list(FIRST.values())), "More than superseded_by has changed in the old row")
    promise(rows[0][7] == new, "The old fact does not name the new one as superseded_by", promised=new)
    promised = (new, "valve 3", "litres a day", "0", "repair sheet", TUESDAY, WEDNESDAY, None)
    promise(rows[1] == promised, "The new row is not what it should be", promised=promised, row=rows[1])
    promise(same(got, new), "What comes back is not the id of the new fact", promised=new)


@exercise("supersede", rule="supersede-once")
def test_a_fact_is_superseded_once(learner, records, refused):
    """A fact that has been superseded, or is not there, is refused with ValueError; nothing is left of the attempt."""
    db = records.open([{**FIRST, "superseded_by": 2}, {**FIRST, "value": "0"}])
    before = records.rows(ALL)
    for old_id, accepted in [(1, "A fact that no longer stands is superseded again"), (7, "There is no fact 7")]:
        got = learner.call("supersede", db, old_id, "2", "phone", TUESDAY, recorded_at=WEDNESDAY)
        refused(got, "ValueError", accepted, old_id=old_id)
        promise(records.rows(ALL) == before, "The record has changed although it was refused", old_id=old_id)
        promise(records.idle(), "A transaction is left open when it raises", old_id=old_id)
    _ = learner.call("supersede", db, 2, "2", "phone", TUESDAY, recorded_at=WEDNESDAY).value
    promise(len(records.rows(ALL)) == 3, "A fact that stands should be superseded", promised=3)


@exercise("supersede", rule="reading-gives-what-stands")
def test_what_stands_is_read(learner, records):
    """Of a chain of three versions the last one is read, with all its fields; another subject is not read."""
    chain = [{**FIRST, "value": str(n), "source": f"sheet {n}", "superseded_by": n + 2} for n in range(3)]
    chain[2]["superseded_by"] = None
    db = records.open([*chain, {**FIRST, "subject": "valve 31"}])
    found = facts_of(learner.call("read_facts", db, "valve 3").value)
    promise([fact[0] for fact in found] == [3], "Other facts than the one that stands are read", promised=[3])
    promise(found[0] == records.rows(ALL)[2], "A field of the Fact is not that of its row")
    promise(learner.call("read_facts", db, "valve").value == [], "Nothing is known of this subject", promised=[])


@exercise("supersede", rule="conflicts-are-shown")
def test_a_conflict_is_read_as_it_is(learner, records):
    """Two facts that stand for one predicate are both read: reading does not choose."""
    db = records.open([{**FIRST, "value": "1"}, {**FIRST, "value": "2", "source": "phone", "observed_at": TUESDAY}])
    found = facts_of(learner.call("read_facts", db, "valve 3").value)
    promise(len(found) != 1, "One of two standing facts is chosen in silence", promised=["1", "2"])
    promise([fact[3] for fact in found] == ["1", "2"], "These are not the two that stand", promised=["1", "2"])


@exercise("supersede", rule="as-it-was-recorded")
def test_what_stood_earlier(learner, records):
    """With as_recorded: what stood on record at that time, the moment of recording included."""
    late = {**FIRST, "value": "0", "observed_at": DAYS[0], "recorded_at": WEDNESDAY}
    db = records.open([{**FIRST, "superseded_by": 2}, late])
    for when, promised in [(DAYS[0], []), (MONDAY, ["1"]), (TUESDAY, ["1"]), (WEDNESDAY, ["0"]), (DAYS[8], ["0"])]:
        found = facts_of(learner.call("read_facts", db, "valve 3", as_recorded=when).value)
        got = [fact[3] for fact in found]
        promise(got == promised, "This is not what stood on record then", promised=promised, as_recorded=when)


FACT = ["id", "subject", "predicate", "value", "source", "observed_at", "recorded_at", "superseded_by"]


def facts_of(value):
    """The facts of an answer as tuples, in the order of the columns."""
    whole = shape(value, ["Fact"]) and all(list(fact.fields) == FACT for fact in value)
    promise(whole, "The answer is not a list of Facts")
    return [tuple(fact.fields.values()) for fact in value]


# --- reconcile ----------------------------------------------------------------------------------


def statement(value, **other):
    return {**VALVE, "value": value, "source": "context", "observed_at": MONDAY, **other}


CONFLICT = ["subject", "predicate", "said", "held", "obligation_id"]


def conflicts_of(value):
    """The conflicts of an answer as tuples, sorted: subject, predicate, said, held, obligation_id."""
    whole = shape(value, ["Conflict"]) and all(list(conflict.fields) == CONFLICT for conflict in value)
    promise(whole, "The answer is not a list of Conflicts")
    return sorted((tuple(conflict.fields.values()) for conflict in value), key=repr)


@exercise("reconcile", rule=["context-against-record", "a-conflict-is-owed"])
def test_a_stale_value_becomes_an_obligation(learner, records):
    """A context with a superseded value: one conflict, and one open obligation to settle it; no fact changes."""
    db = records.open([{**FIRST, "superseded_by": 2}, {**FIRST, "value": "0"}])
    before = records.rows(ALL)
    got = learner.call("reconcile", [statement("1")], db, task_id="task", now=WEDNESDAY).value
    found = conflicts_of(got)
    promised = [("valve 3", "litres a day", ["1"], ["0"])]
    promise(len(found) > 0, "The context is believed, although its fact no longer stands", promised=promised)
    promise(same([one[:4] for one in found], promised), "This is not the conflict that there is", promised=promised)
    promise(records.rows(ALL) == before, "A fact in the record was changed")
    owed = records.rows("SELECT id, task_id, kind, state, created_at FROM obligations")
    promise(len(owed) > 0, "The conflict is reported, but no obligation is opened for it", promised=1)
    promised = [(found[0][4], "task", "reconcile", "open", WEDNESDAY)]
    promise(owed == promised, "The obligation is not the one that it should be", promised=promised, rows=owed)


@exercise("reconcile", rule=["agreement-is-no-conflict", "what-the-context-leaves-out"])
def test_only_differences_are_conflicts(learner, records):
    """An equal value is no conflict, whoever says it and when; a standing fact that the context lacks is one."""
    part = {"subject": "valve 3", "predicate": "spare part", "value": "fitted"}
    db = records.open([FIRST, part, {"subject": "pump", "value": "new"}])
    context = [statement("1", source="phone", observed_at=DAYS[8])]
    found = conflicts_of(learner.call("reconcile", context, db, task_id="task", now=WEDNESDAY).value)
    agreeing = [one for one in found if one[1] == "litres a day"]
    promise(agreeing == [], "Equal values are reported as a conflict", promised=[])
    promise(not any(one[0] == "pump" for one in found), "A subject that the context does not mention is asked about")
    promised = [("valve 3", "spare part", [], ["fitted"])]
    promise(
        same([one[:4] for one in found], promised), "A fact that the context leaves out is missed", promised=promised
    )


# --- claim and commit ---------------------------------------------------------------------------


def claim_of(value):
    """An answer of claim as (outcome, token, result)."""
    whole = shape(value, "Claim") and list(value.fields) == ["outcome", "token", "result"]
    promise(whole, "The answer is not a Claim")
    return tuple(value.fields.values())


STATE = "SELECT state, worker, lease_until, token, result FROM obligations"
EFFECTS = "SELECT key, payload FROM effects"


@exercise("claim", rule=["one-wins-the-other-observes", "busy-while-the-lease-runs"])
def test_one_wins_the_other_is_told(learner, records):
    """The first to ask wins, with a token, and the row says so; whoever asks after that is told that it is busy."""
    db = records.open(obligations=[{}, {}])
    outcome, token, _ = claim_of(learner.call("claim", db, 1, "anna", now=10.0, lease=30.0).value)
    promise(outcome == "won", "An open obligation is not won", promised="won")
    promise(type(token) is int, "The answer to a claim that won has no token")
    promised = ("claimed", "anna", 40.0, token, None)
    row = records.rows(STATE)[0]
    promise(row == promised, "The row does not say who holds the claim until when", promised=promised, row=row)
    for worker in ("bert", "anna"):
        outcome, _, _ = claim_of(learner.call("claim", db, 1, worker, now=20.0, lease=30.0).value)
        promise(outcome == "busy", "Two claims are won while one lease runs", promised="busy", worker=worker)
    promise(records.rows(STATE)[0] == promised, "A claim that did not win has changed the row", promised=promised)
    promise(records.rows(STATE)[1][0] == "open", "Another obligation was claimed as well", promised="open")


@exercise("claim", after="test_one_wins_the_other_is_told", rule=["one-effect-with-its-record", "done-is-observed"])
def test_committed_once_and_observed(learner, records):
    """With its token the effect happens once, and who asks afterwards is told the result."""
    db = records.open(obligations=[{"key": "order 7"}])
    _, token, _ = claim_of(learner.call("claim", db, 1, "anna", now=0.0, lease=30.0).value)
    first = learner.call("commit", db, 1, token, {"euros": 12}).value
    promise(first is True, "A commit with the token of the claim is refused", promised=True)
    effects = [(key, json.loads(payload)) for key, payload in records.rows(EFFECTS)]
    promise(effects == [("order 7", {"euros": 12})], "effects should hold one row now: key and result as JSON")
    again = learner.call("commit", db, 1, token, {"euros": 99}).value
    promise(again is False, "What is done can be committed a second time", promised=False)
    promise(len(records.rows(EFFECTS)) == 1, "The effect has happened twice", promised=1)
    told = claim_of(learner.call("claim", db, 1, "bert", now=1.0, lease=30.0).value)
    promised = ("done", None, {"euros": 12})
    promise(same(told, promised), "The second worker does not observe what was done", promised=promised)


@exercise("claim", after="test_one_wins_the_other_is_told", rule=["a-lease-runs-out", "an-old-token-is-refused"])
def test_slow_worker_is_fenced_off(learner, records):
    """When the lease is over another one may claim, with a higher token; the old token commits nothing any more."""
    db = records.open(obligations=[{}])
    _, old, _ = claim_of(learner.call("claim", db, 1, "anna", now=0.0, lease=30.0).value)
    outcome, new, _ = claim_of(learner.call("claim", db, 1, "bert", now=30.0, lease=30.0).value)
    promise(outcome == "won", "A claim whose lease is over is never given to another", promised="won", now=30.0)
    promise(type(new) is int and new > old, "The token has not risen with the second claim", token=new)
    late = learner.call("commit", db, 1, old, {"by": "anna"}).value
    promise(late is False, "A worker that has lost its claim can still commit", promised=False)
    promise(records.rows(EFFECTS) == [], "A worker that has lost its claim can still bring about the effect")
    promise(learner.call("commit", db, 1, new, {"by": "bert"}).value is True, "The newest claim cannot commit")


# --- next_legal ---------------------------------------------------------------------------------


@exercise("next_legal", rule="causal-and-sequential")
def test_causal_and_sequential(learner, records):
    """After a failure, what only had to come later may go on; what depended on success may not."""
    states = ["failed", "done", "open", "open", "open", "open"]
    requires = [(3, 1, "causal"), (4, 1, "sequential"), (5, 2, "causal"), (6, 5, "sequential")]
    db = records.open(obligations=[{"state": state} for state in states], requires=requires)
    got = learner.call("next_legal", db, "task").value
    promise(shape(got, [int]), "The answer is not a list of ids")
    mixed_up = 3 in got and 4 not in got
    promise(not mixed_up, "Causal and sequential seem to be taken for each other", promised=[4, 5])
    promise(not (3 in got and 4 in got), "A failed requirement seems to allow what depends on its success")
    promise(not (3 not in got and 4 not in got), "A failure seems to hold up what only had to come after it")
    promise(same(got, [4, 5]), "These are not the obligations that may be begun", promised=[4, 5])
