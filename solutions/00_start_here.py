# ---
# course:
#   title: Say what will happen, then run it
#   minutes: 40
#   summary: Read a trace, put a first prediction on record, and let the grader judge your first answers.
# ---

# %% [markdown]
# Welcome. In this course you build an agent that can be held to account: one that can be
# stopped anywhere, started again, and audited by somebody who does not trust it.
#
# After this notebook you can
#
# - read a **trace**, the record that an agent's run leaves behind;
# - put a **prediction** on record, with a confidence, before you run anything;
# - let the **grader** judge an answer, here and in a terminal;
# - say what in this course is simulated and what is real.
#
# Run the cells from top to bottom with Shift+Enter. Nothing here can break anything.

# %%
import itertools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from course_lib import attempt, check, journal, predict, reveal
from course_lib.agent import DeterministicModelAdapter, run_task
from course_lib.faults import Stuck
from course_lib.figures import calibration, run_strip, show
from course_lib.tools import make_notes, notes_tools

# %% [markdown]
# ## What is simulated, what is real
#
# | part | here |
# |---|---|
# | the model that decides what to do next | **simulated**: a few lines of Python, the *adapter* |
# | the tools that carry it out | real: they read and write files |
# | crashes, databases, processes in later notebooks | real |
# | the grader, and the kernel that it runs your notebook in | real |
#
# A simulated model costs nothing, needs no network and decides the same thing twice. What goes
# wrong around a model goes wrong around this one too.
#
# Our agent has one task: read two notes and write a report on them. Here are the notes.

# %%
root = Path(tempfile.mkdtemp())
make_notes(root)
for note in sorted((root / "notes").iterdir()):
    print(f"{note.name}: {note.read_text().strip()}")

# %% [markdown]
# ## One run
#
# The agent goes round a loop: the adapter sees the history and proposes an **action**, a tool
# carries it out, and what came back is the **observation**. Here the loop stops after four
# rounds, because the cell says so. How a run *should* end is the subject of notebook 01.


# %%
def stop_after(n):
    return lambda trace: ("stopped", f"after {n} entries") if len(trace) == n else None


healthy = run_task(DeterministicModelAdapter(), notes_tools(root), stop_after(4))
print((root / "report.txt").read_text())

# %% [markdown]
# The report is a real file. And this is what the run left behind besides: its **trace**, a list
# with one entry per round. Look at the second entry, the one at position `k = 1`.

# %%
print(json.dumps(healthy["trace"][1], indent=2))

# %% [markdown]
# An entry is a pair. `action` is what was proposed: a tool and its arguments. `observation` is
# what came back, and its `ok` says whether the call worked.
#
# In the rest of this notebook an entry takes one line. Read it as: *position, action → observation*.


# %%
def print_trace(trace):
    for k, entry in enumerate(trace):
        action, seen = entry["action"], entry["observation"]
        result = "ok" if seen["ok"] else f"failed: {seen['error']}"
        wanted = action["args"].get("name", "")
        print(f"{k}  {action['tool']}({wanted})".ljust(26), "→", result)


print_trace(healthy["trace"])

# %% [markdown]
# These words mean the same in every notebook:
#
# | word | what it means |
# |---|---|
# | adapter | stands where a model would: it sees the history and proposes the next action |
# | action | a tool and the arguments that it is called with |
# | observation | what came back; its `ok` says whether the call worked |
# | entry | an action with its observation |
# | trace | all entries of a run, oldest first; as the adapter is shown it, the *history* |
# | step | one entry of a trace; a run of four entries has four steps |
# | retries | a counter; what it counts is the first question below |
# | run | the loop from its first round to its last, with the trace that it leaves |

# %% [markdown]
# ## A bad day
#
# Now `read_note` works only some of the time: its first and its third call fail. The adapter and
# everything else are as before. Look at how the adapter answers a failure.


# %%
def unreliable(tool, failing_calls):
    number = itertools.count(1)
    return lambda args: {"ok": False, "error": "tool_unavailable"} if next(number) in failing_calls else tool(args)


tools = notes_tools(root)
shaky_tools = {**tools, "read_note": unreliable(tools["read_note"], {1, 3})}
bad_day = run_task(DeterministicModelAdapter(), shaky_tools, stop_after(4))
print_trace(bad_day["trace"])

# %% [markdown]
# ### Before you run · P00.1
#
# `run_task` kept a counter while it ran, called **retries**: the number of observations whose
# `ok` is `False`. Its value for this run is in `bad_day["retries"]`.
#
# Do not look yet. What is it? Put a number in place of the first `...`, and in place of the
# second how sure you are: `0.5` is a coin, `0.8` means that of five such answers four are right,
# `1.0` says that you cannot be wrong.

# %%
predict("P00.1", 2, confidence=0.9)

# %% [markdown]
# `reveal` runs its function only when your prediction is on record, so you can run a whole
# notebook without spoiling anything. This one draws the run as a strip, one box an entry, with
# the counters below. Look at where *retries* moves, and at where it does not.


# %%
def draw_and_count():
    show(run_strip(bad_day))
    return bad_day["retries"]


reveal("P00.1", draw_and_count)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# The name misleads: *retries* counts what **failed**, not what was tried again. The whole course
# uses the word so.
#
# </details>
#
# The boxes that `predict` and `reveal` print are *cards*. Both name an entry of your **prediction
# journal**, a file beside this notebook (`predictions/00.jsonl`) with one line per entry. Each line
# carries a fingerprint of the line before it, so a line that is changed later gives itself away.
# Changing your mind before you run is fine: it adds a line.
#
# The journal earns marks for being complete, and for being first. **Being wrong costs nothing.**
# One honest limit: the fingerprints show an edit; they cannot show a journal invented whole.

# %% [markdown]
# ## Your first exercise
#
# An exercise's heading says how hard it is (one to five dots), how long it may take, and who may
# help:
#
# - **with help, AI included**: anybody and anything may, a friend, a book, an AI;
# - **on your own, no AI**: only this notebook, its hints and Python's documentation. What you find
#   out on the way is the point of such an exercise.
#
# Below it stands what *done* means, then the function's head. Write its body, run the cell, and run
# the `check` below it.

# %% [markdown] exercise="count_retries" title="Count the retries" difficulty=1 minutes=5 mode="with help"
# The counter need not be kept: whoever holds the trace can work it out. Later notebooks lean on
# that, because a counter that is kept can drift away from what happened, and one that is derived
# cannot.
#
# Write `count_retries(trace)`, which finds the number of failed observations from the trace alone.
#
# hint: Which of the two halves of an entry says whether a call worked?
# hint: Go through the entries once. The tool, the arguments and the other keys of the
# observation do not matter.
# hint: Take each entry's observation and keep those whose `ok` is `False`. Nothing needs to remember
# the entry before. What do you return when nothing was kept?


# %%
def count_retries(trace: list[dict]) -> int:
    """Count the failed observations of a run.

    `trace` is a list of entries {"action": {...}, "observation": {"ok": bool, ...}}, oldest first.
    An observation has failed when its `ok` is False; nothing else decides it. All of them count,
    wherever they stand and whatever tool they came from. The trace is left as it was.

    Returns a whole number, 0 for an empty trace.
    """
    # BEGIN SOLUTION
    observations = (entry["observation"] for entry in trace)
    return sum(1 for seen in observations if seen["ok"] is False)
    # END SOLUTION


# %% [markdown]
# Does it agree with the counter that the loop kept? Look at both runs: whoever counts what worked, or
# what was sent again, gets another number in one of them.

# %%
with attempt("count_retries"):
    for name, run in [("healthy", healthy), ("bad day", bad_day)]:
        print(f"{name}: derived {count_retries(run['trace'])}, kept {run['retries']}")

# %% [markdown]
# ## How a run can end
#
# From notebook 01 on a run ends in one of three ways, and its **termination** says which:
#
# - `goal_reached`: the report was written;
# - `tool_failure`: more than two observations failed;
# - `step_budget`: six entries, and neither of the above.
#
# ### Before you run · P00.2
#
# The adapter `Stuck` lists the notes and then reads them in turn, over and over. All its calls
# work. Here it runs for real, for six rounds. Which termination is it? Answer with one of the
# three names, as a string.

# %%
predict("P00.2", "step_budget", confidence=0.9)

# %% [markdown]
# The function behind `reveal` looks at the trace and says which of the three it was.


# %%
def how_it_ended(run):
    print_trace(run["trace"])
    if any(entry["action"]["tool"] == "write_report" for entry in run["trace"]):
        return "goal_reached"
    return "tool_failure" if run["retries"] > 2 else "step_budget"


reveal("P00.2", lambda: how_it_ended(run_task(Stuck(), notes_tools(root), stop_after(6))))

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# Six calls worked, and there is no report. A run that never fails can still be stuck, and only the budget of
# entries puts an end to it.
#
# </details>

# %% [markdown]
# ## What the grader does
#
# A **kernel** is the process that runs your cells. `check(...)` runs an exercise's public tests
# right here, in yours. In a terminal (menu *File*, *New*, *Terminal*),
#
# ```
# grader check 00
# ```
#
# takes the notebook as you **saved** it, runs it in a kernel of its own, and puts public and
# hidden tests to what it finds. For each test that is not passed it says which promise does not
# hold. `grader hint brier` gives you the next hint of an exercise; `make check`, in the folder of
# the course, grades everything.

# %% [markdown]
# ### Before you run · P00.3
#
# Somebody hands in the answer below. It has a mistake, and worse: a call with an empty trace ends
# the process that it runs in. One of the public tests makes just such a call. What does the
# grader say of that test?
#
# Answer `"passed"` (nothing failed), `"not passed"`, or `"no grade"` (the whole run broke off).

# %%
KILLS_ITS_KERNEL = """
import os

def count_retries(trace):
    if not trace:
        os._exit(0)
    return 1
"""

predict("P00.3", "not passed", confidence=0.8)

# %% [markdown]
# This is the grader itself, at work on a notebook that holds only that cell. No need to read the
# code: it writes such a notebook, calls `grader check` on it, and prints what came back. It takes a
# moment.


# %%
def verdict_on(cell):
    if "COURSE_GRADING" in os.environ:
        return "not run"  # the grader is at work on this very notebook; it does not grade inside itself
    notebook = {"cells": [{"cell_type": "code", "source": cell, "metadata": {}, "outputs": []}]}
    path = root / "00_start_here.ipynb"
    path.write_text(json.dumps({**notebook, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    call = ["grader.cli", "check", str(path), "--exercise", "count_retries", "--json", "-"]
    done = subprocess.run([sys.executable, "-m", *call], capture_output=True, text=True)
    if not done.stdout:
        return "no grade"
    [report] = json.loads(done.stdout)["notebooks"]
    [tests] = [each["tests"] for each in report["exercises"] if each["name"] == "count_retries"]
    public = [test for test in tests if test["visibility"] == "public"]
    for test in public:
        because = f" ({test['reason']})" if test["reason"] else ""
        print(f"{test['title']} → {test['outcome']}{because}")
    [killed] = [test for test in public if test["reason"] == "killed"]
    return "passed" if killed["outcome"] == "passed" else "not passed"


reveal("P00.3", lambda: verdict_on(KILLS_ITS_KERNEL))

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# Passing needs evidence. A test without a result is not passed, and it carries a reason. The kernel that
# died is replaced by a new one, so the other tests, and the rest of the notebook, are judged all the same.
#
# </details>

# %% [markdown]
# ## Three questions from later notebooks
#
# You are not meant to know these. Say what you believe and how sure you are; the notebooks that
# answer them in full will come back to them.
#
# ### P00.4 · the same call, twice
#
# Three tools: `read_note` reads a file, `write_report` overwrites one, `append_note` adds a line
# to one. An agent is not sure whether its call arrived and sends it again, unchanged. After which
# of them do the files differ from what one call leaves? Answer with a **set** of names, for instance
# `{"read_note", "write_report"}`.

# %%
predict("P00.4", {"append_note"}, confidence=0.9)

# %% [markdown]
# Each tool is called once, the files are read, and then it is called again with the same arguments.


# %%
def append_note(args):
    with (root / "log.txt").open("a") as log:
        log.write(args["line"] + "\n")


def files():
    return {path.name: path.read_bytes() for path in root.rglob("*.txt")}


def changed_by_a_second_call():
    calls = {
        "read_note": (tools["read_note"], {"name": "alpha.txt"}),
        "write_report": (tools["write_report"], {"content": "all is well"}),
        "append_note": (append_note, {"line": "valve 3 leaks"}),
    }
    different = set()
    for name, (tool, args) in calls.items():
        tool(args)
        once = files()
        tool(args)
        if files() != once:
            different.add(name)
    return different


reveal("P00.4", changed_by_a_second_call)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# Overwriting with the same bytes leaves the same file; adding a line leaves two. So whether it is safe to
# send a call again depends on the tool, and notebook 06 makes an unsafe one safe.
#
# </details>

# %% [markdown]
# ### P00.5 · stopped at a bad moment
#
# A program charges a card and *then* notes that it did. When it starts and finds no note, it
# charges. It may be stopped **once**, anywhere, and is then started again and runs to its end.
# Which numbers of charges can the card have seen? Answer with a set of numbers, for instance `{0, 3}`.

# %%
predict("P00.5", {1}, confidence=0.6)

# %% [markdown]
# The cell stops the program at each of its moments in turn and starts it again. Read each line as a
# story of its own. Here an exception stops the program; in notebook 05 it will be the operating system,
# at every single instruction.


# %%
class Stopped(Exception):
    pass


def program(card, note, stop_at=None):
    def moment(name):
        if name == stop_at:
            raise Stopped

    moment("before the charge")
    if not note:
        card.append("charge")
        moment("before the note")
        note.append("charged")
    moment("at the end")


def possible_charges():
    counts = set()
    for stop_at in ["before the charge", "before the note", "at the end"]:
        card, note = [], []
        try:
            program(card, note, stop_at)
        except Stopped:
            program(card, note)
        print(f"stopped {stop_at}, then started again → charges: {len(card)}")
        counts.add(len(card))
    return counts


reveal("P00.5", possible_charges)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# Between the charge and the note there is a moment in which the card knows and the program does not: started
# again, it charges once more. With the note first, that moment would lose the charge instead.
#
# </details>

# %% [markdown]
# ### P00.6 · a budget that is checked first
#
# An agent may read 200 tokens. *Before* each call a gate asks whether 200 have been reached; if
# so, it refuses. Each call returns 90 tokens. How many tokens has the agent read when it is
# refused for the first time? Answer with a number.

# %%
predict("P00.6", 270, confidence=0.7)

# %% [markdown]
# Here are such an agent and its gate, which is the condition of the loop.


# %%
def tokens_read_at_refusal(budget, per_call):
    read = 0
    while read < budget:
        read += per_call
    return read


reveal("P00.6", lambda: tokens_read_at_refusal(budget=200, per_call=90))

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# Before the third call 180 tokens have been read, so the gate allows it, and then there are 270. A gate that
# only looks back can be overshot by one call; notebook 03 says by how much.
#
# </details>
#
# Whoever wrote the solved version of this notebook got one of the six wrong. It stands there as
# it was recorded, and it earned the same marks as the others.

# %% [markdown]
# ## Were you as sure as you should have been?
#
# A confidence can be scored. Let $p$ be what you said and $y$ be 1 if you were right and 0 if you
# were not; then $(p - y)^2$ is the price of one prediction:
#
# | you said | you were right | you were wrong |
# |---|---|---|
# | 0.5 | 0.25 | 0.25 |
# | 0.9 | 0.01 | 0.81 |
# | 1.0 | 0 | 1 |
#
# The mean of these prices is the **Brier score**: 0 is perfect, and 0.25 is what you get for
# saying 0.5 every time. Nothing is gained by saying anything but what you believe.

# %% [markdown] exercise="brier" title="Score your confidence" difficulty=1 minutes=8 mode="with help"
# You will meet this score again: it is shown beside your calibration plot, and in notebook 08 it
# is the first function that you write a property for.
#
# Write `brier(predictions)`, the mean price of a list of predictions, and make it refuse what has no
# sensible answer: an empty list, and a confidence outside 0 to 1.
#
# hint: What is the price of one prediction that was right? And of one that was wrong?
# hint: Add up one squared difference per prediction, then divide by how many there are. In
# arithmetic `True` counts as 1 and `False` as 0.
# hint: First refuse an empty list. Then go through the pairs: refuse a confidence outside 0 to 1, and
# add the square of confidence minus outcome to a total. Both ends are confidences too: which
# comparisons let them pass?


# %%
def brier(predictions: list[tuple[float, bool]]) -> float:
    """Mean squared difference between confidence and outcome.

    `predictions` is a list of pairs (p, right): the confidence p, a number from 0 to 1, and
    whether the prediction was right. The outcome y of a pair is 1 if it was right, otherwise 0;
    its price is (p - y) squared. Returns the mean of all prices, a number from 0 to 1, not rounded.

    Raises ValueError when the list is empty, or when any p is below 0 or above 1.
    """
    # BEGIN SOLUTION
    if not predictions:
        raise ValueError("brier: there is no mean of no predictions")
    total = 0.0
    for p, right in predictions:
        if not 0 <= p <= 1:
            raise ValueError(f"brier: a confidence lies between 0 and 1, not at {p}")
        total += (p - right) ** 2
    return total / len(predictions)
    # END SOLUTION


# %% [markdown]
# ## Your first point
#
# A prediction came true when what it predicted agrees with what was observed. Both stand in your
# journal, so the pairs that `brier` wants can be read from it.


# %%
def my_pairs():
    path = journal.journal_path("P00.1")
    lines, problems = journal.read(path.read_bytes() if path.exists() else b"")
    for problem in problems:
        print(problem.message)
    pairs = []
    for number in range(1, 7):
        predicted, observed = journal.standing(lines, f"P00.{number}")
        if predicted and observed:
            pairs.append((predicted.confidence, journal.agrees(predicted.value, observed.value)))
    return pairs


with attempt("brier"):
    pairs = my_pairs()
    print("predictions with an outcome:", len(pairs))
    if pairs:
        print(f"your Brier score so far: {brier(pairs):.3f}")

# %% [markdown]
# The same pairs as a **calibration plot**: to the right how sure you were, upwards how often you
# were right. On the dashed line the two are equal. A handful of predictions says nothing yet:
# look at how wide the bars of luck are.

# %%
if my_pairs():
    show(calibration(my_pairs()))
else:
    print("Your plot appears here once a prediction of yours has an outcome.")

# %% [markdown]
# ## What this cannot do
#
# - The journal shows edits. A person who writes a whole new one, chain and all, leaves no mark.
# - Six predictions cannot tell whether you are well calibrated. The course collects yours, and
#   the plot in notebook 09 says more.
# - The model here is simulated, and decides the same thing each time. Real ones do not; notebook
#   04 shows what breaks then.
# - Passing all tests means that no test found a fault. That is less than being right.

# %% [markdown]
# ## Have you got it?
#
# **Answer without running anything**
#
# 1. A run has seven entries, and its first and last observation failed. What is *retries*?
# 2. The trace holds the same action three times. Does that tell you anything about *retries*?
# 3. You are right about half of the time when you say 0.9. What does that do to your Brier score?
# 4. Why does the grader not count a test that never came to a result?
#
# **Show that you can**
#
# - get all public tests of both exercises green here;
# - save, run `grader check 00` in a terminal, and read its table: which exercise, how many public
#   and hidden tests, what the predictions earned;
# - find the lines of P00.1 in `predictions/00.jsonl`: which is a prediction, which the observation?
#
# <details><summary>Answers to 1 to 4</summary>
#
# 1. Two. 2. No: only failed observations count. 3. It gets worse: a wrong 0.9 costs 0.81, a
# right one saves little. 4. Because silence is not evidence; a dead kernel would pass everything.
#
# </details>

# %% [markdown]
# ## Where to read on
#
# **How IPython works** · IPython documentation · the IPython development team
#
# - *Where*: [section "The IPython Kernel"](https://ipython.readthedocs.io/en/9.3.0/development/how_ipython_works.html)
# - *Rights*: BSD-3-Clause; linked only, nothing adapted
# - *Verified*: IPython 9.3, on 2026-11-30
# - *Why this one*: a page that says what a kernel is and how a notebook talks to it
# - *Presumes*: that you have run a cell
# - *Offline*: the section "What the grader does" above is enough for this course
# - *Compared with*: the Jupyter project's architecture page, wider and less about kernels · the Jupyter
#   messaging specification, complete and long
#
# **sklearn.metrics.brier_score_loss** · scikit-learn documentation · the scikit-learn developers
#
# - *Where*: [API reference](https://scikit-learn.org/1.6/modules/generated/sklearn.metrics.brier_score_loss.html)
# - *Rights*: BSD-3-Clause; linked only, nothing adapted
# - *Verified*: scikit-learn 1.6, on 2026-11-30
# - *Why this one*: the same score in a library that many use; check yours against it
# - *Presumes*: arrays
# - *Offline*: the table above shows all the arithmetic
# - *Compared with*: the American Meteorological Society's glossary entry, shorter, the formula only ·
#   G. W. Brier's article of 1950 in Monthly Weather Review 78, pages 1 to 3, the origin, on forecasts with more
#   than two outcomes
#
# Next: **01**, where a run learns to end.
