"""Notebook 01: what a class bundle may leave out. Traces, limits and nested values are drawn from `rng`."""

from __future__ import annotations

import copy

from grader.judge import exercise, promise, same

READERS = ("list_notes", "read_note", "search")
NOTES = ("alpha.txt", "beta.txt", "gamma.txt")
ERRORS = ("invalid_arguments", "tool_unavailable", "not_found", "unknown_tool")

COMPLETED = ("completed", "goal_reached")
FAILED = ("failed", "tool_failure")
EXHAUSTED = ("budget_exhausted", "step_budget")


def entry(rng, ok, tool=None):
    """One trace entry of a tool that only reads, unless a tool is given."""
    seen = {"ok": True, "text": f"line {rng.randrange(1000)}"} if ok else {"ok": False, "error": rng.choice(ERRORS)}
    return {"action": {"tool": tool or rng.choice(READERS), "args": {"name": rng.choice(NOTES)}}, "observation": seen}


def report(rng, ok):
    """An entry that writes the report, or tries to."""
    made = entry(rng, ok, "write_report")
    made["action"]["args"] = {"content": f"Report {rng.randrange(1000)}"}
    return made


def mixture(rng, length, failures):
    """Entries that read, in any order, so many of them failed."""
    oks = [False] * failures + [True] * (length - failures)
    rng.shuffle(oks)
    return [entry(rng, ok) for ok in oks]


# --- end_after ----------------------------------------------------------------------------------

OTHER_END = "The end is not the one that the table gives"
GOES_ON = "The run goes on, though its last entry ends it"
TOO_EARLY = "The run ends, though none of the three ends is reached"
ONE_MORE = "It looks as if a run may take one step more than its budget allows"
EXCEEDS = "It looks as if a run ends when retries reaches max_retries; it has to exceed it"
WIPED = "It looks as if a success sets the failures back to zero"


def promise_end(learner, trace, promised, mistaken, sentence, **limits):
    """The end is `promised`; whoever says `mistaken` instead is told `sentence`."""
    got = learner.call("end_after", trace, **limits).value
    promise(not same(got, mistaken), sentence)
    ends = COMPLETED, FAILED, EXHAUSTED
    goes_on = (
        TOO_EARLY if any(same(got, end) for end in ends) else "For a run that goes on something else comes than None"
    )
    general = goes_on if promised is None else GOES_ON if got is None else OTHER_END
    promise(same(got, promised), general)


@exercise("end_after", points=2, rule=["two-failures-are-legal", "limits", "misnomer"])
def test_two_failures_are_forgiven(learner, rng):
    """With two failures a run goes on, and a report that is then written completes it."""
    trace = mixture(rng, rng.randint(2, 4), 2)
    promise_end(learner, trace, None, FAILED, EXCEEDS)
    promise_end(learner, [*trace, report(rng, True)], COMPLETED, FAILED, EXCEEDS)


@exercise("end_after", points=2, rule=["failures-add-up", "third-failure-ends-a-run", "retries-count-failures"])
def test_failures_add_up(learner, rng):
    """The third failure ends a run, also when calls went well in between."""
    tools = rng.sample(READERS, 3)
    promise_end(learner, [entry(rng, False, tools[0]) for _ in tools], FAILED, None, GOES_ON)
    apart = "It looks as if each tool's failures are counted apart"
    promise_end(learner, [entry(rng, False, tool) for tool in tools], FAILED, None, apart)
    oks = rng.choice(["f.f.", "ff.", "f.f", ".f.f", "f..f"])
    trace = [entry(rng, ok == ".") for ok in f"{oks}f"]
    promise_end(learner, trace[:-1], None, FAILED, EXCEEDS)
    promise_end(learner, trace, FAILED, None, WIPED)


@exercise("end_after", rule=["retries-count-failures", "failures-add-up"])
def test_ok_alone_says_what_failed(learner, rng):
    """An observation failed when its `ok` is False; no other key has a say."""
    tool = rng.choice(READERS)
    usual = [entry(rng, False, tool) for _ in range(3)]
    promise_end(learner, usual, FAILED, None, GOES_ON)
    other_key = "It looks as if another key than ok says what failed"
    for step in usual:
        step["observation"].pop("error")
    promise_end(learner, usual, FAILED, None, other_key)
    fine = mixture(rng, 4, 0)
    promise_end(learner, fine, None, FAILED, TOO_EARLY)
    for step in fine:
        step["observation"]["error"] = rng.choice([None, "", *ERRORS])
    promise_end(learner, fine, None, FAILED, other_key)


@exercise("end_after", points=2, rule=["failed-calls-are-steps", "budget-ends-a-run"])
def test_failed_calls_are_steps(learner, rng):
    """A call that failed is a step like any other."""
    promise_end(learner, mixture(rng, 6, 0), EXHAUSTED, None, ONE_MORE)
    trace = [*mixture(rng, 5, rng.randint(1, 2)), entry(rng, True)]
    promise_end(learner, trace, EXHAUSTED, None, "It looks as if failed calls are not counted as steps")
    trace = [*mixture(rng, 5, rng.randint(0, 1)), entry(rng, False)]
    promise_end(learner, trace, EXHAUSTED, None, "It looks as if the budget is not asked about after a failed call")
    trace = [*mixture(rng, 5, rng.randint(0, 1)), report(rng, False)]
    promise_end(learner, trace, EXHAUSTED, None, "It looks as if a report that failed is allowed one step more")


@exercise("end_after", points=2, rule=["budget-ends-a-run", "limits", "unfinished-run"])
def test_budget_is_used_up_at_its_last_step(learner, rng):
    """The budget is used up when as many steps are taken as it allows, not one later and not one earlier."""
    promise_end(learner, mixture(rng, 6, 0), EXHAUSTED, None, ONE_MORE)
    promise_end(
        learner, mixture(rng, 5, 0), None, EXHAUSTED, "It looks as if the last step of the budget is not allowed"
    )


@exercise("end_after", points=3, rule=["success-on-the-last-step", "order-of-the-ends"])
def test_success_on_the_last_step(learner, rng):
    """A report that is written with the last step of the budget completes the run."""
    trace = [*mixture(rng, 5, rng.randint(0, 2)), report(rng, True)]
    promise_end(learner, trace, COMPLETED, EXHAUSTED, "It looks as if the budget is tested before success")


@exercise("end_after", points=3, rule=["failure-on-the-last-step", "order-of-the-ends"])
def test_failure_on_the_last_step(learner, rng):
    """A third failure with the last step of the budget is a failed run, whatever it was that failed."""
    for last in (entry(rng, False), report(rng, False)):
        trace = [*mixture(rng, 5, 2), last]
        # The same failures, far from the end of the budget: whoever misses them there does not miss the order.
        promise_end(learner, trace, FAILED, None, GOES_ON, max_steps=50)
        promise_end(learner, trace, FAILED, EXHAUSTED, "It looks as if the budget is tested before the failures")


@exercise("end_after", points=2, rule="failed-report-goes-on")
def test_report_that_failed(learner, rng):
    """A `write_report` that failed completes nothing; it is a failure like any other."""
    completes = "It looks as if a report that could not be written completes the run"
    early = [*mixture(rng, rng.randint(1, 4), rng.randint(0, 1)), report(rng, False)]
    promise_end(learner, early, None, COMPLETED, completes)
    late = [*mixture(rng, rng.randint(2, 4), 2), report(rng, False)]
    promise_end(learner, late, FAILED, COMPLETED, completes)


@exercise("end_after", points=2, rule=["report-ends-a-run", "three-ends"])
def test_other_tools_complete_nothing(learner, rng):
    """No tool but `write_report` completes a run, whatever its name, however well it went."""
    other = rng.choice(["write_note", "write_draft", "write_"])
    trace = [*mixture(rng, rng.randint(1, 4), rng.randint(0, 2)), entry(rng, True, other)]
    promise_end(learner, trace, None, COMPLETED, "It looks as if any tool that writes completes the run")
    promise_end(learner, [*trace, report(rng, True)], COMPLETED, None, GOES_ON)
    for longer in (
        rng.choice(["draft_write_report", "my_write_report"]),
        rng.choice(["write_reports", "write_report_2"]),
    ):
        trace = [*mixture(rng, rng.randint(1, 4), rng.randint(0, 2)), entry(rng, True, longer)]
        part = "It looks as if a part of the tool's name is enough to complete the run"
        promise_end(learner, trace, None, COMPLETED, part)


@exercise("end_after", points=2, rule="limits")
def test_limits_are_arguments(learner, rng):
    """Other limits than 6 and 2 are obeyed."""
    # What is wrong with the usual limits, too, is no matter of limits that are fixed.
    promise_end(learner, mixture(rng, 6, 0), EXHAUSTED, None, ONE_MORE)
    promise_end(learner, mixture(rng, 4, 2), None, FAILED, EXCEEDS)
    promise_end(learner, [*mixture(rng, 4, 2), entry(rng, False)], FAILED, None, GOES_ON)
    sentence = "It looks as if the limits are fixed, whatever max_steps and max_retries say"
    steps = rng.randint(8, 12)
    long = mixture(rng, steps, 0)
    promise_end(learner, long[:-1], None, EXHAUSTED, sentence, max_steps=steps)
    promise_end(learner, long, EXHAUSTED, None, sentence, max_steps=steps)
    allowed = rng.choice([0, 1, 4, 5])
    failing = [*[entry(rng, True) for _ in range(rng.randint(0, 3))], *[entry(rng, False) for _ in range(allowed + 1)]]
    promise_end(learner, failing, FAILED, None, sentence, max_steps=50, max_retries=allowed)
    if allowed:
        promise_end(learner, failing[:-1], None, FAILED, sentence, max_steps=50, max_retries=allowed)


@exercise("end_after", points=2, rule=["state-is-the-trace", "entry-is-a-pair"])
def test_nothing_is_kept_between_calls(learner, rng):
    """The answer depends on the trace alone: not on what was asked before, and the trace stays as it was."""
    whole = [entry(rng, True), *mixture(rng, 4, 2), entry(rng, False)]
    prefixes = [whole[:size] for size in range(7)]
    asked = prefixes + rng.sample(prefixes, 7) + [prefixes[-1], prefixes[0], prefixes[-1]]
    outcomes = learner.map("end_after", [(copy.deepcopy(trace),) for trace in asked])
    unchanged = all(same(got.args_after, (trace,)) for got, trace in zip(outcomes, asked, strict=True))
    promise(unchanged, "Your function changed the trace that it was given")
    answers = [(len(trace), got.value) for got, trace in zip(outcomes, asked, strict=True)]
    twice = all(same(one, other) for size, one in answers for length, other in answers if size == length)
    # A trace in which nothing has failed, and a failure that ends it: that one came from another call.
    foreign = any(size == 1 and same(got, FAILED) for size, got in answers)
    promise(twice and not foreign, "It looks as if something is kept from one call to the next")
    promise(all(same(got, None) for size, got in answers if size < 6), TOO_EARLY)
    promise(all(same(got, FAILED) for size, got in answers if size == 6), OTHER_END)


# --- transitions --------------------------------------------------------------------------------

KEYS = ["k", "action", "observation", "steps", "retries"]
NOT_ROWS = "What comes back is not a list of dicts with the five keys"


def rows_of(learner, trace):
    """The answer as rows with the five keys, in whatever order."""
    rows = learner.call("transitions", trace).value
    promise(is_rows(rows), NOT_ROWS)
    return rows


def is_rows(value):
    return isinstance(value, list) and all(isinstance(row, dict) and row.keys() == set(KEYS) for row in value)


def retries_after(trace):
    failed = [step["observation"]["ok"] is False for step in trace]
    return [sum(failed[: k + 1]) for k in range(len(trace))]


def some_trace(rng):
    """Failures and successes, at least two failures, the first and the last entry well."""
    middle = mixture(rng, rng.randint(4, 8), rng.randint(2, 3))
    return [entry(rng, True), *middle, entry(rng, True)]


@exercise("transitions", points=2, rule=["record-of-a-step", "retries-count-failures", "state-is-the-trace"])
def test_counters_stand_after_the_step(learner, rng):
    """Steps and retries are those after the entry, this entry included, added up from the first."""
    trace = [entry(rng, True), entry(rng, False), entry(rng, False), *some_trace(rng)]
    rows = rows_of(learner, trace)
    after = retries_after(trace)
    promise(len(rows) == len(trace), "There is not one row for each entry")
    steps, retries = [row["steps"] for row in rows], [row["retries"] for row in rows]
    promise(
        not same(steps, list(range(len(trace)))) and not same(retries, [0, *after[:-1]]),
        "It looks as if the counters are those before the entry",
    )
    own = [int(step["observation"]["ok"] is False) for step in trace]
    promise(not same(retries, own), "It looks as if retries tells of this entry alone; it adds up")
    promise(same(steps, list(range(1, len(trace) + 1))), "Steps is not the number of entries so far")
    promise(same(retries, after), "Retries is not the number of failures so far")


@exercise("transitions", points=2, rule=["record-of-a-step", "failed-calls-are-steps"])
def test_every_entry_has_its_row(learner, rng):
    """Every entry has a row, the failed ones and those after a failure too."""
    # Enough good entries behind the first failure that a record without failures is longer than one that stops there.
    trace = [*some_trace(rng), entry(rng, True), entry(rng, True)]
    rows = rows_of(learner, trace)
    first = next(k for k, step in enumerate(trace) if not step["observation"]["ok"])
    stops = len(rows) in (first, first + 1)
    dropped = len(rows) == sum(step["observation"]["ok"] for step in trace) and not stops
    promise(not dropped, "It looks as if failed entries get no row")
    promise(not stops, "It looks as if the record stops at the first failure")
    promise(len(rows) == len(trace), "There is not one row for each entry")


@exercise("transitions", points=1, rule="record-of-a-step")
def test_positions_begin_at_zero(learner, rng):
    """`k` is the entry's position in the trace, and the first is 0."""
    trace = some_trace(rng)
    trace += copy.deepcopy(trace[:3])
    positions = [row["k"] for row in rows_of(learner, trace)]
    promise(not same(positions, list(range(1, len(trace) + 1))), "It looks as if k begins at 1")
    first = [trace.index(step) for step in trace]
    promise(not same(positions, first), "It looks as if equal entries get the same k")
    promise(same(positions, list(range(len(trace)))), "k is not the position of the entry")


@exercise("transitions", points=2, rule=["record-of-a-step", "entry-is-a-pair"])
def test_proposed_then_observed_then_counted(learner, rng):
    """A row holds its own entry's action and observation, whole, with its keys in the order of events."""
    trace = some_trace(rng)
    rows = rows_of(learner, trace)
    promise(len(rows) == len(trace), "There is not one row for each entry")
    actions, seen = [step["action"] for step in trace], [step["observation"] for step in trace]
    belongs = "A row's action or observation is not the one of its entry, as it was"
    promise(same([row["action"] for row in rows], actions), belongs)
    promise(same([row["observation"] for row in rows], seen), belongs)
    order = "The keys do not stand in the order of events: proposed, observed, counted"
    promise(all(list(row) == KEYS for row in rows), order)


@exercise("transitions", points=3, after="test_every_entry_has_its_row", rule=["record-of-a-step", "append-only"])
def test_record_does_not_change_later(learner, rng):
    """Whoever changes an entry later, or something deep inside it, does not change the record."""
    name, text, listed = rng.choice(NOTES), f"line {rng.randrange(1000)}", rng.sample(NOTES, 2)
    note, action, seen = {"name": name}, {"tool": "read_note"}, {"ok": True, "text": text}
    # They stay in the learner's process, so that they can be changed there after the call.
    args = learner.lib("course_lib.agent:Action", note)
    proposed = learner.lib("course_lib.agent:Action", action | {"args": args})
    notes = learner.lib("builtins:list", listed)
    observed = learner.lib("course_lib.agent:Observation", seen | {"notes": notes})
    trace = [entry(rng, False), {"action": proposed, "observation": observed}]
    record = learner.new("transitions", trace)
    for held in (args, proposed, observed):
        _ = held.call("update", {rng.choice("xyz"): rng.randrange(1000)}).value
    _ = notes.call("append", f"note {rng.randrange(1000)}").value
    rows = record.call("copy").value
    fine = isinstance(rows, list) and len(rows) == 2 and all(isinstance(row, dict) for row in rows)
    promise(fine, NOT_ROWS)
    whole = [rows[1].get("action"), rows[1].get("observation")]
    promise(
        same(whole, [action | {"args": note}, seen | {"notes": listed}]),
        "The record shares something with the trace: a later change shows",
    )


@exercise("transitions", points=1, rule="append-only")
def test_trace_is_left_alone(learner, rng):
    """The trace is the same afterwards as before."""
    trace = some_trace(rng)
    got = learner.call("transitions", copy.deepcopy(trace))
    promise(is_rows(got.value) and len(got.value) == len(trace), NOT_ROWS)
    promise(same(got.args_after, (trace,)), "Your function changed the trace that it was given")


# --- forbidden_paths ----------------------------------------------------------------------------

FIELDS = ("note", "score", "source", "reply", "draft")
FORBIDDEN = ("thought", "chain_of_thought", "scratchpad", "inner_voice")
NOT_FOUND = "A forbidden field is not found, or its path is not written as it should be"


def names_and_field(rng):
    """The names that are forbidden, and the one of them that is hidden this time."""
    names = rng.sample(FORBIDDEN, 3)
    return names, rng.choice(names)


def plain(rng):
    """A value without a field in it."""
    return rng.choice([rng.randrange(1000), f"text {rng.randrange(1000)}", None, True, [1, 2], {}])


def buried(rng, value, kinds, path=""):
    """`value` inside one container of each kind, innermost first; the whole, and the path to the value."""
    for kind in kinds:
        if kind is dict:
            key = f"{rng.choice(FIELDS)}{rng.randrange(10)}"
            path = f".{key}{path}"
            value = {f"{rng.choice(FIELDS)}_": plain(rng), key: value}
        else:
            before = [plain(rng) for _ in range(rng.randint(0, 2))]
            path = f"[{len(before)}]{path}"
            value = kind([*before, value, plain(rng)])
    return value, path.removeprefix(".")


def promise_paths(learner, obj, names, promised, sentence):
    """Exactly these places come back, in any order; whoever misses or invents one is told `sentence`.

    As many places under other paths are no misconception about where to look: then it is the path that is wrong.
    """
    got = learner.call("forbidden_paths", obj, names).value
    promise(isinstance(got, list) and all(isinstance(path, str) for path in got), "The answer is not a list of text")
    promise(len(set(got)) == len(got), "A path comes more than once")
    promise(len(got) == len(promised), sentence)
    promise(sorted(got) == sorted(promised), "A field is found, and its path is not written as the docstring says")


@exercise("forbidden_paths", points=2, rule="no-scratchpad")
def test_fields_at_every_depth(learner, rng):
    """A forbidden field is found however many dicts lie around it."""
    for depth in (0, rng.randint(1, 3), rng.randint(4, 8)):
        names, field = names_and_field(rng)
        obj, path = buried(rng, {field: plain(rng)}, [dict] * depth)
        promised = [f"{path}.{field}" if path else field]
        only_top = "It looks as if fields are looked for at the top only" if depth else NOT_FOUND
        promise_paths(learner, obj, names, promised, only_top)


@exercise("forbidden_paths", points=2, rule="no-scratchpad")
def test_fields_inside_lists(learner, rng):
    """A forbidden field is found inside lists, and inside lists of lists."""
    for kinds in ([list, dict], [list, list, dict], [dict, list, list]):
        names, field = names_and_field(rng)
        obj, path = buried(rng, {field: plain(rng)}, kinds)
        promise_paths(learner, obj, names, [f"{path}.{field}"], "It looks as if lists are not searched")


@exercise("forbidden_paths", points=1, rule="no-scratchpad")
def test_fields_inside_tuples(learner, rng):
    """A forbidden field is found inside tuples too."""
    names, field = names_and_field(rng)
    obj, path = buried(rng, {field: plain(rng)}, rng.choice([[tuple, dict], [dict, tuple], [tuple, list, tuple]]))
    promise_paths(learner, obj, names, [f"{path}.{field}"], "It looks as if tuples are not searched")


@exercise("forbidden_paths", points=2, rule="no-scratchpad")
def test_every_field_is_named(learner, rng):
    """All forbidden fields are named, those beside and those below another one too, each once; none is changed."""
    names, field = names_and_field(rng)
    other = rng.choice([name for name in names if name != field])
    below, path = buried(rng, {other: plain(rng)}, [dict, list])
    obj = {"trace": [{field: plain(rng)}, {"x": 1}, {field: plain(rng), other: below}]}
    promised = [f"trace[0].{field}", f"trace[2].{field}", f"trace[2].{other}", f"trace[2].{other}{path}.{other}"]
    outcome = learner.call("forbidden_paths", copy.deepcopy(obj), names)
    got = outcome.value
    promise(isinstance(got, list) and all(isinstance(path, str) for path in got), "The answer is not a list of text")
    promise(same(outcome.args_after[0], obj), "Your function changed the object that it searched")
    promise(sorted(got) != sorted(promised[:3]), "It looks as if nothing is looked for below a forbidden field")
    promise(len(got) != 1, "It looks as if the search stops at the first forbidden field")
    promise(sorted(got) == sorted(promised), NOT_FOUND)


@exercise("forbidden_paths", points=1, rule="no-scratchpad")
def test_text_is_no_field(learner, rng):
    """A value that reads like a forbidden name is no field."""
    names, field = names_and_field(rng)
    obj, _ = buried(rng, [field, {"note": field}, {"reply": {"score": field}}], [dict])
    promise_paths(learner, obj, names, [], "It looks as if values are compared, not the names of fields")
    obj, path = buried(rng, {field: field}, [dict])
    promise_paths(learner, obj, names, [f"{path}.{field}"], NOT_FOUND)


@exercise("forbidden_paths", points=1, rule="no-scratchpad")
def test_names_count_as_a_whole(learner, rng):
    """A field whose name only contains a forbidden one is allowed."""
    names, field = names_and_field(rng)
    longer = rng.choice([f"after{field}", f"{field}s", f"my_{field}", f"{field}_free"])
    obj, path = buried(rng, {longer: plain(rng), field: plain(rng)}, [dict])
    sentence = "It looks as if a part of a name is enough; the whole name has to be forbidden"
    promise_paths(learner, obj, names, [f"{path}.{field}"], sentence)


@exercise("forbidden_paths", points=1, rule="no-scratchpad")
def test_large_and_small_letters(learner, rng):
    """Large or small letters make no difference, in the fields and in the names; paths keep the field's spelling."""
    names, field = names_and_field(rng)
    spelled = rng.choice([field.upper(), field.title(), field.capitalize()])
    obj, path = buried(rng, {spelled: plain(rng)}, [dict, list])
    sentence = "It looks as if large and small letters make a difference"
    promise_paths(learner, obj, names, [f"{path}.{spelled}"], sentence)
    obj, path = buried(rng, {field: plain(rng)}, [dict])
    promise_paths(learner, obj, [name.upper() for name in names], [f"{path}.{field}"], sentence)
