"""Notebook 08: what a class bundle may leave out. Runs are drawn towards an ending; planted auditors stay here."""

from __future__ import annotations

import copy
import hashlib
import json

from grader.judge import exercise, promise, same, shape
from grader.judge.api import AnswerRaised

TOOLS = ("list_notes", "read_note", "search", "append_note")
ERRORS = ("invalid_arguments", "tool_unavailable", "not_found")
VERDICTS = {
    "completed": ("completed", "goal_reached"),
    "failed": ("failed", "tool_failure"),
    "exhausted": ("budget_exhausted", "step_budget"),
    "open": ("in_progress", None),
}
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
FORBIDDEN = ("thought", "chain_of_thought")
MISSING = object()


# --- runs ---------------------------------------------------------------------------------------


def entry(rng, ok=True, tool=None):
    """One entry; the tool is drawn unless it is given. `ok` MISSING leaves the flag out."""
    tool = tool or rng.choice([*TOOLS, "write_report"] if ok is not True else TOOLS)
    seen = {"text": f"seen {rng.randrange(10**6)}"} if ok is True else {"error": rng.choice(ERRORS)}
    flag = {} if ok is MISSING else {"ok": ok}
    return {"action": {"tool": tool, "args": {"name": f"{rng.randrange(10**6)}.txt"}}, "observation": flag | seen}


def report(rng, ok=True):
    return entry(rng, ok, "write_report")


def mixed(rng, failures, successes):
    """So many failed entries and so many that went well, in any order; none of them ends a run."""
    entries = [entry(rng, False) for _ in range(failures)] + [entry(rng) for _ in range(successes)]
    rng.shuffle(entries)
    return entries


def trace_of(rng, ending):
    """A trace that ends in this way with its last entry (`open`: does not end)."""
    match ending:
        case "completed":
            failures = rng.randint(0, 2)
            return [*mixed(rng, failures, rng.randint(0, 5 - failures)), report(rng)]
        case "failed":
            return [*mixed(rng, 2, rng.randint(0, 3)), entry(rng, False)]
        case "exhausted":
            failures = rng.randint(0, 2)
            return mixed(rng, failures, 6 - failures)
        case _:
            failures = rng.randint(0, 2)
            return mixed(rng, failures, rng.randint(1, 5 - failures))


def declared(rng, trace, verdict):
    """A result whose counters are true of its trace."""
    failed = sum(each["observation"].get("ok") is False for each in trace)
    claims = {"steps": len(trace), "retries": failed, "status": verdict[0], "termination": verdict[1]}
    return {"task_id": f"task-{rng.randrange(1000)}", **claims, "trace": trace}


def a_run(rng, ending=None):
    """An honest run."""
    ending = ending or rng.choice(sorted(VERDICTS))
    return declared(rng, trace_of(rng, ending), VERDICTS[ending])


# --- an audit that is right ---------------------------------------------------------------------


def judged(trace, *, odd_is_failed=False):
    failures = 0
    for size, each in enumerate(trace, 1):
        ok = each["observation"].get("ok")
        if ok is True and each["action"]["tool"] == "write_report":
            return VERDICTS["completed"]
        failures += ok is False or (odd_is_failed and ok is not True)
        if failures > 2:
            return VERDICTS["failed"]
        if size >= 6:
            return VERDICTS["exhausted"]
    return VERDICTS["open"]


def keys_in(value):
    if isinstance(value, dict):
        return set(value).union(*map(keys_in, value.values()))
    return set().union(*map(keys_in, value)) if isinstance(value, list | tuple) else set()


def flags_of(trace):
    return [each["observation"].get("ok") for each in trace]


def audited(result, derive=judged, *, odd_is_failed=False):
    """The right audit; a planted one has another `derive`, or has its answer spoilt afterwards."""
    trace, flags = result["trace"], flags_of(result["trace"])
    retries = sum(flag is False or (odd_is_failed and flag is not True) for flag in flags)
    status, termination = derive(trace)
    late = any(judged(trace[:k], odd_is_failed=odd_is_failed)[1] for k in range(len(trace)))
    holds = (
        result["status"] != status,
        result["termination"] != termination,
        (result["steps"], result["retries"]) != (len(trace), retries),
        late,
        len(trace) > 6,
        retries > 3,
        any(flag is not True and flag is not False for flag in flags),
        not keys_in(trace).isdisjoint(FORBIDDEN),
    )
    violations = [code for code, found in zip(CODES, holds, strict=True) if found]
    answer = {"steps": len(trace), "retries": retries, "status": status, "termination": termination}
    return {**answer, "violations": violations}


# --- derive -------------------------------------------------------------------------------------


def promise_verdict(learner, trace, ending, sentence, mistaken=None, **limits):
    """The verdict is the one of `ending`; `sentence` is for any other, or only for the `mistaken` ending."""
    got = learner.call("derive", trace, **limits).value
    if mistaken is not None:
        promise(not same(got, VERDICTS[mistaken]), sentence)
        sentence = "This is not how the run ended"
    promise(same(got, VERDICTS[ending]), sentence)


@exercise("derive", rule="verdict-from-the-trace")
def test_each_ending(learner, rng):
    """Runs with every ending get the verdict that their entries lead to."""
    for ending in rng.sample(sorted(VERDICTS), 4):
        for _ in range(2):
            promise_verdict(learner, trace_of(rng, ending), ending, "This is not how the run ended")


@exercise("derive", rule="the-first-end-decides")
def test_an_earlier_end_stands(learner, rng):
    """Whatever follows the entry that ended a run, the verdict stays."""
    for ending in ("completed", "failed"):
        for follow in (entry(rng), entry(rng, False)):
            trace = [*trace_of(rng, ending), follow]
            promise_verdict(learner, trace, ending, "An end that came earlier is forgotten when an entry follows")


@exercise("derive", rule="the-first-end-decides")
def test_a_report_after_the_third_failure(learner, rng):
    """A report that is written after the third failure saves nothing."""
    trace = [*mixed(rng, 2, rng.randint(0, 1)), entry(rng, False), report(rng)]
    promise_verdict(learner, trace, "failed", "An ok report decides wherever it stands", "completed")


@exercise("derive", rule="failure-before-budget")
def test_third_failure_on_the_sixth_step(learner, rng):
    """A third failure on the sixth step is a failure, not an exhausted budget."""
    trace = [*mixed(rng, 2, 3), entry(rng, False)]
    promise_verdict(learner, trace, "failed", "The budget seems to be asked before the failures", "exhausted")


@exercise("derive", rule="verdict-from-the-trace")
def test_a_report_on_the_sixth_step(learner, rng):
    """A report on the sixth step completes the run; one that comes later does not."""
    failures = rng.randint(0, 2)
    promise_verdict(
        learner,
        [*mixed(rng, failures, 5 - failures), report(rng)],
        "completed",
        "A report on the sixth step comes too late",
    )
    trace = [*mixed(rng, failures, 6 - failures), report(rng)]
    promise_verdict(learner, trace, "exhausted", "A report beyond the budget completes the run", "completed")


@exercise("derive", rule="an-erased-ok-is-a-violation")
def test_a_missing_ok_is_no_success(learner, rng):
    """A report whose ok is missing, or neither True nor False, completes nothing."""
    for flag in (MISSING, None, "yes", 1):
        got = learner.call("derive", [*mixed(rng, 0, rng.randint(0, 3)), report(rng, flag)]).value
        promise(not same(got, VERDICTS["completed"]), "An ok that is not True is taken for a success")
        promise(same(got, VERDICTS["open"]), "This run has not ended")


@exercise("derive", rule="unfinished-is-in-progress")
def test_an_unfinished_run(learner, rng):
    """A run that nothing ended, the empty one too, is in progress."""
    promise_verdict(learner, [], "open", "A run without entries gets an end")
    promise_verdict(learner, trace_of(rng, "open"), "open", "A run that has not ended gets an end")


@exercise("derive", rule="verdict-from-the-trace")
def test_reads_on_after_a_failure(learner, rng):
    """After one or two failures the run goes on, and its end is found."""
    for failures in (1, 2):
        trace = [*mixed(rng, failures, rng.randint(0, 2)), report(rng)]
        promise_verdict(learner, trace, "completed", "Reading seems to stop at a failure")


@exercise("derive", rule="verdict-from-the-trace")
def test_a_failed_report(learner, rng):
    """A report that failed completes nothing and counts as a failure."""
    failed = report(rng, False)
    promise_verdict(learner, [*mixed(rng, 0, 2), failed], "open", "A failed report seems to complete the run")
    trace = [*mixed(rng, 2, rng.randint(0, 2)), failed]
    promise_verdict(learner, trace, "failed", "A failed report is not counted as a failure")


@exercise("derive", rule="verdict-from-the-trace")
def test_limits_are_given(learner, rng):
    """Other limits than 6 and 2 are kept when they are given."""
    fixed = "The limits seem to be fixed"
    most = rng.randint(7, 10)
    promise_verdict(learner, mixed(rng, 1, most - 2), "open", fixed, max_steps=most)
    promise_verdict(learner, mixed(rng, 1, most - 1), "exhausted", fixed, max_steps=most)
    allowed = rng.randint(3, 4)
    trace = mixed(rng, allowed, 0)
    promise_verdict(learner, trace, "open", fixed, max_retries=allowed)
    promise_verdict(learner, [*trace, entry(rng, False)], "failed", fixed, max_retries=allowed)


# --- audit_run ----------------------------------------------------------------------------------

AUDIT = {"steps": int, "retries": int, "status": str, "termination": (str, type(None)), "violations": [str]}


def audit_by(learner, result):
    """The learner's audit, when it has the shape that it should have."""
    got = learner.call("audit_run", copy.deepcopy(result)).value
    right_shape = shape(got, AUDIT) and len(got) == len(AUDIT)
    promise(right_shape, "The answer is not a dict with the five keys, its violations a list of codes")
    promise(set(got["violations"]) <= set(CODES), "A violation is reported by a code that is not in the list")
    promise(len(set(got["violations"])) == len(got["violations"]), "A code is reported more than once")
    return got


def promise_codes(got, result, sentence):
    """Exactly the codes that hold are reported; `sentence` is for one that is left out."""
    expected = set(audited(result)["violations"])
    promise(expected <= set(got["violations"]), sentence)
    promise(set(got["violations"]) <= expected, "Something is reported that is not wrong")


@exercise("audit_run", points=2, rule="no-false-alarm")
def test_honest_runs(learner, rng):
    """An honest run with any ending is reported as it is, without a violation."""
    for ending in rng.sample(sorted(VERDICTS), 4):
        result = a_run(rng, ending)
        got = audit_by(learner, result)
        promise(got["violations"] == [], "An honest run is reported")
        promise(same(got, audited(result)), "The counts or the verdict are not those of the trace")


@exercise("audit_run", points=2, rule="the-declared-is-not-believed")
def test_the_declared_status(learner, rng):
    """Whatever ending a run claims, the one that its trace leads to is found, and the claim reported."""
    for ending in ("completed", "exhausted", "open"):
        claim = rng.choice([other for other in VERDICTS if other not in (ending, "failed")])
        status, termination = VERDICTS[claim]
        result = a_run(rng, ending) | {"status": status, "termination": termination}
        got = audit_by(learner, result)
        promise(got["status"] != status, "The declared status is believed")
        promise(got["termination"] != termination, "The declared termination is believed")
        promise(same((got["status"], got["termination"]), VERDICTS[ending]), "This is not how the run ended")
        promise_codes(got, result, "A claim that does not hold goes unreported")


@exercise("audit_run", rule="the-declared-is-not-believed")
def test_the_declared_termination(learner, rng):
    """A termination that does not fit is reported also when the status is the right one."""
    ending = rng.choice(sorted(VERDICTS))
    others = [termination for _, termination in VERDICTS.values() if termination != VERDICTS[ending][1]]
    result = a_run(rng, ending) | {"termination": rng.choice(others)}
    got = audit_by(learner, result)
    promise_codes(got, result, "Only the status is compared, so a wrong termination goes unreported")


@exercise("audit_run", points=2, rule="counts-come-from-the-trace")
def test_the_declared_counts(learner, rng):
    """Steps and retries are counted, and a declared count that differs is reported."""
    sentences = {"steps": "The declared steps are believed", "retries": "The declared retries are believed"}
    for key, believed in sentences.items():
        honest = a_run(rng)
        result = honest | {key: honest[key] + rng.choice([1, 2, 3])}
        got = audit_by(learner, result)
        promise(got[key] != result[key], believed)
        promise(got[key] == honest[key], "The counts are not those of the trace")
        promise_codes(got, result, "A declared count that does not fit the trace goes unreported")


@exercise("audit_run", rule="counts-come-from-the-trace")
def test_the_declared_retries_decide_nothing(learner, rng):
    """A run is not failed because it declares many retries, and not saved because it declares few."""
    result = a_run(rng, "completed") | {"retries": rng.randint(3, 5)}
    got = audit_by(learner, result)
    promise(got["status"] == "completed", "The verdict seems to depend on the declared retries")
    result = a_run(rng, "failed") | {"retries": rng.randint(0, 2)}
    got = audit_by(learner, result)
    promise(got["status"] == "failed", "The verdict seems to depend on the declared retries")


@exercise("audit_run", points=2, rule="entries-after-the-end")
def test_entries_after_the_end(learner, rng):
    """Entries after the one that ended the run are reported, however well they are counted."""
    ended = [*mixed(rng, rng.randint(0, 1), rng.randint(0, 2)), report(rng)]
    for more in ([entry(rng)], [entry(rng, False)], [entry(rng), report(rng)]):
        result = declared(rng, [*ended, *more], VERDICTS["completed"])
        got = audit_by(learner, result)
        promise(same((got["status"], got["termination"]), VERDICTS["completed"]), "The verdict changes after the end")
        promise_codes(got, result, "Entries after the end go unreported")


@exercise("audit_run", rule="limits-of-steps-and-retries")
def test_more_failures_than_a_run_can_have(learner, rng):
    """A fourth failure is reported as one too many, a third one is not."""
    for more in (1, 2):
        trace = [*trace_of(rng, "failed"), *(entry(rng, False) for _ in range(more))]
        result = declared(rng, trace, VERDICTS["failed"])
        got = audit_by(learner, result)
        promise_codes(got, result, "More failures than a run can have go unreported")


@exercise("audit_run", rule="limits-of-steps-and-retries")
def test_more_steps_than_a_run_can_have(learner, rng):
    """A seventh entry is reported as one too many, a sixth one is not."""
    for more in ([entry(rng)], [entry(rng), report(rng)]):
        result = declared(rng, [*trace_of(rng, "exhausted"), *more], VERDICTS["exhausted"])
        got = audit_by(learner, result)
        promise_codes(got, result, "More steps than a run can have go unreported")


@exercise("audit_run", rule="the-declared-is-not-believed")
def test_a_failure_that_never_was(learner, rng):
    """A run with two failures or fewer that claims to have failed is reported."""
    for ending in ("completed", "exhausted", "open"):
        status, termination = VERDICTS["failed"]
        result = a_run(rng, ending) | {"status": status, "termination": termination}
        got = audit_by(learner, result)
        promise_codes(got, result, "A run that claims to have failed is believed")
        promise(same((got["status"], got["termination"]), VERDICTS[ending]), "This is not how the run ended")


@exercise("audit_run", points=2, rule="an-erased-ok-is-a-violation")
def test_an_erased_flag(learner, rng):
    """A report whose ok was erased, or made neither True nor False, completes nothing and is reported."""
    for flag in (MISSING, rng.choice([None, "yes", 1, 0, "False"])):
        trace = [*mixed(rng, 0, rng.randint(0, 3)), report(rng, flag)]
        result = declared(rng, trace, VERDICTS["completed"]) | {"retries": 0}
        got = audit_by(learner, result)
        promise(got["status"] != "completed", "An ok that is not True is taken for a success")
        promise("missing_ok" in got["violations"], "An observation without a proper ok goes unreported")
        expected = {"missing_ok", "status_mismatch", "termination_mismatch"}
        found = set(got["violations"])
        promise(expected <= found, "The claim of a run that lost its ok goes unreported")
        promise(found <= expected | {"count_mismatch"}, "Something is reported that is not wrong")


@exercise("audit_run", points=2, rule="report-never-raise")
def test_reports_instead_of_raising(learner, rng):
    """Malformed flags, unknown claims and an empty trace are reported on; nothing is raised."""
    empty = declared(rng, [], VERDICTS["open"])
    odd = a_run(rng, "open")
    del rng.choice(odd["trace"])["observation"]["ok"]
    unknown = a_run(rng) | {"status": f"great-{rng.randrange(100)}", "termination": rng.choice([7, [], "done"])}
    cases = [empty, odd, unknown, a_run(rng) | {"steps": None, "retries": rng.choice(["two", None])}]
    rng.shuffle(cases)
    for result in cases:
        outcome = learner.call("audit_run", result)
        promise(outcome.error is None, "It raises where it should report")
        _ = audit_by(learner, result)


@exercise("audit_run", points=2, rule="all-violations-are-reported")
def test_several_violations(learner, rng):
    """Of several violations all are reported, each once."""
    few = "Only some of several violations are reported"
    result = a_run(rng, "completed") | {"status": "failed", "termination": "tool_failure", "steps": 9}
    promise_codes(audit_by(learner, result), result, few)
    trace = [*trace_of(rng, "failed"), *(entry(rng, False) for _ in range(4)), report(rng)]
    rng.choice(trace)["action"]["args"][rng.choice(FORBIDDEN)] = "hm"
    result = declared(rng, trace, VERDICTS["completed"])
    promise_codes(audit_by(learner, result), result, few)


@exercise("audit_run", points=2, rule="forbidden-fields")
def test_forbidden_fields(learner, rng):
    """A forbidden key is reported at any depth; a word in a text, or a longer name, is no such key."""
    where = [
        lambda each, key: each.update({key: "hm"}),
        lambda each, key: each["observation"].update({key: "hm"}),
        lambda each, key: each["action"]["args"].update(plan=[1, {"next": {key: "hm"}}]),
    ]
    rng.shuffle(where)
    for put in where:
        result = a_run(rng)
        put(rng.choice(result["trace"]), rng.choice(FORBIDDEN))
        promise_codes(audit_by(learner, result), result, "A forbidden field is overlooked")
    result = a_run(rng)
    harmless = rng.choice([{"note": rng.choice(FORBIDDEN)}, {"afterthought": "x"}, {"thoughts": 1}])
    result["trace"][0]["action"]["args"].update(harmless)
    got = audit_by(learner, result)
    promise("forbidden_field" not in got["violations"], "Something harmless is taken for a forbidden field")
    result = a_run(rng)
    result["trace"][0]["action"]["args"].update({rng.choice(["Thought", "THOUGHT", "Chain_of_Thought"]): "x"})
    got = audit_by(learner, result)
    promise("forbidden_field" not in got["violations"], "A name in other letters is taken for a forbidden one")


@exercise("audit_run", rule="inputs-stay-as-they-were")
def test_the_result_is_left_alone(learner, rng):
    """The result is the same after the audit as before, whatever is wrong with it."""
    result = a_run(rng) | {"status": "great", "retries": 8}
    del rng.choice(result["trace"])["observation"]["ok"]
    outcome = learner.call("audit_run", copy.deepcopy(result))
    _ = outcome.value
    promise(same(outcome.args_after[0], result), "The audit changes the result that it is given")


# --- write_ledger -------------------------------------------------------------------------------


def written(learner, results, name="ledger.jsonl"):
    """The bytes of the ledger that the learner's function writes."""
    _ = learner.call("write_ledger", results, learner.path(name)).value
    data = learner.read(name)
    promise(data is not None, "No file was written to the path that was given")
    return data


def lines_of(data):
    """(bytes without line end, object) of each line."""
    try:
        found = [(raw, json.loads(raw)) for raw in data.split(b"\n") if raw.strip()]
    except (ValueError, RecursionError):
        found = [(b"", None)]
    promise(all(isinstance(line, dict) for _, line in found), "The file is not one JSON object a line")
    return found


def some_results(rng):
    return [a_run(rng) for _ in range(rng.randint(3, 5))]


@exercise("write_ledger", points=2, rule="one-line-a-run")
def test_a_line_for_each_run_in_order(learner, rng):
    """Each run has one line, in the order in which the runs were given, and the last line is complete."""
    results = some_results(rng)
    data = written(learner, results)
    lines = lines_of(data)
    promise(len(lines) == len(results), "The file is not one JSON object a line")
    tasks = [line.get("task_id") for _, line in lines]
    promise(tasks == [result["task_id"] for result in results], "The order of the runs is lost")
    promise(data.endswith(b"\n"), "The last line has no line end, so the next one would join it")
    promise(data.count(b"\n") == len(results), "There are blank lines, or lines without a run")
    promise(written(learner, [], "none.jsonl") == b"", "No runs should give an empty file")


@exercise("write_ledger", points=2, rule="the-ledger-holds-the-audit")
def test_the_audits_values_are_written(learner, rng):
    """A line holds what the audit found, not what the run declared."""
    result = a_run(rng, "completed") | {"status": "failed", "termination": "tool_failure"}
    result |= {"steps": result["steps"] + rng.randint(1, 3), "retries": rng.randint(4, 9)}
    [(_, line), *_] = lines_of(written(learner, [result])) or [(b"", {})]
    found = audited(result)
    copied = [key for key in ("steps", "retries", "status", "termination") if line.get(key) == result[key]]
    promise(copied == [], "The declared values are written")
    expected = {"task_id": result["task_id"], **found, "violations": sorted(found["violations"]), "prev": "0" * 64}
    promise(line.get("violations") == expected["violations"], "The violations are not the audit's, sorted")
    promise(same(line, expected), "A line is not what it should be: task_id, the audit and prev")


@exercise("write_ledger", points=2, rule="chained-lines")
def test_the_chain_holds(learner, rng):
    """The digest is that of the bytes of the line before, as they stand in the file."""
    before = "0" * 64
    for raw, line in lines_of(written(learner, some_results(rng))):
        promise(line.get("prev") == before, "prev is not the digest of the line before as it stands in the file")
        before = hashlib.sha256(raw).hexdigest()


@exercise("write_ledger", rule="equal-results-equal-bytes")
def test_equal_results_give_equal_bytes(learner, rng):
    """Equal results give equal bytes: sorted keys, no spaces."""
    results = some_results(rng)
    results[0] |= {"status": "great", "steps": 99}
    turned = [dict(rng.sample(sorted(result.items()), len(result))) for result in results]
    data = written(learner, results, "one.jsonl")
    promise(written(learner, turned, "other.jsonl") == data, "The order of a result's keys changes the bytes")
    plain = [json.dumps(line, sort_keys=True, separators=(",", ":")).encode() for _, line in lines_of(data)]
    canonical = [raw for raw, _ in lines_of(data)] == plain
    promise(canonical, "A line has spaces, or keys out of order")


@exercise("write_ledger", rule="the-ledger-is-overwritten")
def test_the_file_is_written_anew(learner, rng):
    """What was in the file before is gone."""
    results = some_results(rng)
    fresh = written(learner, results, "fresh.jsonl")
    learner.write("used.jsonl", f'{{"old":{rng.randrange(1000)}}}\n'.encode() * rng.randint(1, 20))
    promise(written(learner, results, "used.jsonl") == fresh, "What was in the file before is still there")


# --- prop_audit: auditors that are right --------------------------------------------------------


def rejected(outcome, own=()):
    """Whether the property found the audit wrong. `own` are exceptions of the audit itself, which may pass through."""
    return any(outcome.raised(name) for name in ("AssertionError", "BaseExceptionGroup", *own))


def promise_accepted(outcome, sentence):
    promise(not rejected(outcome), sentence)
    promise(outcome.value is None, "prop_audit should return None for an audit that is right")


@exercise("prop_audit", points=2, rule="a-property-accepts-right-audits")
def test_accepts_a_right_audit(learner):
    """An audit that is right, and not your own, is accepted."""
    promise_accepted(
        learner.call("prop_audit", learner.remote(audited)), "Your property rejects an audit that is right"
    )


def backwards(result):
    """Right; codes and keys come in another order."""
    answer = audited(result)
    return {key: answer[key] for key in reversed(answer)} | {"violations": answer["violations"][::-1]}


def counts_odd_flags(result):
    """Right; an observation without a proper ok counts as a failure."""
    return audited(result, lambda trace: judged(trace, odd_is_failed=True), odd_is_failed=True)


@exercise("prop_audit", rule="a-property-accepts-right-audits")
def test_accepts_another_order(learner):
    """An audit that reports the codes in another order is accepted."""
    sentence = "Your property rejects an audit because of the order of its codes"
    promise_accepted(learner.call("prop_audit", learner.remote(backwards)), sentence)


@exercise("prop_audit", rule="a-property-accepts-right-audits")
def test_accepts_both_ways_of_counting(learner):
    """An audit that counts a missing ok among the retries is accepted, as well as one that does not."""
    sentence = "Your property rejects an audit because of how it counts a missing ok"
    promise_accepted(learner.call("prop_audit", learner.remote(counts_odd_flags)), sentence)


# --- corruptions --------------------------------------------------------------------------------

DRAWN = 150
RESULT = {"steps": int, "retries": int, "trace": [{"action": {"tool": str}, "observation": dict}]}


def drawn(learner, run):
    """About DRAWN pairs of the learner's strategy for forgeries of `run`, as hypothesis.find meets them."""
    seen = []

    def enough(pair):
        seen.append(copy.deepcopy(pair))
        return len(seen) >= DRAWN

    strategy = learner.new("corruptions", run)
    quiet = learner.lib("hypothesis:settings", max_examples=2 * DRAWN, derandomize=True, database=None, deadline=None)
    try:
        learner.lib("hypothesis:find", strategy, learner.remote(enough), settings=quiet)
    except AnswerRaised as raised:
        if raised.fault.type != "NoSuchExample":  # a strategy may have fewer than DRAWN forgeries to offer
            raise
    return seen


def readable(pair):
    """Whether it is a pair of a code and a result that can be audited."""
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        return False
    code, forged = pair
    return isinstance(code, str) and isinstance(forged, dict) and shape(forged.get("trace"), RESULT["trace"])


@exercise("prop_audit", points=2, rule="corruptions-are-labelled")
def test_every_forgery_deserves_its_code(learner, rng):
    """Whatever is drawn from corruptions, a right audit reports its code for it."""
    for ending in rng.sample(sorted(VERDICTS), 2):
        pairs = drawn(learner, a_run(rng, ending))
        promise(pairs != [] and all(map(readable, pairs)), "What is drawn are not pairs (code, forged result)")
        complete = all(a_run(rng).keys() <= forged.keys() for _, forged in pairs)
        promise(complete, "A forgery has lost one of the six keys of a result")
        wrong = sorted({code for code, forged in pairs if code not in audited(forged)["violations"]})
        promise(wrong == [], "A forgery carries a code that a right audit does not report for it", codes=wrong)


@exercise("prop_audit", points=2, rule="corruptions-cover-the-codes")
def test_forgeries_of_every_kind(learner, rng):
    """All eight codes can be drawn, for runs with any ending."""
    for ending in rng.sample(sorted(VERDICTS), 2):
        pairs = drawn(learner, a_run(rng, ending))
        promise(pairs != [] and all(map(readable, pairs)), "What is drawn are not pairs (code, forged result)")
        never = sorted(set(CODES) - {code for code, _ in pairs})
        promise(never == [], "Some codes seem never to be drawn", codes=never)


# --- prop_audit: auditors with a planted fault --------------------------------------------------


def expose(learner, rng, planted, sentence, own=()):
    """The planted auditor is rejected whenever it comes; in some orders a right one is among them, and accepted."""
    orders = [[planted], [planted] * 2, [planted] * 3, rng.sample([audited, planted], 2)]
    for auditor in rng.choice(orders):
        outcome = learner.call("prop_audit", learner.remote(auditor))
        if auditor is audited:
            promise_accepted(outcome, "Your property rejects an audit that is right, when it is asked among others")
        elif not rejected(outcome, own):
            _ = outcome.value
            promise(False, sentence)


def planted(derive=judged, spoil=None):
    """An auditor with another derive, or with its answer changed by spoil(answer, result)."""

    def auditor(result):
        answer = audited(result, derive)
        if spoil is not None:
            spoil(answer, result)
        return answer

    return auditor


def without(code):
    return lambda answer, result: answer.update(violations=[each for each in answer["violations"] if each != code])


AFTER = "test_accepts_a_right_audit"


@exercise("prop_audit", after=AFTER, rule="a-property-finds-wrong-audits")
def test_finds_the_last_entry_reader(learner, rng):
    """Found: an auditor that reads the verdict off the last entry."""

    def derive(trace):
        if trace and flags_of(trace)[-1] is True and trace[-1]["action"]["tool"] == "write_report":
            return VERDICTS["completed"]
        if trace and flags_of(trace)[-1] is False and flags_of(trace).count(False) > 2:
            return VERDICTS["failed"]
        return VERDICTS["exhausted" if len(trace) == 6 else "open"]

    expose(learner, rng, planted(derive), "An auditor that reads the verdict off the last entry gets past")


@exercise("prop_audit", after=AFTER, rule="a-property-finds-wrong-audits")
def test_finds_a_report_that_decides_anywhere(learner, rng):
    """Found: an auditor for whom an ok report completes a run wherever it stands."""

    def derive(trace):
        reports = [each for each in trace if each["action"]["tool"] == "write_report"]
        return VERDICTS["completed"] if True in map(is_true, flags_of(reports)) else judged(trace)

    expose(learner, rng, planted(derive), "An auditor for whom a late report completes a run gets past")


def is_true(flag):
    return flag is True


@exercise("prop_audit", after=AFTER, rule="a-property-finds-wrong-audits")
def test_finds_budget_before_failure(learner, rng):
    """Found: an auditor that asks for the budget before it asks for the failures."""

    def derive(trace):
        ended = next((k for k in range(1, len(trace) + 1) if judged(trace[:k])[1]), 0)
        return VERDICTS["exhausted"] if ended == 6 and judged(trace)[0] == "failed" else judged(trace)

    expose(learner, rng, planted(derive), "An auditor that asks for the budget before the failures gets past")


@exercise("prop_audit", after=AFTER, rule="a-property-finds-wrong-audits")
def test_finds_a_missing_ok_taken_for_success(learner, rng):
    """Found: an auditor that takes a missing ok for a success."""

    def auditor(result):
        filled = copy.deepcopy(result)
        for each in filled["trace"]:
            each["observation"].setdefault("ok", True)
        return audited(filled)

    expose(learner, rng, auditor, "An auditor that takes a missing ok for a success gets past")


@exercise("prop_audit", after=AFTER, rule="a-property-finds-wrong-audits")
def test_finds_a_report_beyond_the_budget(learner, rng):
    """Found: an auditor that lets a report complete a run whose budget is used up."""

    def derive(trace):
        late = len(trace) > 6 and judged(trace) == VERDICTS["exhausted"]
        reports = [each for each in trace[6:] if each["action"]["tool"] == "write_report"]
        return VERDICTS["completed"] if late and any(map(is_true, flags_of(reports))) else judged(trace)

    sentence = "An auditor that lets a report complete a run beyond its budget gets past"
    expose(learner, rng, planted(derive), sentence)


@exercise("prop_audit", after=AFTER, rule="a-property-finds-wrong-audits")
def test_finds_an_end_for_the_empty_trace(learner, rng):
    """Found: an auditor that has an end for a run without entries."""
    ends = planted(lambda trace: judged(trace) if trace else VERDICTS["exhausted"])
    expose(learner, rng, ends, "An auditor that has an end for a run without entries gets past")


@exercise("prop_audit", after=AFTER, rule="a-property-finds-wrong-audits")
def test_finds_reading_that_stops(learner, rng):
    """Found: an auditor that stops reading at the first failure."""

    def derive(trace):
        return (
            judged(trace[: flags_of(trace).index(False)]) if any(f is False for f in flags_of(trace)) else judged(trace)
        )

    expose(learner, rng, planted(derive), "An auditor that stops reading at the first failure gets past")


@exercise("prop_audit", after=AFTER, rule="a-property-finds-wrong-audits")
def test_finds_believed_retries(learner, rng):
    """Found: an auditor that takes the retries from what is declared."""

    def spoil(answer, result):
        answer["retries"] = result["retries"]
        if result["steps"] == answer["steps"]:
            without("count_mismatch")(answer, result)

    expose(learner, rng, planted(spoil=spoil), "An auditor that takes over the declared retries gets past")


@exercise("prop_audit", after=AFTER, rule="a-property-finds-wrong-audits")
def test_finds_the_believed_status(learner, rng):
    """Found: an auditor that takes the ending from what is declared."""

    def spoil(answer, result):
        answer |= {"status": result["status"], "termination": result["termination"]}
        for code in ("status_mismatch", "termination_mismatch"):
            without(code)(answer, result)

    expose(learner, rng, planted(spoil=spoil), "An auditor that takes over the declared status gets past")


@exercise("prop_audit", after=AFTER, rule="a-property-finds-wrong-audits")
def test_finds_the_ignored_termination(learner, rng):
    """Found: an auditor that compares the status and forgets the termination."""
    spoilt = planted(spoil=without("termination_mismatch"))
    expose(learner, rng, spoilt, "An auditor that never compares the termination gets past")


@exercise("prop_audit", after=AFTER, rule="a-property-finds-wrong-audits")
def test_finds_ignored_counts(learner, rng):
    """Found: an auditor that never compares the counts."""
    spoilt = planted(spoil=without("count_mismatch"))
    expose(learner, rng, spoilt, "An auditor that never compares the counts gets past")


@exercise("prop_audit", after=AFTER, rule="a-property-finds-wrong-audits")
def test_finds_ignored_entries_after_the_end(learner, rng):
    """Found: an auditor that does not mind entries after the end."""
    spoilt = planted(spoil=without("steps_after_terminal"))
    expose(learner, rng, spoilt, "An auditor that does not mind entries after the end gets past")


@exercise("prop_audit", after=AFTER, rule="a-property-finds-wrong-audits")
def test_finds_a_fourth_failure_let_through(learner, rng):
    """Found: an auditor that does not mind a fourth failure."""
    spoilt = planted(spoil=without("too_many_retries"))
    expose(learner, rng, spoilt, "An auditor that does not mind a fourth failure gets past")


@exercise("prop_audit", after=AFTER, rule="a-property-finds-wrong-audits")
def test_finds_a_believed_failure(learner, rng):
    """Found: an auditor that believes every run that claims to have failed."""

    def spoil(answer, result):
        if result["status"] == "failed":
            without("status_mismatch")(answer, result)
            answer["status"] = "failed"

    expose(learner, rng, planted(spoil=spoil), "An auditor that believes every claim to have failed gets past")


@exercise("prop_audit", after=AFTER, rule="a-property-finds-wrong-audits")
def test_finds_one_that_raises(learner, rng):
    """Found: an auditor that raises at an observation without ok."""

    def auditor(result):
        for each in result["trace"]:
            _ = each["observation"]["ok"]
        return audited(result)

    expose(learner, rng, auditor, "An auditor that raises at an observation without ok gets past", own=("KeyError",))


@exercise("prop_audit", after=AFTER, rule="a-property-finds-wrong-audits")
def test_finds_the_first_violation_only(learner, rng):
    """Found: an auditor that reports the first violation and stops."""
    spoilt = planted(spoil=lambda answer, result: answer.update(violations=answer["violations"][:1]))
    expose(learner, rng, spoilt, "An auditor that stops at the first violation gets past")


@exercise("prop_audit", after=AFTER, rule="a-property-finds-wrong-audits")
def test_finds_one_that_changes_the_result(learner, rng):
    """Found: an auditor that writes its own findings into the result that it is given."""
    spoilt = planted(spoil=lambda answer, result: result.update(retries=answer["retries"], audited=True))
    expose(learner, rng, spoilt, "An auditor that changes the result gets past")


@exercise("prop_audit", after=AFTER, rule="a-property-finds-wrong-audits")
def test_finds_overlooked_thoughts(learner, rng):
    """Found: an auditor that never looks for forbidden fields."""
    spoilt = planted(spoil=without("forbidden_field"))
    expose(learner, rng, spoilt, "An auditor that overlooks forbidden fields gets past")


@exercise("prop_audit", after=AFTER, rule="a-property-accepts-right-audits")
def test_accepts_a_right_audit_to_the_end(learner, rng):
    """Between auditors with a fault, one that is right is still accepted."""
    wrong = [planted(spoil=without(code)) for code in rng.sample(["status_mismatch", "count_mismatch"], 2)]
    for auditor in (wrong[0], audited, wrong[1], audited)[: rng.randint(2, 4)]:
        outcome = learner.call("prop_audit", learner.remote(auditor))
        if auditor is audited:
            promise_accepted(outcome, "Your property rejects a right audit after it has met a wrong one")
