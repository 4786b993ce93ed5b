"""Notebook 07: what a class bundle may leave out. Records are drawn at random and compared with a plain model."""

from __future__ import annotations

import json

from course_lib.crash import store
from grader.judge import exercise, promise, same, shape

FACT = ["id", "subject", "predicate", "value", "source", "observed_at", "recorded_at", "superseded_by"]
CONFLICT = ["subject", "predicate", "said", "held", "obligation_id"]
ALL = f"SELECT {', '.join(FACT)} FROM facts ORDER BY id"
WORDS = ["valve", "pump", "gate", "Größe", "日本", "tank"]


def day(number):
    return f"2026-03-{number:02}T09:00:00"


def word(rng):
    return f"{rng.choice(WORDS)} {rng.randrange(10**6)}"


def some_fact(rng, **given):
    drawn = {name: word(rng) for name in ("subject", "predicate", "value", "source")}
    return {**drawn, "observed_at": day(rng.randrange(1, 9)), "recorded_at": day(rng.randrange(10, 19)), **given}


def facts_of(value):
    whole = shape(value, ["Fact"]) and all(list(f.fields) == FACT and type(f.fields["id"]) is int for f in value)
    promise(whole, "The answer is not a list of Facts")
    return [tuple(fact.fields.values()) for fact in value]


# --- supersede and read_facts -------------------------------------------------------------------


@exercise("supersede", rule=["times-decide-nothing", "superseding-is-a-link"])
def test_a_late_observation_replaces_too(learner, rng, records):
    """A letter that was long in the post replaces what was observed after it: the caller has decided, not the times."""
    task, value, source = (word(rng) for _ in range(3))
    old = some_fact(rng, task_id=task, observed_at=day(rng.randrange(5, 9)))
    db = records.open([some_fact(rng), old, some_fact(rng)])
    before = records.rows(ALL)
    when = (day(rng.randrange(1, 5)), day(rng.randrange(20, 28)))
    new = learner.call("supersede", db, 2, value, source, when[0], recorded_at=when[1]).value
    rows = records.rows(ALL)
    promise(len(rows) == 4, "There should be one row more, committed", rows=len(rows))
    made = rows[-1]
    promise(made[7] is None, "A late observation is itself superseded by what it should replace")
    promise(rows[1][7] == made[0], "A late observation does not replace what was observed after it")
    promise(made[4] != "", "The new fact has no source")
    expected = (old["subject"], old["predicate"], value, source, *when)
    promise(made[1:7] == expected, "A field of the new fact is not what was given, or not taken from the old one")
    (kept,) = records.rows(f"SELECT task_id FROM facts WHERE id = {made[0]}")[0]
    promise(kept == task, "The task of the old fact is not handed on")
    promise([rows[0], rows[2]] == [before[0], before[2]], "A row that has nothing to do with it has changed")
    promise(rows[1][:7] == before[1][:7], "More than superseded_by has changed in the old row")
    promise(same(new, made[0]), "What comes back is not the id of the new fact")


@exercise("supersede", rule=["every-version-is-a-row", "reading-gives-what-stands"])
def test_back_to_an_earlier_value(learner, rng, records):
    """A value that comes back is a new version: three rows, no circle, and the third one stands."""
    first = some_fact(rng)
    db = records.open([first])
    second = learner.call("supersede", db, 1, word(rng), word(rng), day(20), recorded_at=day(20)).value
    promise(type(second) is int, "What comes back is not the id of the new fact")
    third = learner.call("supersede", db, second, first["value"], first["source"], day(21), recorded_at=day(21))
    rows = records.rows("SELECT id, superseded_by FROM facts ORDER BY id")
    links = dict(rows)
    promise(links.get(2) != 1, "The links run in a circle: nothing stands any more")
    _ = third.value
    promise(len(rows) == 3, "A value that was there before makes no new row", rows=len(rows))
    promise(list(links.values()) == [2, 3, None], "The links do not lead from each version to the next")
    found = facts_of(learner.call("read_facts", db, first["subject"]).value)
    promise([fact[0] for fact in found] == [3], "Reading does not follow the versions to their end")


@exercise("supersede", rule="only-the-fact-that-is-named")
def test_others_stand_as_before(learner, rng, records):
    """Only the fact that is named is replaced, also where another one says the same about the same."""
    twin = some_fact(rng)
    other = some_fact(rng, predicate=twin["predicate"], value=twin["value"])
    db = records.open([twin, {**twin, "source": word(rng)}, other])
    new = learner.call("supersede", db, 2, word(rng), word(rng), day(20), recorded_at=day(20)).value
    links = [link for (link,) in records.rows("SELECT superseded_by FROM facts ORDER BY id")]
    promise(links[2:3] == [None], "A fact about another subject was superseded")
    promise(links[0] is None, "Another fact about the same subject and predicate was superseded with it")
    promise(links == [None, new, None, None], "The links are not the right ones")
    found = facts_of(learner.call("read_facts", db, twin["subject"]).value)
    promise([fact[0] for fact in found] == [1, new], "Not both facts that stand are read, in the order of their ids")


FULL_DISK = """
CREATE TRIGGER full_disk BEFORE UPDATE ON facts BEGIN SELECT RAISE(ABORT, 'the disk is full'); END;
"""


@exercise("supersede", rule="both-or-neither")
def test_both_changes_or_neither(learner, rng, records):
    """When the link cannot be written, there is no new row either, and no transaction is left open."""
    for name, trouble in [("good.db", ""), ("bad.db", FULL_DISK)]:
        db = records.open([some_fact(rng)], sql=trouble, name=name)
        before = records.rows(ALL, name)
        got = learner.call("supersede", db, 1, word(rng), word(rng), day(20), recorded_at=day(20))
        if not trouble:
            _ = got.value
            promise(len(records.rows(ALL, name)) == 2, "There should be two rows now, committed")
            continue
        promise(got.error is not None, "The database refused the link, and nothing was said about it")
        promise(records.rows(ALL, name) == before, "Half of it is committed: the new row without the link to it")
        promise(records.idle(), "A transaction is left open when the database raises")


SUPERSEDE = """
def supersede_from(db, old_id, value, source, observed_at, recorded_at):
    return supersede(db, old_id, value, source, observed_at, recorded_at=recorded_at)
"""


@exercise("supersede", after="test_the_old_version_stays", rule="two-cannot-both-supersede")
def test_two_supersede_at_once(learner, rng, records):
    """Two processes supersede one fact: in every order one of them succeeds and the other gets a ValueError."""
    facts = [some_fact(rng), some_fact(rng)]
    given = {worker: (1, word(rng), word(rng), day(20), day(21)) for worker in "AB"}
    runs = learner.crash.orders(
        "supersede_from",
        SUPERSEDE,
        lambda: {worker: (store(), *args) for worker, args in given.items()},
        records.data(facts),
        most=30,
        seed=rng.randrange(10**6),
    )
    left = learner.crash.rows(runs, "SELECT value, superseded_by FROM facts WHERE id <> 2 ORDER BY id")
    for run, rows in zip(runs, left, strict=True):
        outcomes = [ending.outcome for ending in run.endings.values()]
        other = next((o.error for o in outcomes if o.error is not None and not o.raised("ValueError")), None)
        told = {} if other is None else {"raised": other.type}
        promise(other is None, "In some order one worker gets another exception", order=run.order, **told)
        losers = sum(outcome.raised("ValueError") for outcome in outcomes)
        promise(losers < 2, "In some order nobody succeeds", order=run.order)
        standing = [value for value, link in rows or [] if link is None]
        both = "Both workers superseded the same fact: two of its successors stand"
        promise(losers > 0 and len(standing) < 2, both, order=run.order)
        winner = next(w for w, ending in run.endings.items() if ending.outcome.error is None)
        promise(standing == [given[winner][1]], "What stands is not what the one wrote that succeeded", order=run.order)


def read_model(rows, subject, at):
    """Ids of what stood; rows as (id, subject, recorded_at, superseded_by)."""
    known = {row[0] for row in rows if at is None or row[2] <= at}
    return [row[0] for row in rows if row[1] == subject and row[0] in known and row[3] not in known]


@exercise("supersede", rule=["as-it-was-recorded", "conflicts-are-shown", "reading-gives-what-stands"])
def test_reading_any_record(learner, rng, records):
    """Any record, now and at any earlier time: every fact that stood, in the order of ids, as it stands in its row."""
    subject = word(rng)
    made = []
    for number in range(1, 13):
        about = subject if rng.random() < 0.75 else word(rng)
        when = day(number + rng.randrange(2))
        fact = some_fact(rng, subject=about, recorded_at=when, observed_at=day(rng.randrange(1, 28)))
        fact |= {"predicate": f"p{rng.randrange(2)}", "value": rng.choice(["1", "1.0", "2"])}
        older = [n for n, f in enumerate(made) if f["subject"] == about and f.get("superseded_by") is None]
        if older and rng.random() < 0.7:
            made[rng.choice(older)]["superseded_by"] = number
        made.append(fact)
    made.append(some_fact(rng, subject=subject, observed_at=day(28), recorded_at=day(20), superseded_by=14))
    made.append(some_fact(rng, subject=subject, observed_at=day(1), recorded_at=day(24)))
    made.append({**made[-1], "source": word(rng), "recorded_at": day(25)})
    db = records.open(made)
    rows = records.rows(ALL)
    brief = [(row[0], row[1], row[6], row[7]) for row in rows]
    for at in [None, *rng.sample([day(n) for n in range(1, 28)], 8)]:
        expected = read_model(brief, subject, at)
        found = facts_of(learner.call("read_facts", db, subject, as_recorded=at).value)
        got = [fact[0] for fact in found]
        where = "" if at is None else " at an earlier time"
        about = {row[0]: row[1] for row in rows}
        promise(all(n in about for n in got), "A Fact has an id that no row has")
        superseded = [n for n in got if n not in expected and about[n] == subject]
        promise(at is not None or not superseded, "A fact is read that another one stands in the place of")
        missing = [n for n in expected if n not in got]
        promise(at is not None or not missing, "A fact that stands is not read")
        promise(sorted(got) == expected, f"These are not the facts that stood{where}")
        promise(got == expected, "The facts do not come in the order of their ids")
        promise(found == [rows[n - 1] for n in got], "A field of a Fact is not that of its row")


# --- reconcile ----------------------------------------------------------------------------------


def conflicts_of(value):
    whole = shape(value, ["Conflict"]) and all(list(conflict.fields) == CONFLICT for conflict in value)
    promise(whole, "The answer is not a list of Conflicts")
    return sorted((tuple(conflict.fields.values()) for conflict in value), key=repr)


def said(fact, **other):
    """A statement of a context about a fact."""
    return {name: fact[name] for name in ("subject", "predicate", "value", "source", "observed_at")} | other


@exercise("reconcile", rule=["context-against-record", "times-decide-nothing"])
def test_the_record_is_not_overruled(learner, rng, records):
    """A context that is newer, or sure of itself, or nearly the same, still differs; the record stays as it is."""
    old, middle, new, near = (some_fact(rng, observed_at=day(n)) for n in (3, 4, 5, 5))
    for later in (middle, new):
        later |= {"subject": old["subject"], "predicate": old["predicate"]}
    old["superseded_by"], middle["superseded_by"] = 2, 3
    db = records.open([old, middle, new, near])
    before = records.rows(ALL)
    context = [said(middle, observed_at=day(28)), said(near, value=near["value"] + rng.choice([" ", ".", "0"]))]
    found = conflicts_of(learner.call("reconcile", context, db, task_id=word(rng), now=day(28)).value)
    promise(records.rows(ALL) == before, "The facts in the record were changed")
    questions = [one[:2] for one in found]
    stale = (old["subject"], old["predicate"])
    promise(stale in questions, "A context that is newer seems to be believed against the record")
    promise(
        (near["subject"], near["predicate"]) in questions, "Values that are only similar seem to be taken for equal"
    )
    held = next(one[3] for one in found if one[:2] == stale)
    promise(
        held != [middle["value"], new["value"]] and middle["value"] not in held,
        "held has a value that no longer stands",
    )
    expected = sorted(
        [
            (*stale, [middle["value"]], [new["value"]]),
            (near["subject"], near["predicate"], [context[1]["value"]], [near["value"]]),
        ],
        key=repr,
    )
    promise(same([one[:4] for one in found], expected), "The conflicts are not the ones that there are")


def conflict_model(context, facts):
    """What reconcile should find, without the obligations. `facts` stand, all of them."""
    subjects = {one["subject"] for one in context}
    sides = []
    for rows in (context, [fact for fact in facts if fact["subject"] in subjects]):
        side = {}
        for row in rows:
            side.setdefault((row["subject"], row["predicate"]), set()).add(row["value"])
        sides.append(side)
    ours, theirs = sides
    both = [(q, sorted(ours.get(q, ())), sorted(theirs.get(q, ()))) for q in ours.keys() | theirs.keys()]
    return sorted([(*q, a, b) for q, a, b in both if a != b], key=repr)


@exercise("reconcile", rule=["context-against-record", "agreement-is-no-conflict", "what-the-context-leaves-out"])
def test_any_context(learner, rng, records):
    """Any context and any record: every question with two answers, and no other, each with an obligation of its own."""
    for n in range(3):
        subjects, predicates = [word(rng) for _ in range(3)], [word(rng) for _ in range(3)]
        facts = [
            some_fact(rng, subject=s, predicate=p, value=f"{rng.randrange(2)}")
            for s in subjects
            for p in predicates
            for _ in range(rng.choice([0, 1, 1, 2]))
        ]
        context = [said(fact) for fact in facts if fact["subject"] != subjects[0] and rng.random() < 0.75]
        context += [said(fact, value=f"{rng.randrange(2)}") for fact in rng.sample(facts, min(3, len(facts)))]
        context += [said(some_fact(rng, subject=subjects[1]))]
        rng.shuffle(context)
        db = records.open(facts, name=f"{n}.db")
        task = word(rng)
        outcome = learner.call("reconcile", context, db, task_id=task, now=day(28))
        found, expected = conflicts_of(outcome.value), conflict_model(context, facts)
        promise(same(outcome.args_after[0], context), "The context is changed")
        questions, wanted = ([one[:2] for one in side] for side in (found, expected))
        extra = [one for one in found if one[:2] not in wanted]
        promise(not any(one[2] == one[3] for one in extra), "Equal answers are reported as a conflict")
        promise(not extra, "A question on which the two sides agree, or that nobody asked, is reported as a conflict")
        lost = [one for one in expected if one[:2] not in questions]
        promise(all(one[2] for one in lost), "A fact that the context leaves out is missed")
        promise(all(one[3] for one in lost), "A statement about which the record has nothing is missed")
        promise(not lost, "A question on which the two sides differ is missed")
        promise(same([one[:4] for one in found], expected), "said or held is not the sorted list of that side's values")
        owed = records.rows("SELECT id, task_id, kind, state, created_at FROM obligations ORDER BY id", f"{n}.db")
        promise(len(owed) == len(found), "There is not one obligation, committed, for each conflict")
        rest = {row[1:] for row in owed}
        promise(
            rest == {(task, "reconcile", "open", day(28))}, "An obligation is not of this task, kind, state or time"
        )
        numbers = sorted(one[4] for one in found if type(one[4]) is int)
        promise(numbers == [row[0] for row in owed], "The conflicts do not name their obligations, one each")
        promise(records.idle(), "A transaction is left open")


@exercise("reconcile", rule="a-conflict-is-owed")
def test_the_same_conflict_is_owed_once(learner, rng, records):
    """The same conflict again names the obligation that is there; another task, question or value has its own."""
    left, right = sorted((word(rng), word(rng)))
    for glue in ("", "/", "|", ":", "-", " ", ",", "_"):
        facts = [
            some_fact(rng, subject=f"{left}{glue}{right}", predicate=right, value="1"),
            some_fact(rng, subject=left, predicate=f"{right}{glue}{right}", value="1"),
        ]
        name = f"g{len(glue) and ord(glue)}.db"
        db = records.open(facts, name=name)
        context = [said(fact, value="2") for fact in facts]
        task = word(rng)
        first = conflicts_of(learner.call("reconcile", context, db, task_id=task, now=day(20)).value)
        promise(len(first) == 2, "Two questions with other words are not two conflicts")
        promise(
            first[0][4] != first[1][4], "Two conflicts share one obligation: their keys seem to be put together alike"
        )
        if glue:
            continue
        again = conflicts_of(learner.call("reconcile", context, db, task_id=task, now=day(21)).value)
        promise(same(again, first), "The same conflict, met again, does not name the obligation that is there")
        count = f"SELECT count(*) FROM obligations WHERE task_id = '{task}'"
        promise(records.rows(count, name) == [(2,)], "The same conflict, met again, opens a second obligation")
        other = conflicts_of(learner.call("reconcile", context, db, task_id=task + "b", now=day(22)).value)
        mine = {one[4] for one in first}
        promise(mine.isdisjoint(one[4] for one in other), "Another task is given the obligation of this one")
        changed = [said(facts[0], value="3"), context[1]]
        third = conflicts_of(learner.call("reconcile", changed, db, task_id=task, now=day(23)).value)
        promise(third[0][4] != first[0][4] or third[1][4] != first[1][4], "A new value is not a new conflict")


# --- claim and commit ---------------------------------------------------------------------------

EFFECTS = "SELECT key, payload FROM effects ORDER BY id"


def claim_of(value):
    whole = shape(value, "Claim") and list(value.fields) == ["outcome", "token", "result"]
    promise(whole, "The answer is not a Claim")
    return tuple(value.fields.values())


def some_result(rng):
    return {word(rng): rng.choice([rng.randrange(10**6), [word(rng)], None, True]), "n": rng.randrange(10**9)}


class Model:
    """One obligation as it should be."""

    def __init__(self):
        self.state, self.until, self.tokens, self.result = "open", 0.0, [], None

    def asked(self, now, lease):
        if self.state == "done":
            return "done"
        if self.state == "claimed" and now < self.until:
            return "busy"
        self.state, self.until = "claimed", now + lease
        return "won"


AFTERWARDS = {
    ("won", "busy"): "A claim whose lease is over is not given to another",
    ("won", "done"): "An obligation that nobody has committed is called done",
    ("busy", "won"): "Two claims are won while one lease runs",
    ("busy", "done"): "An obligation that is only claimed is called done",
    ("done", "won"): "What is done can be claimed again",
    ("done", "busy"): "What is done is called busy",
}


@exercise(
    "claim", rule=["one-wins-the-other-observes", "a-lease-runs-out", "an-old-token-is-refused", "done-is-observed"]
)
def test_any_story(learner, rng, records):
    """Any story of claims and commits, on several obligations: each answer, each effect and each row is right."""
    for n in range(3):
        keys = [word(rng) for _ in range(3)]
        name = f"{n}.db"
        db = records.open(obligations=[{"key": key} for key in keys], name=name)
        models, effects, now = [Model() for _ in keys], [], float(rng.randrange(100))
        for _ in range(26):
            now += rng.choice([0.0, 1.0, 5.0, 10.0])
            number = rng.randrange(3)
            model = models[number]
            if rng.random() < 0.6:
                lease = rng.choice([5.0, 10.0])
                if model.state == "claimed" and rng.random() < 0.3:
                    now = max(now, model.until)  # the very moment at which the lease is over
                worker = rng.choice(["anna", "bert"])
                got = claim_of(learner.call("claim", db, number + 1, worker, now=now, lease=lease).value)
                expected = model.asked(now, lease)
                promise(got[0] == expected, AFTERWARDS.get((expected, got[0]), "The outcome is none of the three"))
                if expected == "won":
                    newer = type(got[1]) is int and all(got[1] > token for token in model.tokens)
                    promise(newer, "A token is not higher than every earlier one of its obligation")
                    model.tokens.append(got[1])
                    row = records.rows(f"SELECT state, worker, token FROM obligations WHERE id = {number + 1}", name)
                    promise(row == [("claimed", worker, got[1])], "The row does not say who holds the claim")
                elif expected == "done":
                    promise(same(got[2], model.result), "Who comes too late is not told what was committed")
                continue
            token = rng.choice(model.tokens) if model.tokens and rng.random() < 0.4 else (model.tokens or [0])[-1]
            result = some_result(rng)
            fits = model.state == "claimed" and token == model.tokens[-1]
            got = learner.call("commit", db, number + 1, token, result).value
            if not fits:
                why = {"open": "What nobody has claimed", "done": "What is done already"}
                promise(got is not True, f"{why.get(model.state, 'A claim that was lost')} can be committed")
            else:
                promise(got is True, "The newest claim cannot commit, though nobody has claimed after it")
                model.state, model.result = "done", result
                effects.append((keys[number], result))
            promise(type(got) is bool, "commit does not say True or False")
            there = [(key, json.loads(payload)) for key, payload in records.rows(EFFECTS, name)]
            promise(len(there) <= len(effects), "A commit that was refused has an effect")
            promise(same(there, effects), "The effects are not those that were committed, key and result as JSON")
        for number, model in enumerate(models, 1):
            state, result = records.rows(f"SELECT state, result FROM obligations WHERE id = {number}", name)[0]
            promise(state == model.state, "A row's state is not what came of it")
            if model.result is not None:
                promise(same(json.loads(result or "null"), model.result), "A result was overwritten")
        promise(records.idle(), "A transaction is left open")


@exercise("claim", rule="only-a-claim-can-commit")
def test_nothing_without_a_claim(learner, rng, records, refused):
    """What nobody has claimed cannot be committed, whatever the token; what is not there raises or is False."""
    start = rng.randrange(5, 50)
    db = records.open(obligations=[{"token": start}, {}])
    for token in rng.sample([0, 1, start, start - 1, start + 1], 5):
        got = learner.call("commit", db, 1, token, some_result(rng)).value
        promise(got is False, "What nobody has claimed can be committed")
    promise(learner.call("commit", db, 99, 0, some_result(rng)).value is False, "What is not there can be committed")
    promise(records.rows(EFFECTS) == [], "A commit that was refused has an effect")
    states = records.rows("SELECT state, result FROM obligations")
    promise(states == [("open", None)] * 2, "A commit that was refused has changed the obligation")
    got = learner.call("claim", db, rng.randrange(50, 99), "anna", now=0.0, lease=1.0)
    refused(got, "ValueError", "An obligation that is not there can be claimed")
    outcome, token, _ = claim_of(learner.call("claim", db, 1, "anna", now=0.0, lease=1.0).value)
    promise(outcome == "won" and type(token) is int, "An open obligation is not won")
    promise(token > start, "The token is not higher than the one that the row had")
    promise(learner.call("commit", db, 1, token, {}).value is True, "The newest claim cannot commit")
    promise(records.idle(), "A transaction is left open")


REFUSALS = {
    "effect": "CREATE TRIGGER no BEFORE INSERT ON effects BEGIN SELECT RAISE(ABORT, 'the disk is full'); END;",
    "state": "CREATE TRIGGER no BEFORE UPDATE OF result ON obligations BEGIN SELECT RAISE(ABORT, 'full'); END;",
}


@exercise("claim", after="test_committed_once_and_observed", rule="one-effect-with-its-record")
def test_effect_and_record_together(learner, rng, records):
    """When the effect cannot be written the obligation is not done, and the other way round."""
    token, key = rng.randrange(1, 50), word(rng)
    claimed = {"key": key, "state": "claimed", "worker": "anna", "lease_until": 50.0, "token": token}
    for what, trouble in REFUSALS.items():
        db = records.open(obligations=[claimed], sql=trouble, name=f"{what}.db")
        got = learner.call("commit", db, 1, token, some_result(rng))
        promise(got.error is not None, "The database refused a part of it, and commit says nothing about it")
        states = records.rows("SELECT state FROM obligations", f"{what}.db")
        promise(states != [("done",)], "The obligation is done, and its effect could not be written")
        promise(records.rows(EFFECTS, f"{what}.db") == [], "The effect is there, and the obligation is not done")


class Service:
    """The world outside: it sees who charges the card."""

    def __init__(self):
        self._charged = []

    def charge(self, worker):
        self._charged.append(worker)


ASK = """
def ask_and_charge(db, service, id, worker, now, lease):
    answer = claim(db, id, worker, now=now, lease=lease)
    if answer.outcome != "won":
        return [answer.outcome, None]
    service.charge(worker)
    return ["won", commit(db, id, answer.token, {"by": worker})]
"""
TWICE = "In some order of their statements both workers win: the effect happens twice"
CRASH = "In some order of their statements a worker gets an exception instead of an answer"


def answered(run):
    """What each worker of a race came to; promises that none of them raised."""
    outcomes = {worker: ending.outcome for worker, ending in run.endings.items()}
    raised = next((outcome.error.type for outcome in outcomes.values() if outcome.error is not None), "")
    promise(not raised, CRASH, order=run.order, **({"raised": raised} if raised else {}))
    return {worker: outcome.value for worker, outcome in outcomes.items()}


@exercise("claim", after="test_one_wins_the_other_is_told", points=2, rule="one-wins-the-other-observes")
def test_every_order_of_two_claims(learner, rng, records):
    """Two workers, every order of their statements: one wins, the other is told, nobody meets an exception."""
    until = float(rng.randrange(10, 50))
    claimed = {"state": "claimed", "worker": "gone", "lease_until": until, "token": rng.randrange(1, 50)}
    for start, most in (({}, 40), (claimed, 12)):
        names = {worker: word(rng) for worker in "AB"}

        def arguments(names=names):
            service = learner.remote(Service())
            return {worker: (store(), service, 1, name, until, 30.0) for worker, name in names.items()}

        data, seed = records.data(obligations=[start]), rng.randrange(10**6)
        runs = learner.crash.orders("ask_and_charge", ASK, arguments, data, most=most, seed=seed)
        effects = learner.crash.rows(runs, EFFECTS)
        for run, rows in zip(runs, effects, strict=True):
            charged = run.args["A"][1].obj._charged
            promise(len(charged) < 2, TWICE, order=run.order)
            said = answered(run)
            promise(len(charged) == 1, "In some order of their statements nobody wins", order=run.order)
            (loser,) = [worker for worker in "AB" if names[worker] != charged[0]]
            told = said[loser][0] in ("busy", "done")
            promise(told, "In some order the loser is told neither busy nor done", order=run.order)
            promise(len(rows or []) == 1, "In some order the winner's commit has no effect, or two", order=run.order)


LATE = """
def late_or_new(db, role, id, token, now):
    if role == "slow":
        return ["slow", commit(db, id, token, {"by": "slow"})]
    answer = claim(db, id, role, now=now, lease=30.0)
    if answer.outcome != "won":
        return [answer.outcome, None]
    return ["won", commit(db, id, answer.token, {"by": role})]
"""


@exercise("claim", after="test_slow_worker_is_fenced_off", points=2, rule="an-old-token-is-refused")
def test_every_order_of_a_late_commit(learner, rng, records):
    """A slow worker commits while another claims anew: in every order there is one effect, and no exception."""
    until, token = float(rng.randrange(10, 50)), rng.randrange(1, 50)
    claimed = {"key": word(rng), "state": "claimed", "worker": "slow", "lease_until": until, "token": token}
    runs = learner.crash.orders(
        "late_or_new",
        LATE,
        lambda: {worker: (store(), role, 1, token, until + 1) for worker, role in [("A", "slow"), ("B", "new")]},
        records.data(obligations=[claimed]),
        most=36,
        seed=rng.randrange(10**6),
    )
    effects = learner.crash.rows(runs, EFFECTS)
    for run, rows in zip(runs, effects, strict=True):
        said = answered(run)
        committed = [role for role, worker in (("slow", "A"), ("new", "B")) if said[worker][1] is True]
        makers = [json.loads(payload).get("by") for _, payload in rows or []]
        promise(len(makers) < 2, "A worker that had lost its claim brought about an effect", order=run.order)
        promise(len(committed) == 1, "In some order both commits are refused, or both are let through", order=run.order)
        promise(makers == committed, "The effect is not that of the worker who was told True", order=run.order)


@exercise("claim", after="test_slow_worker_is_fenced_off", rule=["a-lease-runs-out", "one-wins-the-other-observes"])
def test_the_winner_is_killed(learner, rng, records):
    """Two free processes, the winner killed as it acts: the other observes it; after the lease one effect follows."""
    cases = []
    for _ in range(10):
        service, start = learner.remote(Service()), {"key": word(rng), "token": rng.randrange(50)}
        now, lease = float(rng.randrange(100)), float(rng.randrange(5, 50))

        def asking(worker, at, service=service, lease=lease):
            return (store(), service, 1, worker, at, lease)

        calls = [("ask_and_charge", asking(worker, now)) for worker in ("anna", "bert")]
        data = records.data(obligations=[start])
        case = learner.crash.race(calls, record=data, program=ASK, seconds=0.02, kill_call=(1, "before"))
        killed = [ending for ending in case.resumed if ending.signal == 9]
        promise(len(killed) < 2, "Two processes that ask at the same time both win")
        promise(len(killed) == 1, "Of two processes that ask at the same time nobody wins")
        (left,) = [ending.outcome for ending in case.resumed if ending.signal != 9]
        promise(left.error is None, "A process that did not win got an exception instead of an answer")
        promise(left.value == ["busy", None], "The process that did not win was not told that it is busy")
        for at, expected in [(now + lease / 2, ["busy", None]), (now + lease, ["won", True])]:
            later = learner.crash.again(case, "ask_and_charge", asking("cleo", at), program=ASK).outcome.value
            early = "While the lease of a killed worker runs, its claim is given to another"
            never = "The claim of a worker that was killed is never given to another"
            promise(later == expected, early if expected[0] == "busy" else never)
        promise(service.obj._charged == ["cleo"], "The effect did not happen once")
        cases.append(case)
    effects = [[json.loads(payload) for _, payload in rows or []] for rows in learner.crash.rows(cases, EFFECTS)]
    promise(effects == [[{"by": "cleo"}]] * len(cases), "effects does not hold the one row of who came after")


# --- next_legal ---------------------------------------------------------------------------------


def legal_model(rows, requires, task):
    """Rows as (id, task, state, created_at)."""
    state = {row[0]: row[2] for row in rows}
    allows = {"causal": ("done",), "sequential": ("done", "failed")}
    kept = {one for one, needs, kind in requires if state[needs] not in allows[kind]}
    ready = [row for row in rows if row[1] == task and row[2] == "open" and row[0] not in kept]
    return [row[0] for row in sorted(ready, key=lambda row: (row[3], row[0]))]


@exercise("next_legal", rule=["causal-and-sequential", "what-may-begin"])
def test_any_task(learner, rng, records):
    """Any obligations and requirements: those of the task that may be begun, oldest first."""
    for n in range(4):
        tasks = [word(rng), word(rng)]
        rows = [
            {
                "task_id": rng.choice([tasks[0], *tasks]),
                "state": rng.choice(["open"] * 6 + ["claimed", "done", "done", "failed"]),
                "created_at": day(rng.choice([2, 3, 10])),
                "kind": rng.choice("abc"),
            }
            for _ in range(24)
        ]
        pairs = {tuple(sorted(rng.sample(range(1, 25), 2), reverse=True)) for _ in range(16)}
        requires = [(*pair, rng.choice(["causal", "sequential"])) for pair in sorted(pairs)]
        # Each state and each kind of requirement is met at least once, by an obligation that needs nothing else.
        for state in ("open", "claimed", "done", "failed"):
            rows.append({"task_id": rng.choice(tasks), "state": state, "created_at": day(2)})
            needed = len(rows)
            for kind in ("causal", "sequential"):
                rows.append({"task_id": tasks[0], "state": "open", "created_at": day(rng.choice([2, 3, 10]))})
                requires.append((len(rows), needed, kind))
        db = records.open(obligations=rows, requires=requires, name=f"{n}.db")
        brief = [(i, row["task_id"], row["state"], row["created_at"]) for i, row in enumerate(rows, 1)]
        expected = legal_model(brief, requires, tasks[0])
        got = learner.call("next_legal", db, tasks[0]).value
        promise(shape(got, [int]), "The answer is not a list of ids")
        state, task = ({row[0]: row[k] for row in brief} for k in (2, 1))
        extra = [i for i in got if i not in expected]
        promise(not any(task.get(i) != tasks[0] for i in extra), "An obligation of another task is given")
        promise(not any(state[i] != "open" for i in extra), "An obligation is given that is claimed, or has ended")
        every = {row[0] for row in brief if row[1:3] == (tasks[0], "open")}
        promise(set(got) != every, "What an obligation requires seems not to be looked at")
        causal = {one for one, needs, kind in requires if kind == "causal" and state[needs] == "failed"}
        promise(not causal.intersection(extra), "What depends on the success of something is given after its failure")
        promise(not extra, "An obligation is given although something that it requires keeps it back")
        lost = [i for i in expected if i not in got]
        after = {one for one, needs, kind in requires if kind == "sequential" and state[needs] == "failed"}
        promise(not after.intersection(lost), "What only had to come after something is held up by its failure")
        promise(not lost, "An obligation that nothing keeps back is left out")
        promise(same(got, expected), "They do not come in order: created_at first, then id as a number")


@exercise("next_legal", rule="a-circle-waits")
def test_a_circle_waits(learner, rng, records):
    """Obligations that need each other in a circle are never given, and looking at them comes to an end."""
    size = rng.randrange(2, 5)
    task = word(rng)
    circle = [(n, n % size + 1, rng.choice(["causal", "sequential"])) for n in range(1, size + 1)]
    behind = (size + 2, 1, rng.choice(["causal", "sequential"]))
    itself = (size + 3, size + 3, "causal")
    rows = [{"task_id": task} for _ in range(size + 4)]
    db = records.open(obligations=rows, requires=[*circle, behind, itself])
    got = learner.call("next_legal", db, task).value
    promise(shape(got, [int]), "The answer is not a list of ids")
    promise(not any(n <= size for n in got), "An obligation of a circle is given")
    promise(size + 2 not in got and size + 3 not in got, "What waits for a circle, or for itself, is given")
    promise(got == [size + 1, size + 4], "What has nothing to do with the circle should be given, oldest first")
