"""Notebook 08: what learners may read. The first line of each docstring is the promise on their card."""

from __future__ import annotations

import copy
import hashlib
import json

from grader.judge import exercise, promise, same, shape

VERDICTS = {
    "summarize-notes": ("completed", "goal_reached"),
    "invalid-arguments": ("completed", "goal_reached"),
    "tool-failure": ("failed", "tool_failure"),
    "step-budget": ("budget_exhausted", "step_budget"),
}
AUDIT = {"steps": int, "retries": int, "status": str, "termination": (str, type(None)), "violations": [str]}
CODES = {"status_mismatch", "termination_mismatch", "count_mismatch", "steps_after_terminal", "too_many_steps"}
CODES |= {"too_many_retries", "missing_ok", "forbidden_field"}
NO_AUDIT = "The answer is not a dict with the five keys, its violations a list of codes"


def audited(learner, result):
    """The learner's audit of `result`, when it has the shape that it should have."""
    got = learner.call("audit_run", result).value
    promise(shape(got, AUDIT) and len(got) == len(AUDIT), NO_AUDIT, promised=sorted(AUDIT))
    found = got["violations"]
    promise(set(found) <= CODES, "A violation is reported by a code that is not in the list", promised=sorted(CODES))
    promise(len(set(found)) == len(found), "A code is reported more than once", promised=sorted(set(found)))
    return got


# --- derive -------------------------------------------------------------------------------------

PAIR = "The answer is not a pair (status, termination)"
OPEN = ("in_progress", None)


def verdict_of(learner, trace):
    """What derive says, when it is a pair at all."""
    got = learner.call("derive", trace).value
    promise(isinstance(got, tuple) and len(got) == 2, PAIR, promised=VERDICTS["summarize-notes"])
    return got


@exercise("derive", rule="verdict-from-the-trace")
def test_four_recorded_runs(learner, runs):
    """The four recorded runs get the verdicts that they declare."""
    for name, verdict in VERDICTS.items():
        got = verdict_of(learner, runs[name].trace)
        promise(same(got, verdict), "This is not how the run ended", promised=verdict, run=name)


@exercise("derive", rule="unfinished-is-in-progress")
def test_nothing_has_happened_yet(learner, runs):
    """A trace without entries is in progress, and a finished one is not."""
    ended = verdict_of(learner, runs["summarize-notes"].trace)
    verdict = VERDICTS["summarize-notes"]
    promise(not same(ended, OPEN), "A run that has ended is called unfinished", promised=verdict)
    got = verdict_of(learner, [])
    promise(got not in VERDICTS.values(), "A run that has not begun gets an end", promised=OPEN)
    promise(same(got, OPEN), "This is not what is said of a run without an end", promised=OPEN)


@exercise("derive", rule="the-first-end-decides")
def test_the_first_end_decides(learner, runs):
    """What follows an ok report, or a third failure, changes nothing: the verdict stays."""
    for first, second in (("summarize-notes", "tool-failure"), ("tool-failure", "summarize-notes")):
        alone, verdict = verdict_of(learner, runs[first].trace), VERDICTS[first]
        promise(same(alone, verdict), "This is not how the run ended", promised=verdict, run=first)
        got = verdict_of(learner, [*runs[first].trace, *runs[second].trace])
        sentence = "The entries after the end have a say in the verdict"
        promise(same(got, verdict), sentence, promised=verdict, run=first, followed_by=second)


# --- audit_run ----------------------------------------------------------------------------------


def honest_run(learner, runs):
    """The normal run. The learner's audit has been asked about it, and was right: what changes now, changes with it."""
    result = runs["summarize-notes"].result
    expected = {**{key: result[key] for key in ("steps", "retries", "status", "termination")}, "violations": []}
    promise(same(audited(learner, result), expected), NOT_SOUND, promised=expected)
    return copy.deepcopy(result)


NOT_SOUND = "A run in which nothing is wrong is not reported as it is"


@exercise("audit_run", rule="four-ledger-lines")
def test_four_sound_audits(learner, runs):
    """The four recorded runs pass: their own numbers and verdicts, and no violation."""
    for name, run in runs.items():
        expected = {key: run.result[key] for key in ("steps", "retries", "status", "termination")}
        got = audited(learner, run.result)
        promise(same(got, {**expected, "violations": []}), NOT_SOUND, promised=expected, run=name)


@exercise("audit_run", rule="the-declared-is-not-believed")
def test_a_declared_status_is_not_believed(learner, runs):
    """A normal run that declares itself failed is completed all the same, with one violation."""
    got = audited(learner, honest_run(learner, runs) | {"status": "failed"})
    promise(got["status"] != "failed", "The declared status is believed", promised="completed")
    promise(got["status"] == "completed", "This is not how the run ended", promised="completed")
    expected = ["status_mismatch"]
    promise("status_mismatch" in got["violations"], "The declared status goes unreported", promised=expected)
    promise(got["violations"] == expected, "Something is reported that is not wrong", promised=expected)


@exercise("audit_run", rule="an-erased-ok-is-a-violation")
def test_an_erased_ok(learner, runs):
    """With the ok of the last observation erased, the run is not completed, and the flag is missed."""
    result = honest_run(learner, runs)
    del result["trace"][-1]["observation"]["ok"]
    got = audited(learner, result)
    promise(
        got["status"] != "completed",
        "A run is called completed although its report has no ok that is True",
        promised="in_progress",
    )
    expected = ["missing_ok", "status_mismatch", "termination_mismatch"]
    missing = [code for code in expected if code not in got["violations"]]
    promise(missing == [], "Not all that is wrong is reported", promised=expected)


@exercise("audit_run", rule="entries-after-the-end")
def test_an_entry_too_many(learner, runs):
    """An entry after the report is reported, even when the counts were adjusted to it."""
    result = honest_run(learner, runs)
    result["trace"].append(copy.deepcopy(result["trace"][1]))
    got = audited(learner, result | {"steps": 5})
    expected = ["steps_after_terminal"]
    promise(expected[0] in got["violations"], "The entry after the end goes unreported", promised=expected)
    promise(got["violations"] == expected, "Something is reported that is not wrong", promised=expected)


# --- write_ledger -------------------------------------------------------------------------------


def ledger_of(learner, runs):
    """(bytes of the file, its lines as (bytes, object)) for the four recorded runs."""
    _ = learner.call("write_ledger", [run.result for run in runs.values()], learner.path("l.jsonl")).value
    data = learner.read("l.jsonl")
    promise(data is not None, "No file was written to the path that was given")
    try:
        found = [(raw, json.loads(raw)) for raw in data.splitlines()]
    except (ValueError, RecursionError):
        found = [(b"", None)]
    promise(all(isinstance(line, dict) for _, line in found), "The file is not one JSON object a line")
    promise(len(found) == len(runs), "There are more lines than runs, or fewer", promised=f"{len(runs)} lines")
    return data, found


@exercise("write_ledger", rule="one-line-a-run")
def test_one_line_for_each_run(learner, runs):
    """The four recorded runs give four lines, in order, each a JSON object that ends with a line end."""
    data, lines = ledger_of(learner, runs)
    steps = [line.get("steps") for _, line in lines]
    promise(steps == [4, 5, 3, 6], "These are not the steps of the four runs in order", promised=[4, 5, 3, 6])
    promise(data.endswith(b"\n"), "The last line has no line end, so the next one would join it")


@exercise("write_ledger", after="test_one_line_for_each_run", rule="chained-lines")
def test_each_line_holds_the_digest_of_the_one_before(learner, runs):
    """Each line holds the digest of the line before, the first one 64 zeros."""
    before = "0" * 64
    for number, (raw, line) in enumerate(ledger_of(learner, runs)[1], 1):
        sentence = "prev is not the digest of the line before" if number > 1 else "prev is not 64 zeros"
        promise(line.get("prev") == before, sentence, promised=before, line=number)
        before = hashlib.sha256(raw).hexdigest()


# --- prop_audit and corruptions -----------------------------------------------------------------


def main_name(learner, name):
    """What the learner's notebook calls `name`, as an object that stays where it is."""
    return learner.lib("builtins:getattr", learner.lib("importlib:import_module", "__main__"), name)


def believing(result):
    """An auditor that hands on whatever the run says of itself."""
    return {key: result[key] for key in ("steps", "retries", "status", "termination")} | {"violations": []}


class WrongAboutEveryRun:
    """An auditor that counts how often it is asked."""

    def __init__(self):
        self._asked = 0

    def __call__(self, result):
        self._asked += 1
        ending = ("failed", "tool_failure") if result["status"] == "completed" else ("completed", "goal_reached")
        counts = {"steps": len(result["trace"]) + 2, "retries": len(result["trace"]) + 1}
        return {**counts, "status": ending[0], "termination": ending[1], "violations": ["too_many_steps"]}


def rejected(outcome):
    """Whether the property found the audit wrong; several kinds of failure at once come as a group."""
    return outcome.raised("AssertionError") or outcome.raised("BaseExceptionGroup")


@exercise("prop_audit", rule="a-property-accepts-right-audits")
def test_accepts_your_own_audit(learner):
    """Your property accepts your own audit_run (if not, one of the two is wrong), and not just any audit."""
    wrong = WrongAboutEveryRun()
    outcome = learner.call("prop_audit", learner.remote(wrong))
    if not rejected(outcome):
        promise(outcome.value is None, "prop_audit should return None or raise AssertionError")
        promise(False, "An auditor that is wrong about every run gets past your property", promised="AssertionError")
    promise(wrong._asked > 0, "Your property rejects an auditor that it has not asked anything")
    outcome = learner.call("prop_audit", main_name(learner, "audit_run"))
    promise(not rejected(outcome), "Your property rejects your own audit_run: one of the two is wrong")
    promise(outcome.value is None, "prop_audit should return None", promised=None)


@exercise("prop_audit", after="test_accepts_your_own_audit", rule="a-property-finds-wrong-audits")
def test_finds_the_believer(learner):
    """An auditor that hands on whatever the run declares does not get past your property."""
    outcome = learner.call("prop_audit", learner.remote(believing))
    if not rejected(outcome):
        promise(outcome.value is None, "prop_audit should return None or raise AssertionError")
        promise(False, "An auditor that believes everything gets past your property", promised="AssertionError")


@exercise("prop_audit", rule="corruptions-are-labelled")
def test_corruptions_is_a_strategy(learner, runs):
    """corruptions gives a strategy that draws pairs, and leaves the run as it was."""
    run = runs["summarize-notes"].result | {"task_id": "another-task"}
    draws = learner.lib("course_lib.draws:Draws", main_name(learner, "corruptions"), run, 20)
    promise(same(draws.made.args_after[1], run), "corruptions changes the run that it is given")
    pairs = draws.get("drawn").value
    right = all(isinstance(p, tuple | list) and list(map(type, p)) == [str, dict] for p in pairs)
    promise(pairs != [] and right, "What is drawn are not pairs (code, forged result)")
    kept = all(run.keys() <= forged.keys() and forged["task_id"] == run["task_id"] for _, forged in pairs)
    promise(kept, "A forgery has not the keys and the task_id of the run that is given")
