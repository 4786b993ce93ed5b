"""Notebook 02: what learners may read. The first line of each docstring is the promise on their card."""

from __future__ import annotations

from grader.judge import exercise, promise, same, shape

AS_OF = "2025-02-19T12:00:00"
FIELDS = [
    "question",
    "cutoff_date",
    "run_id",
    "evidence",
    "open_questions",
    "tool_trace",
    "quality_gates",
    "synthesis_status",
]
NO_RESULT = "What comes back is not a QualityGateResult"


def item(kind, timestamp="2025-02-19T09:00:00", *published):
    """One item of evidence; without days of publication it has one result of 18 February."""
    results = [{"title": "A page", "url": "u", "snippet": "s", "published": day} for day in published or ["2025-02-18"]]
    return {"type": kind, "source": "archive", "timestamp": timestamp, "query": "q", "content": {"results": results}}


def state_of(learner, *evidence, **fields):
    given = {"question": "Will it rise?", "cutoff_date": "2025-02-20", "run_id": "run-7", "evidence": list(evidence)}
    return learner.new("AgentState", **{**given, **fields})


def answer_of(outcome, name):
    """The result that a gate gave; promises that it is one, and bears the gate's name."""
    said = outcome.value
    fits = shape(said, "QualityGateResult")
    fits = fits and shape(said.fields, {"gate_name": str, "passed": bool, "reason": str, "details": dict})
    promise(fits, NO_RESULT)
    promise(said.gate_name == name, "gate_name is not the name of the gate", promised=name)
    promise(said.reason.strip() != "", "The reason is empty")
    return said


def named(outcome, name, issues, sentence):
    said = answer_of(outcome, name)
    promise(same(said.details, {"issues": issues}), sentence, promised={"issues": issues}, details=said.details)
    promise(said.passed is (issues == []), "passed and the issues contradict each other", promised=issues == [])


# --- AgentState ---------------------------------------------------------------------------------

RAIN = {"gate_name": "weather", "passed": False, "reason": "it is raining", "details": {"mm": [3, 4]}}


def text_of(state):
    text = state.call("to_json").value
    promise(isinstance(text, str), "to_json does not give a text")
    return text


def restored(learner, text):
    """The state that from_json makes of `text`, still in the learner's process."""
    state = state_of(learner)
    made = state.call("from_json", text).value
    promise(made is not None and not isinstance(made, str | int | float), "from_json does not give a state")
    ask = learner.lib("operator:methodcaller", "from_json", text)
    return learner.lib("operator:call", ask, state)


@exercise("AgentState", rule=["record-round-trip", "record-eight-fields"])
def test_a_state_comes_back(learner, json_object):
    """A state comes back with all its fields, and saved again it gives the same bytes."""
    fields = {"open_questions": ["and the dam?"], "synthesis_status": "in_progress"}
    fields["tool_trace"] = [{"tool": "search", "query": "snow", "status": "success"}]
    state = state_of(learner, item("search_results"), item("base_rate"), **fields)
    text = text_of(state)
    saved = json_object(text.encode("utf-8", "replace"))
    promise(saved is not None, "to_json does not give a JSON object")
    promise(sorted(saved) == sorted(FIELDS), "The object has other keys", promised=FIELDS, keys=sorted(saved))
    again = restored(learner, text)
    for name in FIELDS:
        was, now = state.get(name).value, again.get(name).value
        promise(same(now, was), f"{name} does not come back as it was", promised=was)
    promise(again.call("to_json").value == text, "Saved again, it gives another text")


@exercise("AgentState", after="test_a_state_comes_back", rule="record-types-come-back")
def test_gate_results_come_back(learner):
    """What the gates said comes back as QualityGateResult, not as dicts."""
    said = learner.lib("course_lib.evidence:QualityGateResult", **RAIN)
    found = restored(learner, text_of(state_of(learner, quality_gates=[said]))).get("quality_gates").value
    promise(shape(found, list) and len(found) == 1, "Not as many gate results come back as were stored")
    back = found[0]
    promise(not isinstance(back, dict), "The gate results come back as dicts")
    promise(shape(back, "QualityGateResult") and same(back.fields, RAIN), "They come back changed", promised=RAIN)


# --- check_coverage_gate and check_freshness_gate -----------------------------------------------


def coverage(learner, state, missing, items, sentence, *limits):
    said = answer_of(learner.call("check_coverage_gate", state, *limits), "coverage")
    details = {"missing": missing, "items": items}
    promise(same(said.details, details), sentence, promised=details, details=said.details)
    return said.passed


@exercise("check_coverage_gate", rule=["coverage-types", "gate-reports-all"])
def test_every_type_is_needed(learner):
    """Three articles and no base rate are refused, and the reason names what is missing."""
    state = state_of(learner, *[item("search_results") for _ in range(3)])
    passed = coverage(learner, state, ["base_rate"], 3, "The details are not those of this state")
    promise(passed is False, "A required type is missing and the gate passes", promised=False)
    reason = learner.call("check_coverage_gate", state).value.reason
    promise("base_rate" in reason, "The reason does not name the missing type", reason=reason)


@exercise("check_coverage_gate", rule="coverage-count")
def test_three_items_are_enough(learner):
    """Two items of two types are too few, three are enough; how many results they have does not matter."""
    two = [item("search_results", "2025-02-19T09:00:00", *["2025-02-18"] * 5), item("base_rate")]
    passed = coverage(learner, state_of(learner, *two), [], 2, "Two items with six results are two items")
    promise(passed is False, "Two items pass where three are needed", promised=False)
    passed = coverage(
        learner, state_of(learner, *two, item("base_rate")), [], 3, "Three items are not counted as three"
    )
    promise(passed is True, "Three items of both types are refused", promised=True)


@exercise("check_coverage_gate", rule=["freshness-window", "freshness-future"])
def test_a_day_is_fresh(learner):
    """Exactly 24 hours old is fresh; a second more is stale, and what comes from the future is refused."""
    at = ["2025-02-18T12:00:00", "2025-02-18T11:59:59", "2025-02-19T12:00:01", "2025-02-19T12:00:00"]
    state = state_of(learner, *[item("search_results", moment) for moment in at])
    issues = [{"item": 1, "kind": "stale"}, {"item": 2, "kind": "future"}]
    outcome = learner.call("check_freshness_gate", state, as_of=AS_OF)
    named(outcome, "freshness", issues, "These are not the issues of this state")


@exercise("check_coverage_gate", rule="freshness-unknown")
def test_what_cannot_be_read_is_not_fresh(learner):
    """A timestamp that is missing, is none, or has a time zone is an issue, not an exception."""
    items = [item("search_results", at) for at in ("yesterday", None, "2025-02-19T09:00:00+00:00", AS_OF)]
    del items[1]["timestamp"]
    issues = [{"item": at, "kind": "unknown"} for at in range(3)]
    outcome = learner.call("check_freshness_gate", state_of(learner, *items), as_of=AS_OF)
    named(outcome, "freshness", issues, "These are not the issues of this state")


# --- check_consistency_gate ---------------------------------------------------------------------


@exercise("check_consistency_gate", rule=["consistency-kinds", "consistency-day"])
def test_three_kinds_are_told_apart(learner):
    """Missing, unreadable and too late are three kinds of issue, each with its place."""
    pages = ["2025-02-18", None, "last week", "2025-2-9", "2025-02-27"]
    state = state_of(learner, item("search_results"), item("search_results", AS_OF, *pages))
    kinds = [(1, "missing"), (2, "unparseable"), (3, "unparseable"), (4, "post_cutoff")]
    issues = [{"item": 1, "result": at, "kind": kind} for at, kind in kinds]
    outcome = learner.call("check_consistency_gate", state)
    named(outcome, "consistency", issues, "These are not the issues of this state")


@exercise("check_consistency_gate", rule=["consistency-strictly-before", "consistency-every-result"])
def test_the_cutoff_day_is_too_late(learner):
    """A page from the cutoff day is too late, in an item of base rates as well; one from the day before is not."""
    state = state_of(learner, item("base_rate", AS_OF, "2025-02-19", "2025-02-20"), item("search_results"))
    issues = [{"item": 0, "result": 1, "kind": "post_cutoff"}]
    outcome = learner.call("check_consistency_gate", state)
    named(outcome, "consistency", issues, "These are not the issues of this state")


@exercise("check_consistency_gate", rule="consistency-cutoff")
def test_a_cutoff_that_is_no_day(learner):
    """A cutoff that is no day does not let everything pass: it is an issue itself."""
    outcome = learner.call("check_consistency_gate", state_of(learner, item("search_results"), cutoff_date="soon"))
    issues = [{"item": None, "result": None, "kind": "cutoff"}]
    named(outcome, "consistency", issues, "A cutoff that cannot be read is not reported as it should be")


# --- run_quality_gates and decide ---------------------------------------------------------------

ORDER = ["coverage", "freshness", "consistency"]
FULL = [item("search_results"), item("search_results"), item("base_rate")]


def three(value):
    """Gate name and passed of each result; promises that there are three results in their order."""
    promise(shape(value, ["QualityGateResult"]), "This is not a list of QualityGateResult")
    names = [said.gate_name for said in value]
    promise(names == ORDER, "These are not the results of the three gates in their order", promised=ORDER, names=names)
    return [said.passed for said in value]


@exercise("run_quality_gates", rule=["all-gates-run", "gates-stored"])
def test_all_three_are_asked(learner):
    """All three gates answer, also when the first one fails, and their results are stored in the state."""
    state = state_of(learner, item("search_results", "2025-02-10T09:00:00", "2025-02-27"))
    said = learner.call("run_quality_gates", state, as_of=AS_OF).value
    promise(three(said) == [False, False, False], "A gate passes that should not", promised=[False] * 3)
    stored = state.get("quality_gates").value
    promise(same(stored, said), "What is stored in quality_gates is not what was returned")


@exercise("run_quality_gates", rule=["decision", "status-after-decision"])
def test_three_decisions(learner):
    """Admissible: in_progress. Not so: gather_more while questions are open, abstained when none is."""
    for evidence, open_questions, promised in (
        (FULL, [], "in_progress"),
        (FULL[:2], ["how often before?"], "gather_more"),
        (FULL[:2], [], "abstained"),
    ):
        state = state_of(learner, *evidence, open_questions=open_questions)
        got = learner.call("decide", state, as_of=AS_OF).value
        promise(got == promised, "This is another decision", promised=promised, got=got)
        status = "abstained" if promised == "abstained" else "in_progress"
        now = state.get("synthesis_status").value
        promise(now == status, "synthesis_status is another one", promised=status, status=now)
        _ = three(state.get("quality_gates").value)


# --- ablate -------------------------------------------------------------------------------------


@exercise("ablate", rule=["ablation", "ablation-changes-one-thing"])
def test_the_base_rate_is_taken_away(learner):
    """Without its base rate the full state abstains; with it, it may go on."""
    trace = [{"tool": "search", "query": word, "status": "success"} for word in ("snow", "dam", "gauge")]
    state = state_of(learner, *FULL, tool_trace=trace, synthesis_status="in_progress")
    sides = learner.call("ablate", text_of(state), "base_rate", as_of=AS_OF).value
    promise(shape(sides, {"before": "AgentState", "after": "AgentState"}), "There are no two AgentStates")
    before, after = sides["before"].fields, sides["after"].fields
    promise(all(side.keys() == set(FIELDS) for side in (before, after)), "A side has not the eight fields")
    promise(same(before["evidence"], FULL), "The evidence before is not that of the checkpoint", promised=FULL)
    promise(same(after["evidence"], FULL[:2]), "The evidence after still holds, or lacks, something", promised=FULL[:2])
    promise(three(before["quality_gates"]) == [True] * 3, "A gate fails before", promised=[True] * 3)
    passed = [False, True, True]
    promise(three(after["quality_gates"]) == passed, "Other gates fail after", promised=passed)
    status, wanted = (before["synthesis_status"], after["synthesis_status"]), ("in_progress", "abstained")
    promise(status == wanted, "The statuses are other ones", promised=wanted)
    promise(same(after["tool_trace"], trace), "The tool trace has changed", promised=trace)
