"""Hidden tests of notebook 09: the eleven trials, with worlds drawn anew and every witness outside the run."""

from __future__ import annotations

import json

from course_lib.crash import store
from grader.judge.api import exercise, promise

ROWS = "SELECT key, payload FROM effects ORDER BY id"
OWED = "SELECT key, state FROM obligations WHERE kind = 'charge' ORDER BY id"


def _word(rng):
    return "".join(rng.choice("abcdeé ") for _ in range(rng.randint(4, 8))).strip() + str(rng.randrange(10**6))


def _act(tool, **args):
    return {"tool": tool, "args": args}


def _reading(rng):
    reads = [_act("read_note", name=f"{_word(rng)}.txt") for _ in range(rng.randint(1, 2))]
    return [_act("list_notes"), *reads]


def _acting(rng):
    subject, amount = _word(rng), rng.randint(10, 999)
    charge = _act("charge_card", subject=subject, amount=amount)
    return [_act("append_note", text=_word(rng)), charge, _act("write_report", content=_word(rng))]


def _ended(got):
    return got["status"], got["termination"]


def _fresh(trace):
    return [entry["observation"].get("error") for entry in trace]


# trials 2 and 3: killed


@exercise("durable_run", points=3, rule=["kill-anywhere", "commit-in-one-transaction"])
def test_killed_at_its_instructions(learner, rng, work):
    """Trials 2 and 3. Killed before its instructions, once or twice, and started again: one of each effect."""
    task = _word(rng)
    append, _, report = _acting(rng)
    for plan, twice, most in (([append, report], False, 70), (_acting(rng), True, 20)):
        worlds = []

        def new_args(plan=plan, worlds=worlds):
            worlds.append(work(plan))
            return worlds[-1].args(learner, store(), task)

        made = learner.crash.sweep("durable_run", new_args, twice=twice, most=most)
        wanted = worlds[0].whole()
        texts = [entry["action"]["args"]["text"] for entry in wanted if entry["action"]["tool"] == "append_note"]
        for case, world, rows in zip(made.cases, worlds[1:], learner.crash.rows(made, ROWS), strict=True):
            found = [payload for _, payload in rows or []]
            promise(len(found) < 2, "After some kill the note is there twice: its row and its entry seem to be apart")
            got = work.result(case.answer)
            promise(found == texts, "After some kill the note is not there, though its entry is")
            promise(work.bare(got["trace"]) == wanted, "After some kill the trace is another than without it")
            promise(_ended(got) == ("completed", "goal_reached"), "After some kill the run ends in another way")
            charges = sum(action["tool"] == "charge_card" for action in plan)
            promise(len(world._acted) == charges, "After some kill a card that dedupes is charged twice, or never")


@exercise("durable_run", points=2, rule=["resume-not-restart", "counters-of-the-whole-run"])
def test_nothing_on_record_is_done_again(learner, rng, work):
    """Trial 2. Killed around each call on the outside: only the step in flight is made again."""
    task, plan, worlds = _word(rng), [*_reading(rng), *_acting(rng)], []

    def new_args():
        worlds.append(work(plan))
        return worlds[-1].args(learner, store(), task)

    made = learner.crash.calls("durable_run", new_args)
    whole = worlds[0]._calls
    wanted = worlds[0].whole()
    for case, world in zip(made.cases, worlds[1:], strict=True):
        calls = world._calls
        once_more = calls == whole or any(calls == whole[: k + 1] + whole[k:] for k in range(len(whole)))
        promise(once_more, "A step that is on record seems to be made again after a kill, or one is left out")
        got = work.result(case.answer)
        promise(got["task_id"] == task, "After a kill the run has another task_id")
        promise(work.bare(got["trace"]) == wanted, "After a kill the trace is not that of the undisturbed run")
        promise((got["steps"], got["retries"]) == (len(wanted), 0), "After a kill the counters are those of a part")
        promise(len(world._acted) == 1, "After a kill around a call the card was charged twice, or never")


@exercise("durable_run", points=3, rule=["in-doubt-is-told", "kill-anywhere"])
def test_a_card_that_does_not_dedupe(learner, rng, work):
    """Trials 2 and 11. A card that takes every message: charged at most once, and what is not certain is in doubt."""
    task, plan, worlds = _word(rng), _acting(rng), []

    def new_args():
        worlds.append(work(plan, dedupes=False))
        return worlds[-1].args(learner, store(), task)

    made = learner.crash.calls("durable_run", new_args)
    promise(len(worlds[0]._acted) == 1, "Left alone, it does not charge the card once")
    owed = learner.crash.rows(made, OWED)
    for case, world, rows in zip(made.cases, worlds[1:], owed, strict=True):
        acted = len(world._acted)
        promise(acted < 2, "After some kill a card that does not dedupe is charged twice")
        got = work.result(case.answer)
        promise(_ended(got) == ("completed", "goal_reached"), "After some kill the run does not come to its report")
        seen = got["trace"][1]["observation"]
        promise(seen["ok"] is False or acted == 1, "It says that it charged, and the card has never been charged")
        promise(len(rows or []) == 1, "After some kill there is not exactly one obligation for the one charge")
        doubt = seen.get("error") == "in_doubt" and seen.get("key") == rows[0][0]
        promise(seen["ok"] is True or doubt, "A charge that is not certain should be in_doubt, with its key")
        settled = rows[0][1] == "done"
        promise(settled == seen["ok"], "The obligation and the entry of the charge tell two different stories")


@exercise("durable_run", points=1, rule="in-doubt-is-told")
def test_the_line_breaks(learner, rng, records, work):
    """Trial 11. When the line to the card breaks, nothing is claimed, nothing is sent twice, and doubt stays doubt."""
    for when in ("before", "after"):
        task, db = _word(rng), records.open(name=f"{when}.db")
        world = work([*_reading(rng), *_acting(rng)], dedupes=False, breaks=when)
        got = work.result(learner.call("durable_run", *world.args(learner, db, task)))
        promise(_fresh(got["trace"])[-2] == "in_doubt", "A broken line should leave the charge in doubt", broke=when)
        promise(_ended(got) == ("completed", "goal_reached"), "A charge in doubt should not end the run")
        promise(got["retries"] == 1, "A charge in doubt is an entry whose ok is False, and counts as such")
        world._breaks = ""
        again = work.result(learner.call("durable_run", *world.args(learner, db, task)))
        promise(again == got, "Started again, it tells something else about a run that has ended")
        promise(
            len(world._acted) == (when == "after"), "What was in doubt was sent once more to a card that acts twice"
        )
        states = [state for _, state in records.rows(OWED, f"{when}.db")]
        promise(len(states) == 1, "There is not exactly one obligation for the charge in doubt")
        promise(states[0] != "done", "The obligation of a charge in doubt is called done")


# trial 4: keys


@exercise("durable_run", points=1, rule="a-key-names-an-intent")
def test_the_same_task_and_another(learner, rng, records, work):
    """Trial 4. The same task again: nobody is asked, nothing happens. Another task: everything happens for it."""
    plan, db, tasks = [*_reading(rng), *_acting(rng)], records.open(), [_word(rng), _word(rng)]
    world = work(plan)
    first = work.result(learner.call("durable_run", *world.args(learner, db, tasks[0])))
    promise(_ended(first) == ("completed", "goal_reached"), "A run that nothing disturbs should be completed")
    asked, called = len(world._adapter._asked), len(world._calls)
    again = work.result(learner.call("durable_run", *world.args(learner, db, tasks[0])))
    promise(again == first, "The same task again leads to another result")
    promise(len(world._calls) == called, "A tool was called for a task that has ended")
    promise(len(world._adapter._asked) == asked, "The adapter was asked about a task that has ended")
    promise(len(world._acted) == len(records.rows(ROWS)) == 1, "The same task again has led to a second effect")
    other = work.result(learner.call("durable_run", *world.args(learner, db, tasks[1])))
    promise(len(other["trace"]) == len(plan), "Another task does not begin from its own beginning")
    promise(len(world._acted) == 2, "Another task's charge seems to be taken for the first one's")
    promise(len(records.rows(ROWS)) == 2, "Another task's note seems to be taken for the first one's")


@exercise("durable_run", points=1, rule="a-key-names-an-intent")
def test_meant_twice(learner, rng, records, work):
    """Trial 4. Two equal notes and two equal charges in one run are two intents: all four happen."""
    append, charge, report = _acting(rng)
    append["args"]["text"] = "=" + append["args"]["text"]
    world, db = work([append, append, charge, charge, report]), records.open()
    got = work.result(learner.call("durable_run", *world.args(learner, db, _word(rng))))
    promise(got["steps"] == 5, "The run does not have an entry for each of the five actions")
    promise(len(records.rows(ROWS)) == 2, "Of two equal notes that were both meant, one is missing")
    promise(len(world._acted) == 2, "Of two equal charges that were both meant, one is missing")
    keys = {entry["observation"].get("key") for entry in got["trace"][:4]}
    promise(len(keys) == 4, "Two intents have the same key")


# trial 5: the record


@exercise("durable_run", points=1, rule="the-record-decides-the-price")
def test_the_standing_fact_decides(learner, rng, records, work):
    """Trial 5. Only a fact that stands decides, of this subject and called price; without one there is no conflict."""
    append, charge, report = _acting(rng)
    subject, amount = charge["args"]["subject"], charge["args"]["amount"]
    price = {"subject": subject, "predicate": "price"}
    now = amount + rng.randint(1, 99)
    chain = [{**price, "value": str(amount), "superseded_by": 2}, {**price, "value": str(now)}]
    others = [
        {**price, "subject": _word(rng), "value": str(now)},
        {"subject": subject, "predicate": "pressure", "value": str(now)},
    ]
    back = [{**price, "value": str(now), "superseded_by": 2}, {**price, "value": str(amount)}]
    for number, (facts, conflicts, paid) in enumerate([(chain, 1, now), (others, 0, amount), (back, 0, amount)]):
        name = f"facts-{number}.db"
        world, db = work([append, charge, report]), records.open(facts, name=name)
        got = work.result(learner.call("durable_run", *world.args(learner, db, _word(rng))))
        promise(bool(world._acted), "The card was not charged in the end")
        charged = [payload for _, payload in world._acted]
        stale = (
            "An amount was charged that the record has superseded, or a fact of something else was taken for a price"
        )
        promise(charged == [str(paid)], stale)
        told = _fresh(got["trace"]).count("conflict")
        promise(told == conflicts, "A conflict with the record is not told once, or one is told where there is none")
        promise(got["retries"] == conflicts, "A conflict is an entry whose ok is False")
        owed = [state for _, state in records.rows(OWED, name)]
        promise(owed == ["done"], "A charge that was not made has left an obligation behind")


@exercise("durable_run", points=1, rule="the-record-decides-the-price")
def test_reading_the_record_is_a_step(learner, rng, records, work):
    """state.read_facts is an entry like others: what stands about the subject, in the order of the record."""
    subject = _word(rng)
    facts = [
        {"subject": subject, "predicate": _word(rng), "value": _word(rng)},
        {"subject": subject, "predicate": _word(rng), "value": _word(rng), "superseded_by": 4},
        {"subject": _word(rng), "predicate": _word(rng), "value": _word(rng)},
        {"subject": subject, "predicate": _word(rng), "value": _word(rng)},
    ]
    world = work([_act("state.read_facts", subject=subject), _acting(rng)[2]])
    got = work.result(learner.call("durable_run", *world.args(learner, records.open(facts), _word(rng))))
    promise(len(got["trace"]) == 2, "Reading the record is not an entry of its own")
    seen = got["trace"][0]["observation"]
    standing = [{"predicate": facts[at]["predicate"], "value": facts[at]["value"]} for at in (0, 3)]
    promise(seen == {"ok": True, "facts": standing}, "What was read is not what stands about this subject")


# trial 6: two workers

BOTH = """
def both(db, adapter, tools, gates, card, task_id):
    return durable_run(db, adapter, tools, gates, card, task_id)
"""


@exercise("durable_run", points=2, rule="two-workers-one-effect")
def test_two_workers(learner, rng, records, work):
    """Trial 6. Two workers on one task, in many orders of their statements: nobody raises, each effect happens once."""
    task, plan, dedupes, worlds = _word(rng), _acting(rng), rng.random() < 0.5, []

    def arguments():
        worlds.append(work(plan, dedupes=dedupes))
        given = worlds[-1].args(learner, store(), task)
        return {"A": given, "B": given}

    data = records.data()
    runs = learner.crash.orders("both", BOTH, arguments, data, most=16, seed=rng.randrange(10**6))
    made = {id(run.args["A"][4].obj): run for run in runs}
    promise(len(made) == len(runs) > 0, "No order of the two workers came to its end")
    rows = learner.crash.rows(runs, ROWS)
    for run, left in zip(runs, rows, strict=True):
        errors = [ending.outcome.error for ending in run.endings.values() if ending.outcome is not None]
        promise(not any(errors), "In some order one of two workers gets an exception", order=run.order)
        promise(
            len(left or []) == 1, "In some order two workers append the note twice, or neither does", order=run.order
        )
        acted = len(run.args["A"][4].obj._work._acted)
        promise(acted == 1, "In some order two workers charge the card twice, or neither does", order=run.order)
        ends = [_ended(work.result(ending.outcome)) for ending in run.endings.values()]
        known = {("completed", "goal_reached"), ("in_progress", None)}
        promise(set(ends) <= known, "In some order a worker reports an end that the run has not", order=run.order)
        promise(("completed", "goal_reached") in ends, "In some order neither worker comes to the end", order=run.order)


# trials 7 and 8: budgets and gates


@exercise("durable_run", points=1, rule=["both-budgets", "counters-of-the-whole-run"])
def test_both_budgets(learner, rng, records, work):
    """Trial 7. What was read before a crash counts too; refused is no failure; and no run is longer than 24 entries."""
    names = [f"{_word(rng)}.txt" for _ in range(4)]
    plan = [_act("list_notes"), *(_act("read_note", name=name) for name in names), *_acting(rng)]
    cost = [len(f"{name} {'x' * 40}") // 4 for name in names]
    read = rng.randint(2, 3)
    world, task = work(plan), _word(rng)
    given = world.args(learner, store(), task, sum(cost[:read]))
    # One call for each proposal and one for each tool: by then all notes but one have been read, and the run goes on.
    calls = 2 * read + rng.randint(1, 2)
    case = learner.crash.case("durable_run", given, kill_call=(calls, "before"))
    promise(case.ending.signal == 9, "The run was over before it had read two notes")
    got = work.result(learner.crash.again(case, "durable_run", given).outcome)
    promise(
        _ended(got) == ("refused", "observation_budget"), "Tokens seem to be counted from the crash on, or not at all"
    )
    promise(
        got["steps"] == read + 1,
        "Refused too early or too late: what was read before the crash seems not to count once",
        steps=got["steps"],
    )
    promise(got["retries"] == 0, "A refusal is counted as a failed call")
    promise(world._acted == [], "The card was charged although the budget was used up")

    long = [_act("append_note", text=_word(rng)) for _ in range(30)]
    world = work(long)
    got = work.result(learner.call("durable_run", *world.args(learner, records.open(), _word(rng))))
    promise(_ended(got) == ("budget_exhausted", "step_budget"), "A run without an end should use up its steps")
    promise(got["steps"] == len(records.rows(ROWS)) == 24, "The step budget is not 24 entries", steps=got["steps"])


@exercise("durable_run", points=1, rule="gates-before-every-effect")
def test_gates_before_each_effect(learner, rng, records, work):
    """Trial 8. The gates are asked anew before each effect, with all notes; what comes late or grows old is seen."""
    late = _act("read_note", name=f"late {_word(rng)}.txt")
    append, charge, report = _acting(rng)
    reading = _reading(rng)
    plans = {"a note": [*reading, append, late, charge, report], "time": [*reading, append, charge, report]}
    for what, plan in plans.items():
        world, db = work(plan), records.open(name=f"{what}.db")
        if what == "time":  # the notes are good for one effect and no longer
            world._refuses = lambda notes, world=world: len(world._shown) > 1
        else:
            world._refuses = lambda notes: any(note["name"].startswith("late") for note in notes)
        task = _word(rng)
        got = work.result(learner.call("durable_run", *world.args(learner, db, task)))
        promise(len(records.rows(ROWS, f"{what}.db")) == 1, "The note that was admissible was not appended once")
        sent = "The card was charged though a gate would have said no by then: late or old evidence was not looked at"
        promise(world._acted == [], sent, changed=what)
        promise(_ended(got) == ("abstained", "evidence_gate"), "A gate that says no should end the run as abstained")
        promise(got["retries"] == 0, "An abstention is counted as a failed call")
        shown = [note["name"] for note in world._shown[0]]
        promise(shown == [each["args"]["name"] for each in reading[1:]], "The gates were not shown all notes, in order")
        world._refuses = lambda notes: False
        again = work.result(learner.call("durable_run", *world.args(learner, db, task)))
        promise(again == got, "A run that has abstained goes on when it is started again")
        promise(world._acted == [], "A run that has abstained charges when it is started again")


@exercise("durable_run", points=1, rule="gates-before-every-effect")
def test_stale_after_a_restart(learner, rng, work):
    """Trial 8. A run that was killed goes on when its notes have become old: no new effect."""
    plan, task, worlds = [*_reading(rng), *_acting(rng)], _word(rng), []

    def new_args():
        worlds.append(work(plan))
        return worlds[-1].args(learner, store(), task)

    whole = learner.crash.case("durable_run", new_args())
    promise(len(worlds[0]._acted) == 1, "Left alone, it does not charge the card once")
    cases, ends = [], []
    for k in range(3, whole.ending.asked + 1):
        case = learner.crash.case("durable_run", new_args(), kill_call=(k, "before"))
        promise(case.ending.signal == 9, "The run does not do the same each time")
        cases.append((case, len(worlds[-1]._acted), len(worlds[-1]._shown)))
    owed = learner.crash.rows([case for case, _, _ in cases], OWED)
    before = learner.crash.rows([case for case, _, _ in cases], ROWS)
    for (case, acted, _), world, begun, rows in zip(cases, worlds[1:], owed, before, strict=True):
        world._refuses = lambda notes: True
        got = work.result(learner.crash.again(case, "durable_run").outcome)
        ends.append(_ended(got))
        if not begun:
            promise(len(world._acted) == acted, "After a restart it charged on a verdict from before the crash")
        if not rows and not begun:
            promise(
                ends[-1] == ("abstained", "evidence_gate"), "After a restart old notes do not lead to an abstention"
            )
    after = learner.crash.rows([case for case, _, _ in cases], ROWS)
    promise(after == before, "After a restart it appended on a verdict from before the crash")


# trials 9, 10 and the ends


@exercise("durable_run", points=1, rule="ends-follow-from-the-trace")
def test_the_end_follows_from_the_trace(learner, rng, records, work):
    """Trial 9. The third failed call ends the run as failed, wherever it is; before that, it goes on."""
    plan = [*_reading(rng), *_acting(rng)]
    reads = len(plan) - 3
    two, three = (rng.sample(range(reads + 1), size) for size in (2, 3))
    for number, fails in enumerate((two, three, [0, 2, 4], [])):  # the third one: never two in a row
        world, name = work(plan, fails=fails), f"ends-{number}.db"
        got = work.result(learner.call("durable_run", *world.args(learner, records.open(name=name), _word(rng))))
        failed = sum(not entry["observation"]["ok"] for entry in got["trace"])
        promise(failed == len(fails), "Other calls were made than the adapter proposed, or the run ended early or late")
        promise(
            (got["steps"], got["retries"]) == (len(got["trace"]), failed), "The counters are not those of the trace"
        )
        end = ("failed", "tool_failure") if failed > 2 else ("completed", "goal_reached")
        promise(_ended(got) == end, "The declared end is not the one that the trace gives", failures=failed)
        entries = records.rows("SELECT entry FROM steps ORDER BY n", name)
        promise([json.loads(text) for (text,) in entries] == got["trace"], "The record and the result hold two traces")


@exercise("durable_run", points=1, rule="nothing-forbidden-on-record")
def test_no_forbidden_field(learner, rng, records, work):
    """Trial 10. Of what an adapter hands over only tool and args are kept, in the result and in the record."""
    secret = f"secret{rng.randrange(10**9)}"
    field = rng.choice(["thought", "chain_of_thought"])
    plan = [{**action, field: secret} for action in [*_reading(rng), *_acting(rng)]]
    world, db = work(plan), records.open()
    got = work.result(learner.call("durable_run", *world.args(learner, db, _word(rng))))
    promise(len(got["trace"]) == len(plan), "The run does not have an entry for each action")
    kept = all(set(entry["action"]) == {"tool", "args"} for entry in got["trace"])
    promise(kept, "An action of the trace has other fields than tool and args")
    dump = str([records.rows(f"SELECT * FROM {table}") for table in ("steps", "obligations", "effects", "episodes")])
    promise(secret not in dump, "What the adapter was thinking is on record")
