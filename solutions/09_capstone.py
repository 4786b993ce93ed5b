# ---
# course:
#   title: "Capstone: a run you can trust"
#   minutes: 240
#   summary: One run with everything in it, and eleven trials that try to break it.
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# Tomorrow somebody asks you: did the agent charge the customer, once, the right amount, on evidence that was good at that
# moment? The process is gone. The transcript is gone. What is left is a file of SQLite and the ledger of a card
# company. **A run that you can trust is one that answers this question without you.**
#
# You have written every part of it: the trace, the gates, the replay, the resume, the keys, the claims, the audit. Each
# held on its own. Here they have to hold together, in one loop, while somebody kills it.
#
# **When you are through, you can**
#
# - join a trace, two budgets, gates, a record and two kinds of effects in one loop;
# - say for each step what a kill before, during and after it leaves behind;
# - tell *refused*, *abstained*, *failed* and *in doubt* apart, in the record as well;
# - let eleven trials loose on your own work, and say beforehand which it will stand;
# - write a report on a run from its record alone.

# %% [markdown]
# **What is real here.** The files, the SQLite record, the processes and SIGKILL. Only the model, the card company and
# its money are simulated.
#
# **How to work.** Predict before you run; the cell that follows holds its answer back until you have. The one exercise
# ends in `check(...)`. Save now and then, and run `grader check 09` in a terminal for the rest of the trials. This
# notebook needs Linux, macOS or WSL.
#
# **What comes from your other notebooks, and what cannot.** What *judges* the run is taken from your own answers, as
# last saved beside this notebook: `derive`, `forbidden_paths`, `verify_replay`, `check_freshness_gate`, `brier`. Where
# one is not there, its cell says so and the rest goes on. What is *killed* has to stand in this notebook: a process
# that is killed starts in an empty folder and knows nothing but the cells here. So copy from your notebooks 05 to 07
# whatever you want to use again. Copying your own work is the idea.
#
# | word | what it means |
# |---|---|
# | entry, step | one action with its observation; a step is one entry |
# | trace | all entries of a run; here they stand in the record, in the table `steps` |
# | record | the SQLite file that outlives the process: `steps`, `facts`, `obligations`, `effects` |
# | effect | what stays in the world: a row in `effects`, a charge at the card company, `report.txt` |
# | key | the name of one intended effect, the same at every attempt |
# | obligation | a promise on record, with its key: here, that a card is to be charged |
# | in doubt | it may have happened, once or not at all, and nothing at hand can tell |
# | refused, abstained | ended before a call, because too much was read; because the evidence was not good enough |

# %%
import json
import os
import sqlite3
import tempfile
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from course_lib import attempt, check, figures, journal, mine, predict, reveal
from course_lib.agent import Adapter, RunResult, Tools, _tool_call, unpack
from course_lib.crash import store, sweep
from course_lib.durable import (
    EFFECTS,
    BillingAdapter,
    Gates,
    digest,
    make_world,
    price_facts,
    recorded,
    tokens_of,
)
from course_lib.service import Service
from course_lib.store import open_store
from course_lib.trials import TRIALS, Gone, Leaves, hold_trials, kill_cases

scratch = tempfile.TemporaryDirectory()
root = Path(scratch.name)

# %% [markdown]
# ## Two questions from earlier
#
# ### Before you run · P09.1
#
# From 05 and 06. A program sends its charge, then writes down that it has. It is killed somewhere and started again. The
# card service *dedupes*: it takes each key once, and the key is the same at both attempts. How many charges can there
# be in the end? Predict the set.

# %%
predict("P09.1", {1}, confidence=0.9, kind="set")


# %%
def send_then_note(db: sqlite3.Connection, card: Service, key: str) -> None:
    if [*db.execute("SELECT payload FROM effects WHERE key=?", [key])]:
        return
    card.send(payload="95", key=key)
    with db:
        db.execute("INSERT INTO effects (key, payload) VALUES (?, 'sent')", [key])


def charges_of_send_then_note() -> set[int]:
    made = sweep(send_then_note, lambda: (store(), Service(dedupes=True), "k"), lambda case: len(case.args[1].effects))
    return made.outcomes


reveal("P09.1", charges_of_send_then_note)

# %% [markdown]
# ### Before you run · P09.2
#
# From 07. The record says that a service costs 120 euros; then 110 stands in its place, and then 95 in the place of that.
# How many rows does `facts` hold, and how many of them stand? Answer with a list of two numbers.

# %%
predict("P09.2", [3, 1], confidence=0.9)


# %%
def rows_and_standing() -> list[int]:
    db = open_store(":memory:")
    price_facts(db, 120, 110, 95)
    links = [row[0] for row in db.execute("SELECT superseded_by FROM facts")]
    return [len(links), links.count(None)]


reveal("P09.2", rows_and_standing)

# %% [markdown]
# ## 1 · What surrounds the run
#
# `make_world` puts together everything outside of the process. The **adapter** proposes, as a pure function of the
# history: list the notes, read them, look up a price, append a note, charge a card, write the report. The **tools** carry
# out what only reads, and the report. The **gates** look at notes and answer None, or the name of the gate that says no;
# these want two notes, none older than a day. The **card service** acts on what it is sent; it dedupes by key, or it does not.
#
# Here they are in the hands of a careless loop, the kind that a demonstration is made of. It works.


# %%
def careless_run(db, adapter, tools, gates, card, task_id):
    trace, tool = [], None
    while tool != "write_report":
        wish = adapter.next_action(history=trace)
        tool, told = wish["tool"], {"ok": True}
        match wish["args"]:
            case {"amount": euros}:
                card.send(f"{task_id}/charge", f"{euros}")
            case {"text": text}:
                with db:
                    db.execute("INSERT INTO effects (payload, key) VALUES (?, ?)", [text, task_id])
            case _:
                told = _tool_call(tools=tools, action=wish)
        trace += [{"action": wish, "observation": told}]
    return trace


world = make_world(root, adapter=BillingAdapter(95), dedupes=False)
with tempfile.TemporaryDirectory() as folder:
    for entry in careless_run(*world.args(open_store(Path(folder) / "record.db"))):
        print(f"{entry['action']['tool']:14}", {k: v for k, v in entry["observation"].items() if k != "text"})
print("charged:", world.card.effects)

# %% [markdown]
# ### Before you run · P09.3
#
# `careless_run` is killed once, before any of its instructions, and started again. The card service does not dedupe. Which
# pairs "rows in `effects`, charges" can there be in the end? Predict the set, of texts such as `"1, 1"`.

# %%
predict("P09.3", {"1, 1", "2, 1", "2, 2"}, confidence=0.6, kind="set")


# %%
def careless_pairs() -> set[str]:
    def new_args() -> tuple[Any, ...]:
        return make_world(root, adapter=BillingAdapter(95), dedupes=False).args(store())

    def pair(case: Any) -> str:
        return f"{len(case.rows('SELECT id FROM effects'))}, {len(case.args[4].effects)}"

    made = sweep(careless_run, new_args, pair, most=120)
    figures.show(figures.kill_map(made, ["1, 1"], ""))
    return made.outcomes


reveal("P09.3", careless_pairs)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# A kill before the first commit costs nothing but reading. After it, starting over appends a second note; after the
# charge, a second charge as well. Never the other way round: the note comes first. Nothing in the final report tells
# these runs apart.
#
# </details>

# %% [markdown] exercise="durable_run" title="A run you can trust" difficulty=5 minutes=150 mode="on your own, no AI"
# Now the loop that does mind. It is the careless one, with the record in the middle: what is on record has happened and
# is not done again; what is owed is on record before it is done; and whoever starts the process again, once, twice or
# twice at the same time, gets the same run.
#
# Draw it on paper first, one column for each kind of step: a reading, an effect inside the record, an effect outside of
# it. Mark where the commit is, and ask of every gap what a kill there leaves behind. Then begin with a run that nothing
# disturbs, and let `check` tell you what is missing.
#
# hint: For each kind of step: what must be true in the record *before* it, and what becomes true *together with* it?
# Which of them can share a transaction with their entry, and which one cannot?
# hint: Each round begins from the record: fold the entries into counters, tokens and the end; then one proposal, one
# action, one entry. A note and its entry go into one transaction that only one of two workers gets through (let the
# primary key of `steps` decide). A charge goes by the road of `commit_remote`: obligation, commit, send, then entry and
# "done" together.
# hint: Make the key from task and place: f"{task_id}/{n}". INSERT OR IGNORE with rowcount tells whether you were first.
# If the obligation was there already and the card does not dedupe, the entry says in_doubt. An abstention is no entry,
# so it needs a row of its own in the record (an obligation of another kind will do), or it would be forgotten.


# %%
def durable_run(
    db: sqlite3.Connection,
    adapter: Adapter,
    tools: Tools,
    gates: Gates,
    card: Service,
    task_id: str,
    max_tokens: int = 200,
) -> RunResult:
    """Run `task_id` to its end; go on where its record ends. Returns the RunResult of the whole run.

    **Rounds.** `adapter.next_action(trace)` is shown the whole trace and proposes one action. It is carried out, and
    becomes one entry {"action": {"tool", "args"}, "observation": {"ok", ...}}. Nothing else that an adapter hands over
    is kept anywhere. Entry number n (from 0) stands as JSON in `steps` (task_id, n, entry); an entry that is there is
    never carried out again. By tool:

    state.read_facts {subject}       {"ok": True, "facts": [{"predicate", "value"}, ...]}: the facts of `subject` in `db`
                                     that nothing has superseded, by id
    append_note {text}               one row (key, text) in `effects`; {"ok": True, "key": key}
    charge_card {subject, amount}    `card.send(key, str(amount))`; {"ok": True, "key": key}. See below
    anything else                    what `_tool_call(tools, action)` answers

    A key is a text of your making: one for each intent, that is, for each effect that a task has at one place of its
    trace, the same at every attempt.

    **Charging.** Where the record holds facts of `subject` with predicate "price" that nothing has superseded, and
    their values are not just str(amount), nothing is charged or owed: {"ok": False, "error": "conflict", "held":
    [values]}. Otherwise the charge has one obligation in `obligations`, of kind "charge", with its key and task_id.
    It becomes "done" when it is known that the card was charged. `card.send` raises ConnectionError when the line
    broke: it may have acted or not. `card.dedupes` says whether it takes each key once. Where it is not known whether
    the card was charged: {"ok": False, "error": "in_doubt", "key": key}; the obligation is not "done" then, nothing
    is sent again to a card that does not dedupe, and the run goes on. (To one that dedupes you may send again.)

    **Gates.** Before each append_note, charge_card and write_report `gates(notes)` is asked, with the observations of
    all read_note in the trace whose ok is True, in order. Its answer counts for this one effect, now. None: go on.
    Otherwise the effect does not happen, and the run ends, with no entry for it. A charge whose obligation is on
    record already has passed; it is settled without asking.

    **Ends**, looked for in this order after every entry, and before the first one:

    the last entry is a write_report whose ok is True      "completed", "goal_reached"
    a third entry's ok is False                            "failed", "tool_failure"
    24 entries                                             "budget_exhausted", "step_budget"
    a gate said no                                         "abstained", "evidence_gate"
    tokens_of(trace) >= max_tokens                         "refused", "observation_budget"

    steps, retries (entries whose ok is False) and tokens belong to the whole run. A run that has ended is reported as
    it ended, by every later call: adapter, tools, gates and card are not asked. Tasks in one record do not touch each
    other.

    **Kills.** Killed at any instruction, also several times, and called again with the same arguments: each
    append_note has happened once; so has each charge, if the card dedupes; if not, once or not at all, and in doubt
    unless it is known. At most the one step in flight is made again, for each kill. **Two at once.** Two processes
    may run a task at the same time: neither raises, each effect happens once. Each returns the run as it is when it
    has ended, or, if it leaves the rest to the other, as it is by then, with status "in_progress" and termination
    None. `db` comes from open_store and has no transaction open, before and after.
    """
    # BEGIN SOLUTION
    while True:
        past = steps_of(db, task_id)
        done = list(map(unpack, past))
        failed = len([said for _, said in done if said["ok"] is False])
        over = end_of(db, task_id, done, failed, tokens_of(past) >= max_tokens)
        if over:
            counted = {"task_id": task_id, "steps": len(past), "retries": failed, "trace": past}
            return {**counted, "status": over[0], "termination": over[1]}
        offer = adapter.next_action(past)
        act = {"args": offer["args"], "tool": offer["tool"]}
        key = f"{task_id}/{len(past)}"
        if act["tool"] in EFFECTS and not look(db, OWED, key):
            notes = [said for earlier, said in done if said["ok"] and earlier["tool"] == "read_note"]
            if gates(notes) is not None:
                with db:
                    owe(db, task_id, "stop", f"{task_id}/abstained")
                continue
        said = carry_out(db, tools, card, task_id, act, key)
        # One transaction for the entry and what becomes true together with it; of two workers one gets through.
        with db:
            line = json.dumps(obj={"observation": said, "action": act})
            kept = db.execute("INSERT OR IGNORE INTO steps VALUES (?, ?, ?)", [task_id, len(past), line])
            if act["tool"] == "append_note" and kept.rowcount == 1:
                db.execute("INSERT INTO effects VALUES (NULL, ?, ?)", [key, act["args"]["text"]])
            if said["ok"] and act["tool"] == "charge_card":
                db.execute("UPDATE obligations SET state='done' WHERE key=?", [key])


OWED = "SELECT state FROM obligations WHERE key=?"
STANDING = "SELECT predicate, value FROM facts WHERE subject=? AND superseded_by IS NULL ORDER BY id"


def look(db, sql, *given):
    rows = db.execute(sql, given)
    return rows.fetchall()


def answer(ok, **more):
    told = {"ok": ok}
    return told | more


def owe(db, task_id, kind, key):
    """True for the one who is first."""
    columns = "(task_id, kind, key, state, created_at)"
    sql = f"INSERT OR IGNORE INTO obligations {columns} VALUES (?, ?, ?, 'claimed', date())"
    return db.execute(sql, [task_id, kind, key]).rowcount == 1


def steps_of(db, task_id):
    rows = look(db, "SELECT entry FROM steps WHERE task_id=? ORDER BY n", task_id)
    return [*map(json.loads, (line for (line,) in rows))]


def end_of(db, task_id, done, failed, read_enough):
    if [said["ok"] for act, said in done[-1:] if act["tool"] == "write_report"] == [True]:
        return "completed", "goal_reached"
    if failed > 2:
        return "failed", "tool_failure"
    if len(done) > 23:
        return "budget_exhausted", "step_budget"
    if look(db, OWED, f"{task_id}/abstained"):
        return "abstained", "evidence_gate"
    if read_enough:
        return "refused", "observation_budget"
    return None


def carry_out(db, tools, card, task_id, act, key):
    match act["tool"]:
        case "append_note":
            return answer(True, key=key)
        case "charge_card":
            return charge(db, card, task_id, key, act["args"]["subject"], str(act["args"]["amount"]))
        case "state.read_facts":
            rows = look(db, STANDING, act["args"]["subject"])
            return answer(True, facts=[{"predicate": about, "value": held} for about, held in rows])
    return _tool_call(tools, act)


def charge(db, card, task_id, key, subject, amount):
    prices = [held for about, held in look(db, STANDING, subject) if about == "price"]
    if not look(db, OWED, key) and prices and prices != [amount]:
        return answer(False, error="conflict", held=prices)
    with db:
        first = owe(db, task_id, "charge", key)
    settled = look(db, OWED, key) == [("done",)]
    if not settled and (first or card.dedupes):
        try:
            card.send(key, amount)
        except ConnectionError:  # it may have arrived
            return answer(False, error="in_doubt", key=key)
        settled = True
    return answer(True, key=key) if settled else answer(False, error="in_doubt", key=key)
    # END SOLUTION


# %% [markdown]
# ## 2 · Eleven trials
#
# Each trial looks at your run from outside: at what it did, and at what it left. The numbers are those that the tests
# above and those of `grader check 09` name.

# %%
for number, title in TRIALS.items():
    print(f"{number:3}  {title}")

# %% [markdown]
# ### Before you run · P09.4
#
# Which of the eleven does your code stand, as it is now? Predict the set of their numbers. Go through your own lines
# for each; being wrong costs nothing, and a trial that surprises you is worth more than one that does not.

# %%
predict("P09.4", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, confidence=0.6, kind="set")


# %%
def stood() -> set[int]:
    held = hold_trials(durable_run, root)
    for number, title in TRIALS.items():
        print(f"{number:3}  {'stood ' if held[number] else 'FAILED'}  {title}")
    return {number for number, good in held.items() if good}


with attempt("durable_run"):
    reveal("P09.4", stood)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# These are sweeps over samples: a trial that was stood has found no counterexample among a few dozen kills. One that
# failed has found one. The grader's own trials draw other worlds and other moments.
#
# </details>
#
# ### Before you run · P09.5
#
# Your run, killed before its instructions and started again, with a card service that does *not* dedupe. Each case ends
# with the number of charges at the card company, and with the state of the obligation. Which pairs can occur? Predict the set,
# of texts such as `"2 done"`; the states are `"claimed"` (or whatever you call what is not settled) and `"done"`.

# %%
predict("P09.5", {"1 done", "1 claimed", "0 claimed"}, confidence=0.7, kind="set")


# %% [markdown]
# Two sweeps: one leaves every case as the kill left it, for the lanes of the map; the other starts it again. Look at
# the lane in which a mark changes.


# %%
def killed_and_resumed() -> set[str]:
    struck = kill_cases(durable_run, root, dedupes=False, resume=False, most=60)
    resumed = kill_cases(durable_run, root, dedupes=False, most=60)
    figures.show(figures.run_kill_map(struck, resumed))
    around = kill_cases(durable_run, root, dedupes=False, around=True)
    return {f"{acted} {state}" for _, acted, state in resumed.outcomes | around.outcomes}


with attempt("durable_run"):
    reveal("P09.5", killed_and_resumed)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# What is inside the record comes out the same whatever the moment. The charge has a gap in which nobody can know, and in
# it both stories fit. You did not close this gap; nobody can, from this side. You made it visible, with its key.
#
# </details>
#
# ### Before you run · P09.6
#
# The same run may read 20 tokens. Each note costs 20 or 21. With which termination does it end?

# %%
predict(
    "P09.6",
    "observation_budget",
    confidence=0.8,
    kind=["goal_reached", "step_budget", "observation_budget", "evidence_gate"],
)


# %%
def new_run(folder: str, *limit: int, **how: Any) -> RunResult:
    """An undisturbed run of your own over a new record in `folder`, in which the price is 95."""
    db = open_store(Path(folder) / "record.db")
    price_facts(db, 120, 95)
    return durable_run(*make_world(root, **how).args(db, "invoice-7", *limit))


def too_much() -> str | None:
    with tempfile.TemporaryDirectory() as folder:
        got = new_run(folder, 20)
    print(got["steps"], "entries,", tokens_of(got["trace"]), "tokens")
    return got["termination"]


with attempt("durable_run"):
    reveal("P09.6", too_much)

# %% [markdown]
# ### Before you run · P09.7
#
# The process is gone when the note has been appended, before the card is charged. It is started again a month later, with
# the same record. What does the run come to? Answer with the status.

# %%
predict("P09.7", "abstained", confidence=0.8, kind=["completed", "failed", "refused", "abstained"])


# %%
def a_month_later() -> str:
    world = make_world(root)
    world.adapter = Leaves(world.adapter, "append_note")
    with tempfile.TemporaryDirectory() as folder:
        db = open_store(Path(folder) / "record.db")
        price_facts(db, 95)
        try:
            durable_run(*world.args(db))
        except Gone:
            world.gates.now = "2026-12-30T12:00:00"
        got = durable_run(*world.args(db))
        print("entries:", got["steps"], "· notes appended:", len(recorded(db, "invoice-7")["effects"]), end=" · ")
        print("charges:", len(world.card.effects))
    return got["status"]


with attempt("durable_run"):
    reveal("P09.7", a_month_later)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# The gates said yes to the note, a month ago. That verdict was true then and is worth nothing now: what has been done
# stays done, and what has not been done is asked about anew. A verdict that is kept and believed is a stale fact.
#
# </details>

# %% [markdown]
# ## 3 · One page from the record
#
# Two runs for the last part: one that goes well, and one whose line to the card company breaks. The page below is drawn from
# the SQLite file alone. Nothing that the process knew goes into it.


# %%
class BrokenLine(Service):
    def send(self, key: str, payload: str) -> None:
        raise ConnectionError("the line broke")


def two_runs(folder: str) -> tuple[sqlite3.Connection, dict[str, RunResult]]:
    db = open_store(Path(folder) / "record.db")
    price_facts(db, 120, 95)
    results = {}
    for task_id, card in (("invoice-7", Service()), ("invoice-8", BrokenLine())):
        world = make_world(root, adapter=BillingAdapter(120) if task_id == "invoice-7" else None)
        world.card = card
        results[task_id] = durable_run(*world.args(db, task_id))
    return db, results


with attempt("durable_run"), tempfile.TemporaryDirectory() as folder:
    db, results = two_runs(folder)
    for task_id in results:
        figures.show(figures.run_report(task_id, recorded(db, task_id)))
    db.close()

# %% [markdown]
# In the first page the agent came with a price from an old conversation, and the record put it right. In the second, the
# charge is an open item: somebody has to ring up the card company, and the page says with which key.
#
# ## 4 · Judged by your own answers
#
# The audit of 08 knows two budgets less than this run has. Two further ends, `refused` and `abstained`, leave a trace that
# is not over; they are checked here against the record, too. `derive`, `forbidden_paths` and `verify_replay` are yours.


# %%
def audit_with_record(derive: Any, result: RunResult, left: dict[str, list[Any]], max_tokens: int = 200) -> list[str]:
    """What is wrong with a run, judged by its trace and by what the record holds of it."""
    trace, wrong = result["trace"], []
    derived = derive(trace, max_steps=24)
    if derived[0] == "in_progress" and max_tokens <= tokens_of(trace):
        derived = ("refused", "observation_budget")
    if derived[0] == "in_progress" and result["status"] == "abstained":
        derived = ("abstained", "evidence_gate")  # the trace cannot show it; that the effect is not there, it can
    if derived != (result["status"], result["termination"]):
        wrong.append(f"declared {result['status']}, derived {derived[0]}")
    if left["steps"] != trace:
        wrong.append("the record holds another trace")
    told = {back.get("key"): back["ok"] for back in (step["observation"] for step in trace)}
    for kind, key, state in left["obligations"]:
        if kind == "charge" and told.get(key) is not (state == "done"):
            wrong.append(f"{key} is {state}, and the trace does not say so")
    return wrong


with attempt("durable_run", "derive"), tempfile.TemporaryDirectory() as folder:
    db, results = two_runs(folder)
    derive = mine.load("derive")
    for task_id, result in results.items():
        print(f"{task_id}:", audit_with_record(derive, result, recorded(db, task_id)) or "nothing is wrong")
    db.close()

# %%
with attempt("durable_run", "forbidden_paths"), tempfile.TemporaryDirectory() as folder:
    found = mine.load("forbidden_paths")(new_run(folder), {"thought", "chain_of_thought"})
    print("forbidden fields:", found or "none")

# %%
with attempt("durable_run", "verify_replay"), tempfile.TemporaryDirectory() as folder:
    found = mine.load("verify_replay")(new_run(folder)["trace"], BillingAdapter)
    print("divergences when every prefix is replayed:", len(found))

# %% [markdown]
# And a gate of your own in the loop: `check_freshness_gate` of 02, handed the notes as items of evidence.


# %%
def own_gate(as_of: str) -> Gates:
    fresh = mine.load("check_freshness_gate")

    def gates(notes: Any) -> str | None:
        evidence = [{"type": "search_results", "timestamp": note["written"]} for note in notes]
        state = SimpleNamespace(evidence=evidence)
        said = fresh(state, as_of=f"{as_of}")
        return None if said.passed else said.gate_name

    return gates


with attempt("durable_run", "check_freshness_gate"):
    for as_of in ("2026-11-30T12:00:00", "2026-12-02T12:00:00"):
        world = make_world(root)
        db = open_store(":memory:")
        got = durable_run(db, world.adapter, world.tools, own_gate(as_of), world.card, "invoice-9")
        print(as_of, "→", got["status"])

# %% [markdown]
# ## 5 · How sure were you, over the whole course?
#
# Every prediction that has an outcome, from all journals beside this notebook. To the right how sure you were, upwards how
# often it came true; the bars are where nine in ten people land whose confidence is perfect. Look at whether your
# points lie below the dashed line, and whether they do so by more than luck. Under twenty predictions nothing can be said.


# %%
def all_pairs() -> list[tuple[float, bool]]:
    """(confidence, whether it came true) of every prediction with an outcome, in all journals of this folder."""
    pairs = []
    for path in sorted(journal.journal_path("P09.1").parent.glob("[0-9][0-9].jsonl")):
        lines, _ = journal.read(path.read_bytes())
        for name in sorted({line.id for line in lines}):
            predicted, observed = journal.standing(lines, name)
            if predicted and observed and predicted.confidence is not None:
                pairs.append((predicted.confidence, journal.agrees(predicted.value, observed.value)))
    return pairs


pairs = all_pairs()
if pairs:
    figures.show(figures.calibration(pairs))
with attempt("brier"):
    if pairs:
        print(f"your Brier score over {len(pairs)} predictions: {mine.load('brier')(pairs):.3f}")

# %% [markdown]
# ## 6 · A certificate, and what it is worth
#
# A small file: the digest of the record's account of an undisturbed run, the version of the grader, and what the kills led to.
# Whoever has your notebook can make it again and compare. It certifies no more than that: this code, on that day, led to
# this record. A certificate can be forged whole, like a journal; run it again rather than believe it.


# %%
def certificate() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        result = new_run(folder)
        ledger = recorded(open_store(Path(folder) / "record.db"), "invoice-7")
    kills = {}
    for dedupes in (True, False):
        swept = [kill_cases(durable_run, root, dedupes=dedupes, around=around).outcomes for around in (False, True)]
        ends = {f"{acted} {state}" for _, acted, state in set.union(*swept)}
        kills["dedupes" if dedupes else "does not dedupe"] = sorted(ends)
    stated = {
        "run": result["status"],
        "ledger": digest(ledger),
        "grader": version("accountable-agents"),
        "kills": kills,
    }
    return {**stated, "digest": digest(stated)}


with attempt("durable_run"):
    issued = certificate()
    file = Path(os.environ.get("COURSE_JOURNAL") or "predictions") / "09-certificate.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(issued, indent=1) + "\n", "utf-8")
    print(json.dumps(issued, indent=1))

# %% [markdown]
# ## What this does not do
#
# - **It does not make the charge exactly once.** With a card service that dedupes it is once; with one that does not, at
#   most once, and in doubt where nobody can know. Settling the doubt takes somebody who asks the other side.
# - **Two live workers may leave a doubt that one of them could have resolved.** The record cannot tell a worker who died
#   from one who is slow. That takes a lease, as in 07.
# - **Gates judge what they are shown**, not whether it is true. And a note can grow old between the gates' yes and the
#   effect; the gap is short, not empty.
# - **The declared end of an abstained run is not in its trace.** The audit has to believe the record there.
# - **The report is a file that is overwritten.** The record says that it was written; it does not say that it is still there.
# - **Kills come between two instructions**, on a sample of them; SIGKILL is no power loss; the clock is the gates' own.
# - **The model is simulated.** A real one is no pure function of the history; its proposals have to be recorded before they
#   are carried out, or a resumed run may propose something else at the same place.

# %% [markdown]
# ## Have you got it?
#
# **Once more through the course, without running anything**
#
# 1. (00) You were 90 % sure ten times and right six times. On which side of the dashed line are you?
# 2. (01) Three failed calls: how many entries, and which end? Does a refusal count among them?
# 3. (02) The only note is from tomorrow. Which gate says no? And to an empty list?
# 4. (03) A budget is 20 tokens and a note costs 21. How many tokens have been read when the run is refused?
# 5. (04) Which of these cannot be replayed: an adapter that asks the history, one that counts its calls, one that reads a clock?
# 6. (05) Record, then act: which counts of effects can a kill lead to? What do you report?
# 7. (06) A resumed planner sends the same charge under a new key. What does a service that dedupes do?
# 8. (07) Two workers read "open" and both go on. Which single change makes one of them lose?
# 9. (08) A forged trace contradicts nothing. What does the audit say, and what else would you look at?
# 10. (09) Name the one kind of step that cannot share a transaction with its entry, and the three things that stand in its
#     place.
#
# **Show that you can**
#
# - take one line out of your `durable_run`, say which trial fails, and let it fail;
# - point to one entry of the report above and say what a kill before and after it would leave behind.
#
# <details><summary>Answers to 1 to 10</summary>
#
# 1. Below: too sure. 2. At least three entries, failed by tool_failure; a refusal is no entry. 3. Freshness; to an empty list
# coverage, freshness passes it. 4. 21: the budget is reached by the note that goes over it. 5. The second and the third.
# 6. None or one; in doubt, where only the intent is on record. 7. It charges again: for it that is another intent. 8. A
# write that only one can make: a uniqueness constraint, or an update that looks at its row count. 9. Nothing; the record, the
# card company's ledger, the files. 10. The effect outside; an obligation with a key beforehand, a receiver that dedupes or
# the words "in doubt", and an entry together with "done" afterwards.
#
# </details>

# %% [markdown]
# ## How production systems do it
#
# **Durable execution** · Temporal documentation · Temporal Technologies
#
# - *Where*: [Temporal, Workflow execution](https://docs.temporal.io/workflow-execution), the sections on replay and on
#   event history
# - *Rights*: © the publisher; linked only, nothing adapted
# - *Verified*: on 2026-10-30
# - *Why this one*: the same division: a deterministic part that is replayed from a recorded history, and activities that
#   may run more than once and have to be idempotent
# - *Presumes*: part 1 to 3 above; no server to read it
# - *Offline*: `durable_run` above
# - *Compared with*: [LangGraph, Persistence](https://docs.langchain.com/oss/python/langgraph/persistence) keeps a checkpoint
#   for each step of a graph, under a thread's name · [DBOS, How workflows
#   work](https://docs.dbos.dev/explanations/how-workflows-work) keeps its steps in the database that the effects are in
#
# This was the last of the ten. What to do with it: take an agent of your own, find its charge, and look for the commit.
