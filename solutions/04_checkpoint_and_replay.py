# ---
# course:
#   title: Checkpoint and replay
#   minutes: 90
#   summary: A run is the fold of its trace. Save it, replay it, and find the adapter that cannot be replayed.
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
# An agent is summarising two notes into `report.txt`. After its third step the machine is switched off. What
# must have been written down, so that another process can go on tomorrow with the right fourth step? The
# answer fits into one small file. Most of this notebook is about finding out when that answer is wrong.
#
# **When you are through, you can**
#
# - say why a run is the *fold* of its trace: everything the agent knows at step k follows from the first k
#   entries;
# - save a run as a checkpoint, load it, and refuse a checkpoint that contradicts itself;
# - replay any prefix, and name the entries at which a replay and its recording part ways;
# - tell which adapters cannot be replayed at all, and find the reason;
# - name what replay leaves outside.

# %% [markdown]
# **What is real here.** The files, their hashes and the processes are real; only the model is simulated.
#
# **How to work.** Predict before you run; the cell that follows holds its answer back until you have.
# Exercises end in `check(...)`. Save now and then, and run `grader check 04` in a terminal for the rest of
# the tests.
#
# **The words**, as in notebook 00; no code of another notebook is needed.
#
# | word | what it means |
# |---|---|
# | adapter | stands where a model would: it sees the history and proposes the next action |
# | action | a tool and the arguments that it is called with |
# | observation | what came back; its `ok` says whether the call worked |
# | entry | an action with its observation |
# | trace | all entries of a run, oldest first; a step is one entry |
# | history | the trace as the adapter is shown it: the entries so far |
# | prefix | the first k entries of a trace; for k = 0 there are none |
# | retries | a counter; what it counts is the first question below |

# %% [markdown]
# The first cell makes a folder, with two notes in it, for everything that this notebook writes.

# %%
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from itertools import accumulate
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import course_lib
from course_lib import attempt, check, figures, predict, reveal
from course_lib.agent import (
    Action,
    Adapter,
    DeterministicModelAdapter,
    Divergence,
    RunResult,
    Step,
    Trace,
    run_task,
)
from course_lib.faults import SCENARIOS, ClockAdapter, SetOrderAdapter, StatefulAdapter
from course_lib.gates import GateDecision, ToolCall
from course_lib.recordings import recorded_names, recording
from course_lib.tools import make_notes, notes_tools

scratch = tempfile.TemporaryDirectory()
root = Path(scratch.name)
make_notes(root)
tools = notes_tools(root)
report = root / "report.txt"

# %% [markdown]
# ## Two questions from earlier
#
# ### Before you run · P04.1
#
# A recorded run met a tool that was never available. Its whole trace is below: three entries, all of them
# failed. What does its `retries` counter say at the end? Answer with a number.

# %%
for k, step in enumerate(recording("tool-failure")["trace"]):
    print(f"{k}  {step['action']['tool']}", "→", "ok" if step["observation"]["ok"] else "failed")

predict("P04.1", 3, confidence=0.9)

# %% [markdown]
# The record says:

# %%
reveal("P04.1", lambda: recording("tool-failure")["retries"])

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# The name misleads: the counter counts failed observations, whether or not anything was tried again
# afterwards.
#
# </details>

# %% [markdown]
# ### Before you run · P04.2
#
# Notebook 03 put a gate before the tools, and its runs counted *refusals*. Say that a run has such a gate and
# keeps *retries* as well, as notebook 01 defined it. Three calls are proposed in it:
#
# - `"denied"`: `write_report`, and the gate says no;
# - `"misnamed"`: `read_note`, with an argument of the wrong name, and the gate has nothing against it;
# - `"absent"`: `search`, and again the gate has nothing against it, but there is no such tool.
#
# Which of them add one to *retries*? Predict the set of their names, for instance `{"denied", "absent"}`.

# %%
predict("P04.2", {"misnamed", "absent"}, confidence=0.8, kind="set")

# %% [markdown]
# Each call is put to the gate first. What the gate lets through goes into the loop of notebook 01, which keeps
# the counter.


# %%
def without_reports(call: ToolCall) -> GateDecision:
    return GateDecision(allow=call.tool != "write_report", reason="read only", gate_name="without_reports")


def adds_a_retry() -> set[str]:
    calls = {
        "denied": ToolCall(tool="write_report", args={"content": "All is well.\n"}, turn=1),
        "misnamed": ToolCall(tool="read_note", args={"note": "alpha.txt"}, turn=1),
        "absent": ToolCall(tool="search", args={"text": "valve"}, turn=1),
    }
    found = set()
    for name, call in calls.items():
        if not without_reports(call).allow:
            print(f"{name:9} no entry, refused")
            continue
        action: Action = {"tool": call.tool, "args": call.args}
        adapter = SimpleNamespace(next_action=lambda history, action=action: action)
        one = run_task(adapter, tools, lambda trace: ("stopped", "after one entry"))
        print(f"{name:9} {one['trace'][0]['observation']}, retries {one['retries']}")
        if one["retries"]:
            found.add(name)
    return found


reveal("P04.2", adds_a_retry)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# A denied call never met a tool: it left no entry, and the run counts it apart. What a tool turns down, or what
# no tool answers to, has an entry like any other call, with a failed observation in it.
#
# </details>

# %% [markdown]
# ## 1 · A run is the fold of its trace
#
# First a run to work with, on real files. It ends when the report is on disk. What comes back is a
# `RunResult`, a dict with six keys: `task_id`, `steps`, `retries`, `status`, `termination` and `trace`. Look
# at the trace: each of its four entries pairs the action that was proposed with the observation that came
# back. These pairs are all that is ever written down.


# %%
def report_is_there(trace: Trace) -> tuple[str, str] | None:
    """When this notebook's own runs end. It asks the disk, not the trace."""
    return ("completed", "goal_reached") if report.exists() else None


def record(adapter: Adapter) -> RunResult:
    """One run on the real files, from no report to a written one."""
    report.unlink(missing_ok=True)
    return run_task(adapter, tools, report_is_there)


normal = record(DeterministicModelAdapter())
for k, step in enumerate(normal["trace"]):
    print(f"{k}  {step['action']['tool']} with {step['action']['args']}")
    print(f"   → {step['observation']}")

# %% [markdown]
# A *fold* walks through a list and carries something along: at each element it makes the new value from the
# old one and that element. Here it carries what is known. Look from line to line: at each k, what is known
# follows from the entries before k, and the next action follows from what is known.


# %%
def learn(known: dict[str, Any], step: Step) -> dict[str, Any]:
    """What is known after one more entry. A failed call teaches nothing."""
    seen = step["observation"]
    if not seen["ok"]:
        return known
    return {
        "listed": seen.get("notes", known["listed"]),
        "read": [*known["read"], seen["name"]] if "text" in seen else known["read"],
        "written": known["written"] or "sha256" in seen,
    }


nothing = {"listed": [], "read": [], "written": False}
for k, known in enumerate(accumulate(normal["trace"], learn, initial=nothing)):
    print(f"before entry {k}: {known}")

# %% [markdown]
# No line of that table was stored anywhere. Lose it, and the trace gives it back: this is *event sourcing* in
# small. So a checkpoint does not have to save what the agent knows. It has to save the trace.
#
# Why JSON, and not `pickle`? You can read it in an editor, compare it line by line, search it without the
# program that wrote it, and open it in ten years. And opening it runs no code.

# %% [markdown] exercise="save_checkpoint" title="Save a run, and distrust what you load" difficulty=2 minutes=20 mode="on your own, no AI" defines="load_checkpoint"
# A checkpoint is read by a process that knows nothing else. If it is wrong, everything after it is wrong, and
# nobody notices. Steps and retries can be counted from the trace, so a file that holds both can contradict
# itself.
#
# Write `save_checkpoint`, which counts for itself and stores four keys, and `load_checkpoint`, which counts
# again and refuses a file whose counters do not fit its trace.
#
# hint: Which of the four keys could you compute if you had only the trace? Who should do the counting, the
# one who saves or the one who loads?
# hint: Build a new dict with the four keys and hand it to json.dumps. When loading, compare the set of keys
# first, then both counters with what you count in the trace that was just read.
# hint: len gives steps; for retries, count the entries whose observation has ok false. What is no JSON or no
# UTF-8 raises a ValueError by itself. Raise one yourself for keys that do not fit and for counts that do not:
# which of the two must come first, so that no KeyError gets in between? And give json.dumps no default.


# %%
def save_checkpoint(result: Mapping[str, Any], path: str | Path) -> None:
    """Write a run to `path`: one JSON object, in UTF-8, with exactly these four keys.

    `result` is a run as run_task returns it. A file that is there already is replaced.

    task_id   str, taken from result
    steps     int, how many entries result["trace"] has
    retries   int, how many of those entries have an observation whose "ok" is false
    trace     list, every entry of result["trace"], the failed ones too, as it is

    Steps and retries are counted from the trace, whatever `result` says about them. Only "task_id"
    and "trace" are needed in `result`, so what load_checkpoint gives can be saved again, and the two
    files then have the same bytes. `result` is left as it was.

    Raises TypeError when the trace holds a value that JSON has no form for (a datetime, a set, bytes);
    what is at `path` then is left open.
    """
    # BEGIN SOLUTION
    observations = [entry["observation"] for entry in result["trace"]]
    checkpoint = {
        "task_id": result["task_id"],
        "steps": len(observations),
        "retries": sum(not seen["ok"] for seen in observations),
        "trace": result["trace"],
    }
    text = json.dumps(checkpoint, indent=2)
    Path(path).write_text(text + "\n", encoding="utf-8", newline="\n")
    # END SOLUTION


def load_checkpoint(path: str | Path) -> dict[str, Any]:
    """Read a checkpoint back: a dict with the same four keys, equal to what was saved.

    Raises ValueError when the file is not one JSON object in UTF-8, when a key is missing or one too
    many is there (a status, say), or when steps or retries differ from what the trace in the file says.
    The entries are taken on trust: what happens when one of them is malformed is left open.
    """
    # BEGIN SOLUTION
    checkpoint = json.loads(Path(path).read_text("utf-8"))
    if not isinstance(checkpoint, dict) or set(checkpoint) != {"task_id", "steps", "retries", "trace"}:
        raise ValueError("not a checkpoint: it needs task_id, steps, retries and trace, and nothing else")
    observations = [entry["observation"] for entry in checkpoint["trace"]]
    if checkpoint["steps"] != len(observations):
        raise ValueError(f"steps says {checkpoint['steps']}, the trace has {len(observations)} entries")
    failed = sum(not seen["ok"] for seen in observations)
    if checkpoint["retries"] != failed:
        raise ValueError(f"retries says {checkpoint['retries']}, the trace has {failed} failed entries")
    return checkpoint
    # END SOLUTION


# %% [markdown]
# Now save the run from above and look at the file as it lies on disk: its start, and the keys at its top.

# %%
with attempt("save_checkpoint"):
    save_checkpoint(normal, root / "run_checkpoint.json")
    text = (root / "run_checkpoint.json").read_text(encoding="utf-8")
    print(text[:160], "...")
    print("keys:", sorted(json.loads(text)))

# %% [markdown]
# Load it, save it again, and compare the two files byte by byte. Equal bytes say more than equal values: they
# also cover the fields that nobody thought of comparing.

# %%
with attempt("save_checkpoint", "load_checkpoint"):
    save_checkpoint(load_checkpoint(root / "run_checkpoint.json"), root / "second.json")
    same_bytes = (root / "second.json").read_bytes() == (root / "run_checkpoint.json").read_bytes()
    print("the same bytes after a round trip:", same_bytes)

# %% [markdown]
# And now be the enemy: open the file, claim one step more than there is, and load it. A file that contradicts
# itself should not get past you.

# %%
with attempt("save_checkpoint", "load_checkpoint"):
    forged = root / "forged.json"
    save_checkpoint(normal, forged)
    content = json.loads(forged.read_text(encoding="utf-8"))
    content["steps"] += 1
    forged.write_text(json.dumps(content), encoding="utf-8")
    try:
        load_checkpoint(forged)
        print("accepted: this checkpoint would mislead whoever resumes from it")
    except ValueError as problem:
        print("refused:", problem)

# %% [markdown]
# JSON can be compared. Here are two checkpoints side by side, the normal run and the run that met a fault.
# Look for the place where they part: one failed entry, and from there on everything stands one place lower.

# %%
with attempt("save_checkpoint", "load_checkpoint"):
    save_checkpoint(recording("invalid-arguments"), root / "fault.json")
    first, second = load_checkpoint(root / "run_checkpoint.json"), load_checkpoint(root / "fault.json")
    figures.show(figures.checkpoint_diff(first, second, ("normal run", "invalid-arguments")))

# %% [markdown]
# ## 2 · Replay
#
# A checkpoint is a promise: *from here, the right next action can be found again.* To test it, hand the
# adapter the first k entries and see what it proposes. Look at two histories: before anything is known, and
# with the notes listed.

# %%
healthy = DeterministicModelAdapter()
print(healthy.next_action([]))
print(healthy.next_action(normal["trace"][:1]))

# %% [markdown] exercise="replay" title="Replay any prefix" difficulty=1 minutes=5 mode="on your own, no AI"
# Resuming, auditing and debugging all begin with the same question: what would this adapter do after this
# history? If the answer comes from anywhere but the adapter and the history, it proves nothing.
#
# Write `replay`, which has the adapter answer it. That is short; what takes care is the prefix. It belongs to
# the caller, and some adapters add to the history that they are given, or empty it.
#
# hint: Whose decision is the next action? What does that one need to see, and what must it not be able to
# change?
# hint: The adapter has one method, next_action, and it takes a history. Everything in the prefix belongs to
# that history: the failed entries and the observations too. The length of the prefix decides nothing.
# hint: One line does it: the adapter is asked about a list that is not the caller's, and its answer is
# returned. Which ways do you know to make a second list with the same entries?


# %%
def replay(trace_prefix: Trace, adapter: Adapter) -> Action:
    """The action that `adapter` proposes after the entries of `trace_prefix`.

    The adapter sees the whole prefix, entry by entry, as a list. Whatever it does to that list (append
    to it, empty it, reorder it), trace_prefix is afterwards as it was, also when the adapter raises.
    (A copy of the list is enough; the entries may be shared.) The same adapter may be asked about many
    prefixes, in any order.

    No tool runs and no file changes. Returns the action just as the adapter gave it; an exception that
    the adapter raises passes through.
    """
    # BEGIN SOLUTION
    return adapter.next_action(list(trace_prefix))
    # END SOLUTION


# %% [markdown]
# A prefix of the normal run for each number of entries from none to three: look at the action that each leads
# to, and compare with the run above.

# %%
prefixes = [normal["trace"][:size] for size in range(normal["steps"])]

with attempt("replay"):
    for prefix in prefixes:
        action = replay(prefix, healthy)
        print(f"after {len(prefix)} entries: {action['tool']}({action['args'].get('name', '')})")

# %% [markdown]
# ## 3 · Replay and the disk
#
# So far you looked at what a replay proposes. Now look at the file that the run left behind.
#
# ### Before you run · P04.3
#
# `report.txt` has just been written by the normal run. Now somebody edits it by hand, and afterwards you
# replay all four prefixes of that run, twice. Which content does the file's hash belong to in the end:
# `"recorded"` (what the run wrote), `"edited"` (what the hand wrote), or `"neither"`?

# %%
predict("P04.3", "edited", confidence=0.8)

# %% [markdown]
# The hashes are taken from the file on disk, before the edit, after it, and after both replays.


# %%
def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def edit_then_replay_twice() -> str:
    record(DeterministicModelAdapter())
    written = sha256(report)
    report.write_bytes(b"Nothing to report.\n")
    edited = sha256(report)
    for prefix in prefixes * 2:
        replay(prefix, healthy)
    return {written: "recorded", edited: "edited"}.get(sha256(report), "neither")


with attempt("replay"):
    reveal("P04.3", edit_then_replay_twice)

# %% [markdown]
# ### Before you run · P04.4
#
# Somebody deletes `report.txt`. You replay the normal run once more and compare each proposal with the
# recorded action. What happens: `"diverges"` (some prefix now leads to another action), `"comes back"`
# (replaying the last prefix writes the file again), or `"no difference"` (all four agree, and the file stays
# away)?

# %%
predict("P04.4", "no difference", confidence=0.8)

# %% [markdown]
# The figure that appears with the answer sorts the pieces of this run: rebuilt from the trace, or left
# outside.


# %%
def delete_then_replay() -> str:
    report.unlink(missing_ok=True)
    agree = [replay(prefix, healthy) for prefix in prefixes] == [step["action"] for step in normal["trace"]]
    figures.show(figures.rebuilt_and_outside(normal["trace"], report))
    if not agree:
        return "diverges"
    return "comes back" if report.exists() else "no difference"


with attempt("replay"):
    reveal("P04.4", delete_then_replay)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# No tool ran in any of these replays; only the decisions were made again. So a perfect replay tells you nothing
# about the world. The trace says that the report was written, and that is true: it *was*. Whether it is still
# there, only the disk can say. And a mail that was sent, a card that was charged, is not taken back by going
# over the decision again.
#
# </details>

# %% [markdown]
# ## 4 · Can this run be replayed at all?
#
# Everything so far stands on one assumption: *the adapter is a function of the history.* It is easy to break
# without noticing, for while a run is being recorded nothing looks amiss. The only way to know is to try
# every prefix, each time with a fresh adapter, as a resumed process would have it.

# %% [markdown]
# ### Before you run · P04.5
#
# The run `invalid-arguments` was recorded with an adapter that once named an argument wrongly. Below is its
# trace; in brackets stands what each argument is called. Say you ask the *healthy* adapter about each prefix of
# it. At which k does its proposal differ from the action that was recorded in entry k? Predict the set of all
# such k, for instance `{0, 4}`.

# %%
fault = recording("invalid-arguments")
for k, step in enumerate(fault["trace"]):
    arguments = ", ".join(step["action"]["args"])
    print(f"{k}  {step['action']['tool']}({arguments})", "→", "ok" if step["observation"]["ok"] else "failed")

predict("P04.5", {1}, confidence=0.7)

# %% [markdown]
# ### Three suspects
#
# Three adapters in `course_lib/faults.py` do the job of the healthy one: each lists, reads and writes a
# report. Each of them breaks the assumption in another way. Record one run of each, on the real files, and
# look at how they behave. Nothing seems to be wrong with any of them.

# %%
suspects = {"clock": ClockAdapter, "state": StatefulAdapter, "set order": SetOrderAdapter}
evidence = {name: record(make_adapter()) for name, make_adapter in suspects.items()}
for name, result in evidence.items():
    print(f"{name:10} {result['steps']} steps, {result['retries']} retries, {result['status']}")

# %% [markdown]
# ### Before you run · P04.6
#
# *clock* stamps the report with the time. *state* counts its own calls and believes the count instead of the
# history. *set order* reads the notes in the order of a Python set of their names.
#
# Each of the three runs will be verified here, in this process: every prefix, each time with a fresh adapter
# of the run's own kind. For which of them will there be a divergence? Predict a set of names, for instance
# `{"clock", "set order"}`.

# %%
predict("P04.6", {"clock", "state"}, confidence=0.6)

# %% [markdown] exercise="verify_replay" title="Find every place where a run cannot be replayed" difficulty=3 minutes=20 mode="on your own, no AI"
# A check that asks only the last prefix, compares only the names of the tools, or gives up at the first
# difference will call a run replayable that is not. Whoever resumes from it gets another run, and a tidy
# record that says otherwise.
#
# Write `verify_replay`. For every prefix it makes a new adapter, asks it, and compares. It reports every
# place where the two part, with both actions, as a `Divergence(k, recorded, proposed)`; that class is given,
# and imported above.
#
# hint: How many prefixes does a trace of four entries have that are followed by a recorded action? Which is
# the shortest? What should happen after you have found a first difference?
# hint: Go through the positions of the trace. At each one: call make_adapter, replay what stands before the
# position, compare the whole action with the one recorded there. Collect, and return everything at the end.
# hint: enumerate gives you the position k and the entry at once, and a slice of the trace gives the prefix.
# Does that slice end before k or after it? Try k = 0. Two dicts compare with ==, whatever the order of their
# keys. Catch no exceptions.


# %%
def verify_replay(trace: Trace, make_adapter: Callable[[], Adapter]) -> list[Divergence]:
    """Every place at which replaying `trace` leads to another action than the recorded one.

    For each k from 0 to len(trace) - 1, and no other, a fresh adapter from make_adapter() is asked
    about the first k entries. Where its action is not equal to the action recorded in entry k, the
    result holds Divergence(k, recorded, proposed). They come in the order of k; [] means that the run
    can be replayed, and an empty trace gives [].

    Actions are equal as dicts are: tool and arguments, at every depth, whatever the order of the keys.
    Every entry counts, also after a report was written. Whatever an adapter does to its history, the
    next one is asked about all of its own k entries, and `trace` is left as it was. An exception that
    an adapter raises passes through: a prefix that could not be asked is not one that agreed.
    """
    # BEGIN SOLUTION
    recorded = [entry["action"] for entry in trace]
    proposed = [replay(trace[:size], make_adapter()) for size, _ in enumerate(recorded)]
    both = zip(recorded, proposed, strict=True)
    return [Divergence(k, was, now) for k, (was, now) in enumerate(both) if was != now]
    # END SOLUTION


# %% [markdown]
# Time for P04.5. The grid that appears with the answer has a row for each recording with the adapter that
# made it, and in its last row the healthy adapter on the run that met a fault. Look along that last row.


# %%
def where_healthy_differs() -> set[int]:
    rows = {}
    for name in recorded_names():
        make_adapter, _ = SCENARIOS[name]
        recorded = recording(name)["trace"]
        rows[name] = (recorded, verify_replay(recorded, make_adapter))
    found = verify_replay(fault["trace"], DeterministicModelAdapter)
    rows["invalid-arguments,\nhealthy adapter"] = (fault["trace"], found)
    figures.show(figures.prefix_grid(rows))
    return {divergence.k for divergence in found}


with attempt("verify_replay"):
    reveal("P04.5", where_healthy_differs)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# One place. An adapter that went by the *length* of the history would be thrown off at every later entry as
# well: after the failed call, five entries tell the story that takes four in the normal run. One that goes by
# the content of the history finds its way back at once.
#
# The divergence at k = 1 is no defect of the healthy adapter. It says that another one made this recording.
#
# </details>

# %% [markdown]
# ### The hunt
#
# Now let your function loose on the three suspects. Look at the places, too: they say what kind of impurity
# it is.


# %%
def caught_in_this_process() -> set[str]:
    caught = set()
    for name, make_adapter in suspects.items():
        places = [d.k for d in verify_replay(evidence[name]["trace"], make_adapter)]
        print(f"{name:10} diverges at {places or 'no prefix'}")
        if places:
            caught.add(name)
    return caught


with attempt("verify_replay"):
    reveal("P04.6", caught_in_this_process)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# The clock shows where the time gets into the action, in the last one. The state shows at every prefix but
# the empty one: a fresh adapter has counted nothing yet. Had you kept *one* adapter for all prefixes, its
# count would have grown in step with them, and it would have passed.
#
# One suspect is left. Within a process Python hashes strings the same way every time, so the set keeps its
# order. The next process hashes them anew, and a resumed run lives in a next process.
#
# </details>

# %% [markdown]
# An adapter can live elsewhere. This one starts a new Python process for each question, with a given seed for
# its hashes (`PYTHONHASHSEED`), and passes the answer on. `verify_replay` need not know.

# %%
ASK = """
import json, sys
from course_lib.faults import SetOrderAdapter
print(json.dumps(SetOrderAdapter().next_action(json.load(sys.stdin))))
"""


class ElsewhereAdapter:
    """A SetOrderAdapter in a process of its own, whose strings are hashed with `hash_seed`."""

    def __init__(self, hash_seed: int) -> None:
        library = str(Path(course_lib.__file__).parents[1])
        self.env = {**os.environ, "PYTHONHASHSEED": str(hash_seed), "PYTHONPATH": library}

    def next_action(self, history: Trace) -> Action:
        command = [sys.executable, "-c", ASK]
        done = subprocess.run(
            command, input=json.dumps(history), env=self.env, capture_output=True, text=True, check=True
        )
        return json.loads(done.stdout)


# %% [markdown]
# ### Before you run · P04.7
#
# With a third note in the folder, a run has five entries: list, read, read, read, write. It is recorded in
# processes with one hash seed and verified in processes with another. The set has a say in what is read next
# and nowhere else: the report is the one that the healthy adapter would write, with the notes in the order of
# the listing. Some entries can never diverge, whatever the two seeds are. Which k are they? Predict the set.

# %%
predict("P04.7", {0, 3, 4}, confidence=0.6)

# %% [markdown]
# Fifteen processes are started for the answer: five record, and five verify under each of two seeds. Look at
# both lines: under its own seed the run replays without a flaw, under the other it does not.


# %%
def entries_that_agree() -> set[int]:
    third = root / "notes" / "gamma.txt"
    third.write_bytes(b"The gate is painted. It dries until Friday.\n")
    trace = record(ElsewhereAdapter(hash_seed=1))["trace"]
    third.unlink()
    for seed in (1, 5):
        diverging = {d.k for d in verify_replay(trace, lambda seed=seed: ElsewhereAdapter(seed))}
        print(f"recorded with seed 1, verified with seed {seed}: diverges at {sorted(diverging) or 'no prefix'}")
    return set(range(len(trace))) - diverging


with attempt("verify_replay"):
    reveal("P04.7", entries_that_agree)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# Before the listing there is no set; with one note left there is nothing to choose; the report is made from
# the listing's order. In between, the hash seed decides, and no trace mentions it. The seeds 1 and 5 were
# picked because their orders part at once; two others may happen to agree.
#
# </details>
#
# The cure is the same in all three cases: *what influences a decision goes into the trace.* Let a tool read
# the clock, so that the time becomes an observation. Count in the history. Sort before you choose.

# %% [markdown]
# ## 5 · A run that passes everything
#
# Before you go, look at what it looks like when nothing is wrong: a healthy run is recorded, saved, loaded
# and verified, and its report on disk has the hash that its trace recorded.

# %%
with attempt("save_checkpoint", "load_checkpoint", "verify_replay"):
    make_notes(root)
    sound = record(DeterministicModelAdapter())
    save_checkpoint(sound, root / "sound.json")
    loaded = load_checkpoint(root / "sound.json")
    print("trace comes back equal: ", loaded["trace"] == sound["trace"])
    print("divergences:            ", verify_replay(loaded["trace"], DeterministicModelAdapter))
    print("report as recorded:     ", sha256(report) == loaded["trace"][-1]["observation"]["sha256"])

# %% [markdown]
# ## What this does not do
#
# - **Effects outside are not undone, and not repeated.** A replay says what would be done next. A file, a
#   mail or a payment stays as it is, and a deleted report stays deleted.
# - **A consistent lie passes.** `load_checkpoint` finds a file that contradicts itself. Someone who changes
#   the counters *and* the trace is not found.
# - **The file can be torn.** A crash in the middle of `save_checkpoint` can leave half a file. Writing it so
#   that there is always a whole one is notebook 05.
# - **No divergence proves little.** It holds for these prefixes, this process, this version of the adapter.
#   The set order passed until another process was asked.
# - **The copy is shallow.** An adapter cannot change your list, but it could still change an entry inside it.
# - **The action in flight is not in the trace.** If the machine stops after an effect and before its entry is
#   written, replay proposes that action again. Notebooks 05 and 06 are about that.

# %% [markdown]
# ## Have you got it?
#
# **Answer without running anything**
#
# 1. A checkpoint holds `steps: 5`, and its trace has five entries, two of them failed. What must `retries`
#    be, and who should check it?
# 2. Why does an adapter that goes by the length of the history pass on the normal run and fail after a fault?
# 3. An adapter draws a random number with a fixed seed in its constructor. Can its run be replayed with fresh
#    adapters? And if it draws with a seed computed from the history?
# 4. Name one thing that replaying all prefixes of a run will not bring back.
#
# **Show that you can**
#
# - replay every prefix of the normal run and of `invalid-arguments`, and explain each divergence with another
#   adapter;
# - repair one of the three suspects so that `verify_replay` finds nothing, without taking away what it does.
#
# <details><summary>Answers to 1 to 4</summary>
#
# 1. Two, and whoever loads it: a counter that is only stored can be wrong. 2. In the normal run the length
# tells how far the work is; after a failed call there is one entry more than there is work done. 3. No: each
# fresh adapter draws the first number again, where the run was already at a later one. With a seed from the
# history, yes: then the history decides the number. 4. The report, if it was changed or deleted since; or
# anything else that happened outside.
#
# </details>

# %% [markdown]
# ## How production systems do it
#
# **Persistence** · LangGraph documentation · LangChain, Inc.
#
# - *Where*: [LangGraph, Persistence](https://docs.langchain.com/oss/python/langgraph/persistence), the
#   sections on threads and checkpoints
# - *Rights*: © the publisher, the library itself under the MIT licence; linked only, nothing adapted
# - *Verified*: langgraph 1.2.24, on 2026-10-30
# - *Why this one*: it saves a snapshot of the state after each super-step and finds it by its thread; compare
#   a stored state with your folded one
# - *Presumes*: graphs of nodes and edges; no account
# - *Offline*: part 1 above; your `run_checkpoint.json` holds a whole run
# - *Compared with*: [OpenAI Agents SDK, Sessions](https://openai.github.io/openai-agents-python/sessions/)
#   keeps the conversation, a transcript, so the state has to be guessed from text · [DBOS, How workflows
#   work](https://docs.dbos.dev/explanations/how-workflows-work) stores the result of each step and runs the
#   function again from its start

# %% [markdown]
# **Event history and replay** · Temporal documentation · Temporal Technologies, Inc.
#
# - *Where*: [Temporal, Event History
#   walkthrough](https://docs.temporal.io/encyclopedia/event-history/event-history-python), the sections on
#   replay and on a workflow that is not deterministic
# - *Rights*: © the publisher, the library itself under the MIT licence; linked only, nothing adapted
# - *Verified*: temporalio 1.35.0, on 2026-10-30
# - *Why this one*: it rebuilds a workflow by running its code over the recorded events and stops where the
#   two part; that is your `verify_replay`, in production
# - *Presumes*: workflows and activities; a server to run them, none to read
# - *Offline*: part 4 above; your `verify_replay` and the three suspects
# - *Compared with*: [Cadence, Workflows](https://cadenceworkflow.io/docs/concepts/workflows) has the same
#   idea and the same origin, with Go and Java in front · [Azure Durable Functions, code
#   constraints](https://learn.microsoft.com/azure/durable-task/common/durable-task-code-constraints) lists
#   what makes code impossible to replay: clocks, random numbers, the environment
#
# Next: **05**, where the process really is killed, at any instruction.
