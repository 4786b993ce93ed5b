# ---
# course:
#   title: Audit
#   minutes: 180
#   summary: Work the verdict out from the trace, believe nothing that is declared, and write the test that catches a bad auditor.
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
# A run hands in its own report: four steps, no retries, completed. Who says so? The run does. An auditor reads
# the trace, works out the verdict anew, and only then looks at what was declared. In this notebook you write
# that auditor, then you write the test that finds the faults of other auditors.
#
# **When you are through, you can**
#
# - derive a verdict from a trace alone, for sound traces, corrupted ones and those of killed runs;
# - audit a run: report every violation, and believe nothing of what is declared;
# - name a forgery that no audit of a trace can see;
# - write a property that is strong enough to catch planted faults, and measure how strong it is.

# %% [markdown]
# **What is real here.** Runs on files, a process that is killed, ledgers and journals that are tampered with.
# Only the model is simulated. The notebook needs nothing from other notebooks.
#
# **How to work.** On your own, without an AI: an auditor whose reasons you cannot give is no auditor. Predict
# before you run. Exercises end in `check(...)`; save now and then, and run `grader check 08` in a terminal for
# the hidden tests.
#
# The first cell makes a folder for everything that is written here.

# %%
import copy
import hashlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.configuration import set_hypothesis_home_dir

import course_lib
from course_lib import attempt, check, figures, journal, predict, reveal
from course_lib.agent import Action, RunResult, Trace, run_task, unpack
from course_lib.draws import Draws
from course_lib.faults import SCENARIOS
from course_lib.recordings import project, recorded_names, recording
from course_lib.tools import make_notes, notes_tools

scratch = tempfile.TemporaryDirectory()
root = Path(scratch.name)
make_notes(root)
set_hypothesis_home_dir(root / "hypothesis")

# %% [markdown]
# ## Two questions from earlier
#
# ### Before you run · P08.1
#
# An agent has three tools: it can list notes, read one, and write a report. The second call of its adapter names
# a tool that nobody has given it, `send_mail`. What does the trace of the run hold for that call: `"no entry"`,
# `"a failed entry"` or `"an ok entry"`?

# %%
predict("P08.1", "a failed entry", confidence=0.8, kind=["no entry", "a failed entry", "an ok entry"])

# %% [markdown]
# Three calls of such an adapter, made for real. Look at the trace.


# %%
class SendsMail:
    def next_action(self, history: Trace) -> Action:
        return {"tool": "send_mail" if len(history) == 1 else "list_notes", "args": {}}


def call_of_a_tool_that_is_not_there() -> str:
    calls = iter(range(1, 4))
    run = run_task(SendsMail(), notes_tools(root), lambda _: ("stopped", "by this cell") if next(calls) == 3 else None)
    said = "no entry"
    for k, (called, answer) in enumerate(map(unpack, run["trace"])):
        print(k, called["tool"], answer)
        if called["tool"] == "send_mail":
            said = "an ok entry" if answer["ok"] else "a failed entry"
    return said


_ = reveal("P08.1", call_of_a_tool_that_is_not_there)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# Whatever goes wrong with a call is an observation like any other, and its entry stands in the trace. An auditor
# relies on it: where nothing is left out, the number of entries is the number of calls.
#
# </details>

# %% [markdown]
# ### Before you run · P08.2
#
# A checkpoint holds a trace and its counters, and loading it counts again. Somebody opens the file and changes
# the *text* of a note inside entry 1, nothing else. Is the file `"refused"` or `"accepted"`?

# %%
predict("P08.2", "accepted", confidence=0.8, kind=["refused", "accepted"])

# %% [markdown]
# The cell changes the text, and counts before and after.


# %%
def counters(trace: Trace) -> tuple[int, int]:
    return len(trace), [each["observation"]["ok"] for each in trace].count(False)


def load_with_a_changed_text() -> str:
    trace = recording("summarize-notes")["trace"]
    before = counters(trace)
    trace[1]["observation"]["text"] = "The pump exploded on Monday."
    print("counters before and after:", before, counters(trace))
    return "accepted" if counters(trace) == before else "refused"


_ = reveal("P08.2", load_with_a_changed_text)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# Counting again finds a file that contradicts *itself*. Keep that in mind for the questions below.
#
# </details>

# %% [markdown]
# ## 1 · The verdict follows from the trace
#
# Four recorded runs. Each cell of the list below is one entry: the tool, and whether its observation was ok.
# What the four runs *declare* about themselves is not printed.


# %%
def in_short(trace: Trace) -> str:
    """A trace in one line; an observation without a proper `ok` shows as a question mark."""
    signs = {"True": "ok", "False": "FAILED"}
    return ", ".join(f"{e['action']['tool']} {signs.get(str(e['observation'].get('ok')), '?')}" for e in trace)


for name in recorded_names():
    print(f"{name}: {in_short(recording(name)['trace'])}")

# %% [markdown]
# ### Before you run · P08.3
#
# What will an auditor say of them? Predict a list of four, one for each run in the order above: steps, retries
# and termination, such as `(5, 0, "goal_reached")`. The answer comes when you have written the audit.

# %%
predict(
    "P08.3",
    [(4, 0, "goal_reached"), (5, 1, "goal_reached"), (3, 3, "tool_failure"), (6, 0, "step_budget")],
    confidence=0.9,
)

# %% [markdown] exercise="derive" title="Derive the verdict" difficulty=2 minutes=20 mode="on your own, no AI"
# Whoever wrote the trace may have stopped too late, too early, or not have noticed how the run ended. An
# auditor who looks only at the last entry inherits that mistake.
#
# Write `derive`, which reads a trace from its beginning and says how the run ended, however the trace goes on
# afterwards.
#
# hint: After which entry is the run over? What do the entries that come later have to say in the matter?
# hint: Go through the entries from the first, carry the number of failures along, and ask the three questions
# after each one in the order of the docstring. Return as soon as one of them says yes.
# hint: Use enumerate with start=1 for the number of steps, and .get("ok") so that a missing flag is None.
# Compare with `is True` and `is False`, so that neither 1 nor "yes" passes for a success. After the loop
# there is one answer left, also for the empty trace.


# %%
def derive(trace: Trace, *, max_steps: int = 6, max_retries: int = 2) -> tuple[str, str | None]:
    """Work out (status, termination) from the entries of a trace, and from nothing else.

    The entries are read from the first one. After each of them, in this order:

    - a write_report whose ok is True ends the run      ("completed", "goal_reached")
    - more than max_retries failed observations so far  ("failed", "tool_failure")
    - max_steps entries so far                          ("budget_exhausted", "step_budget")

    The first entry that ends the run decides; what follows it changes nothing. A trace that no entry
    ends, the empty one too, is ("in_progress", None).

    An observation has failed when its ok is False. An ok that is missing, or that is neither True nor
    False, is malformed: never a success. Whether it counts as a failure is left open, and not tested.
    `trace` is left as it was.
    """
    # BEGIN SOLUTION
    size = failures = 0
    for taken in trace:
        action, seen = unpack(taken)
        tool, went_well = action["tool"], seen.get("ok")
        size += 1
        if went_well is True and tool == "write_report":
            return "completed", "goal_reached"
        failures += went_well is False
        if failures > max_retries:
            return "failed", "tool_failure"
        if size >= max_steps:
            return "budget_exhausted", "step_budget"
    return "in_progress", None
    # END SOLUTION


# %% [markdown]
# Now four real runs, on the files in this notebook's folder. The loop asks after each entry whether the run is
# over, and here it asks your `derive`.


# %%
def over(trace: Trace) -> tuple[str, str] | None:
    """The end rule that run_task wants: None as long as the run goes on."""
    status, termination = derive(trace)
    return None if termination is None else (status, termination)


def real_run(name: str) -> RunResult:
    make_adapter, make_tools = SCENARIOS[name]
    return run_task(make_adapter(), make_tools(root), over)


with attempt("derive"):
    mine = {name: real_run(name) for name in recorded_names()}
    for name, run in mine.items():
        print(f"{name:18} {run['steps']} steps, {run['status']}, as recorded: {run == recording(name)}")

# %% [markdown]
# Handy, and a trap: the runner and the auditor now share one opinion. If `derive` is wrong, both are wrong
# alike, and an audit of these runs finds nothing. That is why the recordings of another runner stand beside
# them.

# %% [markdown]
# ### Before you run · P08.4
#
# A process writes its trace to a file after each entry. After its third entry it is killed, by signal 9: it
# has no time to say anything. What status will `derive` find: `"completed"`, `"failed"`, `"budget_exhausted"` or
# `"in_progress"`?

# %%
predict(
    "P08.4",
    "in_progress",
    confidence=0.9,
    kind=["completed", "failed", "budget_exhausted", "in_progress"],
)

# %% [markdown]
# This is that process, a real one. Look at its exit status, and at what it left behind.

# %%
KILLED_AFTER_THREE = """
import json, os, signal, sys
from pathlib import Path
from course_lib.agent import DeterministicModelAdapter, run_task
from course_lib.tools import notes_tools

def note_down(trace):
    Path("trace.json").write_text(json.dumps(trace))
    if len(trace) == 3:
        os.kill(os.getpid(), signal.SIGKILL)

run_task(DeterministicModelAdapter(), notes_tools(Path(".")), note_down)
"""


def verdict_on_a_killed_run() -> str:
    library = str(Path(course_lib.__file__).parents[1])
    done = subprocess.run([sys.executable, "-c", KILLED_AFTER_THREE], cwd=root, env={"PYTHONPATH": library})
    trace = json.loads((root / "trace.json").read_text())
    print("ended by signal", -done.returncode)
    print(in_short(trace))
    return derive(trace)[0]


with attempt("derive"):
    reveal("P08.4", verdict_on_a_killed_run)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# Not every trace has a verdict. To call a killed run failed would be as wrong as to call it completed.
#
# </details>

# %% [markdown]
# ## 2 · What is declared has to be checked
#
# A run's result holds its trace and, beside it, four values that the run *declares*: `steps`, `retries`, `status`,
# `termination`. The audit answers with its own four, and with a list of **violations**. Each violation has a code out of a fixed
# list, so that a machine can count them and no test needs to read prose.
#
# One rule concerns what must *not* be there: the project forbids reasoning in the record. Here are the names
# that it forbids, in small letters; in a trace they are forbidden in large letters too. Beside them stands a helper
# that finds keys at any depth.

# %%
FORBIDDEN = set(project()["evidence"]["forbidden_fields"])


def keys_in(value: Any) -> set[str]:
    """Every key of every dict in a piece of JSON data, at any depth."""
    found: set[str] = set()
    json.loads(json.dumps(value), object_hook=lambda each: found.update(each))
    return found


print("forbidden:", sorted(FORBIDDEN))
print("keys of an entry:", sorted(keys_in(recording("summarize-notes")["trace"][1])))

# %% [markdown] exercise="audit_run" title="Audit a run" difficulty=3 minutes=35 mode="on your own, no AI"
# An audit that copies the declared status agrees with every liar. One that stops at the first violation, or
# raises at a malformed entry, says least where most is wrong.
#
# Write `audit_run`. It derives everything from the trace, compares that with what is declared, and reports all
# violations, by their codes.
#
# hint: Which of the eight codes need the declared values at all? For which is the trace enough?
# hint: Compute your own four values first. Then make one yes-or-no question of each code, and collect the
# codes whose answer is yes. For steps_after_terminal, ask what derive says of the trace without its last entry.
# hint: steps is the length of the trace and retries the number of flags that are False; count with `is False`,
# because 0 == False. A flag is malformed when its type is not bool. A key of keys_in(trace) is forbidden when
# its small letters (key.lower()) are in FORBIDDEN. Put code and answer into a dict, and list the codes that hold.


# %%
def audit_run(result: Mapping[str, Any]) -> dict[str, Any]:
    """Judge a run by its trace. The limits are 6 steps and 2 retries.

    `result` is plain JSON data: a task_id, a trace, and the declared steps, retries, status and
    termination, which may say anything. Each entry of the trace has an action with a tool and an
    observation; apart from that, entries may hold anything.

    Returns a new dict with five keys. steps: how many entries there are. retries: how many
    observations have an ok that is False. status and termination: what `derive` says. violations: a
    list of codes, each at most once, in any order; [] when nothing is wrong.

    status_mismatch       the declared status is not the derived one
    termination_mismatch  the declared termination is not the derived one
    count_mismatch        the declared steps, or the declared retries, are not the counted ones
    steps_after_terminal  entries follow the one that ended the run
    too_many_steps        the trace has more than 6 entries
    too_many_retries      more than 3 observations have failed (the third one ends a run)
    missing_ok            an observation has no ok, or one that is neither True nor False
    forbidden_field       a dict anywhere in the trace has a key that is one of the forbidden names, as a
                          whole, whether in large or small letters

    All that hold are reported, whatever else is wrong. Nothing is raised, and `result` is left as it
    was. Whether a missing ok counts among the retries is left open, and not tested.
    """
    # BEGIN SOLUTION
    trace = result["trace"]
    observations = [unpack(taken)[1] for taken in trace]
    flags = [seen.get("ok") for seen in observations]
    counted = {"steps": len(flags), "retries": sum(flag is False for flag in flags)}
    ended_as, ended_by = derive(trace)
    _, over_before = derive(trace[:-1])
    wrong = {
        "status_mismatch": ended_as != result["status"],
        "termination_mismatch": ended_by != result["termination"],
        "count_mismatch": counted["steps"] != result["steps"] or counted["retries"] != result["retries"],
        "steps_after_terminal": over_before is not None,
        "too_many_steps": counted["steps"] > 6,
        "too_many_retries": counted["retries"] > 3,
        "missing_ok": not all(isinstance(flag, bool) for flag in flags),
        "forbidden_field": not FORBIDDEN.isdisjoint(map(str.lower, keys_in(trace))),
    }
    violations = [code for code, holds in wrong.items() if holds]
    return {**counted, "status": ended_as, "termination": ended_by, "violations": violations}
    # END SOLUTION


# %% [markdown]
# Four lines, one for each recorded run. No violation should be left: an auditor who finds fault with honest
# runs is soon ignored.


# %%
def four_lines() -> list[tuple[int, int, str]]:
    found = []
    for name in recorded_names():
        audit = audit_run(recording(name))
        print(json.dumps({"task_id": recording(name)["task_id"], **audit}))
        found.append((audit["steps"], audit["retries"], audit["termination"]))
    return found


with attempt("derive", "audit_run"):
    reveal("P08.3", four_lines)

# %% [markdown]
# ### Eight ways to tamper
#
# Now somebody tampers with the normal run, in eight ways. Each starts from a fresh copy. Read them one by one:
# the two questions below are about them.

# %%
LATE_READ = {"action": {"tool": "read_note", "args": {}}, "observation": {"ok": False, "error": "not_found"}}


def tampered(letter: str) -> dict[str, Any]:
    """The normal run, tampered with in one of eight ways."""
    run: dict[str, Any] = recording("summarize-notes")
    trace = run["trace"]
    *_, final = trace
    written = final["observation"]
    match letter:
        case "A":  # declares that it has failed
            run["status"] = "failed"
        case "B":  # the flag of the last observation is erased
            del written["ok"]
        case "C":  # the entry that read beta.txt is taken out, and the count adjusted
            del trace[2]
            run["steps"] = 3
        case "D":  # another text stands where a note was read
            trace[1]["observation"]["text"] = "All is well."
        case "E":  # an entry follows the report, and the counts are adjusted
            trace.append(LATE_READ)
            run.update(steps=5, retries=1)
        case "F":  # a thought is left in the arguments of an action
            trace[0]["action"]["args"]["thought"] = "I had better look first."
        case "G":  # declares a retry that never was
            run["retries"] = 1
        case "H":  # the last observation says that the write failed
            written["ok"] = False
    return run


WAYS = {
    "A": "status: failed",
    "B": "ok of the write erased",
    "C": "one read taken out, counted",
    "D": "text of a note changed",
    "E": "read after the report",
    "F": "thought in an action",
    "G": "one retry declared",
    "H": "write turned to failed",
}

# %% [markdown]
# ### Before you run · P08.5
#
# For which of the eight is the status that is *derived* no longer `completed`? Predict a set of letters, such
# as `{"A", "G"}`.

# %%
predict("P08.5", {"B", "H"}, confidence=0.8, kind="set")

# %% [markdown]
# ### Before you run · P08.6
#
# And which of the eight get past an audit that makes no mistake, without a single violation? Again a set of
# letters.

# %%
predict("P08.6", {"D"}, confidence=0.6, kind="set")

# %% [markdown]
# Look first at the derived status, one line for each letter.


# %%
def no_longer_completed() -> set[str]:
    derived = {letter: audit_run(tampered(letter))["status"] for letter in WAYS}
    for letter, status in derived.items():
        print(f"{letter}  {WAYS[letter]:28} {status}")
    return {letter for letter, status in derived.items() if status != "completed"}


with attempt("derive", "audit_run"):
    reveal("P08.5", no_longer_completed)

# %% [markdown]
# And now the whole picture: the eight from top to bottom, the codes from left to right. Look for rows without
# a cross.

# %%
CODES = (
    "status_mismatch",
    "termination_mismatch",
    "count_mismatch",
    "steps_after_terminal",
    "too_many_steps",
    "too_many_retries",
    "missing_ok",
    "forbidden_field",
)


def past_the_audit() -> set[str]:
    found = {letter: audit_run(tampered(letter))["violations"] for letter in WAYS}
    labelled = {f"{letter}  {WAYS[letter]}": codes for letter, codes in found.items()}
    figures.show(figures.corruption_matrix(labelled, CODES))
    return {letter for letter, codes in found.items() if not codes}


with attempt("derive", "audit_run"):
    reveal("P08.6", past_the_audit)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# C and D get past, and no cleverer audit of the trace would stop them: they *are* sound traces, only not of
# this run. B and H are no longer completed, since a report without an ok that is True completes nothing.
#
# </details>

# %% [markdown]
# ### A forgery that fits together
#
# Here is a bold one. The run that never wrote a report is given one. Look at what the audit says of it.

# %%
with attempt("derive", "audit_run"):
    forged = recording("step-budget")
    invented = {"tool": "write_report", "args": {"content": "All is well."}}
    forged["trace"][-1] = {"action": invented, "observation": {"ok": True, "sha256": "0" * 64}}
    forged |= {"status": "completed", "termination": "goal_reached"}
    print("violations:", audit_run(forged)["violations"])
    print("what the invented content hashes to:", hashlib.sha256(b"All is well.").hexdigest()[:16], "...")

# %% [markdown]
# The invented hash can be found out by looking *outside* the trace, at the report, or by hashing
# the content; a careful forger would have computed it. This is a limit, not a defect: **an audit shows that a
# record agrees with itself and with the rules. It cannot show that the record is of something that happened.**
# For that, somebody else must have kept something: a hash, a signature, a copy.

# %% [markdown]
# ## 3 · A ledger, and tampering with it
#
# The results of audits go into a *ledger*, one line a run. A line that is changed later should give itself
# away, so each line carries the digest of the line before it. Your prediction journal is made the same way.

# %% [markdown] exercise="write_ledger" title="A ledger with a chain" difficulty=2 minutes=20 mode="on your own, no AI" stretch=true
# A file with one JSON object a line can be searched, counted and appended to without reading all of it. Two
# things spoil it: a last line without its line end, and bytes that differ although the contents are the same.
#
# Write `write_ledger`. It audits each run and writes one line for it, in place of whatever is in the file.
#
# hint: Of which bytes exactly is the digest taken? Do they include the line end?
# hint: Go through the results, once, and carry the last digest along. Build the object, turn it into text, hash
# the text's bytes for the next line, and keep the text. Write everything at the end, in one go.
# hint: The text is json.dumps(line, sort_keys=True, separators=(",", ":")), with line holding the task_id,
# the five keys of audit_run (violations sorted) and prev. Write bytes, so that no system changes the line ends.


# %%
def write_ledger(results: Iterable[Mapping[str, Any]], path: str | Path) -> None:
    """Write one line for each run to `path`, in the order of `results`; what was there before is gone.

    `results` may be a list, or an iterator that can be gone through only once.

    A line is a JSON object with seven keys: task_id; the five of audit_run(result), with its
    violations sorted; and prev, the sha256 (hex) of the bytes of the line before, without its line
    end. In the first line prev is 64 zeros. The values are the audit's, not the declared ones.

    Each line is json.dumps(line, sort_keys=True, separators=(",", ":")) and ends with "\\n", the last
    one too; so equal results give equal bytes. Letters beyond ASCII are escaped, as json.dumps does it
    by itself. No results give an empty file. The results are left as they were.
    """
    # BEGIN SOLUTION
    lines: list[bytes] = []
    canonical: Any = {"sort_keys": True, "separators": tuple(",:")}
    prev = "0" * 64
    for result in results:
        audit = audit_run(result)
        audit["violations"] = sorted(audit["violations"])
        fields = {"task_id": result["task_id"], "prev": prev, **audit}
        line = bytes(json.dumps(fields, **canonical), "ascii")
        prev = hashlib.sha256(line).hexdigest()
        lines.append(line)
    Path(path).write_bytes(b"".join(each + b"\n" for each in lines))
    # END SOLUTION


# %% [markdown]
# A reader that says which links of such a chain do not hold. Run it on the ledger of the four recordings, then
# on copies in which one thing was changed.


# %%
def broken_links(content: bytes) -> list[int]:
    """The numbers of the lines, from 1, whose prev is not the digest of the line before."""
    before, broken = "0" * 64, []
    for number, raw in enumerate(content.splitlines(), 1):
        if json.loads(raw)["prev"] != before:
            broken.append(number)
        before = hashlib.new("sha256", raw).hexdigest()
    return broken


with attempt("derive", "audit_run", "write_ledger"):
    write_ledger([recording(name) for name in recorded_names()], root / "ledger.jsonl")
    content = (root / "ledger.jsonl").read_bytes()
    first, second, third, fourth = content.splitlines(keepends=True)
    print("as written:          ", broken_links(content) or "every link holds")
    edited = third.replace(b'"failed"', b'"completed"')
    print("third line edited:   ", broken_links(first + second + edited + fourth))
    print("second line dropped: ", broken_links(first + third + fourth))
    print("last line dropped:   ", broken_links(first + second + third) or "every link holds")

# %% [markdown]
# The dropped tail is not seen: nothing comes after it that could miss it. And whoever may write the whole file
# can write a whole new chain.
#
# The same, with the real thing. The cell keeps a small prediction journal in this notebook's folder, and turns
# a prediction that was wrong into one that was right.

# %%
diary = root / "tampered" / "08.jsonl"
for kind, value, confidence in [("prediction", 3, 0.9), ("observation", 4, None), ("prediction", 5, 0.5)]:
    journal.append(diary, id="P08.99", kind=kind, value=value, confidence=confidence, notebook="08_audit")
original = diary.read_bytes()
lines = original.splitlines(keepends=True)

cases = {
    "as written": original,
    "the 3 made a 4": original.replace(b'"value":3', b'"value":4'),
    "observation dropped": lines[0] + lines[2],
    "first two swapped": lines[1] + lines[0] + lines[2],
    "last line dropped": lines[0] + lines[1],
}
for what, content in cases.items():
    problems = [problem.message for problem in journal.read(content)[1]]
    print(f"{what:20} {'; '.join(problems) or 'nothing to see'}")

# %% [markdown]
# ## 4 · Who audits the audit?
#
# You have tested `audit_run` with the examples that came to somebody's mind. A *property* is a statement about
# every input of a kind, and Hypothesis is a library that looks for an input on which it does not hold.
#
# First something small. A Brier score is a mean of squared distances, so it lies between 0 and 1. Here is one
# that somebody wrote in a hurry.


# %%
def hasty_brier(predictions: list[tuple[float, bool]]) -> float:
    penalties = [(p - came_true) ** 2 for p, came_true in predictions]
    return sum(penalties) / max(1, len(penalties) - 1)


print("three predictions:", round(hasty_brier([(0.9, True), (0.8, True), (0.3, False)]), 3))

# %% [markdown]
# That looks like a score. Now the property. `st.lists(st.tuples(...))` is a *strategy*: it says what an input
# can look like, and `@given` draws a hundred of them.
#
# The settings make a search repeat itself exactly (`derandomize`) and leave nothing on the disk (`database`).
# Look at the example that is reported.

# %%
confidences = st.floats(min_value=0, max_value=1)
REPEATABLE = settings(
    derandomize=True,
    database=None,
    deadline=None,
    print_blob=False,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow],
)


@REPEATABLE
@given(st.lists(st.tuples(confidences, st.booleans()), min_size=1))
def stays_within_bounds(predictions):
    assert 0 <= hasty_brier(predictions) <= 1


try:
    stays_within_bounds()
    print("no counter-example found")
except AssertionError as failure:
    print("\n".join(failure.__notes__))

# %% [markdown]
# Two predictions, both as wrong as can be: dividing by one less than their number doubles the score. The input
# that was *found* was longer and uglier; Hypothesis then **shrank** it, taking away whatever it could while the
# property still failed.
#
# Mend the one line of `hasty_brier`, run both cells again, and see the property hold.

# %% [markdown]
# ### Drawing traces
#
# The same for traces. `make_entry` makes an entry, `traces` draws lists of them, and `honest` is what a truthful
# runner declares about a trace. Look at five that were drawn.


# %%
def make_entry(tool: str, ok: bool = True) -> dict[str, Any]:
    """One entry of a trace."""
    observation = {"ok": True} if ok else {"ok": False, "error": "tool_unavailable"}
    return {"action": {"tool": tool, "args": {}}, "observation": observation}


def honest(trace: Trace) -> dict[str, Any]:
    """A result whose declared values are true of its trace, as far as your `derive` is right."""
    size, failed = counters(trace)
    status, termination = derive(trace)
    declared = {"steps": size, "retries": failed, "status": status, "termination": termination}
    return {"task_id": "drawn", **declared, "trace": trace}


entries = st.builds(make_entry, st.sampled_from(["list_notes", "read_note", "write_report"]), st.booleans())
traces = st.lists(entries, max_size=8)


@settings(REPEATABLE, max_examples=5)
@given(traces)
def look(trace):
    print(f"length {len(trace)}: {in_short(trace)}")


look()

# %% [markdown]
# `find` looks for an input that satisfies a condition, and shrinks it. Somebody reads the verdict off the last
# entry alone. Is there a trace on which that differs from your `derive`? Look at how few entries it takes.


# %%
def by_the_last_entry(trace: Trace) -> str:
    *_, last = trace
    good = last["action"]["tool"] == "write_report" and last["observation"]["ok"]
    return "completed" if good else "something else"


def apart(trace: Trace) -> bool:
    return bool(trace) and (by_the_last_entry(trace) == "completed") != (derive(trace)[0] == "completed")


with attempt("derive"):
    smallest = find(traces, apart, settings=REPEATABLE)
    ended = next((k for k in range(len(smallest)) if derive(smallest[: k + 1])[1]), None)
    said = {"last entry": by_the_last_entry(smallest), "your derive": derive(smallest)[0]}
    figures.show(figures.counter_example(smallest, ended, said))

# %% [markdown]
# ### How strong is a property?
#
# A property that nothing can break is worth nothing. To measure one, give it auditors that are wrong. The cell
# makes eleven, each from your own audit by spoiling its answer in one way.


# %%
def spoilt(spoil: Callable[[dict[str, Any], Mapping[str, Any]], object]) -> Callable[..., dict[str, Any]]:
    """Your audit, with its answer changed by spoil(answer, result)."""

    def audit(result: Mapping[str, Any]) -> dict[str, Any]:
        answer = audit_run(result)
        spoil(answer, result)
        return answer

    return audit


def never(code: str) -> Callable[..., dict[str, Any]]:
    return spoilt(lambda answer, _: answer.update(violations=[c for c in answer["violations"] if c != code]))


WRONG = {
    **{f"never says {code}": never(code) for code in CODES},
    "believes the status": spoilt(lambda answer, result: answer.update(status=result["status"])),
    "first violation only": spoilt(lambda answer, _: answer.update(violations=answer["violations"][:1])),
    "cries wolf": spoilt(lambda answer, _: answer.update(violations=["count_mismatch"])),
}


def finds(prop: Callable[..., None], audit: Callable[..., dict[str, Any]]) -> bool:
    """Whether the property rejects this audit."""
    try:
        prop(audit)
    except AssertionError:
        return True
    return False


# %% [markdown]
# Here is a property that looks reasonable: *an honest run has no violations, and its verdict is the declared one*.
# It draws its honest runs from the four recordings.

# %%
recorded_runs = st.sampled_from(tuple(map(recording, recorded_names())))


def honest_runs_only(audit: Callable[..., dict[str, Any]]) -> None:
    @REPEATABLE
    @given(recorded_runs)
    def holds(run):
        answer = audit(run)
        assert answer["violations"] == []
        assert (answer["status"], answer["termination"]) == (run["status"], run["termination"])

    holds()


# %% [markdown]
# ### Before you run · P08.7
#
# Which of the eleven wrong auditors does this property find? Predict a set of their names, spelled as above,
# such as `{"believes the status", "never says missing_ok"}`.

# %%
predict("P08.7", {"cries wolf"}, confidence=0.7, kind="set")

# %% [markdown]
# Each auditor is given to the property in turn.

# %%
with attempt("derive", "audit_run"):
    reveal("P08.7", lambda: {name for name, audit in WRONG.items() if finds(honest_runs_only, audit)})

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# Honest runs show only one thing about an auditor: whether it raises false alarms. To find out whether it *sees*
# anything, there has to be something to see. And a wrong `derive` shows only on runs that end in the way it gets
# wrong: the third failure, the sixth step, both at once.
#
# </details>

# %% [markdown]
# One more thing before you write your own: the settings for it. An auditor that sits in the grader takes longer
# to answer, and shrinking asks it hundreds of times; so this search draws less, and does not shrink.

# %%
QUICK = settings(
    max_examples=20,
    derandomize=True,
    database=None,
    deadline=None,
    print_blob=False,
    phases=[Phase.generate],
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.too_slow],
)

# %% [markdown] exercise="prop_audit" title="Write the test" difficulty=5 minutes=55 mode="on your own, no AI" defines="corruptions"
# This time you write the test. It will be judged by what it finds: it is given auditors that are right, which
# it must accept, and auditors with planted faults. Each fault that it finds earns its point, whatever becomes of
# the others. The auditors stay in the grader; your property can only call them.
#
# Write `corruptions`, a strategy for forgeries of a run, each with a code that must be reported for it. And
# write `prop_audit`, a property that returns quietly for a right audit and fails for a wrong one. Think of honest
# runs with every ending, and of traces whose verdict you know because you built them.
#
# hint: Which of the eleven auditors above would pass if you drew only completed runs? If no run had six entries?
# If every forgery changed only the status? How often would each of these come up in twenty draws?
# hint: In prop_audit, define an inner function with @QUICK and @given(st.data()), and call it. Draw a run that
# you built towards a chosen ending, and check all five keys. Draw forgeries of it, and check that the code is
# among the violations, and that a verdict which the forgery does not touch is still the same. Compare a deep
# copy before and after each call.
# hint: Leave nothing to luck that you can list: go through the endings (an ok report, a third failure, the sixth
# step, both at once, none yet, no entry at all), and build a run for each, with st.permutations for what comes
# before. Make one small strategy for each code with .map or st.builds, and join them with st.one_of. Copy the
# run through JSON before you change it; append for the codes that are about too much, and delete an ok, or add
# a key, for the others.

# %%
# BEGIN SOLUTION
# STUB # Helpers and strategies of your own can stand here.
Run = dict
Forgery = tuple[str, Run]
READ, REPORT, REFUSED = make_entry("read_note"), make_entry("write_report"), make_entry("read_note", ok=False)
ENDINGS = {
    "nothing yet": ("in_progress", None),
    "under way": ("in_progress", None),
    "report": ("completed", "goal_reached"),
    "sixth step": ("budget_exhausted", "step_budget"),
    "third failure": ("failed", "tool_failure"),
    "third failure, sixth step": ("failed", "tool_failure"),
}


@st.composite
def built_runs(draw: st.DrawFn, ending: str) -> Run:
    """An honest run that was built towards its ending, so that its verdict needs no derive."""
    failures = 2 if "third" in ending else draw(st.integers(0, 2))
    successes = 5 - failures if "sixth" in ending else draw(st.integers(1, 5 - failures))
    before = draw(st.permutations([REFUSED] * failures + [READ] * successes))
    last = {"report": REPORT, "sixth step": READ, "under way": READ}.get(ending, REFUSED)
    trace = [] if ending == "nothing yet" else [*before[: 4 if ending == "under way" else 5], last]
    counts = {"steps": len(trace), "retries": trace.count(REFUSED)}
    ended_as, ended_by = ENDINGS[ending]
    return {"task_id": "built", **counts, "status": ended_as, "termination": ended_by, "trace": trace}


def forgeries(run: Run) -> list[st.SearchStrategy[Forgery]]:
    """Strategies for forgeries of one kind each."""

    def forgery(code: str, *more: dict, **claims: Any) -> Forgery:
        forged = {**run, **claims, "trace": [*run["trace"], *more]}
        written = json.dumps(forged)  # through JSON: entries that were one object become several
        return code, json.loads(written)

    def unflagged(k: int, odd: Any = None) -> Forgery:
        code, forged = forgery("missing_ok", REPORT)
        seen = forged["trace"][k]["observation"]
        del seen["ok"]
        if odd is not None:
            seen["ok"] = odd
        return code, forged

    def thinking(k: int, deep: bool) -> Forgery:
        code, forged = forgery("forbidden_field", READ)
        action, seen = unpack(forged["trace"][k])
        if deep:
            action["args"] = {"plan": [{"Thought": "hm"}]}
        else:
            seen["chain_of_thought"] = "hm"
        return code, forged

    claims = st.sampled_from(sorted({pair for pair in ENDINGS.values() if pair[0] != run["status"]}, key=str))
    late, places = st.sampled_from([REPORT, READ, REFUSED]), st.integers(0, run["steps"])
    off = st.integers(-1, 2).filter(bool)
    return [
        claims.map(lambda pair: forgery("status_mismatch", status=pair[0])),
        claims.map(lambda pair: forgery("status_mismatch", status=pair[0], termination=pair[1])),
        claims.map(lambda pair: forgery("termination_mismatch", termination=pair[1])),
        late.map(lambda entry: forgery("steps_after_terminal", REPORT, entry)),
        late.map(lambda entry: forgery("too_many_steps", *[READ] * 6, entry, REPORT)),
        late.map(lambda entry: forgery("too_many_retries", *[REFUSED] * 4, entry, REPORT)),
        off.map(lambda by: forgery("count_mismatch", steps=run["steps"] + by)),
        off.map(lambda by: forgery("count_mismatch", retries=run["retries"] + by)),
        st.builds(thinking, deep=st.booleans(), k=places),
        st.builds(unflagged, places),
        st.builds(unflagged, places, odd=st.sampled_from(["yes", 1])),
    ]


# END SOLUTION


def corruptions(run: dict[str, Any]) -> st.SearchStrategy[tuple[str, dict[str, Any]]]:
    """A Hypothesis strategy for forgeries of `run`, an honest run that may be unfinished or without entries.

    It draws pairs (code, forged). `forged` is a changed copy of `run`, such that a right audit reports
    `code` for it, perhaps with other codes besides. It has the keys and the task_id of `run`, and where
    `run` has two entries or more, at least one of them as it was.

    All eight codes of audit_run can be drawn, each often enough to come up in a hundred draws. `run`
    itself stays as it was, also while forgeries are drawn.
    """
    # BEGIN SOLUTION
    return st.one_of(forgeries(run))
    # END SOLUTION


def prop_audit(audit: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Return None when `audit` was right about every run that was drawn; raise AssertionError when it was not.

    `audit` is right when it keeps what the docstring of audit_run says, and it need not be your own: it
    may report violations in another order, and it may count a missing ok among the retries or not. What
    it raises itself may pass through, or be turned into an AssertionError.

    Each call to `audit` may take 2 ms, and a call of prop_audit is stopped after 10 s: use QUICK, which
    draws 20 examples, does not shrink, and draws the same ones each time.
    """

    # BEGIN SOLUTION
    def asked(result: Any) -> Run:
        before = json.dumps(result)
        answer = audit(result)
        assert json.dumps(result) == before, "the result was changed"
        assert len(answer) == 5
        return answer

    choices = st.data()

    @settings(QUICK, max_examples=3)
    @given(choices)
    def right(data: st.DataObject) -> None:
        first = data.draw(st.integers(0, 2))
        for turn, ending in enumerate(ENDINGS, start=first):
            run = data.draw(built_runs(ending))
            known = {key: claim for key, claim in run.items() if key not in ("task_id", "trace")}
            assert asked(run) == {**known, "violations": []}
            for forging in forgeries(run)[turn % 3 :: 3]:
                code, forged = data.draw(forging)
                answer = asked(forged)
                assert code in answer["violations"]
                assert answer["steps"] == len(forged["trace"])
                if code == "missing_ok":
                    continue
                assert answer["retries"] == counters(forged["trace"])[1]
                if run["termination"] or len(forged["trace"]) == run["steps"]:
                    assert run["status"] == answer["status"]
                    assert run["termination"] == answer["termination"]

    right()
    # END SOLUTION


# %% [markdown]
# What comes up when a hundred draws are allowed? `Draws` keeps what a strategy draws, and draws nothing twice on
# purpose. Look for a code that comes up seldom, or not at all.

# %%
with attempt("derive", "prop_audit"):
    unfinished = honest(recording("summarize-notes")["trace"][:3])
    hundred = [drawn[0] for drawn in Draws(corruptions, unfinished, 100).drawn]
    for code in CODES:
        print(f"{code:21} {hundred.count(code)}")

# %% [markdown]
# Is your own audit accepted? And which of the eleven wrong ones are found? The columns to the left are two weak
# properties, for comparison.


# %%
def keys_only(audit: Callable[..., dict[str, Any]]) -> None:
    for name in recorded_names():
        assert set(audit(recording(name))) == {"steps", "retries", "status", "termination", "violations"}


with attempt("derive", "audit_run", "prop_audit"):
    print("your own audit is", "REJECTED" if finds(prop_audit, audit_run) else "accepted")
    columns = {"keys only": keys_only, "honest runs only": honest_runs_only, "your property": prop_audit}
    rows = {name: {label: finds(prop, audit) for label, prop in columns.items()} for name, audit in WRONG.items()}
    figures.show(figures.kill_matrix(rows))

# %% [markdown]
# The grader has planted faults of its own, in `derive` as well as in the audit. `grader check 08` says which ones
# your property finds.

# %% [markdown]
# ## 5 · A run that passes everything
#
# Before you go: a run made a moment ago on real files, audited, with its report compared with what the trace
# says of it. Nothing is wrong with it.

# %%
with attempt("derive", "audit_run"):
    (root / "report.txt").unlink(missing_ok=True)
    sound = real_run("summarize-notes")
    print("violations:            ", audit_run(sound)["violations"])
    on_disk = hashlib.sha256((root / "report.txt").read_bytes()).hexdigest()
    print("report as in the trace:", on_disk == sound["trace"][-1]["observation"]["sha256"])

# %% [markdown]
# ## What this does not do
#
# - **A consistent forgery passes.** The audit compares a record with itself and with the rules. Whoever writes
#   both the trace and what is declared can make them fit.
# - **Contents are not judged.** Whether the report is any good, or the notes were what they seem, is no question
#   of the trace's form.
# - **A chain shows edits, not inventions.** A dropped tail, or a chain written anew, fits together. It takes a
#   digest that somebody else holds.
# - **Runner and auditor should not share code.** Here they share `derive`, so a mistake in it is made twice.
# - **One run at a time.** Two agents that act on the same thing can each have a flawless trace.
# - **A property that found nothing proves little.** It drew twenty examples, of the kinds that you thought of.

# %% [markdown]
# ## Have you got it?
#
# **Answer without running anything**
#
# 1. A trace has an ok `write_report` at k = 2 and five more entries. What is derived, and which codes are
#    reported at least?
# 2. Why does an audit that copies the declared status find nothing wrong with a forged one?
# 3. The `ok` of the last observation is erased. Why is the run not completed any more, and why is it no
#    failure for certain either?
# 4. Name two changes to a trace that no audit of it can see.
# 5. A property accepts all auditors. Name three reasons why that may be so.
#
# **Show that you can**
#
# - audit the four recordings without a violation, and make each of the eight codes appear by tampering with one;
# - explain every row of your own kill matrix: which drawn run finds that auditor?
#
# <details><summary>Answers to 1 to 5</summary>
#
# 1. Completed, goal reached; steps_after_terminal and too_many_steps. 2. It compares a value with itself.
# 3. An observation without a flag is no success, and says nothing about failure: the record is malformed.
# 4. A changed text, and an entry taken out with the counts adjusted. 5. All auditors are right; it draws no run
# on which they are wrong; it draws such runs and checks too little.
#
# </details>

# %% [markdown]
# ## Where to read on
#
# **Hypothesis** · Hypothesis documentation · the Hypothesis developers
#
# - *Where*: [the documentation](https://hypothesis.readthedocs.io/en/latest/), the parts on strategies, on
#   settings, and on strategies of your own
# - *Rights*: © the authors, the library itself under the MPL 2.0; linked only, nothing adapted
# - *Verified*: hypothesis 6.170, on 2026-11-30
# - *Why this one*: it is the library that you have just used, explained by those who keep it
# - *Presumes*: functions and decorators
# - *Offline*: part 4 above; `help(st.one_of)` and its neighbours
# - *Compared with*: Claessen and Hughes, [QuickCheck](https://research.chalmers.se/en/publication/155860) (the
#   origin, a short article, in Haskell) · [Cosmic Ray](https://cosmic-ray.readthedocs.io/) (spoils a program
#   by machine and sees which tests notice; there a kill matrix comes for free, and the faults are smaller)

# %% [markdown]
# **Transparency logs** · transparency.dev · the transparency.dev community
#
# - *Where*: [Transparency Logs: A Verifiable Transport
#   Layer](https://transparency.dev/articles/logs-a-verifiable-transport-layer/), the whole article
# - *Rights*: © the publisher; linked only, nothing adapted
# - *Verified*: the article as it stood on 2026-11-30
# - *Why this one*: it takes up where your ledger ends, with others who hold a digest of it, so that neither a
#   dropped tail nor a chain written anew goes unseen
# - *Presumes*: what a hash is
# - *Offline*: part 3 above; drop the last line, and think of who could have noticed
# - *Compared with*: [RFC 9162, Certificate Transparency 2.0](https://www.rfc-editor.org/rfc/rfc9162) (the
#   protocol, exact and long) · [An Introduction to
#   Rekor](https://edu.chainguard.dev/open-source/sigstore/rekor/an-introduction-to-rekor) (such a log for
#   software releases, in use)
#
# Next: **09**, a run you can trust.
