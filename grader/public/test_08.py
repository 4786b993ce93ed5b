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
NO_AUDIT = "The answer is not a dict with the five keys, its violations a list of codes"


def audited(learner, result):
    """The learner's audit of `result`, when it has the shape that it should have."""
    got = learner.call("audit_run", result).value
    promise(shape(got, AUDIT) and len(got) == len(AUDIT), NO_AUDIT, promised=sorted(AUDIT))
    return got


# --- derive -------------------------------------------------------------------------------------


@exercise("derive", rule="verdict-from-the-trace")
def test_four_recorded_runs(learner, runs):
    """The four recorded runs get the verdicts that they declare."""
    for name, verdict in VERDICTS.items():
        got = learner.call("derive", runs[name].trace).value
        promise(same(got, verdict), "This is not how the run ended", promised=verdict, run=name)


@exercise("derive", rule="unfinished-is-in-progress")
def test_nothing_has_happened_yet(learner):
    """A trace without entries is in progress."""
    got = learner.call("derive", []).value
    promise(same(got, ("in_progress", None)), "A run that has not begun has no end", promised=("in_progress", None))


@exercise("derive", rule="the-first-end-decides")
def test_the_first_end_decides(learner, runs):
    """What follows an ok report changes nothing: the run stays completed."""
    trace = [*runs["summarize-notes"].trace, *runs["tool-failure"].trace]
    got = learner.call("derive", trace).value
    verdict = VERDICTS["summarize-notes"]
    promise(same(got, verdict), "The entries after the end have a say in the verdict", promised=verdict)


# --- audit_run ----------------------------------------------------------------------------------


@exercise("audit_run", rule="four-ledger-lines")
def test_four_sound_audits(learner, runs):
    """The four recorded runs pass: their own numbers and verdicts, and no violation."""
    for name, run in runs.items():
        expected = {key: run.result[key] for key in ("steps", "retries", "status", "termination")}
        got = audited(learner, run.result)
        promise(
            same(got, {**expected, "violations": []}), "A sound run is reported otherwise", promised=expected, run=name
        )


@exercise("audit_run", rule="the-declared-is-not-believed")
def test_a_claim_is_not_believed(learner, runs):
    """A normal run that claims to have failed is completed all the same, with one violation."""
    got = audited(learner, runs["summarize-notes"].result | {"status": "failed"})
    promise(got["status"] == "completed", "The declared status is believed", promised="completed")
    promise(got["violations"] == ["status_mismatch"], "The claim is not reported", promised=["status_mismatch"])


@exercise("audit_run", rule="an-erased-ok-is-a-violation")
def test_an_erased_ok(learner, runs):
    """With the ok of the last observation erased, the run is not completed, and the flag is missed."""
    result = runs["summarize-notes"].result
    del result["trace"][-1]["observation"]["ok"]
    got = audited(learner, result)
    promise(got["status"] != "completed", "A missing ok is taken for a success", promised="in_progress")
    expected = ["missing_ok", "status_mismatch", "termination_mismatch"]
    missing = [code for code in expected if code not in got["violations"]]
    promise(missing == [], "Not all that is wrong is reported", promised=expected)


@exercise("audit_run", rule="entries-after-the-end")
def test_an_entry_too_many(learner, runs):
    """An entry after the report is reported, even when the counts were adjusted to it."""
    result = runs["summarize-notes"].result
    result["trace"].append(copy.deepcopy(result["trace"][1]))
    got = audited(learner, result | {"steps": 5})
    expected = ["steps_after_terminal"]
    promise(got["violations"] == expected, "The entry after the end is not what is reported", promised=expected)


# --- write_ledger -------------------------------------------------------------------------------


def ledger_of(data):
    """The lines of a ledger as (bytes, object); None when it is not one JSON object a line."""
    try:
        found = [(raw, json.loads(raw)) for raw in (data or b"").splitlines()]
    except (ValueError, RecursionError):
        return None
    return found if all(isinstance(line, dict) for _, line in found) else None


@exercise("write_ledger", rule="one-line-a-run")
def test_one_line_for_each_run(learner, runs):
    """The four recorded runs give four lines, in order, each a JSON object that ends with a line end."""
    _ = learner.call("write_ledger", [run.result for run in runs.values()], learner.path("l.jsonl")).value
    data = learner.read("l.jsonl")
    promise(data is not None, "No file was written to the path that was given")
    lines = ledger_of(data)
    promise(lines is not None and len(lines) == 4, "The file is not one JSON object a line", promised="4 lines")
    steps = [line.get("steps") for _, line in lines]
    promise(steps == [4, 5, 3, 6], "These are not the steps of the four runs in order", promised=[4, 5, 3, 6])
    promise(data.endswith(b"\n"), "The last line has no line end, so the next one would join it")


@exercise("write_ledger", after="test_one_line_for_each_run", rule="chained-lines")
def test_each_line_holds_the_digest_of_the_one_before(learner, runs):
    """Each line holds the digest of the line before, the first one 64 zeros."""
    _ = learner.call("write_ledger", [run.result for run in runs.values()], learner.path("l.jsonl")).value
    before = "0" * 64
    for raw, line in ledger_of(learner.read("l.jsonl")) or []:
        promise(line.get("prev") == before, "prev is not the digest of the line before", promised=before)
        before = hashlib.sha256(raw).hexdigest()


# --- prop_audit and corruptions -----------------------------------------------------------------


def own_audit(learner):
    """The learner's own audit_run, as an object that stays where it is."""
    return learner.lib("builtins:getattr", learner.lib("importlib:import_module", "__main__"), "audit_run")


def believing(result):
    """An auditor that hands on whatever the run says of itself."""
    return {key: result[key] for key in ("steps", "retries", "status", "termination")} | {"violations": []}


def rejected(outcome):
    """Whether the property found the audit wrong; several kinds of failure at once come as a group."""
    return outcome.raised("AssertionError") or outcome.raised("BaseExceptionGroup")


@exercise("prop_audit", rule="a-property-accepts-right-audits")
def test_accepts_your_own_audit(learner):
    """Your property accepts your own audit_run (if not, one of the two is wrong)."""
    outcome = learner.call("prop_audit", own_audit(learner))
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
    """corruptions gives a strategy, and leaves the run as it was."""
    run = runs["summarize-notes"].result
    made = learner.new("corruptions", run)
    promise(made.get("map").error is None, "What comes back is not a Hypothesis strategy")
    promise(same(made.made.args_after[0], run), "corruptions changes the run that it is given")
