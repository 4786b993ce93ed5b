"""Notebook 08: what a class bundle may leave out. Runs are drawn towards an ending; planted auditors stay here."""

from __future__ import annotations

import copy
import hashlib
import itertools
import json

from grader.judge import exercise, promise, same, shape

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
    """Every key of every dict in `value`, in small letters."""
    if isinstance(value, dict):
        return {str(key).lower() for key in value}.union(*map(keys_in, value.values()))
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

PAIR = "The answer is not a pair (status, termination)"
ANOTHER = "The verdict is not the one that the entries lead to"


def verdict_of(learner, trace, **limits):
    """What derive says, when it is a pair at all."""
    got = learner.call("derive", trace, **limits).value
    promise(isinstance(got, tuple) and len(got) == 2, PAIR)
    return got


def promise_verdict(learner, trace, ending, mistaken=None, sentence="", **limits):
    """The verdict is the one of `ending`; `sentence` is for the `mistaken` ending, every other answer is just wrong."""
    got = verdict_of(learner, trace, **limits)
    if mistaken is not None:
        promise(not same(got, VERDICTS[mistaken]), sentence)
    promise(same(got, VERDICTS[ending]), ANOTHER)


@exercise("derive", rule="verdict-from-the-trace")
def test_each_ending(learner, rng):
    """Runs with every ending get the verdict that their entries lead to, and keep their entries."""
    for ending in rng.sample(sorted(VERDICTS), 4):
        for trace in (trace_of(rng, ending), trace_of(rng, ending)):
            promise_verdict(learner, trace, ending)
            promise(same(learner.last.outcome.args_after[0], trace), "derive changes the trace that it is given")


@exercise("derive", rule="the-first-end-decides")
def test_an_earlier_end_stands(learner, rng):
    """Whatever follows the entry that ended a run, the verdict stays."""
    for ending in ("completed", "failed"):
        ended = trace_of(rng, ending)
        promise_verdict(learner, ended, ending)
        for follow in (entry(rng), entry(rng, False)):
            got = verdict_of(learner, [*ended, follow])
            promise(same(got, VERDICTS[ending]), "The verdict changes when an entry follows the one that ended the run")


@exercise("derive", rule="the-first-end-decides")
def test_a_report_after_the_third_failure(learner, rng):
    """A report that is written after the third failure saves nothing; one that is written before it does."""
    failed = [*mixed(rng, 2, rng.randint(0, 1)), entry(rng, False)]
    promise_verdict(learner, failed, "failed")
    promise_verdict(learner, [*failed[:-1], report(rng)], "completed")
    late = "An ok report that comes after the third failure completes the run"
    promise_verdict(learner, [*failed, report(rng)], "failed", "completed", late)


@exercise("derive", rule="failure-before-budget")
def test_third_failure_on_the_sixth_step(learner, rng):
    """A third failure on the sixth step is a failure, not an exhausted budget."""
    sound = [entry(rng) for _ in range(3)]
    failures = [entry(rng, False, rng.choice(TOOLS)) for _ in range(3)]
    promise_verdict(learner, [*sound, *failures[1:], entry(rng)], "exhausted")
    promise_verdict(learner, [*sound[1:], *failures], "failed")
    sentence = "The budget seems to be asked before the failures"
    promise_verdict(learner, [*sound, *failures], "failed", "exhausted", sentence)


@exercise("derive", rule="verdict-from-the-trace")
def test_failures_add_up(learner, rng):
    """Failures add up over the whole trace, also with successes between them."""
    failures = [entry(rng, False, rng.choice(TOOLS)) for _ in range(3)]
    promise_verdict(learner, failures, "failed")
    promise_verdict(learner, failures[1:], "open")
    for at in rng.sample([1, 2], 2):
        got = verdict_of(learner, [*failures[:at], entry(rng), *failures[at:]])
        promise(not same(got, VERDICTS["open"]), "A success between the failures seems to set their number back")
        promise(same(got, VERDICTS["failed"]), ANOTHER)


@exercise("derive", rule="verdict-from-the-trace")
def test_a_report_on_the_sixth_step(learner, rng):
    """A report on the sixth step completes the run; one that comes later does not."""
    failures = rng.randint(0, 2)
    before = mixed(rng, failures, 5 - failures)
    promise_verdict(learner, [*before[:-1], report(rng)], "completed")
    full = [*before, entry(rng)]
    promise_verdict(learner, full, "exhausted")
    late = "A report on the sixth step seems to come too late"
    promise_verdict(learner, [*before, report(rng)], "completed", "exhausted", late)
    beyond = "A report beyond the budget completes the run"
    promise_verdict(learner, [*full, report(rng)], "exhausted", "completed", beyond)


@exercise("derive", rule="an-erased-ok-is-a-violation")
def test_a_missing_ok_is_no_success(learner, rng):
    """A report whose ok is missing, or neither True nor False, completes nothing."""
    before = mixed(rng, 0, rng.randint(0, 3))
    promise_verdict(learner, [*before, report(rng)], "completed")
    promise_verdict(learner, [*before, report(rng, False)], "open")
    for flag in (MISSING, None, "yes", 1):
        sentence = "An ok that is not True is taken for a success"
        promise_verdict(learner, [*before, report(rng, flag)], "open", "completed", sentence)


@exercise("derive", rule="unfinished-is-in-progress")
def test_an_unfinished_run(learner, rng):
    """A run that nothing ended, the empty one too, is in progress."""
    for ending in ("completed", "failed"):
        promise_verdict(learner, trace_of(rng, ending), ending, "open", "A run that has ended is called unfinished")
    ends = [VERDICTS[ending] for ending in ("completed", "failed", "exhausted")]
    got = verdict_of(learner, [])
    promise(got not in ends, "A run without entries gets an end")
    promise(same(got, VERDICTS["open"]), ANOTHER)
    got = verdict_of(learner, trace_of(rng, "open"))
    promise(got not in ends, "A run that has not ended gets an end")
    promise(same(got, VERDICTS["open"]), ANOTHER)


@exercise("derive", rule="verdict-from-the-trace")
def test_reads_on_after_a_failure(learner, rng):
    """After one or two failures the run goes on, and its end is found."""
    sound = mixed(rng, 0, rng.randint(0, 2))
    promise_verdict(learner, [*sound, report(rng)], "completed")
    for failures, kept in ((1, "One failure keeps"), (2, "Two failures keep")):
        before = [*sound, *(entry(rng, False) for _ in range(failures))]
        rng.shuffle(before)
        got = verdict_of(learner, [*before, report(rng)])
        promise(same(got, VERDICTS["completed"]), f"{kept} a later report from completing the run")
        promise_verdict(learner, before, "open")


@exercise("derive", rule="verdict-from-the-trace")
def test_a_failed_report(learner, rng):
    """A report that failed completes nothing and counts as a failure."""
    failed = report(rng, False)
    before = mixed(rng, 0, rng.randint(0, 2))
    promise_verdict(learner, before, "open")
    promise_verdict(learner, [*before, failed], "open", "completed", "A failed report seems to complete the run")
    twice = mixed(rng, 2, rng.randint(0, 2))
    promise_verdict(learner, [*twice, entry(rng, False, "search")], "failed")
    promise_verdict(learner, [*twice, failed], "failed", "open", "A failed report seems not to count as a failure")


@exercise("derive", rule="verdict-from-the-trace")
def test_limits_are_given(learner, rng):
    """Other limits than 6 and 2 are kept when they are given."""
    most, allowed = rng.randint(8, 10), rng.randint(4, 5)
    for usual in ("exhausted", "failed", "open"):
        promise_verdict(learner, trace_of(rng, usual), usual)
    shorter, failing = mixed(rng, 1, most - 3), mixed(rng, allowed - 1, 0)
    sentence = "max_steps seems to be left aside: the run ends as it would with the usual limits"
    promise_verdict(learner, shorter, "open", "exhausted", sentence, max_steps=most)
    promise_verdict(learner, [*shorter, entry(rng)], "open", max_steps=most)
    promise_verdict(learner, [*shorter, entry(rng), entry(rng)], "exhausted", max_steps=most)
    sentence = "max_retries seems to be left aside: the run ends as it would with the usual limits"
    promise_verdict(learner, failing, "open", "failed", sentence, max_retries=allowed)
    promise_verdict(learner, [*failing, entry(rng, False)], "open", max_retries=allowed)
    promise_verdict(learner, [*failing, entry(rng, False), entry(rng, False)], "failed", max_retries=allowed)


# --- audit_run ----------------------------------------------------------------------------------

AUDIT = {"steps": int, "retries": int, "status": str, "termination": (str, type(None)), "violations": [str]}
HONEST = "A run in which nothing is wrong is not reported as it is"


def audit_by(learner, result):
    """The learner's audit, when it has the shape that it should have."""
    got = learner.call("audit_run", copy.deepcopy(result)).value
    right_shape = shape(got, AUDIT) and len(got) == len(AUDIT)
    promise(right_shape, "The answer is not a dict with the five keys, its violations a list of codes")
    promise(set(got["violations"]) <= set(CODES), "A violation is reported by a code that is not in the list")
    promise(len(set(got["violations"])) == len(got["violations"]), "A code is reported more than once")
    return got


def honest_run(learner, rng, ending=None):
    """An honest run. The learner's audit has been asked about it, and was right: what changes now, changes with it."""
    result = a_run(rng, ending)
    promise(same(audit_by(learner, result), audited(result)), HONEST)
    return result


def promise_codes(got, result, code, sentence):
    """Exactly the codes that hold are reported; `sentence` is for `code` when it is left out."""
    expected = set(audited(result)["violations"])
    promise(code not in expected or code in got["violations"], sentence)
    promise(expected <= set(got["violations"]), "Not all that is wrong is reported")
    promise(set(got["violations"]) <= expected, "Something is reported that is not wrong")


def promise_ending(got, ending):
    promise(same((got["status"], got["termination"]), VERDICTS[ending]), "This is not how the run ended")


@exercise("audit_run", points=2, rule="no-false-alarm")
def test_honest_runs(learner, rng):
    """An honest run with any ending is reported as it is, without a violation."""
    for ending in rng.sample(sorted(VERDICTS), 4):
        result = a_run(rng, ending)
        got = audit_by(learner, result)
        promise(got["violations"] == [], "A violation is found in an honest run")
        promise(same(got, audited(result)), "The counts or the verdict are not those of the trace")


@exercise("audit_run", points=2, rule="the-declared-is-not-believed")
def test_the_declared_status(learner, rng):
    """Whatever ending a run declares, the one that its trace leads to is found, and the difference reported."""
    for ending in ("completed", "exhausted", "open"):
        honest = honest_run(learner, rng, ending)
        other = rng.choice([other for other in VERDICTS if other not in (ending, "failed")])
        status, termination = VERDICTS[other]
        result = honest | {"status": status, "termination": termination}
        got = audit_by(learner, result)
        promise(got["status"] != status, "The declared status is believed")
        promise(got["termination"] != termination, "The declared termination is believed")
        promise_ending(got, ending)
        promise_codes(got, result, "status_mismatch", "A declared status that is not the derived one goes unreported")


@exercise("audit_run", rule="the-declared-is-not-believed")
def test_the_declared_termination(learner, rng):
    """A termination that does not fit is reported also when the status is the right one."""
    ending = rng.choice(sorted(VERDICTS))
    others = [termination for _, termination in VERDICTS.values() if termination != VERDICTS[ending][1]]
    result = honest_run(learner, rng, ending) | {"termination": rng.choice(others)}
    got = audit_by(learner, result)
    sentence = "A wrong termination goes unreported where the status is right"
    promise_codes(got, result, "termination_mismatch", sentence)
    promise_ending(got, ending)


@exercise("audit_run", points=2, rule="counts-come-from-the-trace")
def test_the_declared_counts(learner, rng):
    """Steps and retries are counted, and a declared count that differs is reported."""
    for key in ("steps", "retries"):
        honest = honest_run(learner, rng)
        result = honest | {key: honest[key] + rng.choice([1, 2, 3])}
        got = audit_by(learner, result)
        promise(got[key] != result[key], f"The declared {key} are believed")
        promise(got[key] == honest[key], "The counts are not those of the trace")
        sentence = "A declared count that does not fit the trace goes unreported"
        promise_codes(got, result, "count_mismatch", sentence)


@exercise("audit_run", rule="counts-come-from-the-trace")
def test_the_declared_retries_decide_nothing(learner, rng):
    """A run is not failed because it declares many retries, and not saved because it declares few."""
    for ending, retries in (("completed", rng.randint(3, 5)), ("failed", rng.randint(0, 2))):
        honest = honest_run(learner, rng, ending)
        got = audit_by(learner, honest | {"retries": retries})
        promise(got["status"] == honest["status"], "The verdict changes with the declared retries")
        promise("count_mismatch" in got["violations"], "A declared count that does not fit the trace goes unreported")


@exercise("audit_run", points=2, rule="entries-after-the-end")
def test_entries_after_the_end(learner, rng):
    """Entries after the one that ended the run are reported, however well they are counted."""
    for more in ([entry(rng)], [entry(rng, False)], [entry(rng), report(rng)]):
        ended = [*mixed(rng, rng.randint(0, 1), rng.randint(0, 2)), report(rng)]
        honest = declared(rng, ended, VERDICTS["completed"])
        promise(same(audit_by(learner, honest), audited(honest)), HONEST)
        result = declared(rng, [*ended, *more], VERDICTS["completed"])
        got = audit_by(learner, result)
        promise_codes(got, result, "steps_after_terminal", "Entries after the end go unreported")
        promise(
            same((got["status"], got["termination"]), VERDICTS["completed"]),
            "The verdict changes when entries follow the one that ended the run",
        )


@exercise("audit_run", rule="limits-of-steps-and-retries")
def test_more_failures_than_a_run_can_have(learner, rng):
    """A fourth failure is reported as one too many, a third one is not."""
    for more in (1, 2):
        honest = honest_run(learner, rng, "failed")
        trace = [*honest["trace"], *(entry(rng, False) for _ in range(more))]
        result = declared(rng, trace, VERDICTS["failed"])
        got = audit_by(learner, result)
        promise_codes(got, result, "too_many_retries", "More failures than a run can have go unreported")


@exercise("audit_run", rule="limits-of-steps-and-retries")
def test_more_steps_than_a_run_can_have(learner, rng):
    """A seventh entry is reported as one too many, a sixth one is not."""
    for more in ([entry(rng)], [entry(rng), report(rng)]):
        honest = honest_run(learner, rng, "exhausted")
        result = declared(rng, [*honest["trace"], *more], VERDICTS["exhausted"])
        got = audit_by(learner, result)
        promise_codes(got, result, "too_many_steps", "More steps than a run can have go unreported")


@exercise("audit_run", rule="the-declared-is-not-believed")
def test_a_failure_that_never_was(learner, rng):
    """A run with two failures or fewer that declares itself failed is reported."""
    for ending in ("completed", "exhausted", "open"):
        status, termination = VERDICTS["failed"]
        result = honest_run(learner, rng, ending) | {"status": status, "termination": termination}
        got = audit_by(learner, result)
        promise(got["status"] != "failed", "A run that declares itself failed is believed")
        sentence = "A run that declares itself failed, and is not, goes unreported"
        promise_codes(got, result, "status_mismatch", sentence)
        promise_ending(got, ending)


@exercise("audit_run", points=2, rule="an-erased-ok-is-a-violation")
def test_an_erased_flag(learner, rng):
    """A report whose ok was erased, or made neither True nor False, completes nothing and is reported."""
    for flag in (MISSING, rng.choice([None, "yes", "False"]), rng.choice([1, 0])):
        before = mixed(rng, 0, rng.randint(0, 3))
        honest = declared(rng, [*before, report(rng)], VERDICTS["completed"])
        promise(same(audit_by(learner, honest), audited(honest)), HONEST)
        result = honest | {"trace": [*before, report(rng, flag)]}
        got = audit_by(learner, result)
        promise(got["status"] != "completed", "A run is called completed although its report has no ok that is True")
        promise("missing_ok" in got["violations"], "An observation without a proper ok goes unreported")
        expected = {"missing_ok", "status_mismatch", "termination_mismatch"}
        found = set(got["violations"])
        promise(expected <= found, "What a run that lost its ok declares goes unreported")
        promise(found <= expected | {"count_mismatch"}, "Something is reported that is not wrong")


@exercise("audit_run", points=2, rule="report-never-raise")
def test_reports_instead_of_raising(learner, rng):
    """Malformed flags, unknown declared values and an empty trace are reported on; nothing is raised."""
    empty = declared(rng, [], VERDICTS["open"])
    odd = declared(rng, mixed(rng, 1, rng.randint(1, 3)), VERDICTS["open"])
    del rng.choice(odd["trace"])["observation"]["ok"]
    unknown = a_run(rng) | {"status": f"great-{rng.randrange(100)}", "termination": rng.choice([7, "done"])}
    lists = a_run(rng) | {"status": [rng.randrange(100)], "termination": {}}
    cases = [empty, odd, unknown, lists, a_run(rng) | {"steps": None, "retries": rng.choice(["two", None])}]
    rng.shuffle(cases)
    _ = honest_run(learner, rng)
    for result in cases:
        outcome = learner.call("audit_run", copy.deepcopy(result))
        promise(outcome.error is None, "It raises where it should report")
        got, expected = audit_by(learner, result), set(audited(result)["violations"])
        open_matter = {"count_mismatch"} if result is odd else set()
        promise(expected - open_matter <= set(got["violations"]), "Not all that is wrong is reported")
        promise(set(got["violations"]) <= expected | open_matter, "Something is reported that is not wrong")


@exercise("audit_run", points=2, rule="all-violations-are-reported")
def test_several_violations(learner, rng):
    """Of several violations all are reported, each once."""
    few = "Not all of several violations are reported"
    result = honest_run(learner, rng, "completed") | {"status": "failed", "termination": "tool_failure", "steps": 9}
    trace = [*trace_of(rng, "failed"), *(entry(rng, False) for _ in range(4)), report(rng)]
    rng.choice(trace)["action"]["args"][rng.choice(FORBIDDEN)] = "hm"
    for tampered in (result, declared(rng, trace, VERDICTS["completed"])):
        got, expected = audit_by(learner, tampered), set(audited(tampered)["violations"])
        promise(expected <= set(got["violations"]), few)
        promise(set(got["violations"]) <= expected, "Something is reported that is not wrong")


@exercise("audit_run", points=2, rule="forbidden-fields")
def test_forbidden_fields(learner, rng):
    """A forbidden key is reported at any depth, in large or small letters; a word in a text is no such key."""
    where = [
        lambda each, key: each.update({key: "hm"}),
        lambda each, key: each["observation"].update({key: "hm"}),
        lambda each, key: each["action"]["args"].update(plan=[1, {"next": {key: "hm"}}]),
    ]
    rng.shuffle(where)
    spelled = [*FORBIDDEN, rng.choice(["Thought", "THOUGHT", "Chain_of_Thought"])]
    overlooked = ["A forbidden field is overlooked"] * 2 + ["A forbidden name in large letters is overlooked"]
    for put, key, sentence in zip(where, spelled, overlooked, strict=True):
        result = honest_run(learner, rng)
        put(rng.choice(result["trace"]), key)
        promise_codes(audit_by(learner, result), result, "forbidden_field", sentence)
    result = honest_run(learner, rng)
    for harmless in ({"note": rng.choice(FORBIDDEN)}, rng.choice([{"afterthought": "x"}, {"thoughts": 1}])):
        result["trace"][0]["action"]["args"].update(harmless)
        got = audit_by(learner, result)
        promise("forbidden_field" not in got["violations"], "Something harmless is taken for a forbidden field")


@exercise("audit_run", rule="inputs-stay-as-they-were")
def test_the_result_is_left_alone(learner, rng):
    """The result is the same after the audit as before, whatever is wrong with it."""
    result = honest_run(learner, rng, "completed") | {"status": "great", "retries": 8}
    _, changed = audit_by(learner, result), not same(learner.last.outcome.args_after[0], result)
    promise(not changed, "The audit changes the result that it is given")
    del rng.choice(result["trace"])["observation"]["ok"]
    got, changed = audit_by(learner, result), not same(learner.last.outcome.args_after[0], result)
    promise(not changed, "The audit changes the result that it is given")
    promise({"missing_ok", "status_mismatch"} <= set(got["violations"]), "Not all that is wrong is reported")


# --- write_ledger -------------------------------------------------------------------------------


def written(learner, results, name="ledger.jsonl"):
    """The bytes of the ledger that the learner's function writes."""
    _ = learner.call("write_ledger", results, learner.path(name)).value
    data = learner.read(name)
    promise(data is not None, "No file was written to the path that was given")
    return data


def lines_of(data, results):
    """(bytes without line end, object) of each line; there is one for each of `results`, in whatever order."""
    try:
        found = [(raw, json.loads(raw)) for raw in data.split(b"\n") if raw.strip()]
    except (ValueError, RecursionError):
        found = [(b"", None)]
    promise(all(isinstance(line, dict) for _, line in found), "The file is not one JSON object a line")
    promise(len(found) == len(results), "There are more lines than runs, or fewer")
    tasks = sorted(repr(line.get("task_id")) for _, line in found)
    right = tasks == sorted(repr(result["task_id"]) for result in results)
    promise(right, "The lines do not have the task_ids of the runs")
    return found


def some_results(rng):
    """Honest runs in an order that no sorting gives: not by task_id, steps or retries, forwards or backwards."""
    results = [a_run(rng) for _ in range(rng.randint(4, 6))]
    results += [a_run(rng, "failed"), a_run(rng, "exhausted"), a_run(rng, "failed")]
    for key in ("task_id", "steps", "retries"):
        found = [result[key] for result in results]
        if found in (sorted(found), sorted(found, reverse=True)):
            return some_results(rng)
    return results


@exercise("write_ledger", points=2, rule="one-line-a-run")
def test_a_line_for_each_run_in_order(learner, rng):
    """Each run has one line, in the order in which the runs were given, and the last line is complete."""
    results = some_results(rng)
    data = written(learner, results)
    tasks = [line.get("task_id") for _, line in lines_of(data, results)]
    promise(tasks == [result["task_id"] for result in results], "The order of the runs is lost")
    promise(data.endswith(b"\n"), "The last line has no line end, so the next one would join it")
    promise(data.count(b"\n") == len(results), "There are blank lines, or lines without a run")
    promise(written(learner, [], "none.jsonl") == b"", "No runs should give an empty file")


@exercise("write_ledger", points=2, rule="the-ledger-holds-the-audit")
def test_the_audits_values_are_written(learner, rng):
    """A line holds what the audit found, not what the run declared; the results are left as they were."""
    result = a_run(rng, "completed") | {"status": "failed", "termination": "tool_failure"}
    result |= {"steps": result["steps"] + rng.randint(1, 3), "retries": rng.randint(4, 9)}
    [(_, line)] = lines_of(written(learner, [result]), [result])
    promise(same(learner.last.outcome.args_after[0], [result]), "The results are changed")
    found = audited(result)
    copied = [key for key in ("steps", "retries", "status", "termination") if line.get(key) == result[key]]
    promise(copied == [], "The declared values are written")
    expected = {"task_id": result["task_id"], **found, "violations": sorted(found["violations"]), "prev": "0" * 64}
    promise(line.get("violations") == expected["violations"], "The violations are not the audit's, sorted")
    promise(same(line, expected), "A line is not what it should be: task_id, the audit and prev")


@exercise("write_ledger", points=2, rule="chained-lines")
def test_the_chain_holds(learner, rng):
    """The digest is that of the bytes of the line before, as they stand in the file."""
    results = some_results(rng)
    lines = lines_of(written(learner, results), results)
    promise(lines[0][1].get("prev") == "0" * 64, "prev of the first line is not 64 zeros")
    for (before, _), (_, line) in itertools.pairwise(lines):
        held = line.get("prev") == hashlib.sha256(before).hexdigest()
        promise(held, "prev is not the digest of the line before as it stands in the file")


@exercise("write_ledger", rule="equal-results-equal-bytes")
def test_equal_results_give_equal_bytes(learner, rng):
    """Equal results give equal bytes: those of json.dumps with sorted keys and no spaces."""
    results = some_results(rng)
    results[0] |= {"status": "great", "steps": 99}
    results[1]["task_id"] = f"Größe-{rng.randrange(1000)}"
    turned = [dict(rng.sample(sorted(result.items()), len(result))) for result in results]
    data = written(learner, results, "one.jsonl")
    lines = lines_of(data, results)
    promise(written(learner, results, "again.jsonl") == data, "The same results give other bytes the second time")
    promise(written(learner, turned, "other.jsonl") == data, "The order of a result's keys changes the bytes")
    for raw, line in lines:
        plain, letters = (
            json.dumps(line, sort_keys=True, separators=(",", ":"), ensure_ascii=ascii_only).encode()
            for ascii_only in (True, False)
        )
        promise(raw == plain or raw != letters, "Letters beyond ASCII are not escaped as json.dumps does it by itself")
        promise(raw == plain, "A line is not what json.dumps gives with sorted keys and without spaces")


@exercise("write_ledger", rule="one-line-a-run")
def test_results_that_come_once(learner, rng):
    """Results that can be gone through only once are all written, as a list of them would be."""
    results = some_results(rng)
    data = written(learner, results, "list.jsonl")
    _ = lines_of(data, results)
    once = learner.lib("builtins:iter", results)
    promise(written(learner, once, "once.jsonl") == data, "Results that can be gone through only once give other lines")


@exercise("write_ledger", rule="the-ledger-is-overwritten")
def test_the_file_is_written_anew(learner, rng):
    """What was in the file before is gone."""
    results = some_results(rng)
    fresh = written(learner, results, "fresh.jsonl")
    _ = lines_of(fresh, results)
    old = f'{{"old":{rng.randrange(1000)}}}\n'.encode() * rng.randint(1, 20)
    learner.write("used.jsonl", old)
    again = written(learner, results, "used.jsonl")
    promise(b'{"old":' not in again, "What was in the file before is still there")
    promise(again == fresh, "In place of another file the ledger is not the same as in a new one")


# --- prop_audit: auditors that stay here --------------------------------------------------------


class Auditor:
    """An auditor as the property meets it. It notes whether it has been wrong about anything yet."""

    def __init__(self, audit):
        self._audit, self._asked, self._wrong = audit, False, False

    def __call__(self, result):
        self._asked = True
        before = copy.deepcopy(result)
        known = audited(before)
        try:
            answer = self._audit(result)
        except Exception:
            self._wrong = True
            raise
        # As text: what the property made itself may come as something that equals nothing.
        self._wrong |= answer != known or repr(result) != repr(before)
        return answer


def rejected(outcome, own=()):
    """Whether the property found the audit wrong. `own` are exceptions of the audit itself, which may pass through."""
    return any(outcome.raised(name) for name in ("AssertionError", "BaseExceptionGroup", *own))


def ask(learner, audit):
    """(outcome, auditor) of one call of the property."""
    auditor = Auditor(audit)
    return learner.call("prop_audit", learner.remote(auditor)), auditor


def hopeless(rng):
    """An auditor that is wrong about every run: nothing but a property that looks at nothing accepts it."""
    off, turn = rng.randint(1, 9), rng.randrange(3)

    def audit(result):
        known = audited(result)
        status, termination = [other for other in VERDICTS.values() if other[0] != known["status"]][turn]
        wrong = [code for code in CODES if code not in known["violations"]]
        counts = {key: known[key] + off for key in ("steps", "retries")}
        return {**counts, "status": status, "termination": termination, "violations": wrong}

    return audit


def promise_accepted(learner, rng, audit, sentence):
    """A right audit is accepted, before or after one that is wrong about every run and is not."""
    calls = [audit, hopeless(rng)]
    rng.shuffle(calls)
    for call in [*calls[: rng.randrange(2)], *calls]:
        outcome, auditor = ask(learner, call)
        if not rejected(outcome):
            promise(outcome.value is None, "prop_audit should return None or raise AssertionError")
        promise(auditor._asked, "Your property comes to its verdict without asking the audit anything")
        if call is audit:
            promise(not rejected(outcome), sentence)
        else:
            promise(rejected(outcome), "An auditor that is wrong about every run is accepted")


AFTER = "test_accepts_a_right_audit"


@exercise("prop_audit", points=2, rule="a-property-accepts-right-audits")
def test_accepts_a_right_audit(learner, rng):
    """An audit that is right, and not your own, is accepted; one that is wrong about every run is not."""
    promise_accepted(learner, rng, audited, "Your property rejects an audit that is right")


@exercise("prop_audit", after=AFTER, rule="a-property-accepts-right-audits")
def test_accepts_another_order(learner, rng):
    """An audit that reports the codes in another order is accepted."""
    order = rng.sample(CODES, len(CODES))
    order = order if order != list(CODES) else order[::-1]

    def audit(result):
        answer = audited(result)
        return answer | {"violations": sorted(answer["violations"], key=order.index)}

    promise_accepted(learner, rng, audit, "The order of the codes seems to matter to your property")


@exercise("prop_audit", after=AFTER, rule="a-property-accepts-right-audits")
def test_accepts_both_ways_of_counting(learner, rng):
    """An audit that counts a missing ok among the retries is accepted, as well as one that does not."""

    def audit(result):
        return audited(result, lambda trace: judged(trace, odd_is_failed=True), odd_is_failed=True)

    sentence = "It seems to matter to your property whether a missing ok counts as a failure"
    promise_accepted(learner, rng, audit, sentence)


# --- corruptions --------------------------------------------------------------------------------

DRAWN = 150
RESULT = {"steps": int, "retries": int, "trace": [{"action": {"tool": str}, "observation": dict}]}


def drawn(learner, run):
    """Up to DRAWN pairs of the learner's strategy for forgeries of `run`, which is still what it was."""
    main = learner.lib("importlib:import_module", "__main__")
    make = learner.lib("builtins:getattr", main, "corruptions")
    draws = learner.lib("course_lib.draws:Draws", make, run, DRAWN)
    promise(same(draws.made.args_after[1], run), "The run is changed while forgeries of it are drawn")
    pairs = draws.get("drawn").value
    promise(pairs != [] and all(map(readable, pairs)), "What is drawn are not pairs (code, forged result)")
    return pairs


def readable(pair):
    """Whether it is a pair of a code and a result that can be audited."""
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        return False
    code, forged = pair
    return isinstance(code, str) and isinstance(forged, dict) and shape(forged.get("trace"), RESULT["trace"])


def complete(pairs, run):
    """Whether each forgery has the keys of a result."""
    return all(run.keys() <= forged.keys() for _, forged in pairs)


@exercise("prop_audit", points=2, rule="corruptions-are-labelled")
def test_every_forgery_deserves_its_code(learner, rng):
    """Whatever is drawn from corruptions, a right audit reports its code for it."""
    for ending in rng.sample(sorted(VERDICTS), 2):
        run = a_run(rng, ending)
        pairs = drawn(learner, run)
        promise(complete(pairs, run), "A forgery has lost one of the six keys of a result")
        wrong = sorted({code for code, forged in pairs if code not in audited(forged)["violations"]})
        promise(wrong == [], "A forgery carries a code that a right audit does not report for it", codes=wrong)


@exercise("prop_audit", points=2, rule="corruptions-cover-the-codes")
def test_forgeries_of_every_kind(learner, rng):
    """All eight codes can be drawn, for runs with any ending."""
    for ending in rng.sample(sorted(VERDICTS), 2):
        never = sorted(set(CODES) - {code for code, _ in drawn(learner, a_run(rng, ending))})
        promise(never == [], "Some codes seem never to be drawn", codes=never)


@exercise("prop_audit", rule="corruptions-are-labelled")
def test_forgeries_of_the_run_that_is_given(learner, rng):
    """Each forgery is made from the run that is given: its task_id, and at least one of its entries."""
    run = declared(rng, [*mixed(rng, 1, rng.randint(1, 3)), report(rng)], VERDICTS["completed"])
    pairs = drawn(learner, run)
    tasks = {repr(forged.get("task_id")) for _, forged in pairs}
    promise(tasks == {repr(run["task_id"])}, "A forgery has another task_id than the run that is given")
    kept = all(any(same(a, b) for a in forged["trace"] for b in run["trace"]) for _, forged in pairs)
    promise(kept, "A forgery has none of the entries of the run that is given")
    promise(not any(same(forged, run) for _, forged in pairs), "A forgery is equal to the run that is given")


# --- prop_audit: auditors with a planted fault --------------------------------------------------


def expose(learner, rng, audit, sentence, own=()):
    """The planted auditor is rejected, and not before it has been wrong; hopeless ones may come before it."""
    for _ in range(rng.randrange(3)):
        _, _ = ask(learner, hopeless(rng))
    outcome, auditor = ask(learner, audit)
    if not rejected(outcome, own):
        _ = outcome.value
        promise(False, sentence)
    promise(auditor._wrong, "Your property rejects an auditor that has not been wrong about anything yet")


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
    for _ in range(rng.randint(1, 2)):
        outcome, _ = ask(learner, hopeless(rng))
        if not rejected(outcome):
            _ = outcome.value
            promise(False, "An auditor that is wrong about every run is accepted")
    promise_accepted(learner, rng, audited, "Your property rejects a right audit after it has met a wrong one")
