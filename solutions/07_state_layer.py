# ---
# course:
#   title: The state layer
#   minutes: 200
#   summary: What is known, what is owed, and who may do it. Versioned facts, obligations with one winner, and why recall decides nothing.
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
# A customer was charged twice. In the meeting somebody says: "The agent forgot that it had charged the card. It needs
# a better memory." So it gets one: a larger index, finer embeddings, more context. Next week a customer is charged
# twice.
#
# Nothing had been forgotten. Two workers had looked at the same open order, both had seen that nobody was on it, and
# both had gone ahead. What was missing is not recall but a *record*: one place that says what is owed, who has taken
# it on, and what is done, and that two workers cannot read in two ways.
#
# **When you are through, you can**
#
# - tell three kinds of information apart: what was said, what is known, what is owed, and say which of them may
#   decide;
# - write facts that are replaced and never overwritten, and read what stands now or what stood last Tuesday;
# - hand one obligation to one of two workers, whatever the order of their statements, and have the other observe it;
# - let a claim run out when its worker was killed, and keep that worker from acting when it turns out to be only slow;
# - check a context against the record, and turn each difference into work instead of an opinion.

# %% [markdown]
# **What is real here.** The SQLite file, its locks, the processes and the SIGKILL are real. Only the model is
# simulated. On Windows, use WSL: there is no SIGKILL.
#
# **How to work.** Predict before you run; the cell that follows holds its answer back until you have. Exercises end in
# `check(...)`. Three of the four count; the last one is *stretch*. Save now and then, and run `grader check 07` in a
# terminal for the rest of the tests.
#
# **The words.** No code of another notebook is needed.
#
# | word | what it means |
# |---|---|
# | record | the SQLite file: what is in it, holds |
# | fact | something known: a value, whose it is, who says so, and when it was so; a row of `facts` |
# | obligation | something owed: a row of `obligations`, with a key that names the intent once and for all |
# | effect | what an obligation brings about in the world; each one is a row of `effects` |
# | episode | something that was said or seen: text, found again by its words |
# | claim | a worker's "this one is mine", for as long as its *lease* runs |
# | token | a number that rises with every claim of an obligation; who shows an old one has lost the claim |
# | context | what a model has before it when it decides: text, which may be old |

# %%
import json
import sqlite3
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from course_lib import attempt, check, figures, predict, reveal
from course_lib.agent import run_task
from course_lib.crash import Outside, store
from course_lib.race import race, stage
from course_lib.retriever import search
from course_lib.state import Claim, Conflict, Fact
from course_lib.store import open_store

scratch = tempfile.TemporaryDirectory()
root = Path(scratch.name)

# %% [markdown]
# ## Two questions from earlier
#
# ### Before you run · P07.1
#
# An effect is written under a key, and the key may be there only once. First the key `a` comes, then `a` again (a
# retry), then `b`. How many effects are there after each of the three calls? Answer with a list of three numbers.

# %%
predict("P07.1", [1, 1, 2], confidence=0.9)

# %% [markdown]
# Look at the statement: the database does the remembering, and a repeat is no error.


# %%
def effects_after_each(keys: str) -> list[int]:
    ledger = sqlite3.connect(":memory:")
    ledger.execute("CREATE TABLE done (key TEXT PRIMARY KEY)")
    counts = []
    for key in keys:
        ledger.execute("INSERT OR IGNORE INTO done VALUES (?)", [key])
        counts.append(ledger.execute("SELECT count(*) FROM done").fetchone()[0])
    ledger.close()
    return counts


reveal("P07.1", lambda: effects_after_each("aab"))

# %% [markdown]
# ### Before you run · P07.2
#
# A program *acts*, and then *records* that it has acted. It may be killed before, between or after the two; whoever
# starts it again acts only if nothing is on record. How many effects can there be in the end? Answer with the set of
# all numbers that can occur.

# %%
predict("P07.2", {1, 2}, confidence=0.8, kind="set")

# %% [markdown]
# Three places to die, and one restart each:


# %%
def effects_by_place() -> set[int]:
    seen = {}
    for place in ("before both", "between", "after both"):
        effects, recorded = 0, False
        if place != "before both":
            effects += 1
        if place == "after both":
            recorded = True
        if not recorded:  # the restart
            effects += 1
        seen[place] = effects
    print(", ".join(f"killed {place}: {count}" for place, count in seen.items()))
    return set(seen.values())


reveal("P07.2", effects_by_place)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# A key makes *repeating* harmless, where the database holds the effect itself. Where the effect is outside, there is a
# moment in which nobody can know. Both were about one worker that comes back. Now there are two at once.
#
# </details>

# %% [markdown]
# ## 1 · Three kinds of information
#
# | | episodes | facts | obligations |
# |---|---|---|---|
# | what | what was said or seen | what is held to be true | what is owed |
# | how it is found | by likeness of words | by subject and predicate | by state |
# | may it be lossy? | yes | no: old versions stay readable | no |
# | what it may decide | nothing; it suggests | what the answer is, and on whose word | what is done next, and by whom |
#
# The middle and the right column are *state*: they have invariants (one fact stands in another's place; an order is
# carried out once), and a database can hold invariants. The left column is memory in the sense of retrieval. It is
# useful, and it has no authority.
#
# One file holds them all. Look at the columns: a fact names its source and two times, and `superseded_by` links it to
# the fact that stands in its place; an obligation has a `key`, a `state` and a `token`.

# %%
db = open_store(root / "record.db")
for table in ("facts", "obligations", "requires", "effects", "episodes"):
    columns = [column[1] for column in db.execute(f"PRAGMA table_info({table})")]
    print(f"{table:12} {', '.join(columns)}")

# %% [markdown]
# `task_id` ties a row to the run it came from. `key` is what notebook 06 called a key: unique, so one intent is one
# obligation. This has a price, and it is honest to say so: every step costs a write, a schema has to be kept up and
# migrated, and an agent that must name its obligations is less free than one that just acts.

# %% [markdown]
# ## 2 · Facts are replaced, not overwritten
#
# On Monday the morning shift notes that valve 3 leaks a litre a day. On Tuesday it is repaired. Overwriting the value
# would be easy, and then nobody could say any more what the report of Monday was based on. So a new row is written,
# and the old one gets a link to it. Here is the record before that; look at the two times. `observed_at` is when it
# was so, `recorded_at` when somebody wrote it down.


# %%
def note(db, subject, predicate, value, source, observed, recorded, task_id="summarize-notes"):
    """Write down a fact that takes no other one's place; its id."""
    row = (task_id, subject, predicate, value, source, observed, recorded)
    columns = "task_id, subject, predicate, value, source, observed_at, recorded_at"
    with db:  # commits at the end, or rolls back if an exception comes out
        return db.execute(f"INSERT INTO facts ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?)", row).lastrowid


MONDAY, TUESDAY, WEDNESDAY, THURSDAY = (f"2026-03-0{day}T09:00:00" for day in (2, 3, 4, 5))
leak = note(db, "valve 3", "litres a day", "1", "beta.txt", MONDAY, MONDAY)
note(db, "valve 3", "spare part", "ordered", "beta.txt", MONDAY, MONDAY)
note(db, "pump", "pressure", "normal", "alpha.txt", MONDAY, MONDAY)
for row in db.execute("SELECT id, subject, predicate, value, source, observed_at, superseded_by FROM facts"):
    print(row)

# %% [markdown]
# Three steps that belong together go into one transaction. As an example of the form, here is a function that moves a
# whole subject to another name: either every fact has moved, or none. Look at two things. `BEGIN IMMEDIATE` asks for
# the right to write *before* anything is read, so what was read is still true when the write comes. And `with db:`
# ends the transaction on every way out.


# %%
def rename(db, old, new):
    """Give every fact about `old` the subject `new`; how many those were. Raises ValueError when there is none."""
    with db:
        db.execute("BEGIN IMMEDIATE")
        moved = db.execute("UPDATE facts SET subject = ? WHERE subject = ?", (new, old)).rowcount
        if not moved:
            raise ValueError(f"nothing is known about {old!r}")
    return moved


print(rename(db, "pump", "pump 1"), "fact has moved; is a transaction open?", db.in_transaction)
try:
    rename(db, "pump 7", "pump 8")
except ValueError as problem:
    print("refused:", problem, "· is a transaction open?", db.in_transaction)

# %% [markdown]
# ### Before you run · P07.3
#
# One fact is written, and then three times a newer one is put in the place of the newest: four values, one after the
# other. How many rows does `facts` have for this subject, and how many of them *stand*, that is, have nothing in
# their place? Answer with a list of two numbers.

# %%
predict("P07.3", [4, 1], confidence=0.8)

# %% [markdown] exercise="supersede" title="Write a new version, and read the right one" difficulty=3 minutes=35 mode="with help" defines="read_facts"
# Whoever overwrites a value destroys the evidence for every decision that was based on it. Whoever appends and lets
# the newest time win believes a letter that was late in the post. So the *link* decides: somebody said that this fact
# stands in the place of that one.
#
# Write `supersede`, which adds the new fact and links the old one to it, and `read_facts`, which gives back what
# stands, now or as it was on record at an earlier time. Where two facts stand for the same predicate, the record has
# a conflict, and reading shows both: it does not choose.
#
# hint: Which single field of the old row has to change? What has to be known before that field can be filled, and
# what must be asked first, so that nobody else fills it in between?
# hint: supersede: begin a transaction that may write at once, read the old row on the condition that it still stands,
# insert, link, all in a `with db:`. read_facts: fetch all rows of the subject in the order of id and sort out in
# Python which of them stand.
# hint: `cursor.lastrowid` after the INSERT is the id that you link to and return. With as_recorded, first gather the
# ids that were on record then; a fact of that set stood if what it is superseded by is not in the set as well (None
# is not).


# %%
def supersede(
    db: sqlite3.Connection, old_id: int, value: str, source: str, observed_at: str, *, recorded_at: str
) -> int:
    """Record that `value` now stands in the place of fact `old_id`; the id of the new fact.

    Every call makes a new row, also for a value that an older row has. It takes task_id, subject and predicate from
    the old fact, everything else from the arguments, and nothing stands in its place yet. In the old row only
    superseded_by changes: it becomes the new id. No other row changes, and the times decide nothing: an observation
    that is older than the one it replaces replaces it all the same.

    Raises ValueError when there is no fact `old_id`, and when it has been superseded already. If two processes
    supersede one fact at the same time, one of them gets an id and the other this ValueError.

    All or nothing: when it returns, both changes are committed; whatever it raises, neither of them is there. No
    transaction is left open, and none is open when it is called. `db` comes from open_store.
    """
    # BEGIN SOLUTION
    with db:
        question = "SELECT task_id, subject, predicate FROM facts WHERE id = ? AND superseded_by IS NULL"
        db.execute("BEGIN IMMEDIATE TRANSACTION")
        old = list(db.execute(question, [old_id]))
        if not old:
            raise ValueError(f"fact {old_id} is not there, or no longer stands")
        fields = (*old[0], value, source, observed_at, recorded_at)
        insert = """INSERT INTO facts (task_id, subject, predicate, value, source, observed_at, recorded_at)
                    VALUES (?, ?, ?, ?, ?, ?, ?)"""
        new_id = db.execute(insert, fields).lastrowid
        db.execute("UPDATE facts SET superseded_by = ? WHERE id = ?", (new_id, old_id))
    return new_id
    # END SOLUTION


def read_facts(db: sqlite3.Connection, subject: str, *, as_recorded: str | None = None) -> list[Fact]:
    """The facts about exactly this `subject` that stand, in the order of their ids; [] when there is none.

    A fact stands while its superseded_by is None. Two that stand for one predicate are both given, also when their
    values are equal: they have two sources. Each Fact has the fields of its row as they are.

    With `as_recorded`, an ISO time, it tells what stood on record then. A fact was there from its recorded_at on (that
    moment included), and it stood until the one in its place was there. Times of observation do not count. Nothing is
    written.
    """
    # BEGIN SOLUTION
    columns = "id, subject, predicate, value, source, observed_at, recorded_at, superseded_by"
    rows = db.execute(f"SELECT {columns} FROM facts WHERE subject = ? ORDER BY id", (subject,)).fetchall()
    facts = [Fact(*fields) for fields in rows]
    if as_recorded is None:
        return [fact for fact in facts if fact.superseded_by is None]
    known = {fact.id for fact in facts if fact.recorded_at <= as_recorded}
    return [fact for fact in facts if fact.id in known and fact.superseded_by not in known]
    # END SOLUTION


# %% [markdown]
# Now the valve is repaired on Tuesday, drips a little on Wednesday, and on Thursday a letter comes in that was written
# on Tuesday and corrects the first repair report. Follow the links.


# %%
def versions() -> list[int]:
    newest = leak
    for value, source, seen, written in [
        ("0", "repair sheet", TUESDAY, TUESDAY),
        ("0.1", "evening shift", WEDNESDAY, WEDNESDAY),
        ("0.05", "letter of the fitter", TUESDAY, THURSDAY),
    ]:
        newest = supersede(db, newest, value, source, seen, recorded_at=written)
    standing = [fact for fact in read_facts(db, "valve 3") if fact.predicate == "litres a day"]
    columns = "id, subject, predicate, value, source, observed_at, recorded_at, superseded_by"
    chain = [Fact(*row) for row in db.execute(f"SELECT {columns} FROM facts WHERE predicate = 'litres a day'")]
    figures.show(figures.version_chain(chain))
    return [len(chain), len(standing)]


with attempt("supersede", "read_facts"):
    reveal("P07.3", versions)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# Four rows, of which one stands. The last observation in time is Wednesday's, and it does not stand: the letter
# corrects it, although it tells of Tuesday. Only somebody who knew both could decide that, and the link is where that
# decision is kept.
#
# </details>
#
# The report of Tuesday evening was based on what stood then. `as_recorded` gives that back, and the word of the letter
# is not in it:

# %%
with attempt("read_facts"):
    for when in (MONDAY, TUESDAY, THURSDAY):
        stood = read_facts(db, "valve 3", as_recorded=when)
        print(when[:10], [(fact.predicate, fact.value, fact.source) for fact in stood])

# %% [markdown]
# ## 3 · Recall is not authority
#
# Everything that was said about the valve also lies around as text. A retriever finds the passages that are most like
# a question: here a small one that compares bags of words, in `course_lib/retriever.py`. Larger ones compare vectors
# that were learnt; they are better at likeness, and likeness is still all that they measure.
#
# ### Before you run · P07.4
#
# The agent asks *How many litres a day does valve 3 leak?* Which of the passages A to E comes first?

# %%
passages = {
    "A": "Monday: valve 3 leaks, one litre a day. How many days until it is fixed? One leak a day is one too many.",
    "B": "Thursday: the fitter writes that after his repair it was a twentieth of that.",
    "C": "Tuesday: the repair sheet is signed, nothing drips any more.",
    "D": "The pump was serviced on Monday. Its filter is new and the pressure is back to normal.",
    "E": "Invoice 17 for the spare part is paid.",
}
predict("P07.4", "A", confidence=0.7, kind=["A", "B", "C", "D", "E"])

# %% [markdown]
# Look at both halves of the figure: the score of each passage, and the value that it would have the agent believe.


# %%
def first_hit() -> str:
    question = "How many litres a day does valve 3 leak?"
    names = list(passages)
    found = [(score, names[place]) for score, place in search(question, list(passages.values()))]
    believed = {"A": "1", "B": "0.05", "C": "0"}
    figures.show(figures.score_against_truth(found, believed, truth="0.05"))
    return found[0][1]


reveal("P07.4", first_hit)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# The oldest passage uses the words of the question; the one that holds uses hardly any of them. A better index would be
# wrong less often. But no likeness of words can know that a fitter's letter stands in the place of a shift's note,
# because that is not in the words. Retrieval may inform a decision. Whether something holds, or is owed, or is done,
# is read from the record.
#
# </details>

# %% [markdown] exercise="reconcile" title="Hold a context against the record" difficulty=3 minutes=30 mode="on your own, no AI"
# A run that was stopped on Monday wakes on Thursday, and its context still says one litre a day. It must not act on
# that, and it must not write Monday's value into the record because the context sounds sure. It has to notice, and
# the difference has to become work: somebody, or the run itself, must settle it before it goes on.
#
# Write `reconcile`. It compares sets of values, question by question, and opens one obligation for each difference.
# What the context leaves out is a difference as well.
#
# hint: Which questions have to be asked: those in the context, those in the record, or both? For which subjects?
# hint: Two dicts from (subject, predicate) to a set of values, one for each side. Go through the keys of both. Where
# the sets differ, insert an obligation under a key that is made of everything that tells this conflict from others.
# hint: The key can be json.dumps of a list: the task, the word reconcile, subject, predicate, the two sorted lists.
# INSERT OR IGNORE and then a SELECT by key give you the id, whether or not the row was there. All in one `with db:`.


# %%
def reconcile(
    context: Sequence[Mapping[str, str]], db: sqlite3.Connection, *, task_id: str, now: str
) -> list[Conflict]:
    """Compare a context with what stands in the record; one Conflict for each question with two answers.

    context holds statements, dicts with "subject", "predicate", "value", "source" and "observed_at". A question is a
    pair of subject and predicate. Asked is, for each subject that the context mentions, every question on which the
    context has a statement or the record a fact that stands (see read_facts). The context's values and the record's
    are compared as sets of texts, exactly. Where the sets differ, there is a Conflict(subject, predicate, said, held,
    obligation_id): said are the context's values and held the record's, as sorted lists without repeats; one of the
    two may be empty. Sources and times decide nothing. The conflicts come in any order.

    For each conflict there is an obligation of this task: kind "reconcile", state "open", created_at = now. A
    conflict that this task has met before (the same question, the same two lists) opens no second one; its Conflict
    names the obligation that is there. Facts are read, never written. It is all committed when the answer comes back.
    """
    # BEGIN SOLUTION
    said = {}
    for claimed in context:
        said.setdefault((claimed["subject"], claimed["predicate"]), set()).add(claimed["value"])
    conflicts = []
    with db:
        held = {}
        db.execute("BEGIN IMMEDIATE TRANSACTION")
        for subject in {subject for subject, _ in said}:
            standing = "SELECT predicate, value FROM facts WHERE subject = ? AND superseded_by IS NULL"
            for predicate, value in db.execute(standing, (subject,)):
                held.setdefault((subject, predicate), set()).add(value)
        for question in sorted({*said, *held}):
            ours, theirs = (sorted(side.get(question, ())) for side in (said, held))
            if ours == theirs:
                continue
            key = json.dumps([task_id, "reconcile", *question, ours, theirs])
            db.execute(
                "INSERT OR IGNORE INTO obligations (task_id, kind, key, created_at) VALUES (?, 'reconcile', ?, ?)",
                (task_id, key, now),
            )
            for (owed,) in db.execute("SELECT id FROM obligations WHERE key = ?", [key]):
                conflicts.append(Conflict(*question, ours, theirs, owed))
    return conflicts
    # END SOLUTION


# %% [markdown]
# The run that slept since Monday wakes. Look at its two conflicts. The value is stale; and it does not know at all
# what became of the spare part, because nobody had told it.

# %%
with attempt("supersede", "reconcile"):
    stale = [
        {
            "subject": "valve 3",
            "predicate": "litres a day",
            "value": "1",
            "source": "beta.txt",
            "observed_at": MONDAY,
        }
    ]
    for conflict in reconcile(stale, db, task_id="summarize-notes", now=THURSDAY):
        print(conflict)
    for row in db.execute("SELECT id, task_id, kind, state FROM obligations"):
        print(row)

# %% [markdown]
# Whether the letter or the context is right, `reconcile` does not say. It says that there is a question, and it leaves
# it where it cannot be overlooked: with what is owed.

# %% [markdown]
# ## 4 · Two workers, one obligation
#
# What is owed is owed once. A worker that wants to do it has to look whether it is still open, and has to take it. As
# a worked example, here is the smallest form of the mistake, on a table of its own: two functions, one that looks and
# one that takes, and two workers with a connection each.

# %%
jobs = root / "jobs.db"


def fresh_jobs():
    """One job that nobody has taken, and two connections to it that give up at once instead of waiting."""
    jobs.unlink(missing_ok=True)
    pair = {name: sqlite3.connect(jobs, timeout=0, isolation_level=None) for name in "AB"}
    pair["A"].execute("CREATE TABLE jobs (id INTEGER PRIMARY KEY, taken_by TEXT)")
    pair["A"].execute("INSERT INTO jobs VALUES (1, NULL)")
    return pair


def look(connection):
    """Whether the job is still free."""
    return connection.execute("SELECT taken_by FROM jobs").fetchone() == (None,)


def take(connection, worker):
    """Write one's name beside it."""
    connection.execute("UPDATE jobs SET taken_by = ?", (worker,))


def who_acted(order):
    """Who did the job, when the statements come in this order: the first letter of a worker looks, the second takes."""
    pair, free, acted = fresh_jobs(), {}, []
    for worker in order:
        if worker not in free:
            free[worker] = look(pair[worker])
        elif free[worker]:
            take(pair[worker], worker)
            acted.append(worker)
    for connection in pair.values():
        connection.close()
    return acted


print("A is through before B begins:", who_acted("AABB"))

# %% [markdown]
# ### Before you run · P07.5
#
# Each worker looks once and then, if the job was free, takes it. Their four statements can come in six orders. In
# which of them do *both* act? Answer with a set, for instance `{"AABB", "ABAB"}`.

# %%
orders = ["AABB", "ABAB", "ABBA", "BAAB", "BABA", "BBAA"]
predict("P07.5", {"ABAB", "ABBA", "BAAB", "BABA"}, confidence=0.7, kind="set")

# %% [markdown]
# Six orders, each on a file of its own:


# %%
def orders_that_double() -> set[str]:
    double = set()
    for order in orders:
        acted = who_acted(order)
        print(order, "→", " and ".join(acted))
        if len(acted) > 1:
            double.add(order)
    return double


reveal("P07.5", orders_that_double)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# Only where one worker is through before the other begins does it go well, and that is what happens on the machine of
# whoever tests it, where everything is fast and alone. What was seen has to be still true when the write comes.
#
# </details>

# %% [markdown]
# ### Before you run · P07.6
#
# "Then put it into a transaction." A plain `BEGIN` is *deferred*: it reads from a snapshot and asks for the right to
# write only at the first write. In WAL mode A begins, B begins, both look, A takes and commits. Now B takes. What does
# B get: `"the job"`, `"the news that it is taken"`, or `"an exception"`?

# %%
predict("P07.6", "an exception", confidence=0.6, kind=["the job", "the news that it is taken", "an exception"])

# %% [markdown]
# Two connections, and the statements in this order:


# %%
def what_the_loser_gets() -> str:
    pair = fresh_jobs()
    pair["A"].execute("PRAGMA journal_mode = WAL")
    for worker in "AB":
        pair[worker].execute("BEGIN")
    free = {worker: look(pair[worker]) for worker in "AB"}
    print("what they saw:", free)
    take(pair["A"], "A")
    pair["A"].execute("COMMIT")
    try:
        take(pair["B"], "B")
        pair["B"].execute("COMMIT")
        answer = "the job"
    except sqlite3.OperationalError as problem:
        print(f"B: {problem} ({problem.sqlite_errorname})")
        answer = "an exception"
    for connection in pair.values():
        connection.close()
    return answer


reveal("P07.6", what_the_loser_gets)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# Nothing was doubled, so this is better. But B has not observed that the work is taken. It has crashed, and however
# long it waits, its snapshot stays old. Who writes *first* is better off: it asks for the right to write, waits for
# its turn, and then sees what is there.
#
# </details>

# %% [markdown]
# ### From a job to an obligation
#
# An obligation adds two things to the job. A worker may die after it has taken it, so a claim runs out: it has a
# *lease*. And then a worker that was only slow may come back after its lease and finish what somebody else has begun
# anew. So each claim has a *token*, a number that rises, and the effect is only let through with the newest one. This
# is called *fencing*. The check must be made where the effect is made, in the same transaction: a worker that checks
# first and acts afterwards can lose its claim in between.

# %% [markdown] exercise="claim" title="One wins, the other observes" difficulty=4 minutes=45 mode="with help" defines="commit"
# This is the place where the customer was charged twice. Whoever asks for an obligation must be told one of three
# things: it is yours, somebody is on it, it is done. Not two people the first, and nobody a traceback.
#
# Write `claim`, and `commit`, which lets an effect through once and only for the newest claim. The effect here is a
# row in `effects`, in the same database. Any way that keeps the promises is welcome; there are at least four.
#
# hint: Which statement of yours decides who has won? Can somebody else come between the look on which it rests and
# itself?
# hint: Let the UPDATE carry the whole condition (open, or claimed with a lease that is over) and ask the cursor's
# rowcount whether it hit. Look at the row only after that, in the same transaction. commit works the same way, with
# the token in its condition.
# hint: claim: in a `with db:`, UPDATE obligations SET state, worker, lease_until, token = token + 1 WHERE id and the
# condition; rowcount 1 means won; then SELECT state, token, result. commit: UPDATE to done WHERE id and state is
# claimed and the token fits; only if it hit, INSERT INTO effects.


# %%
def claim(db: sqlite3.Connection, id: int, worker: str, *, now: float, lease: float) -> Claim:
    """Ask for obligation `id` in the name of `worker`. `now` and `lease` are seconds of one clock, the caller's.

    Claim("won", token)             It was open, or its claim has run out (lease_until <= now). Its row now says
                                    "claimed", this worker, lease_until = now + lease, and the token, which is higher
                                    than every earlier one of this obligation.
    Claim("busy")                   It is claimed and the lease runs, whoever asks: another process may have one's name.
    Claim("done", result=result)    It is done, and this is what was committed. Nothing has changed, as for "busy".

    Any number of processes may ask at the same time, each on a connection of its own: one wins, the others are told
    "busy" or "done". None of them meets an exception, as open_store's connections wait for a lock. What it says is
    committed when it comes back, and no transaction is left open. `db` comes from open_store and has none open.

    Raises ValueError when there is no such obligation. How one is answered that has failed is left open.
    """
    # BEGIN SOLUTION
    with db:
        taken = db.execute(
            """UPDATE obligations SET state = 'claimed', worker = ?, lease_until = ?, token = token + 1
               WHERE id = ? AND (state = 'open' OR state = 'claimed' AND lease_until <= ?)""",
            (worker, now + lease, id, now),
        ).rowcount
        seen = list(db.execute("SELECT state, token, result FROM obligations WHERE id = ?", [id]))
    if not seen:
        raise ValueError(f"there is no obligation {id}")
    [(state, token, result)] = seen
    if taken:
        return Claim(token=token, outcome="won")
    return Claim("busy") if state == "claimed" else Claim("done", result=json.loads(result))
    # END SOLUTION


def commit(db: sqlite3.Connection, id: int, token: int, result: Mapping[str, Any]) -> bool:
    """Let the effect of obligation `id` happen and mark it done, if `token` still holds the claim; whether it did.

    True: `effects` has one row more, with the obligation's key and `result` as JSON, and the obligation is "done",
    with the same JSON as its result. Both are committed together.
    False: nothing has changed, because the obligation is not claimed (still open, or done), or `token` is not the one
    of its newest claim, or there is no such obligation. A claim whose lease is over still counts as long as nobody has
    claimed after it.

    Any number of processes may ask at the same time; none of them meets an exception, and no transaction is left open.
    """
    # BEGIN SOLUTION
    held = "WHERE id = ? AND state = 'claimed' AND token = ?"
    with db:
        finish = f"UPDATE obligations SET state = 'done', result = ? {held}"
        ours = db.execute(finish, (json.dumps(result), id, token)).rowcount == 1
        if ours:
            effect = "INSERT INTO effects (key, payload) SELECT key, result FROM obligations WHERE id = ?"
            db.execute(effect, (id,))
    return ours
    # END SOLUTION


# %% [markdown]
# First without a race. An obligation is opened, claimed, committed, and asked for once more. Read the answers as what
# each worker would do next.


# %%
def owe(db, kind, key, task_id="summarize-notes", created_at=THURSDAY):
    """Open an obligation; its id."""
    with db:
        row = (task_id, kind, key, created_at)
        return db.execute("INSERT INTO obligations (task_id, kind, key, created_at) VALUES (?, ?, ?, ?)", row).lastrowid


with attempt("claim", "commit"):
    charge = owe(db, "charge", "summarize-notes/4/charge")
    mine = claim(db, charge, "anna", now=0.0, lease=30.0)
    print("anna:", mine)
    print("bert:", claim(db, charge, "bert", now=1.0, lease=30.0))
    print("anna commits:", commit(db, charge, mine.token, {"euros": 12}))
    print("bert:", claim(db, charge, "bert", now=2.0, lease=30.0))

# %% [markdown]
# ### Every order there is
#
# Trying it out a few times proves little: the machine decides who comes first, and it mostly decides the same way.
# `race` goes through the orders instead. It starts two real processes, each with a connection of its own. Before each
# SQL statement a process asks for leave, and one after the other gets it: so each order of the statements can be tried,
# from a fresh record each time. Where SQLite says that the record is locked, the process waits until the other has
# gone on, as `open_store`'s connections do. A wait that nobody can end, and a snapshot that has become too old, are
# exceptions, as they are in the wild.
#
# The worker's work is the same each time: ask, act outside, commit. What happens outside stays here, in `CardService`,
# which sees what was really done to it. Two ways to ask stand beside yours: one looks and then takes, as above; one
# does the same in a deferred transaction.


# %%
class CardService(Outside):
    """The world outside: it knows who has charged the card. It stays in this process."""

    def __init__(self):
        self.charged_by = []

    def charge(self, worker):
        self.charged_by.append(worker)


def looks_then_takes(db, id, worker, *, now, lease):
    """Not a claim to rely on: what it saw may have changed when it writes."""
    seen = db.execute("SELECT state FROM obligations WHERE id = ?", [id]).fetchall()
    if seen != [("open",)]:
        return Claim("busy" if seen == [("claimed",)] else "done")
    with db as record:
        record.execute("UPDATE obligations SET state = 'claimed', token = 1 WHERE id = ?", [id])
    return Claim("won", token=1)


def deferred(db, id, worker, *, now, lease):
    """The same in a transaction that begins with reading."""
    db.execute("BEGIN")
    return looks_then_takes(db, id, worker, now=now, lease=lease)


def work_looking(db, service, worker):
    if looks_then_takes(db, 1, worker, now=0.0, lease=30.0).outcome == "won":
        service.charge(worker)


def work_deferred(db, service, worker):
    if deferred(db, 1, worker, now=0.0, lease=30.0).outcome == "won":
        service.charge(worker)


def work(db, service, worker):
    answer = claim(db, 1, worker, now=0.0, lease=30.0)
    if answer.outcome == "won":
        service.charge(worker)
        commit(db, 1, answer.token, {"charged by": worker})


# %% [markdown]
# ### Before you run · P07.7
#
# Each of the three programs is raced by two workers, A and B, over all orders. Which of these can happen in *some*
# order: `"looking charges twice"`, `"looking crashes"`, `"deferred charges twice"`, `"deferred crashes"`? Answer with
# a set.

# %%
predict("P07.7", {"looking charges twice", "deferred crashes"}, confidence=0.7, kind="set")

# %% [markdown]
# Look at the map: each square is one order. Your own claim stands in the last block, and your aim is a block of one
# colour.


# %%
def owe_one(db):
    """The record at the start of each race: one obligation, open."""
    owe(db, "charge", "summarize-notes/4/charge")


def how_it_ended(race_run):
    if race_run.raised:
        return "crash"
    charges = len(race_run.args["A"][1].charged_by)
    return {0: "never", 1: "once"}.get(charges, "twice")


def racing(program):
    def arguments():
        service = CardService()
        return {worker: (store(), service, worker) for worker in "AB"}

    return race(program, arguments, how_it_ended, record=owe_one)


def what_can_happen() -> set[str]:
    blocks, seen = {}, set()
    for name, program in [("looking", work_looking), ("deferred", work_deferred), ("your claim", work)]:
        blocks[name] = [(one.order, one.outcome) for one in racing(program).runs]
        outcomes = {outcome for _, outcome in blocks[name]}
        if name != "your claim":
            words = {"twice": "charges twice", "crash": "crashes"}
            seen |= {f"{name} {what}" for outcome, what in words.items() if outcome in outcomes}
    figures.show(figures.race_map(blocks))
    return seen


with attempt("claim", "commit"):
    reveal("P07.7", what_can_happen)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# Looking never crashes and doubles; deferred never doubles and crashes, in nearly every order in which the two overlap.
# Neither is what was wanted: one effect, and a loser that *observes*. A test that runs the two processes freely a few
# times would find the first one, perhaps.
#
# </details>

# %% [markdown]
# ### Before you run · P07.8
#
# A worker has won the claim. Just as it is about to charge the card, it is killed (kill -9). What does the row's
# `state` say after that: `"open"`, `"claimed"` or `"done"`?

# %%
predict("P07.8", "claimed", confidence=0.8, kind=["open", "claimed", "done"])

# %% [markdown]
# Two processes ask at the same time, without anybody ordering their statements. Whoever comes to the card service is
# killed there, before the charge. Afterwards a third worker asks twice: while the lease runs, and when it is over.


# %%
def late(db, service, worker, now):
    answer = claim(db, 1, worker, now=now, lease=30.0)
    if answer.outcome == "won":
        service.charge(worker)
        commit(db, 1, answer.token, {"charged by": worker})
    return answer.outcome, answer.token


def after_the_kill() -> str:
    service = CardService()
    with stage(owe_one, work, late) as play:
        ended = play.together({worker: (work, (store(), service, worker)) for worker in "AB"}, kill_at_call=1)
        print("ended by signal:", sorted(str(end.signal) for end in ended.values()))
        (state,) = play.rows("SELECT state FROM obligations")[0]
        for now in (10.0, 30.0):
            print(f"asked at {now:g} s:", play.alone(late, (store(), service, "C", now)).value)
        print("charged by", service.charged_by, "· effects:", play.rows("SELECT key, payload FROM effects"))
    return state


with attempt("claim", "commit"):
    reveal("P07.8", after_the_kill)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# Nobody told the record that the worker is dead, and nobody could. Only time passes: when the lease is over, another
# may have it, with a higher token. If the first one was not dead but slow, its token is an old one by then, and its
# `commit` is refused.
#
# What fencing cannot reach is the card itself. Had the worker been killed after the charge and before the commit, the
# next one would charge again, unless the service knows the key. That is the effect *in doubt* of notebook 05, and the
# key of notebook 06 is the cure: the obligation's `key` goes along with the charge.
#
# </details>

# %% [markdown]
# ## 5 · State in the trace
#
# Whether an agent looked at the record, and whether it kept what it took on, should be seen in its trace. So reading
# and writing state are tools like all others, and their calls are entries. Here are three, and an adapter that uses
# them. It is a pure function of the history, like every adapter here: what it does next depends on what has been
# answered so far.


# %%
def state_tools(db, worker, now=0.0):
    """The record as tools: each answer is an observation, and a refusal has ok false."""

    def read(args):
        facts = [{"id": f.id, "predicate": f.predicate, "value": f.value} for f in read_facts(db, args["subject"])]
        return {"ok": True, "facts": facts}

    def ask_for(args):
        answer = claim(db, args["obligation_id"], worker, now=now, lease=30.0)
        return {"ok": answer.outcome == "won", "outcome": answer.outcome, "token": answer.token}

    def commit_result(args):
        return {"ok": commit(db, args["obligation_id"], args["token"], args["result"])}

    return {"state.read_facts": read, "state.claim": ask_for, "state.commit": commit_result}


class Clerk:
    """Reads the facts, claims obligation `owed`, and commits a result. One that is not `thorough` stops before that."""

    def __init__(self, owed, thorough=True):
        self.owed = owed
        self.thorough = thorough

    def next_action(self, history):
        answers = {step["action"]["tool"]: step["observation"] for step in history}
        if "state.read_facts" not in answers:
            return {"tool": "state.read_facts", "args": {"subject": "valve 3"}}
        if "state.claim" not in answers:
            return {"tool": "state.claim", "args": {"obligation_id": self.owed}}
        if self.thorough and answers["state.claim"]["ok"] and "state.commit" not in answers:
            seen = [fact["value"] for fact in answers["state.read_facts"]["facts"]]
            token = answers["state.claim"]["token"]
            return {
                "tool": "state.commit",
                "args": {"obligation_id": self.owed, "token": token, "result": {"written": seen}},
            }
        return {"tool": "say", "args": {"text": "All done."}}


def says_done(trace):
    return ("completed", "goal_reached") if trace[-1]["action"]["tool"] == "say" else None


# %% [markdown]
# ### Before you run · P07.9
#
# Two obligations are opened. A thorough clerk is run on the first, and one that is not on the second. Both say "All
# done." In what states are the two obligations then? Answer with a list of two, the thorough clerk's first.

# %%
predict("P07.9", ["done", "claimed"], confidence=0.8)

# %% [markdown]
# Two runs, entry by entry. Both end as `completed`; look at what is missing in the second trace.


# %%
def two_clerks() -> list[str]:
    states = []
    for thorough in (True, False):
        owed = owe(db, "append", f"summarize-notes/{thorough}/append")
        tools = state_tools(db, worker="clerk") | {"say": lambda args: {"ok": True}}
        run = run_task(Clerk(owed, thorough), tools, says_done)
        print(f"{'thorough' if thorough else 'not thorough'}: {run['status']}")
        for k, step in enumerate(run["trace"]):
            print(f"  {k}  {step['action']['tool']:17} → {step['observation']}")
        states += next(db.execute("SELECT state FROM obligations WHERE id = ?", [owed]))
    counts = dict(db.execute("SELECT state, count(*) FROM obligations GROUP BY state"))
    figures.show(figures.obligation_states(counts))
    return states


with attempt("supersede", "claim"):
    reveal("P07.9", two_clerks)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# The text says "All done", and the run is over. The record says that something is owed. It is the trace that shows
# why: a claim without a commit. Nobody has to believe the text, and nobody has to search for the missing step. The
# price is one more call for each look at the record, in turns and in tokens; for a task that outlives one context it
# is usually worth it.
#
# </details>

# %% [markdown] exercise="next_legal" title="What may be done next" difficulty=3 minutes=25 mode="on your own, no AI" stretch=true
# A resumed run needs to know what is still legitimate. Two kinds of *before* are easily mixed up. Goods are shipped
# when the payment has cleared: if it fails, nothing is shipped, ever. That is a *causal* requirement. The log line is
# appended when the log has been opened or opening it was given up: it only has to be over. That is a *sequential* one.
#
# Write `next_legal`: the open obligations of a task that nothing keeps back any more. `requires` holds one row for
# each requirement: `obligation_id`, `needs_id`, and its `kind`.
#
# hint: For one obligation: which states of what it needs allow it, if the requirement is causal? And if it is
# sequential?
# hint: Take each open obligation of the task, and look at the states of everything it needs directly. No search along
# the chain is necessary: what is not done has a state that says so.
# hint: One query with NOT EXISTS does it, or a loop with one query for each obligation: keep it if for all its rows in
# requires the other is done, or the kind is sequential and the other has failed. ORDER BY created_at, id.


# %%
def next_legal(db: sqlite3.Connection, task_id: str) -> list[int]:
    """The ids of the obligations of task `task_id` that may be begun now, oldest first: by created_at, then by id.

    An obligation may be begun when its state is "open" (a claimed one is somebody's, whatever its lease) and each of
    its rows in `requires` allows it: a "causal" one as soon as the obligation that it needs is "done", a "sequential"
    one as soon as that has ended, "done" or "failed". Only the rows of the obligation itself count, and what it needs
    may belong to another task. Obligations that need each other in a circle wait for ever: none of them is given.
    [] when there is none. Nothing is written.
    """
    # BEGIN SOLUTION
    ready = """
        SELECT id FROM obligations AS mine
        WHERE task_id = ? AND state = 'open' AND NOT EXISTS (
            SELECT * FROM requires JOIN obligations AS other ON other.id = needs_id
            WHERE obligation_id = mine.id
            AND NOT (other.state = 'done' OR (requires.kind = 'sequential' AND other.state = 'failed')))
        ORDER BY created_at, id"""
    return [number for (number,) in db.execute(ready, (task_id,))]
    # END SOLUTION


# %% [markdown]
# A small order: create the log, append to it, take the payment, ship. The log could not be created, and the payment
# has cleared. Look at what each of the two lines may do.

# %%
with attempt("next_legal"):
    order = open_store(root / "order.db")
    create, append, pay, ship, thank = (
        owe(order, kind, kind, task_id="order 7") for kind in ("create", "append", "pay", "ship", "thank")
    )
    with order:
        needs = [(append, create, "sequential"), (ship, pay, "causal"), (thank, ship, "causal")]
        order.executemany("INSERT INTO requires VALUES (?, ?, ?)", needs)
    kinds = dict(order.execute("SELECT id, kind FROM obligations"))
    print("at first:             ", [kinds[id] for id in next_legal(order, "order 7")])
    with order:
        order.execute("UPDATE obligations SET state = 'failed' WHERE id = ?", (create,))
        order.execute("UPDATE obligations SET state = 'done' WHERE id = ?", (pay,))
    print("create failed, paid:  ", [kinds[id] for id in next_legal(order, "order 7")])

# %% [markdown]
# ## 6 · A run that passes everything
#
# Before you go, one round in which nothing is wrong: the context agrees with the record, the obligation is claimed once
# and committed once, and a second worker is told so.

# %%
with attempt("supersede", "reconcile", "claim"):
    sound = open_store(root / "sound.db")
    note(sound, "valve 3", "litres a day", "0.05", "letter of the fitter", TUESDAY, THURSDAY)
    fact = read_facts(sound, "valve 3")[0]
    context = [{"subject": fact.subject, "predicate": fact.predicate, "value": fact.value}]
    context[0] |= {"source": fact.source, "observed_at": fact.observed_at}
    print("conflicts:    ", reconcile(context, sound, task_id="summarize-notes", now=THURSDAY))
    append = owe(sound, "append", "summarize-notes/3/append")
    held = claim(sound, append, "anna", now=0.0, lease=30.0)
    print("committed:    ", commit(sound, append, held.token, {"line": fact.value}))
    print("second worker:", claim(sound, append, "bert", now=1.0, lease=30.0))
    print("effects:      ", sound.execute("SELECT key, payload FROM effects").fetchall())

# %% [markdown]
# ## What this does not do
#
# - **The record is only as true as what is written into it.** A wrong letter supersedes a right note just as well. What
#   the record adds is that the note is still there, and who put what in its place.
# - **Conflicts are not solved here.** `reconcile` compares texts: `0.05` and `0.050` are two values. Which of two
#   standing facts is right takes somebody who knows.
# - **Fencing ends at the database.** An effect outside happens when it happens; the token cannot call it back. Outside,
#   the key has to travel along.
# - **The lease needs a clock.** All workers are given theirs by the caller here. Real clocks differ and are set back; a
#   wrong one makes a claim run out early. The token then still keeps the *record* right.
# - **One file, one machine.** SQLite's locks hold for the processes of one machine and for a disk that is its own.
# - **The race is ordered by statements.** It does not stop inside a statement, and it tries an even sample where there
#   are too many orders. Three workers can do more than two.
# - **It costs.** Each look and each write takes a turn of the agent and a write to the disk, and a schema must be kept.

# %% [markdown]
# ## Have you got it?
#
# **Answer without running anything**
#
# 1. Two rows about one subject and predicate have `superseded_by` NULL. What is that, and what should reading do?
# 2. Why may the newest observation not simply win?
# 3. An UPDATE carries the condition `state = 'open'`. Two workers send it at the same moment. How does the second one
#    find out that it has lost?
# 4. A worker checks its token, finds it good, and then makes its effect in a second transaction. What can go wrong?
# 5. The retriever is replaced by one that is right 99 times in 100. May it now decide whether a card was charged?
#
# **Show that you can**
#
# - take the condition out of your UPDATE and find, on the race map, an order that doubles;
# - write `claim` a second time in another way (INSERT OR IGNORE, RETURNING, BEGIN IMMEDIATE) and get the same map;
# - find out from a trace and the record alone which obligation a run took on and did not keep.
#
# <details><summary>Answers to 1 to 5</summary>
#
# 1. A conflict: two sources, and nobody has decided. Reading gives both. 2. It may have been observed last and still be
# wrong, or be a late letter about an earlier time; that one replaces another is a decision, and the link records it.
# 3. The second waits for the first to commit, finds no row that fits, and its rowcount is 0. 4. Between the two its
# lease may end and somebody else may claim and commit: two effects. 5. No. Once in a hundred it says that nothing was
# charged, and nobody can tell when. Whether it was charged is read from the record; recall may say where to look.
#
# </details>

# %% [markdown]
# ## How production systems do it
#
# **Write-ahead logging; Transactions** · SQLite documentation · SQLite consortium
#
# - *Where*: [Write-Ahead Logging](https://www.sqlite.org/wal.html), the section on concurrency, and
#   [Transaction](https://www.sqlite.org/lang_transaction.html), on deferred, immediate and exclusive ones
# - *Rights*: public domain; linked only, nothing adapted
# - *Verified*: SQLite 3.40, on 2026-11-30
# - *Why this one*: it says in two pages why the deferred loser cannot just wait, and what the immediate one gets for
#   asking early
# - *Presumes*: SQL; no server
# - *Offline*: part 4 above, with the map of your own claim
# - *Compared with*: [PostgreSQL, SELECT ... FOR UPDATE SKIP
#   LOCKED](https://www.postgresql.org/docs/current/sql-select.html) is how queues are built on a server: who comes
#   second takes another row instead of waiting · [DBOS,
#   Queues](https://docs.dbos.dev/python/tutorials/queue-tutorial) hands obligations to workers and recovers those of
#   workers that died

# %% [markdown]
# **Persistence, and memory apart from it** · LangGraph documentation · LangChain, Inc.
#
# - *Where*: [LangGraph, Persistence](https://docs.langchain.com/oss/python/langgraph/persistence), the sections on
#   threads, and on the memory store
# - *Rights*: © the publisher, the library itself under the MIT licence; linked only, nothing adapted
# - *Verified*: langgraph 1.2.24, on 2026-10-30
# - *Why this one*: it keeps the state of a thread and a store for search in two places; ask of each which of your three
#   columns it is
# - *Presumes*: graphs of nodes and edges; no account
# - *Offline*: parts 1 and 3 above
# - *Compared with*: [Temporal, Activity
#   heartbeats](https://docs.temporal.io/encyclopedia/detecting-activity-failures) let a claim run out when its worker
#   falls silent, as a lease does · [OpenAI Agents SDK,
#   Sessions](https://openai.github.io/openai-agents-python/sessions/) keeps the conversation: episodes, not obligations
#
# Next: **08**, where somebody who was not there looks at the record and says whether it bears out what was claimed.
