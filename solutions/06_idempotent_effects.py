# ---
# course:
#   title: Idempotent effects
#   minutes: 150
#   summary: A crash leaves you in doubt, so you send again. Make that harmless, and find out where it cannot be made so.
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
# An agent has summarised two notes. Now it appends a line to a log, and then it charges a card. The line goes
# out and the answer does not come back: a crash, a cut cable, a machine that was switched off. Did it happen?
# **A crash leaves you in doubt, so you send again.** If it had not happened, that was right. If it had, there
# are two lines now, and two charges.
#
# Nobody can take the doubt away. What can be built is an effect that does not mind being sent twice. Most of
# this notebook is about what "the same" means in "the same call", because both too little and too much of it
# costs money.
#
# **When you are through, you can**
#
# - tell by measuring, not by its name, whether a tool may be called again;
# - name three mechanisms that make a repeat harmless;
# - give an intent a key, its content a fingerprint, and say where each of the two is the wrong choice;
# - append a line exactly once, with a rival in between any two statements;
# - call a service at most once for a key, and answer `in_doubt` where you do not know;
# - say why retries stay limited even when every one of them is harmless.

# %% [markdown]
# **What is real here.** The files and their hashes, the SQLite record, and a card service that lives in a
# process of its own and keeps a ledger. Only the money is invented. The notebook needs no other notebook.
#
# **How to work.** Predict before you run; the cell that follows holds its answer back until you have.
# Exercises end in `check(...)`. Three of the five count. The two marked *stretch* stand further down. Save
# now and then, and run `grader check 06` in a terminal for the rest of the tests.
#
# | word | what it means |
# |---|---|
# | effect | what a call leaves behind in the world: a line, a charge |
# | re-issue | send the same action a second time |
# | idempotent | once or many times, the same state is left behind |
# | intent | one thing that the agent means to happen, however often it has to be sent |
# | key | the name of an intent, the same at every attempt |
# | fingerprint | a name for a content, the same wherever that content appears |
# | record | the SQLite file that outlives the process |
# | in doubt | it may have happened, and nothing at hand can tell |

# %%
import hashlib
import json
import random
import sqlite3
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from course_lib import attempt, check, figures, predict, reveal
from course_lib.card import CardService
from course_lib.crash import Outside, store, sweep
from course_lib.effects import EFFECTS, Response, Rival
from course_lib.store import open_store
from course_lib.tools import make_notes

scratch = tempfile.TemporaryDirectory()
root = Path(scratch.name)
make_notes(root)


def new_folder(name: str) -> Path:
    """A new folder below `root`, with the two notes in it."""
    folder = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=root))
    make_notes(folder)
    return folder


# %% [markdown]
# ## Two questions from earlier
#
# ### Before you run · P06.1
#
# A run of three entries: list the notes, read one, charge a card. It was recorded once, with the real service,
# and its ledger has one booking. Now every prefix of that run is replayed, three times over, with the adapter
# that recorded it. How many bookings does the ledger hold in the end? Answer with a number.

# %%
predict("P06.1", 1, confidence=0.9, kind="number")

# %% [markdown]
# Look at the last line of the cell: the ledger is read from the disk, after the replay.


# %%
class ThreeSteps:
    """Lists, reads, charges: what comes next follows from the number of entries."""

    def next_action(self, history: list) -> dict[str, Any]:
        return [
            {"tool": "list_notes", "args": {}},
            {"tool": "read_note", "args": {"name": "alpha.txt"}},
            {"tool": "charge_card", "args": {"card": "4711", "amount": 500}},
        ][len(history)]


def replay_all_prefixes() -> int:
    folder, trace = new_folder("replay"), []
    with CardService(folder / "ledger.jsonl") as card:
        for _ in range(3):
            action = ThreeSteps().next_action(trace)
            charging = action["tool"] == "charge_card"
            trace.append({"action": action, "observation": card.charge(**action["args"]) if charging else {"ok": True}})
        for size in [0, 1, 2] * 3:
            assert ThreeSteps().next_action(trace[0:size]) == trace[size]["action"]
        return len(card.charges())


reveal("P06.1", replay_all_prefixes)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# Replay asks the adapter and compares; no tool runs. This notebook is about the other thing, which must not go
# by the same word: the action is *sent* a second time, and the world is asked to do it.
#
# </details>

# %% [markdown]
# ### Before you run · P06.2
#
# A program appends a line to a log and *then* writes into its record that it has done so. It can be stopped
# before the first of the two, between them, or after both. Afterwards it is started once more from the top; it
# skips what its record says is done. Over all three places, which numbers of lines can there be in the end?
# Predict the set.

# %%
predict("P06.2", {1, 2}, confidence=0.8, kind="set")

# %% [markdown]
# Here the stop is an exception; that it can as well be a SIGKILL, at any instruction, is shown in notebook 05.


# %%
class Stopped(Exception):
    pass


def act_then_record(log: list[str], record: set[str], stop_at: int) -> None:
    """Append, then note that it is done; stops before step 0 or 1, or not at all."""
    for place, step in enumerate([lambda: log.append("Pump checked."), lambda: record.add("pump")]):
        if place == stop_at:
            raise Stopped
        step()


def lines_after_a_stop() -> set[int]:
    found = set()
    for stop_at in (0, 1, 2):
        log, record = [], set()
        try:
            act_then_record(log, record, stop_at)
        except Stopped:
            pass
        if "pump" not in record:
            act_then_record(log, record, stop_at=2)
        print("stopped", ["before the line", "between the two", "after both"][stop_at], "→", len(log), "line(s)")
        found.add(len(log))
    return found


reveal("P06.2", lines_after_a_stop)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# Never none: whoever acts first and records afterwards loses nothing. But the stop in the middle leaves no trace
# in the record, and so the line is sent again. *At least once* is what you get for free. The rest of the way,
# from at least once to effectively once, is paid for by the effect itself.
#
# </details>

# %% [markdown]
# ## 1 · Measure what a repeat does
#
# Four tools, each called with the same arguments again and again, each in a fresh folder:
#
# - `read_note` reads a note;
# - `write_report` writes one and the same report;
# - `append_note` appends one and the same line to a log, and answers with the bytes that went out;
# - `charge_card` charges 5.00 to one and the same card and answers with the number of the receipt.
#
# A tool's name promises nothing, and neither does its answer. What counts is the state that it leaves. So take
# one hash over every file in the folder, names and bytes, before the first call and after each.


# %%
def state_of(folder: Path) -> str:
    """One sha256 over all files below `folder`: their names and their bytes."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            content = path.read_bytes()
            digest.update(f"{path.relative_to(folder).as_posix()}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def states(effect: Callable[[Path], Any], calls: int) -> list[str]:
    """The state of a fresh folder before the first call of `effect` and after each."""
    folder = new_folder("measure")
    found = [state_of(folder)]
    for _ in range(calls):
        effect(folder)
        found.append(state_of(folder))
    return found


# %% [markdown]
# ### Before you run · P06.3
#
# Each tool is called three times. With which of the four is the hash after the second call *the same* as the hash
# after the first? Predict the set of names, for instance `{"append_note"}`.

# %%
predict("P06.3", {"read_note", "write_report"}, confidence=0.8, kind="set")

# %% [markdown]
# ### Before you run · P06.4
#
# The line of `append_note` is sent, and no answer comes back; it is then sent again, up to *three retries*, and
# none of them is answered either. In truth every single one has arrived. How many lines are in the log?

# %%
predict("P06.4", 4, confidence=0.7, kind="number")

# %% [markdown]
# The figure has a row for each tool. Go along each row and look for the first square from which on nothing
# changes any more, if there is one.


# %%
def same_after_the_second() -> set[str]:
    measured = {name: states(effect, calls=3) for name, effect in EFFECTS.items()}
    figures.show(figures.hash_strip(measured))
    return {name for name, (_, first, second, _) in measured.items() if first == second}


reveal("P06.3", same_after_the_second)


# %%
def one_send_and_three_retries() -> int:
    folder = new_folder("retries")
    for _ in ["send", "retry", "retry", "retry"]:
        EFFECTS["append_note"](folder)
    return len((folder / "log.txt").read_text().splitlines())


reveal("P06.4", one_send_and_three_retries)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# Three kinds of effect. `read_note` is **read-only**: no call changes anything. `write_report` is
# **idempotent**: the first call changes the state, no other one does, because it *overwrites*. The other two are
# **not idempotent**. `append_note` even gives the same answer each time while it does so: the answer is the wrong
# thing to look at.
#
# And three retries are four attempts. It is the off-by-one of this notebook, and it comes back in part 5 with a
# bill.
#
# Overwriting is the first of three mechanisms, and the cheapest; it needs an effect that has a place of its own to
# write to. The other two give a place to effects that have none: a **key** that is looked up before acting, and a
# **uniqueness constraint** that makes the second row impossible. Parts 2 to 4 build them.
#
# </details>

# %% [markdown]
# ## 2 · What is "the same" call?
#
# To recognise a repeat, a call needs a name. Two names suggest themselves:
#
# - the **intent key**: which run, which step of it, which tool. Two attempts at one step share it;
# - the **content fingerprint**: a hash of what is to be written, and where.
#
# Look at three things that an agent may do. In each, the text of the note is the same both times.
#
# | scenario | what happens | lines meant |
# |---|---|---|
# | `retry` | step 3 sends the note, no answer comes, step 3 sends it again | 1 |
# | `repeat` | step 3 sends the note; on the next day step 9 sends the same text, and means it | 2 |
# | `re-planned` | step 3 sends the note; after a crash the planner has forgotten, and plans it again as step 5 | 1 |
#
# ### Before you run · P06.5
#
# Say that a line is appended only when its name has not been seen before. Which pairs of name and scenario end
# with *another* number of lines than was meant? There are six pairs. Predict the set of the wrong ones, written
# like this: `{"intent retry", "content repeat"}`.

# %%
predict("P06.5", {"content repeat", "intent re-planned"}, confidence=0.6, kind="set")

# %% [markdown]
# Whichever name is used, one mistake ruins it: gluing the parts together. A small example, with two different
# files and two different texts. Look at the two results.

# %%
print("log" + "2 pumps checked", "|", "log2" + " pumps checked")

# %% [markdown] exercise="intent_key" title="Two names for a call" difficulty=2 minutes=20 mode="with help" defines="content_fingerprint"
# A key is made again and again: by the first attempt, by its retry, by another process after a crash, perhaps by
# another version of Python. Each time it must come out the same, and it must come out for nothing else. If two
# intents share a key, the second one is silently dropped.
#
# Write `intent_key` and `content_fingerprint`. What the key looks like is your choice.
#
# hint: What would a second process, started after the crash, have to know in order to arrive at the same key?
# Does your function use anything that it would not know?
# hint: Where does one part end and the next begin? A separator is only safe if no part can contain it. Which way
# of writing several texts into one text keeps them apart, whatever is in them?
# hint: JSON quotes its strings, so a list of texts can be read back in one way only. That text may be the key
# as it stands, or be hashed with sha256 to keep it short. Python's own hash() is another one in each process.


# %%
def intent_key(task_id: str, step_id: str, tool: str) -> str:
    """The name of one intent: this step of this task calls this tool.

    The same three texts give the same key at every call, in every process, on every day. Two triples that differ
    in any part, by any character, give two keys: spaces, letter case and separators count, and no text is
    forbidden in a part. Tests try several thousand triples at a time. Returns a str.
    """
    # BEGIN SOLUTION
    parts = json.dumps([task_id, step_id, tool])
    return hashlib.blake2b(parts.encode(), digest_size=20).hexdigest()
    # END SOLUTION


def content_fingerprint(filename: str, content: str) -> str:
    """The name of a content: this text, to be put into this file.

    The same two texts give the same fingerprint at every call, in every process. Two pairs that differ in any part,
    by any character, wherever it stands, give two fingerprints. Returns a str of at most 200 characters, however
    long the content is.
    """
    # BEGIN SOLUTION
    whole = hashlib.blake2b(digest_size=20)
    for text in (filename, content):
        data = text.encode()
        whole.update(len(data).to_bytes(8, "big") + data)
    return whole.hexdigest()
    # END SOLUTION


# %% [markdown]
# Time for P06.5: both names at work, in all three scenarios, with a set in the place of the record. The figure
# that comes with the answer has a row for each name.

# %%
SCENARIOS = {"retry": (("3", "3"), 1), "repeat": (("3", "9"), 2), "re-planned": (("3", "5"), 1)}
TEXT = "Pump checked."


def lines_with(name_of: Callable[[str], str], steps: tuple[str, ...]) -> int:
    """How many lines are appended when only a name that is new may append one."""
    seen, lines = set(), 0
    for step in steps:
        name = name_of(step)
        if name not in seen:
            seen.add(name)
            lines += 1
    return lines


def wrong_pairs() -> set[str]:
    names = {
        "intent": lambda step: intent_key("summary-7", step, "append_note"),
        "content": lambda step: content_fingerprint("log.txt", TEXT),
    }
    lines = {
        (name, scenario): (lines_with(name_of, steps), meant)
        for name, name_of in names.items()
        for scenario, (steps, meant) in SCENARIOS.items()
    }
    figures.show(figures.key_grid(lines))
    return {f"{name} {scenario}" for (name, scenario), (found, meant) in lines.items() if found != meant}


with attempt("intent_key", "content_fingerprint"):
    reveal("P06.5", wrong_pairs)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# Both recognise a retry, and each is blind on one side. The fingerprint cannot tell a repeat that is meant from one
# that is not: the second note is swallowed, without a word. The intent key believes the planner: whoever forgets
# that a step was planned, and plans it anew under another number, has a new intent.
#
# This course takes the **intent key**, because a missing charge and a missing note are as wrong as a double one,
# and because the planner's mistake can be cured where it is made: the plan goes on record before its first step
# (notebook 07). The fingerprint stays useful for something else: to notice that one key comes back with another
# content.
#
# </details>

# %% [markdown]
# ## 3 · A note that is appended once
#
# Now the record remembers which keys have been seen. Here is a function that does it as one would at first: look
# whether the key is there, and if it is not, insert the note.


# %%
def look_then_insert(db: sqlite3.Connection, key: str, content: str) -> None:
    """Look first, act later. Right as long as nobody else is there."""
    known = db.execute("SELECT content FROM plain WHERE key = :key", {"key": key})
    if not known.fetchall():
        db.execute("INSERT INTO plain VALUES (?, ?)", (key, content))
        db.commit()


def fresh_record() -> tuple[sqlite3.Connection, sqlite3.Connection]:
    """Two connections to one new record, with the table `plain` in it. The second one never waits for the first."""
    path = new_folder("race") / "run.db"
    db = open_store(path)
    db.execute("CREATE TABLE plain (key TEXT, content TEXT)")
    return db, sqlite3.connect(path, timeout=0)


# %% [markdown]
# The agent may be running twice: a worker that was thought dead, and the one that was started in its place. Such a
# rival can come in between any two statements. `Rival(db, k, act)` lets you choose the place: just before
# statement number k of `db`, `act()` is called, on the other connection. First, look at what the statements are,
# and at a rival who comes right at the beginning:

# %%
db, other = fresh_record()
watched = Rival(db, 0, partial(look_then_insert, other, "k", TEXT))
look_then_insert(db, "k", TEXT)
print("with a rival before statement 0:", db.execute("SELECT count(*) FROM plain").fetchone()[0], "note")

db, other = fresh_record()
watched = Rival(db, None, lambda: None)
look_then_insert(db, "k", TEXT)
for number, statement in enumerate(watched.statements):
    print(number, statement)

# %% [markdown]
# The `BEGIN` is Python's own doing: it opens a transaction before the first statement that writes.
#
# ### Before you run · P06.6
#
# The rival calls the same function with the same key, and runs from its beginning to its end just before statement
# k. (Where it finds the record locked, it gives up.) For which k from 1 to 3 are there two notes in the end?
# Predict the set.

# %%
predict("P06.6", {1, 2}, confidence=0.5, kind="set")

# %% [markdown]
# Look at the line for each k, and at what became of the rival.


# %%
def places_of_two_notes() -> set[int]:
    found = set()
    for k in range(4):
        db, other = fresh_record()
        rival = Rival(db, k, partial(look_then_insert, other, "k", TEXT))
        look_then_insert(db, "k", TEXT)
        notes = db.execute("SELECT count(*) FROM plain").fetchone()[0]
        print(f"rival before {rival.statements[k]:45} → {notes} note(s), rival: {rival.error or 'came to its end'}")
        if notes == 2:
            found.add(k)
    return found


reveal("P06.6", places_of_two_notes)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# What was read is true until somebody else writes. That `BEGIN` stands between looking and inserting does not
# help: it takes no lock, the first write does. Two cures are common. `BEGIN IMMEDIATE` takes the lock before you
# look. Or you do not look at all: declare the key `UNIQUE`, insert, and let the database say whether it was the
# first. The second cure also holds for programs that forget to look.
#
# </details>

# %% [markdown]
# ### Before you run · P06.7
#
# The function that you write next appends a note under a key, and it must do what is meant. It is called three times
# with *the same content*: with one key, with the same key again, and then with another key. How many lines are to be
# in the file after each of the three calls?

# %%
predict("P06.7", "1 1 2", confidence=0.8, kind=["1 1 1", "1 1 2", "1 2 2", "1 2 3"])


# %% [markdown] exercise="append_note_once" title="The file is only a picture of the record" difficulty=3 minutes=30 mode="with help"
# A transaction does not reach into a file: a crash between the two leaves the one without the other. The way out is
# to have the truth in one place. The note itself goes into the record, together with its key. The file is a
# *projection*: rewritten from the record at each call, so that a file that was lost, torn or edited is put right by
# the next one.
#
# Write `append_note_once`. It makes its own table; the name and the columns are yours.
#
# hint: If the process stops right after your first write, what does the next call with this key find, and is it
# enough to finish the job?
# hint: What must be unique so that a second row is impossible: the content, the file, the key? And when an insert
# was refused, how do you find out whether it was the same note or another one under the same key?
# hint: Create the table with key TEXT UNIQUE. Insert with ON CONFLICT DO NOTHING and commit; then read the row of
# this key and compare its filename and content with what was asked; then read all notes of this file in the order
# of their ids, write the file anew, and return the note's place among them.


# %%
def append_note_once(db: sqlite3.Connection, root: str | Path, filename: str, content: str, key: str) -> int:
    """Append `content` as one line to the file `filename` in the folder `root`, once for each `key`.

    db        a connection from open_store. A table that is needed is created when it is not there yet.
    content   text without a line end; the file gets one, "\\n", after each note. UTF-8
    key       the name of the intent. Another key is another note, also with equal content or for the same file

    Returns the note's place in its file, counted from 1: the same at the first call and at each repeat, whatever
    was appended in the meantime. After each call the file holds exactly the notes on record for it, in the order in
    which they came, whatever was in it before (edits, half a line, nothing).

    When it returns, the note is committed: another connection to the same record knows it. When the file cannot be
    written, the OSError passes through; the same call once more, when it can, leaves the note in the file once. Two
    connections may make the same call at the same time, in any order of their statements: there is one note, and both
    arrive at its place. Raises ValueError when the key is on record with another filename or another content; record
    and files are then left as they were.
    """
    # BEGIN SOLUTION
    db.execute(
        "CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, "
        "filename TEXT NOT NULL, content TEXT NOT NULL)"
    )
    with db:
        note = (key, filename, content)
        db.execute("INSERT INTO notes (key, filename, content) VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING", note)
    number, *kept = db.execute("SELECT id, filename, content FROM notes WHERE key = ?", [key]).fetchone()
    if kept != [filename, content]:
        raise ValueError(f"key {key!r} belongs to another note")
    rows = db.execute("SELECT id, content FROM notes WHERE filename = ? ORDER BY id", (filename,)).fetchall()
    lines = "".join(f"{line}\n" for _, line in rows)
    Path(root, filename).write_text(lines, encoding="utf-8", newline="\n")
    return [known for known, _ in rows].index(number) + 1
    # END SOLUTION


# %% [markdown]
# Time for P06.7, with your function on real files.


# %%
def lines_after_each() -> str:
    folder = new_folder("once")
    db, counts = open_store(folder / "run.db"), []
    for key in ("first", "first", "second"):
        append_note_once(db, folder, "log.txt", TEXT, key)
        counts.append(len((folder / "log.txt").read_text(encoding="utf-8").splitlines()))
    return " ".join(map(str, counts))


with attempt("append_note_once"):
    reveal("P06.7", lines_after_each)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# This is the test for every scheme of this kind: the same key twice gives one effect, and then another key gives
# two. What drops every repeat is as wrong as what drops none, and harder to notice.
#
# </details>
#
# The rival from above, against your function. Look for two lines that are alike: there should be none, at whichever
# statement the rival comes in. And the last line shows what becomes of a file that somebody has torn.

# %%
with attempt("append_note_once"):
    for k in range(30):
        folder = new_folder("rivals")
        db, other = open_store(folder / "run.db"), sqlite3.connect(folder / "run.db", timeout=0)
        rival = Rival(db, k, partial(append_note_once, other, folder, "log.txt", TEXT, "k"))
        append_note_once(db, folder, "log.txt", TEXT, "k")
        if k >= len(rival.statements):
            break
        lines = (folder / "log.txt").read_text(encoding="utf-8").splitlines()
        print(f"{len(lines)} line with a rival before: {rival.statements[k]}")
    (folder / "log.txt").write_text("Pump che", encoding="utf-8")
    append_note_once(db, folder, "log.txt", TEXT, "k")
    print("a torn file, after one more call:", repr((folder / "log.txt").read_text(encoding="utf-8")))

# %% [markdown]
# ## 4 · A call that leaves the house
#
# The note could be moved into the record. A charge cannot: it happens at the card service, in another process, on
# somebody else's disk. The line between you and the service can fail in two ways, and the service can say no:

# %%
folder = new_folder("card")
with CardService(folder / "ledger.jsonl") as card:
    print("answered:       ", card.charge("4711", 500))
    print("declined:       ", card.charge("4710", 500))
    for lost in ["request", "answer"]:
        try:
            card.charge("4711", 500, lose=lost)
        except OSError as problem:
            print(f"lost {lost:7} →  {type(problem).__name__}: {problem}")

# %% [markdown]
# `ConnectionRefusedError` comes before anything was sent. `TimeoutError` only says that nobody answered.
#
# ### Before you run · P06.8
#
# A caller retries at any error, until an answer comes. The first attempt goes wrong in one of three ways: its
# request is lost (`"request"`), its answer is lost (`"answer"`), or the card is declined (`"declined"`), which
# this caller takes for an error as well, and tries another card. After which of them are there *two* bookings in
# the ledger? Predict the set.

# %%
predict("P06.8", {"answer"}, confidence=0.8, kind="set")

# %% [markdown]
# Look at the ledger of each.


# %%
def booked_twice() -> set[str]:
    found = set()
    for first in ("request", "answer", "declined"):
        with CardService(new_folder("naive") / "ledger.jsonl") as card:
            try:
                if first == "declined":
                    answer = card.charge("4710", 500)
                else:
                    answer = card.charge("4711", 500, lose=first)
            except OSError:
                answer = {"ok": False}
            if not answer["ok"]:
                card.charge("4711", 500)
            print(f"{first:8} → {len(card.charges())} booking(s)")
            if len(card.charges()) == 2:
                found.add(first)
    return found


reveal("P06.8", booked_twice)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# The three look alike to a caller who only asks whether it went well, and they are three different facts. Which of
# them may be followed by a second attempt, and what is to be said of the others, is the next question.
#
# </details>

# %% [markdown]
# ### Before you run · P06.9, P06.10, P06.11
#
# You are about to write a function that stands between the agent and this service, which takes no keys. Under one
# key it must never let two charges happen, and it must never claim what it does not know. Its answer has a status:
# `done` when it knows what came of the call, whatever that was, and `in_doubt` when it does not.
#
# Three charges go through it twice each, both times with one key. Only the first attempt meets trouble: in **P06.9**
# its request is lost, in **P06.10** its answer is lost, in **P06.11** the card is declined. What is the status of the
# *second* attempt, and how many bookings are in the ledger then? Choose one for each, for instance `"done 2"`.

# %%
predict("P06.9", "done 1", confidence=0.8, kind=["done 0", "done 1", "done 2", "in_doubt 0", "in_doubt 1"])
predict("P06.10", "in_doubt 1", confidence=0.8, kind=["done 0", "done 1", "done 2", "in_doubt 0", "in_doubt 1"])
predict("P06.11", "done 0", confidence=0.7, kind=["done 0", "done 1", "done 2", "in_doubt 0", "in_doubt 1"])

# %% [markdown] exercise="call_once" title="At most once, and honest about the rest" difficulty=4 minutes=35 mode="with help"
# The record cannot make the charge and its own row one step. What it can do is to say, *before* the call goes out,
# that it is going out. If the process then dies in the middle, the next one finds a start without a result, and
# knows exactly what it does not know.
#
# Write `call_once`. `fn` makes the call; `call_once` decides whether it is called, and remembers what came of it.
# `Response(status, value)` is given.
#
# hint: The process stops while fn is at work. Which rows can the next process see, if the start and the result are
# written together at the end? And if they are one transaction that was never committed?
# hint: Two moments, one row: insert key and params and commit, call fn, then write the result into
# the same row and commit. A row without a result is the doubt itself. Who tells you whether your insert was the
# first?
# hint: Insert with ON CONFLICT DO NOTHING and look at the cursor's rowcount. If it is 0: read the row, compare its
# params as JSON text with sorted keys, and answer from its result. If it is 1: call fn inside a try whose only
# except is for ConnectionRefusedError, which deletes the row, commits and raises again.


# %%
def call_once(db: sqlite3.Connection, key: str, params: dict[str, Any], fn: Callable[[], Any]) -> Response:
    """Have `fn` called at most once for `key`, and give everybody who asks the same answer.

    db       a connection from open_store. A table that is needed is created when it is not there yet.
    key      the name of the intent. Another key is another call, also with equal params; another record (another
             file) knows nothing of this one
    params   what the call is about, a dict that JSON can hold. The order of its keys says nothing
    fn       called without arguments; returns what JSON can hold, None and False included. {"ok": False, ...} is an
             answer like any other

    The key is new: its start is committed before fn is called, and what fn returned is committed before
    Response("done", that value) comes back.
    There is a result on record, from this connection or any other: Response("done", the same value), and fn is not
    called, however often and however late it is asked.
    There is a start without a result (a crash in between, or another caller who is still at it):
    Response("in_doubt", None), and fn is not called. Two connections that ask at the same time, in any order of their
    statements, have fn called once.
    The key is on record with other params, with a result or without: ValueError, fn is not called, and what is on
    record stays.
    fn raises ConnectionRefusedError: the request never left. The start is taken back and the exception passes through;
    the next call with this key calls fn again.
    fn raises anything else: it passes through, and the key stays in doubt.
    """
    # BEGIN SOLUTION
    db.execute("CREATE TABLE IF NOT EXISTS calls (key TEXT PRIMARY KEY, params TEXT NOT NULL, result TEXT)")
    wanted = json.dumps(params, sort_keys=True)
    with db:
        entered = db.execute("INSERT INTO calls (key, params) VALUES (?, ?) ON CONFLICT DO NOTHING", (key, wanted))
        noted, outcome = db.execute("SELECT params, result FROM calls WHERE key = ?", [key]).fetchone()
    if noted != wanted:
        raise ValueError(f"key {key!r} was used for another call")
    if entered.rowcount == 0:
        return Response("in_doubt") if outcome is None else Response("done", json.loads(outcome))
    try:
        answer = fn()
    except ConnectionRefusedError:
        with db:
            undo = "DELETE FROM calls WHERE key = ?"
            db.execute(undo, [key])
        raise
    with db:
        said = json.dumps(answer)
        db.execute("UPDATE calls SET result = ? WHERE key = ?", (said, key))
    return Response("done", answer)
    # END SOLUTION


# %% [markdown]
# Time for P06.9 to P06.11. Look at both attempts of each, one below the other.


# %%
def second_attempt(number: str, lose: str | None) -> str:
    folder = new_folder("call")
    db, key = open_store(folder / "run.db"), intent_key("summary-7", "4", "charge_card")
    with CardService(folder / "ledger.jsonl") as card:
        for trouble in (lose, None):
            try:
                response = call_once(
                    db, key, {"card": number, "amount": 500}, partial(card.charge, number, 500, lose=trouble)
                )
                print(f"{number}, {lose or 'nothing'} lost at first: {response}")
            except OSError as problem:
                print(f"{number}, {lose or 'nothing'} lost at first: {type(problem).__name__}")
        return f"{response.status} {len(card.charges())}"


with attempt("intent_key", "call_once"):
    reveal("P06.9", lambda: second_attempt("4711", "request"))
    reveal("P06.10", lambda: second_attempt("4711", "answer"))
    reveal("P06.11", lambda: second_attempt("4710", None))

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# A request that never left may be sent again. A no is an answer: it is known what happened, namely nothing. Silence is
# neither; whoever takes it for a failure pays twice, and whoever takes it for a success may have sold something for
# nothing.
#
# So the middle one is the honest one. It would be easy to answer `done` there, and here it would even be true; had the
# service gone down a moment earlier, it would be a lie. From where you stand the two cases are the same.
#
# What to do with a doubt depends on the other side. If the service can be asked what it has booked for a key, ask.
# If it *dedupes* by key, send again with the same key: that is why Stripe and others take one. If it can do neither,
# show the doubt to a person. What you must not do is to choose one of the two stories and write it down as known.
#
# </details>

# %% [markdown]
# ### Before you run · P06.12
#
# Until now an exception stood for the crash. Now your function is really killed: `sweep` runs it in processes of their
# own, ends one with SIGKILL before each single instruction of yours, and then makes the same call once more in a new
# process. The terminal that it charges stays here, outside, and counts. No line fails and no card is declined.
#
# What can the second call say, and how often can the card have been charged by then? Of `"done 0"`, `"done 1"`,
# `"done 2"`, `"in_doubt 0"`, `"in_doubt 1"` and `"in_doubt 2"`, predict the set of those that occur at all.

# %%
predict("P06.12", {"done 1", "in_doubt 0", "in_doubt 1"}, confidence=0.6, kind="set")

# %% [markdown]
# Look at the lines of your source at which a kill leads to each of them.


# %%
class Terminal(Outside):
    """A card terminal that survives whoever uses it."""

    def __init__(self) -> None:
        self.booked = 0

    def charge(self) -> dict[str, Any]:
        self.booked += 1
        return {"ok": True, "receipt": self.booked}


def charge_under_a_key(db: sqlite3.Connection, terminal: Terminal) -> Response:
    return call_once(db, "summary-7, step 4", {"amount": 500}, terminal.charge)


def what_kills_lead_to() -> set[str]:
    def end_of(case) -> str:
        last = case.answer or case.ending.outcome  # the run that nobody kills has no second call
        return f"{last.value.status} {case.args[1].booked}"

    made = sweep(charge_under_a_key, lambda: (store(), Terminal()), end_of)
    source = made.source.splitlines()
    for end in sorted(made.outcomes):
        print(f"{end}, after a kill in")
        for line in sorted({case.line for case in made.cases if case.outcome == end and case.line}):
            print("   ", source[line - 1].strip()[:90])
    return made.outcomes


with attempt("call_once"):
    reveal("P06.12", what_kills_lead_to)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# Two charges never, and `done` without a charge never. The doubt is real in both directions: with one and the same
# record, the charge has happened or it has not. While the call was out, nothing that you could have written would have
# told the two apart.
#
# </details>
#
# This service books each key once. Look at the last line: after a doubt, the same key may go out again.

# %%
with attempt("intent_key", "call_once"):
    folder = new_folder("dedupes")
    db, key = open_store(folder / "run.db"), intent_key("summary-7", "4", "charge_card")
    params = {"card": "4711", "amount": 500}
    with CardService(folder / "ledger.jsonl", dedupes=True) as card:
        for trouble in ("answer", None):
            try:
                print(call_once(db, key, params, partial(card.charge, "4711", 500, key, lose=trouble)))
            except TimeoutError as problem:
                print("TimeoutError:", problem)
        print("sent again past the record:", card.charge("4711", 500, key), "· bookings:", len(card.charges()))

# %% [markdown]
# ## 5 · Harmless is not free
#
# Now that a repeat does no harm, why not retry until it works? Because the one who answers slowly is mostly the one
# who has too much to do, and every retry gives it more.
#
# A sum, by hand. A request passes two layers, a gateway and a service, on its way to a database that is down. Each
# layer retries *once*, so each makes two attempts:
#
# | | attempts | calls that reach the database |
# |---|---|---|
# | gateway, first attempt | the service tries twice | 2 |
# | gateway, retry | the service tries twice | 2 |
# | **sum** | | **4** |
#
# Nobody did anything but "try once more", and the load on a database that was down already has become fourfold.
#
# ### Before you run · P06.13
#
# Three layers, and each of them retries up to *twice*. The bottom is down. How many calls reach it for one request
# from the top? Answer with a number.

# %%
predict("P06.13", 27, confidence=0.7, kind="number")

# %% [markdown]
# ### Before you run · P06.14
#
# The same three layers share one **retry budget** of 10 %: for every ten requests from the top, one single retry is
# given out, to whichever layer asks for it. About how many calls reach the bottom for each request, on average over
# many? (`"unchanged"`: as many as without the budget.)

# %%
predict("P06.14", "1.1", confidence=0.6, kind=["1.1", "2.7", "9", "unchanged"])

# %% [markdown] exercise="attempts" title="The sum, and the limit" difficulty=3 minutes=25 mode="with help" stretch=true defines="RetryBudget"
# Write `attempts`, which does the sum for any number of layers, and `RetryBudget`, which keeps it from happening: a
# bucket of tokens that requests fill and retries empty. When most requests go well there is enough in it for the odd
# retry. When nothing goes well, it is empty, and stays so. This one is a stretch: it is graded and shown, and it
# does not count.
#
# hint: How many attempts does a layer make that retries twice? And for each of them, what does the layer below make?
# hint: For the budget, keep one number in the object. Which of the two methods adds to it, which takes from it, and
# what are the least and the most that it can be?
# hint: The factor of one layer is its retries plus its first attempt, and layers multiply. In allow(), compare with
# 1 (a little less, so that ten times 0.1 is enough) before you subtract; in request(), take the smaller of the sum
# and burst.


# %%
def attempts(layers: int, max_retries: int) -> int:
    """Calls that reach a bottom that is down, for one request from the top.

    layers        how many layers stand one above the other, 0 or more; the lowest one calls the bottom. With 0 the
                  request itself is the one call
    max_retries   how often each of them sends again after its first attempt has failed, 0 or more
    """
    # BEGIN SOLUTION
    each = max_retries + 1
    return each**layers
    # END SOLUTION


class RetryBudget:
    """Lets retries through as long as they are a small part of the requests. A new budget holds nothing.

    ratio   what one request puts in, in tokens, from 0 to 1. With 0 there is never a retry
    burst   the most tokens that it holds: a good day is not saved up for a bad night
    """

    def __init__(self, ratio: float, burst: int = 10) -> None:
        # BEGIN SOLUTION
        self._ratio, self._burst = ratio, burst
        self._tokens = 0.0
        # END SOLUTION

    def request(self) -> None:
        """A request goes out for the first time: `ratio` of a token goes in, up to `burst` in all."""
        # BEGIN SOLUTION
        self._tokens = min(self._tokens + self._ratio, self._burst)
        # END SOLUTION

    def allow(self) -> bool:
        """Whether one retry may go out now: True, and one token is taken, when there is a whole one.

        Otherwise False, and nothing is taken. (Ten times 0.1 is a whole one, give or take what floats lose.)
        """
        # BEGIN SOLUTION
        enough = self._tokens >= 1 - 1e-9
        if enough:
            self._tokens = max(self._tokens - 1, 0.0)
        return enough
        # END SOLUTION


# %% [markdown]
# The layers, simulated: each one sends, and sends again when the one below has failed. The bottom is `works`, which
# says for each call whether it went well; calls are counted where they arrive. A retry asks the budget first, if
# there is one.


# %%
def calls_per_request(layers, max_retries, works, budget=None, requests=1):
    arrived = 0

    def send(layer: int) -> bool:
        nonlocal arrived
        if layer == 0:
            arrived += 1
            return works()
        for retry in range(max_retries + 1):
            if retry and budget is not None and not budget.allow():
                return False
            if send(layer - 1):
                return True
        return False

    for _ in range(requests):
        if budget is not None:
            budget.request()
        send(layers)
    return arrived / requests


def down() -> bool:
    return False


# %% [markdown]
# The two answers, and the figure that belongs to them. Its vertical axis is logarithmic: look at how the lines for one,
# two and three retries fan out, and at the one that stays flat.

# %%
reveal("P06.13", lambda: calls_per_request(3, 2, down))


# %%
def with_a_budget() -> str:
    depths = range(1, 5)
    without = {retries: [attempts(layers, retries) for layers in depths] for retries in (1, 2, 3)}
    budgeted = [calls_per_request(layers, 3, down, RetryBudget(0.1), requests=1000) for layers in depths]
    figures.show(figures.retry_amplification(without, budgeted, 0.1))
    found = calls_per_request(3, 2, down, RetryBudget(0.1), requests=1000)
    if found == calls_per_request(3, 2, down):
        return "unchanged"
    return min(["1.1", "2.7", "9"], key=lambda choice: abs(float(choice) - found))


with attempt("attempts", "RetryBudget"):
    reveal("P06.14", with_a_budget)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# Without a budget the number of layers stands in the exponent, and no single team sees it: each has only "two
# retries". With four attempts in each of three layers it is 4 · 4 · 4 = 64. A shared budget bounds the *sum*. One
# budget for each layer would not: every layer would add its ten percent to what comes from above.
#
# The sum holds for a bottom that is *down*, where every call fails together with all others. If each call failed by
# itself, by the toss of a coin, hardly anything would be multiplied, as the next cell shows: success at the second
# toss is the usual thing, and the layers above never notice. Retries are made for that case, and hurt in the other.
#
# </details>

# %%
coin = random.Random(6)
print(
    f"each call fails by itself, at p = 0.5: {calls_per_request(3, 2, lambda: coin.random() < 0.5, requests=20000):.1f}"
)

# %% [markdown]
# A budget bounds how much is sent. Three more things bound *when*:
#
# - a **deadline** for the whole request, handed down through the layers. If each attempt waits one second and the
#   deadline is five, then five attempts are the most, whatever the layers would like: nobody works on an answer that
#   nobody waits for any more;
# - **backoff**: each retry waits longer than the one before, so that the bottom can come up again;
# - **jitter**: the wait is partly random, so that a thousand callers who failed together do not come back together.

# %% [markdown]
# ## 6 · Measure your own work
#
# In part 1 you looked at rows of hashes. Let a function look at them, for any effect, and then turn it on what you
# have written.

# %% [markdown] exercise="measure_idempotency" title="Read-only, idempotent, or neither" difficulty=2 minutes=20 mode="with help" stretch=true
# Whether a tool may be sent again is too important to be read off its name. It has to be measured, and it is easy to
# measure the wrong thing. Write `measure_idempotency`. This one is a stretch, too.
#
# hint: A tool writes into a file what is in it already. Is it read-only? What would you have to know about the state
# in which it was tried?
# hint: Take one new state, and observe it before the first call and after every call. Which of these observations
# have to be equal for each of the three words?
# hint: Put the observations into a list: first is the one before, then one for each call. All equal: read-only. All
# but the first equal: idempotent. Comparing only the last two, or the first with the last, misses something.


# %%
def measure_idempotency(
    effect: Callable[[Any], Any], fresh_state: Callable[[], Any], observe: Callable[[Any], Any], n: int = 3
) -> str:
    """What kind of effect this is: "read_only", "idempotent" or "non_idempotent".

    effect        effect(state) makes one call; what it returns says nothing
    fresh_state   fresh_state() makes a new state. Each measurement starts from a new one
    observe       observe(state) says what is in it, a value to compare with ==. Its order and its repeats count
    n             how many calls are made, 2 or more

    "read_only": none of the calls changes what is observed. "idempotent": the first call does, and after each further
    one everything is as the first has left it. "non_idempotent": anything else; also when the first call changes
    nothing and a later one does, or when a later one goes back to where it began.
    """
    # BEGIN SOLUTION
    state = fresh_state()
    seen = [observe(state)]
    while len(seen) <= n:
        effect(state)
        seen.append(observe(state))
    before, first, *later = seen
    if any(now != first for now in later):
        return "non_idempotent"
    return "read_only" if first == before else "idempotent"
    # END SOLUTION


# %% [markdown]
# The four tools again, and below them two of your own, each sent three times with one key. Look at the two pairs:
# what does the same thing once with a key and once without.


# %%
def noting(folder: Path) -> None:
    append_note_once(open_store(folder.parent / f"{folder.name}.db"), folder, "log.txt", TEXT, "k")


def charging(folder: Path) -> None:
    db = open_store(folder.parent / f"{folder.name}.db")
    with CardService(folder / "ledger.jsonl") as card:
        call_once(db, "k", {"amount": 500}, partial(card.charge, "4711", 500))


with attempt("measure_idempotency"):
    for name, effect in EFFECTS.items():
        print(f"{name:16} {measure_idempotency(effect, partial(new_folder, name), state_of)}")

with attempt("measure_idempotency", "append_note_once", "call_once"):
    for effect in (noting, charging):
        print(f"{effect.__name__:16} {measure_idempotency(effect, partial(new_folder, 'own'), state_of)}")

# %% [markdown]
# ## 7 · A run that passes everything
#
# The whole of it once more, with nothing going wrong that was not meant to: an agent notes a line and charges a card,
# is started again from the top because somebody believed it dead, and then does the next day's work. Look at the two
# numbers at each stage.


# %%
def day(db: sqlite3.Connection, folder: Path, card: CardService, task: str) -> tuple[int, int]:
    """One run: a note, then a charge. How many lines and bookings there are after it."""
    append_note_once(db, folder, "log.txt", TEXT, intent_key(task, "3", "append_note"))
    key = intent_key(task, "4", "charge_card")
    call_once(db, key, {"card": "4711", "amount": 500}, partial(card.charge, "4711", 500, key))
    return len((folder / "log.txt").read_text(encoding="utf-8").splitlines()), len(card.charges())


with attempt("intent_key", "append_note_once", "call_once"):
    folder = new_folder("days")
    db = open_store(folder / "run.db")
    with CardService(folder / "ledger.jsonl") as card:
        for started in ("monday", "monday", "tuesday"):
            lines, bookings = day(db, folder, card, started)
            print(f"{started:8} lines: {lines}, bookings: {bookings}")


# %% [markdown]
# ## What this does not do
#
# - **The doubt stays.** `call_once` makes it visible. Only the other side can resolve it.
# - **The key is only as good as the plan.** A planner that gives the same step a new number has made a new intent.
# - **Keys are kept for ever here.** Services prune theirs, some after a day. A retry that comes later than that is a
#   new call for them.
# - **The file can be behind.** Two *different* notes at the same moment: whoever writes the file last may have read the
#   record first. The record has both; the next call puts the file right.
# - **The file can be torn** for as long as it takes until the next call. Notebook 05 has the cure.
# - **A start may belong to somebody who is still at it.** The record cannot tell a caller who died from one who is
#   slow. That takes a lease, in notebook 07.
# - **Kills come between two instructions**, and rivals between two statements; neither comes inside of a commit. And
#   SIGKILL is no power loss.
# - **A budget in one process** knows nothing of the other processes.

# %% [markdown]
# ## Have you got it?
#
# **Answer without running anything**
#
# 1. A tool answers `{"ok": True}` at every call. May it be called again?
# 2. Two invoices of the same amount go to the same customer on the same day, and both are meant. Which of the two
#    names of part 2 loses one?
# 3. A function looks whether the key is there, then acts, then inserts the key. Where does the rival come in, and
#    where does the crash?
# 4. A payment is answered by a timeout. Name the three things that you may do, and what each of them needs.
# 5. Five layers retry once each. How many calls reach a bottom that is down? And how many layers have to be told, to
#    change that?
#
# **Show that you can**
#
# - take one of your own tools, measure it, name its kind, and name the mechanism that would make it idempotent;
# - make the same call twice with one key and once with another, and show one effect, then two.
#
# <details><summary>Answers to 1 to 5</summary>
#
# 1. That cannot be said: an answer is not a state. 2. The fingerprint. 3. The rival between looking and inserting, the
# crash between acting and inserting; both lead to a second effect. 4. Ask the service, if it can be asked; send again
# with the same key, if it dedupes; else report it as in doubt. 5. 2 · 2 · 2 · 2 · 2 = 32. All of them, or one shared
# budget.
#
# </details>

# %% [markdown]
# ## How production systems do it
#
# **Idempotent requests** · Stripe API reference · Stripe, Inc.
#
# - *Where*: [Stripe API, Idempotent requests](https://docs.stripe.com/api/idempotent_requests), the whole page
# - *Rights*: © the publisher; linked only, nothing adapted
# - *Verified*: on 2026-10-30
# - *Why this one*: the key comes from the caller, version 1 keeps the first answer and gives it again, and the same key
#   with other parameters is an error: your `call_once`, on the other side of the line. Keys may go after a day
# - *Presumes*: HTTP; no account to read it
# - *Offline*: part 4 above; `CardService(..., dedupes=True)` stands in for it
# - *Compared with*: [IETF, The Idempotency-Key HTTP Header
#   Field](https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/) says the same for any HTTP
#   service, as a draft, fingerprint included · [AWS Builders' Library, Making retries safe with idempotent
#   APIs](https://aws.amazon.com/builders-library/making-retries-safe-with-idempotent-APIs/) weighs what a late repeat
#   should be answered with

# %% [markdown]
# **Timeouts, retries, and backoff with jitter** · Marc Brooker · AWS Builders' Library · Amazon Web Services
#
# - *Where*: [AWS Builders' Library](https://aws.amazon.com/builders-library/timeouts-retries-and-backoff-with-jitter/),
#   the sections on retries and on jitter
# - *Rights*: © the publisher; linked only, nothing adapted
# - *Verified*: on 2026-10-30
# - *Why this one*: it calls retries selfish, and says why; it multiplies over layers as you did, and bounds the sum with
#   a token bucket
# - *Presumes*: nothing beyond part 5
# - *Offline*: part 5 above, with `RetryBudget` and the simulated layers
# - *Compared with*: [Google, Site Reliability Engineering, chapter 22, Addressing Cascading
#   Failures](https://sre.google/sre-book/addressing-cascading-failures/) looks from the side of the server that is
#   flooded (CC BY-NC-ND: to read, not to adapt) · Michael T. Nygard, [*Release
#   It!*](https://pragprog.com/titles/mnee2/release-it-second-edition/), second edition, Pragmatic Bookshelf, the chapters
#   on stability: circuit breakers stop sending altogether
#
# Next: **07**, where the record holds more than keys: facts, obligations, and two agents that want the same one.
