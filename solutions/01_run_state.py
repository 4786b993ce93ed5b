# ---
# course:
#   title: "Run state: the whole state is the trace"
#   minutes: 90
#   summary: What an agent's run may remember, how its counters follow from that, and the three ways in which it ends.
# ---

# %% [markdown]
# An agent has been at work for a while. Has it failed too often? May it go on? Is it done? Every answer has to
# come from somewhere, and the more places there are, the more of them can disagree. In this notebook there is
# one place, the trace. You find out what follows from it, and you write the rule that ends a run.
#
# **When you are through, you can**
#
# - list everything that changes while a run goes on, and say which part of it is stored;
# - work out the counters of a run from its trace, at any entry;
# - name the three ends of a run, and the order in which they are tested;
# - record a step as what was proposed, what came back, and what the counters then say;
# - show that a run keeps no hidden scratchpad.

# %% [markdown]
# **What is real here.** The notes, the report, the tools that read and write them, and the process that you
# start in part 5. Only the model is simulated, by an *adapter*. The four recorded runs that later notebooks use
# come with the course, so nothing depends on your answers here.
#
# **How to work.** Predict before you run; the cell that follows holds its answer back until you have. Where a
# prediction has a `kind`, a slip of the pen is asked back and not put on record. You may
# use any help you like, a person's or a machine's. Exercises end in `check(...)`; `grader check 01` in a
# terminal puts the rest of the tests.
#
# **The words**, as in notebook 00; no code of another notebook is needed.
#
# | word | what it means |
# |---|---|
# | adapter | stands where a model would: it sees the history and proposes the next action |
# | action | a tool and the arguments that it is called with |
# | observation | what came back; its `ok` says whether the call worked |
# | entry | an action with its observation; a *step* of a run is one entry |
# | trace | all entries of a run, oldest first; as the adapter is shown it, the *history* |
# | round | one pass of the loop; each adds one entry |
# | retries | a counter; what it counts is the first question below |

# %%
import inspect
import itertools
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from copy import deepcopy
from pathlib import Path
from textwrap import shorten
from typing import Any

import course_lib
from course_lib import attempt, check, figures, journal, predict, reveal
from course_lib.agent import Action, DeterministicModelAdapter, RunResult, Tools, Trace, _tool_call, run_task
from course_lib.faults import SCENARIOS, MalformedFirstRead, Stuck, broken
from course_lib.recordings import project, recorded_names, recording
from course_lib.tools import make_notes, notes_tools

scratch = tempfile.TemporaryDirectory()
root = Path(scratch.name)
make_notes(root)
tools = notes_tools(root)

# %% [markdown]
# ## Two questions from earlier
#
# ### Before you run · P01.1
#
# Below is a real run in which two calls of `read_note` failed. After which entries does *retries* go up by one?
# Predict the set of their positions, for instance `{0, 3}`.


# %%
def unreliable(name: str, failing_calls: set[int]) -> Tools:
    """The tools, but the given calls of one of them fail; calls are numbered from 1."""
    number = itertools.count(1)
    unavailable = {"ok": False, "error": "tool_unavailable"}
    return {**tools, name: lambda args: unavailable if next(number) in failing_calls else tools[name](args)}


def print_trace(trace: Trace) -> None:
    for k, step in enumerate(trace):
        action, seen = step["action"], step["observation"]
        args = [f"{name}={shorten(str(value), 20, placeholder=' …')}" for name, value in action["args"].items()]
        call = f"{action['tool']}({', '.join(args)})"
        print(k, call.ljust(42), "ok" if seen["ok"] else f"FAILED: {seen['error']}")


def shaky_run(entries: int) -> RunResult:
    def rule(trace: Trace) -> tuple[str, str] | None:
        return ("stopped", "by hand") if len(trace) == entries else None

    return run_task(Stuck(), unreliable("read_note", {1, 4}), rule)


shaky = shaky_run(6)
print_trace(shaky["trace"])

predict("P01.1", {1, 4}, confidence=0.9, kind="set")

# %% [markdown]
# The run is made again and again, each time one entry longer, and the loop's own counter is read at its end.


# %%
def where_it_goes_up() -> set[int]:
    kept = [0, *(shaky_run(entries)["retries"] for entries in range(1, 7))]
    print("retries before entry 0, and after each:", *kept)
    return {k for k in range(6) if kept[k + 1] > kept[k]}


reveal("P01.1", where_it_goes_up)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# Entries 2 and 5 send a call again, and that counts for nothing. *Retries* counts failed observations, here and
# in every later notebook.
#
# </details>

# %% [markdown]
# ### Before you run · P01.2
#
# You predict 3, think again, and predict 4, all before you run anything. What does your prediction journal hold
# then: `"first"`, `"last"` or `"both"`?

# %%
predict("P01.2", "both", confidence=0.8, kind=["first", "last", "both"])

# %% [markdown]
# A journal of its own, in the scratch folder, is told the one and then the other, and is read back.


# %%
def what_is_kept() -> str:
    path = root / "example.jsonl"
    path.unlink(missing_ok=True)
    for value in (3, 4):
        journal.append(path, id="P99.1", kind="prediction", value=value, confidence=0.5, notebook="example")
    lines, _ = journal.read(path.read_bytes())
    print("on record:", [line.value for line in lines])
    return {(3,): "first", (4,): "last", (3, 4): "both"}[tuple(line.value for line in lines)]


reveal("P01.2", what_is_kept)
# %% [markdown]
# <details><summary>After you have looked</summary>
#
# The journal only ever grows. Keep that in mind: the run in this notebook keeps its record the same way.
#
# </details>

# %% [markdown]
# ## 1 · Read the loop first
#
# This is all of it, the loop that drives every run of the course. Look for what it carries from one round into
# the next, and for what it asks after each entry.

# %%
print(inspect.getsource(run_task))

# %% [markdown]
# Three things change from round to round:
#
# | what | how it changes | where it is kept |
# |---|---|---|
# | the trace | one entry more, never one less; no entry is touched again | stored |
# | *retries* | up by one when an observation has `ok: False` | a counter that could be worked out |
# | *steps* | up by one with every entry, failed or not | nowhere: it is the length of the trace |
#
# There is no fourth. The adapter is shown a copy of the trace: it can look at the past and cannot change it. And
# the loop does not know when to stop. It asks a **rule**, and hands it nothing but the trace.
#
# `_tool_call` carries an action out. There are three tools: `list_notes` and `read_note` only read, and
# `write_report` overwrites `report.txt`. That one takes a payload with one key, `content`, and refuses any other.
# Look at what becomes of a call that cannot be carried out: it is an observation like any other, since an
# exception would leave no entry.

# %%
for tool, args in [("write_report", {"content": "All is well.", "format": "html"}), ("shell", {"cmd": "ls"})]:
    print(tool, "→", _tool_call(tools, {"tool": tool, "args": args}))

# %% [markdown]
# Here is the other half, what the healthy adapter does. Look at what it takes from the history
# before it makes a proposal: `good_answers` gives the observations of one tool's calls that went well.

# %%
print(inspect.getsource(DeterministicModelAdapter.next_action))

# %% [markdown]
# ### Before you run · P01.3
#
# The folder holds two notes, `alpha.txt` and `beta.txt`, all tools work, and the run ends as soon as a report is
# written. You have read the loop and the adapter, so you can say the whole run in advance.
#
# Predict it entry by entry: a list with one tuple per entry, *(tool, ok, steps after it, retries after it)*. A
# run of two failed searches, say, would be `[("search", False, 1, 1), ("search", False, 2, 2)]`. You will record
# the run yourself, further down, and compare.

# %%
predict(
    "P01.3",
    [("list_notes", True, 1, 0), ("read_note", True, 2, 0), ("read_note", True, 3, 0), ("write_report", True, 4, 0)],
    confidence=0.9,
)

# %% [markdown]
# ## 2 · When is a run over?
#
# A run ends in one of three ways. Each has a *status*, how it went, and a *termination*, what stopped it:
#
# | | what has happened | status | termination |
# |---|---|---|---|
# | 1 | a `write_report` went well | `completed` | `goal_reached` |
# | 2 | more than 2 observations have failed, in the whole run | `failed` | `tool_failure` |
# | 3 | there are 6 entries | `budget_exhausted` | `step_budget` |
#
# They are tested **in this order**, after every entry. Whichever applies first ends the run. While none does,
# the run is in progress and has no termination. That is no fourth end: a run that was switched off in the
# middle looks just like it.
#
# A word on the limits. Two failures are forgiven, the third is not. The third ends the run, so
# that call is never tried again, and *retries* says 3 all the same. The counter's name promises something else.

# %% [markdown]
# ### Before you run · P01.4, P01.5, P01.6
#
# Three runs with the healthy adapter, each close to an edge of that table. For each, predict the *status* after
# its last entry as it is told here: one of the three above, or `"in_progress"`.
#
# - **P01.4**, a late report: the first two calls of `list_notes` fail, and everything after that goes well. So
#   the report is written, as entry number six.
# - **P01.5**, a last straw: the notes are listed and read, and then `write_report` fails three times. The third
#   failure, too, is entry number six.
# - **P01.6**, off and on: a call fails, the next goes well, one fails, one goes well, one fails. Five entries,
#   and never two failures in a row.

# %%
predict("P01.4", "completed", confidence=0.8, kind=["completed", "failed", "budget_exhausted", "in_progress"])
predict("P01.5", "failed", confidence=0.8, kind=["completed", "failed", "budget_exhausted", "in_progress"])
predict("P01.6", "in_progress", confidence=0.6, kind=["completed", "failed", "budget_exhausted", "in_progress"])

# %% [markdown]
# ### A fold, worked out
#
# To *fold* a trace is to walk through it with one value in hand: at each entry the new value is made from the old
# one and that entry. Here the value is how many characters of text the agent has seen. Look at where it stays as it
# was: the listing and the two failed reads brought no text.


# %%
def characters_seen(so_far: int, step: dict[str, Any]) -> int:
    return so_far + len(step["observation"].get("text", ""))


print("before entry 0, and after each:", *itertools.accumulate(shaky["trace"], characters_seen, initial=0))

# %% [markdown]
# Nobody kept that number while the run went on. Throw it away, and the trace gives it back, for the end of the
# run or for any entry of it. A counter that is kept beside the trace can drift away from it; one that is folded
# cannot. The rule that you write now gets the trace and nothing else.

# %% [markdown] exercise="end_after" title="End a run" difficulty=2 minutes=20 mode="with help"
# This rule decides whether a run was a success, so most of it is edges: how many failures are too many, which
# step is the last, and what counts when two ends fall on the same entry.
#
# Write `end_after`. It looks at a trace and says whether the last entry ends the run, and how. It keeps nothing
# from one call to the next.
#
# hint: Which of the three ends look at the last entry only, and which need the whole trace? What does the table
# say about two of them at once?
# hint: Work out two numbers from the trace, its length and how many observations failed. Then put the three
# questions in the order of the table. An empty trace has no last entry.
# hint: Return None for an empty trace. If the last entry's tool is write_report and its ok is True, the run is
# completed. If the number of failures is greater than max_retries, it has failed. If the length is at least
# max_steps, the budget is exhausted. Otherwise None.


# %%
def end_after(trace: Trace, *, max_steps: int = 6, max_retries: int = 2) -> tuple[str, str] | None:
    """How the last entry of `trace` ends the run: a pair (status, termination), or None if the run goes on.

    These are tested in this order, and the first that applies is the answer:

    ("completed", "goal_reached")         the last entry called write_report, and its ok is True
    ("failed", "tool_failure")            more than max_retries observations of the trace have ok False,
                                          in a row or not, whatever the tools; no other key counts
    ("budget_exhausted", "step_budget")   the trace has at least max_steps entries; failed ones count too

    Until its last entry the run was going on, for the rule is asked after every entry. No other tool
    than write_report completes a run, whatever its name. An empty trace gives None. max_steps is at
    least 1, max_retries at least 0. The trace is left as it was, and the answer depends on nothing else.
    """
    # BEGIN SOLUTION
    if not trace:
        return None
    last = trace[-1]
    action, seen = last["action"], last["observation"]
    failures = [each for each in (entry["observation"] for entry in trace) if each["ok"] is False]
    if (action["tool"], seen["ok"]) == ("write_report", True):
        return "completed", "goal_reached"
    if len(failures) > max_retries:
        return "failed", "tool_failure"
    if len(trace) >= max_steps:
        return "budget_exhausted", "step_budget"
    return None
    # END SOLUTION


# %% [markdown]
# Now let it drive the three runs at the edge. Each is run for real, with tools that fail at the calls which the
# story asks for, and the loop asks *your* rule after every entry. So bring its public tests to green first.


# %%
def status_of(trace: Trace) -> str:
    end = end_after(trace)
    return "in_progress" if end is None else end[0]


def run_at_the_edge(edge_tools: Tools, entries: int) -> str:
    """A run of the healthy adapter until your rule ends it, or until it has so many entries; its status."""

    def rule(trace: Trace) -> tuple[str, str] | None:
        return end_after(trace) or (("stopped", "by hand") if len(trace) == entries else None)

    trace = run_task(DeterministicModelAdapter(), edge_tools, rule)["trace"]
    print_trace(trace)
    return status_of(trace)


with attempt("end_after"):
    reveal("P01.4", lambda: run_at_the_edge(unreliable("list_notes", {1, 2}), 6))

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# Two failures are within the limit, and success is asked for before the budget.
#
# </details>

# %% [markdown]
# The last straw:

# %%
with attempt("end_after"):
    reveal("P01.5", lambda: run_at_the_edge(broken(tools, "write_report"), 6))

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# The report failed three times, so it was never written, and failures are asked for before the budget.
#
# </details>

# %% [markdown]
# Off and on:

# %%
with attempt("end_after"):
    off_and_on = {**unreliable("read_note", {1, 3}), "list_notes": unreliable("list_notes", {1})["list_notes"]}
    reveal("P01.6", lambda: run_at_the_edge(off_and_on, 5))

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# Failures add up over the whole run; nothing in the table sets them back to zero. (The author had
# predicted otherwise. That stays on the record, and costs nothing.)
#
# </details>

# %% [markdown]
# ## 3 · Record every step
#
# What happens in a step happens in an order: an action is *proposed*, an observation *comes back*, the counters
# are *updated*. Somebody who reads the record later wants all three beside each other.

# %% [markdown] exercise="transitions" title="Every step on record" difficulty=2 minutes=15 mode="with help"
# A record is evidence, so it may not change when somebody goes on working with the trace. And it has to hold
# what went wrong as well as what went right.
#
# Write `transitions`, which turns a trace into one row per entry, with the counters as they stand after it.
#
# hint: What would a row look like for an entry that failed? And what happens to your rows when somebody changes
# the trace afterwards?
# hint: Walk through the entries with a running number of failures in hand, and update it before you make the row.
# What the row holds should be a copy down to the innermost value; `deepcopy`, imported above, makes one.
# hint: For each position k from 0: if the observation's ok is False, add one to the failures. The row's steps are
# k plus one. Put k, the deep copies of action and observation, steps and retries into a dict, in this order.


# %%
def transitions(trace: Trace) -> list[dict[str, Any]]:
    """One row for each entry of `trace`, failed ones too, oldest first. A row is a dict with these keys:

    k             int, the position of the entry; the first is 0
    action        dict, the action that was proposed
    observation   dict, what came back
    steps         int, how many entries there are up to and including this one
    retries       int, how many observations up to and including this one have ok False

    The keys stand in this order, the order in which things happened. The rows share nothing with the
    trace: whoever changes an entry later, or something inside it, does not change a row. An empty
    trace gives []. The trace is left as it was.
    """
    # BEGIN SOLUTION
    rows: list[dict[str, Any]] = []
    retries = 0
    for position, entry in enumerate(deepcopy(trace)):
        seen = entry["observation"]
        retries += seen["ok"] is False
        row = {"k": position, "action": entry["action"], "observation": seen}
        rows.append(row | {"steps": position + 1, "retries": retries})
    return rows
    # END SOLUTION


# %% [markdown]
# Time for P01.3. The normal run is recorded with your rule, and your `transitions` says what happened, entry by
# entry. Look for the first place where it is not what you said.


# %%
def normal_run_on_record() -> list[tuple[str, bool, int, int]]:
    run = run_task(DeterministicModelAdapter(), tools, end_after)
    rows = transitions(run["trace"])
    for row in rows:
        print(f"{row['k']}  proposed {row['action']['tool']}".ljust(26), end="")
        print(f"observed ok={row['observation']['ok']}   then steps {row['steps']}, retries {row['retries']}")
    return [(row["action"]["tool"], row["observation"]["ok"], row["steps"], row["retries"]) for row in rows]


with attempt("end_after", "transitions"):
    reveal("P01.3", normal_run_on_record)

# %% [markdown]
# The loop kept a counter of its own. Did it need to? Compare the two lines, for the run of P01.1.

# %%
with attempt("transitions"):
    last = transitions(shaky["trace"])[-1]
    print("kept by the loop:", shaky["steps"], "steps,", shaky["retries"], "retries")
    print("from the trace:  ", last["steps"], "steps,", last["retries"], "retries")

# %% [markdown]
# ## 4 · Four runs
#
# The normal run has three siblings, in each of which something goes wrong. Say what will happen before you let
# them run.
#
# ### Before you run · P01.7
#
# The adapter `MalformedFirstRead` calls `read_note` with a wrong argument name, until an observation tells it
# that a call failed. The tools are in order. Predict *(steps, retries, status)* at the end of its run, for
# instance `(2, 1, "failed")`.

# %%
print(inspect.getsource(MalformedFirstRead.next_action))

predict("P01.7", (5, 1, "completed"), confidence=0.8)

# %% [markdown]
# The run, as your rule ends it:


# %%
def summary_of(run: RunResult) -> tuple[int, int, str]:
    print_trace(run["trace"])
    return run["steps"], run["retries"], run["status"]


with attempt("end_after"):
    reveal("P01.7", lambda: summary_of(run_task(MalformedFirstRead(), tools, end_after)))

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# One call is wasted. The history says so, and the next proposal has learned from it.
#
# </details>

# %% [markdown]
# ### Before you run · P01.8
#
# Of another run you know only how it ended: `failed`, with 3 steps and 3 retries. The adapter was the healthy
# one, and exactly one tool was broken: every call of it failed. Which of the tools can it have been?
# Predict a set out of `list_notes`, `read_note` and `write_report`, and ask yourself why no other.

# %%
predict("P01.8", {"list_notes"}, confidence=0.8, kind="set")

# %% [markdown]
# Break each of the tools in turn and let the run go on to its end. Look at the number of steps.


# %%
def tools_that_fit() -> set[str]:
    fitting = set()
    for name in tools:
        run = run_task(DeterministicModelAdapter(), broken(tools, name), end_after)
        print(f"{name:14} {run['steps']} steps, {run['retries']} retries, {run['status']}")
        if (run["steps"], run["retries"], run["status"]) == (3, 3, "failed"):
            fitting.add(name)
    return fitting


with attempt("end_after"):
    reveal("P01.8", tools_that_fit)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# As many failures as steps means that nothing ever went well, the very first call included. And the first call
# of a healthy run is always the same.
#
# </details>

# %% [markdown]
# ### Before you run · P01.9
#
# The adapter `Stuck` lists the notes and then reads them in turn, over and over; it never comes to the report.
# All tools work. Predict *(steps, retries, status)* once more.

# %%
predict("P01.9", (6, 0, "budget_exhausted"), confidence=0.9)

# %% [markdown]
# With the answer comes a figure: the four scenarios, run for real with your rule, one below the other. The
# upper line of each counts steps, the lower one retries, and the dashed lines are the two limits. Look at which
# of them each run touches.


# %%
def four_runs() -> dict[str, RunResult]:
    made = {}
    for name, (make_adapter, make_tools) in SCENARIOS.items():
        made[name] = run_task(make_adapter(), make_tools(root), end_after)
    return made


def stuck_run() -> tuple[int, int, str]:
    runs = four_runs()
    figures.show(figures.state_timeline(runs))
    run = runs["step-budget"]
    return run["steps"], run["retries"], run["status"]


with attempt("end_after"):
    reveal("P01.9", stuck_run)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# A run in which nothing fails and nothing is finished is caught by the budget alone. Without it, this one would
# never end.
#
# </details>

# %% [markdown]
# ### Before you run · P01.10
#
# To decide whether a run goes on, two numbers are enough while no report is written: *(steps, retries)*. Some
# pairs can never be seen in a run that is still going on. Which of these can?
#
# `(2, 2)`, `(3, 3)`, `(5, 0)`, `(5, 2)`, `(6, 1)`: predict a set of pairs, written like `{(0, 0), (1, 1)}`.

# %%
predict("P01.10", {(2, 2), (5, 0), (5, 2)}, confidence=0.8, kind="set")

# %% [markdown]
# Your rule is asked about every possible mixture of good and failed reads. The figure shows the pairs as
# circles and the four runs as paths between them: to the right with every step, and upwards when it failed.
# Look at the two borders at which paths end, and at the ends that lie in the middle.


# %%
def still_going_on() -> set[tuple[int, int]]:
    going_on = {(0, 0)}
    for length in range(1, 8):
        for oks in itertools.product([True, False], repeat=length):
            read: Action = {"tool": "read_note", "args": {"name": "alpha.txt"}}
            trace: Trace = [{"action": read, "observation": {"ok": ok}} for ok in oks]
            if all(end_after(trace[:n]) is None for n in range(1, length + 1)):
                going_on.add((length, oks.count(False)))
    figures.show(figures.transition_diagram(four_runs()))
    return going_on & {(2, 2), (3, 3), (5, 0), (5, 2), (6, 1)}


with attempt("end_after"):
    reveal("P01.10", still_going_on)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# The corner where both borders meet is the sixth entry with the third failure. Your table says whose it is.
#
# </details>

# %% [markdown]
# ## 5 · From the command line
#
# The same runs can be had without a notebook. In a terminal you would type
#
# ```
# python -m course_lib evaluate --fixture summarize-notes --output run.json
# ```
#
# The cell does it for you, in a process of its own. Look at the names of what the file holds, and find *status*
# and *termination*.

# %%
library = str(Path(course_lib.__file__).parents[1])
command = [sys.executable, "-m", "course_lib", "evaluate", "--fixture", "summarize-notes", "--output"]
done = subprocess.run(
    [*command, str(root / "run.json")], env={**os.environ, "PYTHONPATH": library}, capture_output=True, text=True
)
print("exit status", done.returncode, done.stderr)
written = json.loads((root / "run.json").read_text(encoding="utf-8"))["result"]
print("in the result:", ", ".join(written))

# %% [markdown]
# ### Before you run · P01.11
#
# Beside the trace the file has five fields. Somebody deletes all five and keeps the trace. Which of them can
# be written down again by someone who has your two functions and only that trace? Predict a set of names.

# %%
predict("P01.11", {"steps", "retries", "status", "termination"}, confidence=0.8)

# %% [markdown]
# The five are rebuilt from the trace, as far as it goes. Look at what the file said, and beside it at what was
# found.


# %%
def rebuilt() -> set[str]:
    trace = written["trace"]
    last = transitions(trace)[-1]
    status, termination = end_after(trace) or ("in_progress", None)
    found = {"steps": last["steps"], "retries": last["retries"], "status": status, "termination": termination}
    for key in ("steps", "retries", "status", "termination", "task_id"):
        print(f"{key:12} file: {written[key]}".ljust(36), "from the trace:", found.get(key, "nothing"))
    return {key for key, value in found.items() if written[key] == value}


with attempt("end_after", "transitions"):
    reveal("P01.11", rebuilt)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# The name of the task is given from outside; no entry mentions it. Everything else that the file says about
# the run *is* the trace, told shorter.
#
# </details>

# %% [markdown]
# ## 6 · No hidden scratchpad
#
# The trace is the whole state only if nothing else is kept. There are two places to look: inside the adapter,
# and inside the trace.
#
# First the adapter. This one is born anew for every single proposal, so it cannot have kept a thing. Look at
# whether its run differs.


# %%
class BornAnew:
    """A healthy adapter without a past: each proposal is made by one that was created a moment ago."""

    def next_action(self, history: Trace) -> Action:
        return DeterministicModelAdapter().next_action(history)


with attempt("end_after"):
    kept = run_task(DeterministicModelAdapter(), tools, end_after)
    print("the same trace:", run_task(BornAnew(), tools, end_after)["trace"] == kept["trace"])

# %% [markdown]
# Then the trace. A model's private reasoning does not belong into it: it is no observation, nobody can check
# it, and a decision that leaned on it could not be explained by what happened. The project says so in its
# settings. Look at the names that may not occur.

# %%
forbidden = project()["evidence"]["forbidden_fields"]
print(forbidden)

# %% [markdown]
# ### Before you run · P01.12
#
# An entry has been tampered with in four places, marked `a` to `d`. Which of them holds a forbidden *field*,
# one whose name is on the list, whether its letters are large or small? Predict a set of letters.

# %%
tampered = {
    "action": {"tool": "search", "args": {"a": {"thought": "try the log first"}, "b": "thought"}},
    "observation": {"ok": True, "c": {"afterthought": "none"}, "d": [{"score": 1}, {"Thought": "looks good"}]},
}
print(json.dumps(tampered, indent=2))

predict("P01.12", {"a", "d"}, confidence=0.8)

# %% [markdown] exercise="forbidden_paths" title="Find the scratchpad" difficulty=3 minutes=20 mode="with help" stretch=true
# A field that must not be there hides best deep inside, where nobody prints it. A search that looks at the top
# only is worse than none, since people rely on it.
#
# Write `forbidden_paths`, which goes through a value down to its innermost parts and says where the forbidden
# fields are. This one is a stretch: it is graded and shown, and it does not count.
#
# hint: Of which kinds can a value be that has further values inside? How would you name the place of each of
# those?
# hint: Let a function call itself for every value inside, and hand it the path so far. A dict adds a dot and the
# key, or the key alone where the path is still empty; a list or a tuple adds a number in brackets.
# hint: Compare each key, in small letters, with the names in small letters. When it is one of them, note the path.
# Then go on into the value in any case, since there may be more below. Strings and numbers have nothing inside.


# %%
def forbidden_paths(obj: Any, names: Iterable[str]) -> list[str]:
    """The place of every forbidden field in `obj`, in any order, each once; [] when there is none.

    A field is a key of a dict. It is forbidden when it equals one of `names` as a whole, whether in
    large or small letters. Fields are looked for at every depth: in dicts, lists and tuples inside
    each other, also below a field that is itself forbidden. A value that is text is no field.

    A place is written from the outside in. A key follows a dot, but for the first; the position in a
    list or tuple, counted from 0, stands in brackets; keys are spelled as in `obj`. For example
    "trace[0].action.args.thought", or "[2].Thought" when obj is a list. All keys are strings. `obj` is
    left as it was.
    """
    # BEGIN SOLUTION
    lowered = set(map(str.lower, names))
    places = []
    waiting = [("", obj)]
    while waiting:
        path, value = waiting.pop()
        match value:
            case dict():
                inside = [(f"{path}.{field}" if path else field, field) for field in value]
                places += [place for place, field in inside if field.lower() in lowered]
                waiting += [(place, value[field]) for place, field in inside]
            case tuple() | list():
                waiting += [(f"{path}[{at}]", part) for at, part in enumerate(value)]
    return sorted(places)
    # END SOLUTION


# %% [markdown]
# Your function on the entry from above. A letter belongs to the answer when a place goes through it.


# %%
def letters_found() -> set[str]:
    found = forbidden_paths(tampered, forbidden)
    print(*found, sep="\n")
    return {letter for letter in "abcd" for path in found if f".{letter}" in path.replace("[", ".")}


with attempt("forbidden_paths"):
    reveal("P01.12", letters_found)

# %% [markdown]
# And on the four recorded runs, whole files and all. Look for an empty list behind each name.

# %%
with attempt("forbidden_paths"):
    for name in recorded_names():
        print(f"{name:18} {forbidden_paths(recording(name), forbidden)}")

# %% [markdown]
# ## 7 · Runs that pass everything
#
# Before you go, all of it at once, on the four recorded runs: your rule ends each where it ended and nowhere
# else, and your record counts what was counted. Look for a column of `True`.

# %%
with attempt("end_after", "transitions"):
    for name in recorded_names():
        sound = recording(name)
        ends = [end_after(sound["trace"][:n]) for n in range(sound["steps"] + 1)]
        once = ends == [None] * sound["steps"] + [(sound["status"], sound["termination"])]
        last = transitions(sound["trace"])[-1]
        print(f"{name:18}", once and (last["steps"], last["retries"]) == (sound["steps"], sound["retries"]))

# %% [markdown]
# ## What this does not do
#
# - **It does not say that the report is good.** `completed` means that a report was written. What is in it,
#   nobody has looked at.
# - **It does not know why a call failed.** A wrong argument and a dead service count the same, though one can be
#   put right and the other cannot.
# - **A trace can be made up.** Whoever invents one that fits together gets counters and an end that fit as well.
#   Notebook 08 is about what an audit can see.
# - **The step in flight is not in it.** Between an effect and its entry a machine can be switched off. Then the
#   file is there and the trace does not say so; notebooks 05 and 06 deal with that.
# - **Names are all that is forbidden.** Reasoning that is written into an argument under another name, or into
#   the report, is found by no list of names.
# - **The limits are numbers that somebody chose.** Six steps and two failures fit this task, not every task.

# %% [markdown]
# ## Have you got it?
#
# **Answer without running anything**
#
# 1. A call fails. Which of the counters go up?
# 2. Nothing fails, and no report is written. What ends the run?
# 3. Which single action ends a run early and well?
# 4. A trace of five entries holds two failures, and its sixth entry is a failed `write_report`. How does it end?
# 5. A file holds a trace of two entries, both of them fine. What are its status and termination?
#
# **Show that you can**
#
# - say the four runs in advance, with steps, retries, status and termination, and name the limit that each of
#   them touches or does not;
# - find *status* and *termination* in a file that `python -m course_lib evaluate` wrote for another fixture, and
#   get both from its trace alone.
#
# <details><summary>Answers to 1 to 5</summary>
#
# 1\. Both: a failed call is a step. 2. The step budget, after six entries. 3. A `write_report` that goes well.
# 4\. As `failed` with `tool_failure`: that was the third failure, and failures are tested before the budget.
# 5\. It is in progress and has no termination, whatever made it stop there.
#
# </details>

# %% [markdown]
# ## How others keep the state of a run
#
# Links for comparison: no exercise needs them, nor an account or a framework.
#
# **Persistence** · LangGraph documentation · LangChain, Inc.
#
# - *Where*: [LangGraph, Persistence](https://docs.langchain.com/oss/python/langgraph/persistence), the
#   sections on threads and checkpoints
# - *Rights*: © the publisher, the library itself under the MIT licence; linked only, nothing adapted
# - *Verified*: langgraph 1.2.24, on 2026-10-30
# - *Why this one*: it stores the values of the state after each step, where you store what happened and fold
#   the values from it; list what each of the two can lose
# - *Presumes*: that an agent can be drawn as a graph; no account
# - *Offline*: parts 1 to 3 above; the four recordings of `course_lib`
# - *Compared with*: [OpenAI Agents SDK, Sessions](https://openai.github.io/openai-agents-python/sessions/)
#   keeps a conversation, from which counters and ends would have to be read out of text ·
#   [Cadence, Workflows](https://cadenceworkflow.io/docs/concepts/workflows) keeps a history of events as you
#   do, and needs a server to run

# %% [markdown]
# **WorkflowExecutionInfo** · Amazon Simple Workflow Service, API Reference · Amazon Web Services
#
# - *Where*: [WorkflowExecutionInfo](https://docs.aws.amazon.com/amazonswf/latest/apireference/API_WorkflowExecutionInfo.html),
#   the fields `executionStatus` and `closeStatus`
# - *Rights*: © the publisher; linked only, nothing adapted
# - *Verified*: API version 2012-01-25, a stored copy of the page read on 2026-11-30
# - *Why this one*: two fields side by side, whether a run is over and what closed it, as your pair of status and
#   termination; look for what it calls a run that took too long
# - *Presumes*: nothing; no account to read it
# - *Offline*: the table at the head of part 2
# - *Compared with*: [Temporal's Python
#   library](https://python.temporal.io/temporalio.client.WorkflowExecutionStatus.html) has one status for both
#   questions · [Orkes Conductor, workflow and task
#   status](https://www.orkes.io/content/conceptual-guides/workflow-and-task-status) also says how a failed run
#   can be taken up again
#
# Next: **02**, where the agent has evidence to judge, and may refuse to conclude.
