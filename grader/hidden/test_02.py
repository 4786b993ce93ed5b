"""Notebook 02: what a class bundle may leave out. States, moments and days are drawn from `rng`."""

from __future__ import annotations

import datetime as dt
import json

from grader.judge import exercise, promise, same, shape

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
WORDS = ["snow", "Größe", "dam", "naïve", "日本", "gauge"]


def word(rng):
    return f"{rng.choice(WORDS)} {rng.randrange(10**6)}"


def some_moment(rng):
    """A moment years before anybody runs this."""
    return dt.datetime(rng.randrange(2015, 2024), rng.randrange(1, 13), rng.randrange(3, 27), rng.randrange(24), 30)


def iso(moment):
    return moment.isoformat()


def item(rng, kind, retrieved, published=("2001-01-01",)):
    """An item of evidence; `published` are the days of its results, None for one that has none."""
    results = [{"title": word(rng), "url": "u", "snippet": word(rng), "published": day} for day in published]
    for page in results:
        if page["published"] is None:
            del page["published"]
    content = {"results": results}
    stamp = iso(retrieved) if isinstance(retrieved, dt.datetime) else retrieved
    return {"type": kind, "source": word(rng), "timestamp": stamp, "query": word(rng), "content": content}


def state_of(learner, *evidence, **fields):
    given = {"question": "Will it rise?", "cutoff_date": "2024-06-30", "run_id": "run-7", "evidence": list(evidence)}
    return learner.new("AgentState", **{**given, **fields})


def fields_of(state):
    return {name: state.get(name).value for name in FIELDS}


def answer_of(outcome, name):
    said = outcome.value
    fits = shape(said, "QualityGateResult")
    fits = fits and shape(said.fields, {"gate_name": str, "passed": bool, "reason": str, "details": dict})
    promise(fits, NO_RESULT)
    promise(said.gate_name == name, "gate_name is not the name of the gate")
    promise(said.reason.strip() != "", "The reason is empty")
    return said


def unchanged(state, before):
    promise(same(fields_of(state), before), "The gate changes the state that it looks at")


# --- AgentState ---------------------------------------------------------------------------------


def some_fields(rng, learner=None):
    evidence = [item(rng, rng.choice(["search_results", "base_rate", "a"]), iso(some_moment(rng))) for _ in range(4)]
    evidence.sort(key=lambda each: each["query"], reverse=rng.random() < 0.5)
    evidence[1:1] = [{**evidence[0], "query": "zzz"}, {**evidence[0], "query": "aaa"}]  # sorted in no direction
    fields = {
        "question": word(rng),
        "cutoff_date": iso(some_moment(rng))[:10],
        "run_id": word(rng),
        "evidence": evidence,
        "open_questions": [word(rng) for _ in range(rng.randrange(1, 4))],
        "tool_trace": [{"tool": "search", "query": word(rng), "status": "success"} for _ in range(3)],
        "synthesis_status": rng.choice(["in_progress", "complete", "abstained"]),
    }
    if learner is not None:
        fields["quality_gates"] = [
            learner.lib("course_lib.evidence:QualityGateResult", **said) for said in some_results(rng)
        ]
    return fields


def some_results(rng):
    return [
        {
            "gate_name": word(rng),
            "passed": rng.random() < 0.5,
            "reason": word(rng),
            "details": {"issues": [{"item": rng.randrange(9)}]},
        }
        for _ in range(rng.randrange(1, 4))
    ]


def text_of(state):
    text = state.call("to_json").value
    promise(isinstance(text, str), "to_json does not give a text")
    return text


def restored(learner, state, text):
    """The state that from_json makes of `text`, still in the learner's process."""
    made = state.call("from_json", text).value
    promise(made is not None and not isinstance(made, str | int | float), "from_json does not give a state")
    ask = learner.lib("operator:methodcaller", "from_json", text)
    return learner.lib("operator:call", ask, state)


@exercise("AgentState", points=2, rule=["record-round-trip", "record-eight-fields"])
def test_every_field_survives(learner, rng):
    """Whatever the eight fields hold: they come back as they were, the run's id and the order of the items too."""
    for _ in range(2):
        fields = some_fields(rng)
        state = state_of(learner, **fields)
        text = text_of(state)
        promise(same(fields_of(state), {**fields, "quality_gates": []}), "to_json changes the state")
        again = fields_of(restored(learner, state, text))
        promise(again["run_id"] == fields["run_id"], "Another run_id comes back than the one that was stored")
        promise(shape(again["evidence"], list), "evidence does not come back as a list")
        moved = same(sorted(map(repr, again["evidence"])), sorted(map(repr, fields["evidence"])))
        in_order = same(again["evidence"], fields["evidence"])
        promise(in_order or not moved, "The items of evidence come back in another order")
        for name in fields:
            promise(same(again[name], fields[name]), f"{name} does not come back as it was")


@exercise("AgentState", rule="record-round-trip")
def test_the_same_bytes(learner, rng):
    """What was restored gives the same text again, with the results of gates in it."""
    for _ in range(2):
        state = state_of(learner, **some_fields(rng, learner))
        text = text_of(state)
        promise(restored(learner, state, text).call("to_json").value == text, "Saved again, it gives another text")


@exercise("AgentState", points=2, rule="record-types-come-back")
def test_gate_results_keep_their_type(learner, rng):
    """However many gate results there are, each comes back as one, with its four fields."""
    results = some_results(rng)
    said = [learner.lib("course_lib.evidence:QualityGateResult", **each) for each in results]
    state = state_of(learner, quality_gates=said)
    back = restored(learner, state, text_of(state)).get("quality_gates").value
    promise(shape(back, list) and len(back) == len(results), "Not as many gate results come back as were stored")
    promise(not any(isinstance(each, dict) for each in back), "The gate results come back as dicts")
    promise(shape(back, ["QualityGateResult"]), "Something else comes back in their place")
    promise(same([each.fields for each in back], results), "A gate result comes back changed")


@exercise("AgentState", rule="record-no-encoder")
def test_what_json_cannot_hold_is_refused(learner, rng, refused):
    """A value that JSON has no form for is refused with TypeError, however deep it lies, never turned into text."""
    plain = some_fields(rng)
    _ = text_of(state_of(learner, **plain))
    for odd in (some_moment(rng), {rng.randrange(9), 10}, bytes([rng.randrange(256)])):
        fields = some_fields(rng)
        fields["evidence"][rng.randrange(3)]["content"]["results"][0]["snippet"] = odd
        outcome = state_of(learner, **fields).call("to_json")
        refused(outcome, "TypeError", "A value that JSON cannot hold is saved as something else")


@exercise("AgentState", points=2, rule="record-shares-nothing")
def test_states_share_nothing(learner, rng):
    """Two new states have lists of their own, and so have two states that were restored from one text."""
    extra, name = item(rng, "search_results", iso(some_moment(rng))), rng.choice(["evidence", "open_questions"])
    list_of = learner.lib("operator:attrgetter", name)
    one, other = (learner.new("AgentState", question=word(rng), cutoff_date="2024-06-30") for _ in range(2))
    promise(
        same([each.get(name).value for each in (one, other)], [[], []]), "A new state does not begin with empty lists"
    )
    learner.lib("operator:call", list_of, one).call("append", extra)
    promise(same(one.get(name).value, [extra]), "A state does not keep a change to its lists")
    promise(same(other.get(name).value, []), "Two new states share one list")
    state = state_of(learner, **some_fields(rng))
    text = text_of(state)
    before = state.get("evidence").value
    one, other = (restored(learner, state, text) for _ in range(2))
    promise(same(one.get("evidence").value, before), "evidence does not come back as it was")
    items = learner.lib("operator:call", learner.lib("operator:attrgetter", "evidence"), one)
    learner.lib("operator:getitem", items, 0).call("update", {"query": "changed"})
    items.call("append", extra)
    promise(one.get("evidence").value != before, "A restored state does not keep a change to its evidence")
    promise(
        same(other.get("evidence").value, before), "Two states that were restored from one text share their evidence"
    )
    promise(same(state.get("evidence").value, before), "A restored state shares its evidence with the original")
    later = restored(learner, state, text).get("evidence").value
    promise(same(later, before), "Two states that were restored from one text share their evidence")


@exercise("AgentState", rule="record-eight-fields")
def test_other_texts_are_refused(learner, rng, refused, json_object):
    """A text that is no JSON object, or lacks a field, or has one too many, is refused with ValueError."""
    state = state_of(learner, **some_fields(rng))
    text = text_of(state)
    whole = json_object(text.encode("utf-8", "replace"))
    promise(whole is not None, "to_json does not give a JSON object")
    lacking = rng.choice(["run_id", "evidence", "tool_trace", "quality_gates", "synthesis_status"])
    without = {key: value for key, value in whole.items() if key != lacking}
    for sentence, other in (
        ("A text in which a field is missing is accepted", json.dumps(without)),
        ("A text with a field too many is accepted", json.dumps({**whole, "notes": word(rng)})),
        ("A text that is no JSON object is accepted", json.dumps([whole])),
        ("Half a text is accepted", text[: rng.randrange(1, len(text) - 1)]),
    ):
        refused(state.call("from_json", other), "ValueError", sentence)
    accepted = state.call("from_json", text)
    promise(not accepted.raised("ValueError"), "A text with nothing wrong in it is refused")
    promise(accepted.value is not None, "from_json does not give a state")


# --- check_coverage_gate ------------------------------------------------------------------------


def covered(learner, evidence, missing, otherwise=(), limits=(3, ("search_results", "base_rate"))):
    """Coverage is asked about `evidence`; whoever answers as one of `otherwise` (a sentence, missing, items) is told.

    `passed` is judged after the details, so that a wrong count is told as such.
    """
    state = state_of(learner, *evidence)
    before = fields_of(state)
    given = () if limits == (3, ("search_results", "base_rate")) else limits
    said = answer_of(learner.call("check_coverage_gate", state, *given), "coverage")
    for sentence, instead, items in otherwise:
        promise(not same(said.details, {"missing": instead, "items": items}), sentence)
    details = {"missing": missing, "items": len(evidence)}
    promise(same(said.details, details), "The details are not those of this state")
    unchanged(state, before)
    return said


def judged(said, missing, evidence, least, sentence):
    promise(said.passed is (not missing and len(evidence) >= least), sentence)


@exercise("check_coverage_gate", points=2, rule=["coverage-types", "gate-reports-all"])
def test_all_that_is_missing_is_named(learner, rng):
    """Every required type that is missing is reported, in order, and named in the reason; one that is there is not."""
    kinds = [f"{kind}_{rng.randrange(1000)}" for kind in rng.sample(["poll", "table", "log", "map", "memo"], 4)]
    there = kinds[rng.choice([0, 3])]
    missing = [kind for kind in kinds if kind != there]
    nothing = [item(rng, word(rng), "2024-06-01T10:00:00") for _ in range(3)]
    _ = covered(
        learner, nothing, kinds, [("Only the first missing type seems to be reported", kinds[:1], 3)], (2, tuple(kinds))
    )
    evidence = [item(rng, there, "2024-06-01T10:00:00") for _ in range(rng.randrange(4, 8))]
    first = ("Only the first missing type seems to be reported", missing[:1], len(evidence))
    any_of = ("It seems to be enough that one of the required types is there", [], len(evidence))
    limits = (2, tuple(kinds))
    said = covered(learner, evidence, missing, [first, any_of], limits)
    judged(said, missing, evidence, 2, "It seems to be enough that one of the required types is there")
    promise(all(kind in said.reason for kind in missing), "A missing type is not named in the reason")
    evidence = [item(rng, kind, "2024-06-01T10:00:00") for kind in kinds]
    judged(covered(learner, evidence, [], limits=limits), [], evidence, 2, "A state with every type is refused")


@exercise("check_coverage_gate", points=2, rule="coverage-count")
def test_items_are_counted(learner, rng):
    """As many items as are needed are enough, and one less is not; neither results nor types are what is counted."""
    least = rng.randrange(4, 8)
    limits = (least, ("search_results", "base_rate"))
    days = ["2024-06-01"] * 3
    evidence = [item(rng, "search_results", "2024-06-01T10:00:00", days) for _ in range(least - 1)]
    evidence.append(item(rng, "base_rate", "2024-06-01T10:00:00", days))
    rng.shuffle(evidence)
    otherwise = [
        ("Results seem to be counted instead of items", [], 3 * least),
        ("Types seem to be counted instead of items", [], 2),
    ]
    said = covered(learner, evidence, [], otherwise, limits)
    judged(said, [], evidence, least, "Exactly as many items as are needed seem to be too few")
    fewer = [each for each in evidence if each["type"] == "search_results"][:-1]
    fewer.append(next(each for each in evidence if each["type"] == "base_rate"))
    otherwise = [("Results seem to be counted instead of items", [], 3 * len(fewer))]
    judged(covered(learner, fewer, [], otherwise, limits), [], fewer, least, "Too few items pass")


@exercise("check_coverage_gate", rule="coverage-count")
def test_an_item_without_results_counts(learner, rng):
    """An item counts as one, of its type, also when it has no results."""
    evidence = [item(rng, kind, "2024-06-01T10:00:00", []) for kind in ("search_results", "base_rate")]
    evidence.append(item(rng, rng.choice(["search_results", "base_rate"]), "2024-06-01T10:00:00"))
    rng.shuffle(evidence)
    kept = [each["type"] for each in evidence if each["content"]["results"]]
    missing = [kind for kind in ("search_results", "base_rate") if kind not in kept]
    ignored = "Items without results seem to be left out"
    otherwise = [(ignored, missing, 1), (ignored, [], 1), (ignored, missing, 3)]
    judged(covered(learner, evidence, [], otherwise), [], evidence, 3, "Three items of both types are refused")


@exercise("check_coverage_gate", rule="coverage-types")
def test_types_are_whole_words(learner, rng):
    """A type that only holds the required one in its name, or is a part of it, is another type."""
    other = rng.choice(["base_rate_draft", "old_base_rate", "no_base_rates"]), rng.choice(["base", "rate", "Base_Rate"])
    for kind in other:
        evidence = [item(rng, "search_results", "2024-06-01T10:00:00") for _ in range(rng.randrange(3, 6))]
        evidence.append(item(rng, kind, "2024-06-01T10:00:00"))
        part = "A type that only resembles the required one seems to count as it"
        said = covered(learner, evidence, ["base_rate"], [(part, [], len(evidence))])
        judged(said, ["base_rate"], evidence, 3, part)


# --- check_freshness_gate -----------------------------------------------------------------------

OTHER_ISSUES = "The issues are not those that the state has"
CONTRADICTION = "passed and the issues contradict each other"


def fresh(learner, evidence, as_of, kinds, otherwise=(), hours=24):
    """Freshness is asked about `evidence`, whose items have issues of these `kinds` (None: none).

    Whoever answers as one of `otherwise` (a sentence, kinds) is told that sentence.
    """
    state = state_of(learner, *evidence)
    before = fields_of(state)
    limits = {} if hours == 24 else {"max_age_hours": hours}
    said = answer_of(learner.call("check_freshness_gate", state, as_of=iso(as_of), **limits), "freshness")
    got, issues = said.details.get("issues"), issues_of(kinds)
    for sentence, instead in otherwise:
        promise(same(issues_of(instead), issues) or not same(got, issues_of(instead)), sentence)
    promise(same(said.details, {"issues": issues}), OTHER_ISSUES)
    promise(said.passed is (issues == []), CONTRADICTION)
    unchanged(state, before)


def issues_of(kinds):
    return [{"item": at, "kind": kind} for at, kind in enumerate(kinds) if kind]


def aged(rng, as_of, *ages, **others):
    """An item for each age, which is given in hours."""
    kinds = ["search_results", "base_rate"]
    return [item(rng, rng.choice(kinds), as_of - dt.timedelta(hours=age), **others) for age in ages]


@exercise("check_coverage_gate", points=2, rule="freshness-window")
def test_exactly_the_window_is_fresh(learner, rng):
    """Exactly as old as the window allows is fresh, whatever the window; a second older is stale."""
    second = 1 / 3600
    for hours in (24, rng.randrange(2, 12), rng.randrange(30, 90)):
        as_of = some_moment(rng)
        fresh(learner, aged(rng, as_of, 0, 3 * hours), as_of, [None, "stale"], hours=hours)
        exact = aged(rng, as_of, hours, hours / 2)
        sentence = "What is exactly as old as the window allows seems to be stale already"
        fresh(learner, exact, as_of, [None, None], [(sentence, ["stale", None])], hours)
        days = "Age seems to be measured in whole days, or otherwise rounded"
        over = aged(rng, as_of, hours + second, hours / 2)
        fresh(learner, over, as_of, ["stale", None], [(days, [None, None])], hours)


@exercise("check_coverage_gate", points=2, rule="freshness-window")
def test_two_days_are_old(learner, rng):
    """What was retrieved days ago is stale, also when it was at the same hour."""
    as_of = some_moment(rng)
    fresh(learner, aged(rng, as_of, rng.randrange(5, 20)), as_of, ["stale"], hours=4)
    part = "Only the part of the age that is less than a day seems to be looked at"
    ages = [24 * rng.randrange(2, 9), 1, 24 * rng.randrange(2, 9) + 1]
    fresh(learner, aged(rng, as_of, *ages), as_of, ["stale", None, "stale"], [(part, [None, None, None])])
    alone = "Age seems to be measured in whole days, or otherwise rounded"
    age = rng.randrange(26, 47)
    fresh(learner, aged(rng, as_of, age), as_of, ["stale"], [(alone, [None])])


@exercise("check_coverage_gate", points=2, rule="freshness-future")
def test_the_future_is_not_fresh(learner, rng):
    """What was retrieved after as_of is from the future, by a second or by a week; at as_of itself it is fresh."""
    as_of = some_moment(rng)
    ahead = [1 / 3600, rng.randrange(1, 20), rng.randrange(100, 200)]
    evidence = aged(rng, as_of, *[-hours for hours in ahead], 0)
    away = "What lies ahead of as_of seems to be judged by its distance alone"
    as_fresh = "What lies ahead of as_of seems to be fresh"
    otherwise = [(away, [None, None, "stale", None]), (as_fresh, [None] * 4)]
    fresh(learner, evidence, as_of, ["future", "future", "future", None], otherwise)


@exercise("check_coverage_gate", points=2, rule="freshness-unknown")
def test_unreadable_timestamps(learner, rng):
    """Missing, unreadable, or with a time zone: each is an issue of its own kind, and nothing is raised."""
    as_of = some_moment(rng)
    zone = dt.timezone(dt.timedelta(hours=rng.randrange(-3, 4)))
    odd = ["yesterday", None, "", f"{as_of.year}-02-30T10:00:00", iso(as_of.replace(tzinfo=zone)), "12:00"]
    rng.shuffle(odd)
    evidence = [*[item(rng, "base_rate", stamp) for stamp in odd], *aged(rng, as_of, 2)]
    for each in evidence:
        if each["timestamp"] is None:
            del each["timestamp"]
    none = "A timestamp that cannot be read seems to be taken for a fresh one"
    at = "A moment with a time zone seems to be taken for one without"
    zoned = [None if stamp and "T" in stamp and "02-30" not in stamp else "unknown" for stamp in odd]
    otherwise = [(none, [None] * 7), (at, [*zoned, None])]
    fresh(learner, evidence, as_of, ["unknown"] * 6 + [None], otherwise)


@exercise("check_coverage_gate", points=2, rule=["freshness-every-item", "gate-reports-all"])
def test_every_item_is_judged(learner, rng):
    """Each item is judged by itself, and all issues are reported, in the order of the items."""
    as_of = some_moment(rng)
    age = rng.randrange(40, 90)
    fresh(learner, aged(rng, as_of, age), as_of, ["stale"])
    newest, alone = "The newest item seems to decide for all", "Only the first issue seems to be reported"
    old = [age, 2, age]
    mixed = [age, 2, -rng.randrange(2, 9), age, 1]
    for ages in (old, mixed):
        rng.shuffle(ages)
        kinds = ["stale" if age > 24 else "future" if age < 0 else None for age in ages]
        first = next(at for at, kind in enumerate(kinds) if kind)
        only = [kind if at == first else None for at, kind in enumerate(kinds)]
        otherwise = [(newest, [None] * len(ages)), (alone, only)]
        fresh(learner, aged(rng, as_of, *ages), as_of, kinds, otherwise)


@exercise("check_coverage_gate", points=2, rule="freshness-as-of")
def test_only_retrieval_and_as_of_count(learner, rng):
    """Neither the clock of today nor the days of publication have a say."""
    as_of = some_moment(rng)
    today = [iso(as_of)[:10]]
    clock = "The clock of this machine seems to be asked instead of as_of"
    ages = [rng.randrange(1, 20) for _ in range(3)]
    fresh(learner, aged(rng, as_of, *ages, published=today), as_of, [None] * 3, [(clock, ["stale"] * 3)])
    published = "The day of publication seems to be looked at instead of the retrieval"
    ages = [rng.randrange(30, 90) for _ in range(2)]
    fresh(learner, aged(rng, as_of, *ages), as_of, ["stale"] * 2)
    evidence = aged(rng, as_of, *ages, published=today)
    fresh(learner, evidence, as_of, ["stale"] * 2, [(published, [None] * 2)])
    fresh(learner, [], as_of, [])


# --- check_consistency_gate ---------------------------------------------------------------------


def some_day(rng):
    """A day whose month and day have a leading zero, so that another spelling of it exists."""
    return dt.date(rng.randrange(2010, 2024), rng.randrange(2, 9), rng.randrange(2, 9))


def later(day, days):
    return (day + dt.timedelta(days=days)).isoformat()


def consistent(learner, evidence, cutoff, issues, otherwise=()):
    """Consistency is asked; `issues` are (item, result, kind). `otherwise`: (a sentence, wrong issues)."""
    state = state_of(learner, *evidence, cutoff_date=cutoff)
    before = fields_of(state)
    said = answer_of(learner.call("check_consistency_gate", state), "consistency")
    got, expected = said.details.get("issues"), places(issues)
    for sentence, instead in otherwise:
        promise(same(places(instead), expected) or not same(got, places(instead)), sentence)
    promise(same(said.details, {"issues": expected}), OTHER_ISSUES)
    promise(said.passed is (expected == []), CONTRADICTION)
    unchanged(state, before)


def places(issues):
    return [{"item": item, "result": result, "kind": kind} for item, result, kind in issues]


def pages(rng, *published, kind=None):
    return item(rng, kind or rng.choice(["search_results", "base_rate"]), "2024-06-01T10:00:00", published)


@exercise("check_consistency_gate", points=2, rule="consistency-strictly-before")
def test_strictly_before_the_cutoff(learner, rng):
    """The day before the cutoff is in time; the cutoff day and every later one are not."""
    for _ in range(2):
        cutoff = some_day(rng)
        evidence = [pages(rng, later(cutoff, -1), later(cutoff, 1)), pages(rng, later(cutoff, -rng.randrange(2, 900)))]
        consistent(learner, evidence, cutoff.isoformat(), [(0, 1, "post_cutoff")])
        evidence = [pages(rng, later(cutoff, 0)), pages(rng, later(cutoff, rng.randrange(1, 900)))]
        issues = [(0, 0, "post_cutoff"), (1, 0, "post_cutoff")]
        allowed = "A page from the cutoff day itself seems to be let through"
        consistent(learner, evidence, cutoff.isoformat(), issues, [(allowed, issues[1:])])


@exercise("check_consistency_gate", points=2, rule="consistency-kinds")
def test_each_kind_in_its_place(learner, rng):
    """Missing, unreadable and late results are told apart, wherever they stand, and all of them are reported."""
    cutoff = some_day(rng)
    wrong = {
        "missing": rng.choice([None, ""]),
        "unparseable": rng.choice(["soon", "last week", "May 2019", rng.randrange(2000, 2020), f"{cutoff.year}-02-30"]),
        "post_cutoff": later(cutoff, rng.randrange(1, 99)),
    }
    slots = [*wrong, "fine", "fine", *rng.sample(list(wrong), 2)]
    rng.shuffle(slots)
    fine = later(cutoff, -rng.randrange(2, 99))
    split = rng.randrange(2, 5)
    parts = slots[:split], [], slots[split:]
    evidence = [pages(rng, *[wrong.get(kind, fine) for kind in part]) for part in parts]
    found = [(0, at, kind) for at, kind in enumerate(slots[:split])]
    found += [(2, at, kind) for at, kind in enumerate(slots[split:])]
    issues = [each for each in found if each[2] != "fine"]
    merged = "The three kinds of issue seem to be thrown together"
    one_kind = [(merged, [(*each[:2], kind) for each in issues]) for kind in wrong]
    passed = "A result without a day of publication seems to be let through"
    no_missing = [(passed, [each for each in issues if each[2] != "missing"])]
    unread = "A day that cannot be read seems to be let through"
    no_unread = [(unread, [each for each in issues if each[2] != "unparseable"])]
    alone = "Only the first issue seems to be reported"
    consistent(
        learner,
        evidence,
        cutoff.isoformat(),
        issues,
        [*one_kind, *no_missing, *no_unread, (alone, issues[:1])],
    )


@exercise("check_consistency_gate", points=2, rule="consistency-day")
def test_days_are_read_not_compared_as_text(learner, rng):
    """A day written without its zeros is no day here, whether as text it would stand before the cutoff or after it."""
    for _ in range(2):
        cutoff = some_day(rng)
        earlier, after = cutoff - dt.timedelta(days=rng.randrange(1, 3)), cutoff + dt.timedelta(days=400)
        bare = [f"{day.year}-{day.month}-{day.day}" for day in (earlier, after)]
        evidence = [pages(rng, later(cutoff, -3), bare[0]), pages(rng, bare[1])]
        issues = [(0, 1, "unparseable"), (1, 0, "unparseable")]
        text = "Days seem to be compared as text, without being read"
        as_text = [(0, 1, "post_cutoff"), (1, 0, "post_cutoff")]
        lenient = "A day without its zeros seems to be read as a day"
        consistent(
            learner,
            evidence,
            cutoff.isoformat(),
            issues,
            [(text, as_text), (lenient, [(1, 0, "post_cutoff")])],
        )


@exercise("check_consistency_gate", points=2, rule="consistency-every-result")
def test_every_result_of_every_item(learner, rng):
    """All results are looked at: not only the first of an item, and not only those of one type of item."""
    cutoff = some_day(rng)
    fine, late = later(cutoff, -rng.randrange(2, 99)), later(cutoff, rng.randrange(1, 99))
    consistent(learner, [pages(rng, late, kind="search_results")], cutoff.isoformat(), [(0, 0, "post_cutoff")])
    at = rng.randrange(1, 4)
    several = pages(rng, *[late if n == at else fine for n in range(4)], kind="search_results")
    evidence = [several, pages(rng, fine)]
    first = "Only the first result of an item seems to be looked at"
    consistent(learner, evidence, cutoff.isoformat(), [(0, at, "post_cutoff")], [(first, [])])
    other = rng.choice(["log", "memo"])
    evidence = [pages(rng, late, kind=kind) for kind in ("search_results", "base_rate", other)]
    issues = [(n, 0, "post_cutoff") for n in range(3)]
    some = "Items of some types seem to be skipped"
    skipped = [(some, issues[:1]), (some, issues[:2]), (some, [issues[0], issues[2]])]
    consistent(learner, evidence, cutoff.isoformat(), issues, skipped)


@exercise("check_consistency_gate", points=2, rule=["consistency-cutoff", "consistency-day"])
def test_an_unreadable_cutoff(learner, rng):
    """A cutoff that is no day is an issue, read by the same rule as the results, whose own issues are reported too."""
    evidence = [pages(rng, f"{rng.randrange(1990, 2009)}-04-05", None), pages(rng, "whenever")]
    issues = [(None, None, "cutoff"), (0, 1, "missing"), (1, 0, "unparseable")]
    day = some_day(rng)
    consistent(learner, evidence, day.isoformat(), issues[1:])
    passes = "A cutoff that cannot be read seems to be passed over"
    quiet = "With a cutoff that cannot be read, the other issues are not reported"
    for cutoff in ("soon", ""):
        consistent(learner, evidence, cutoff, issues, [(passes, issues[1:]), (passes, []), (quiet, issues[:1])])
    other = "A cutoff that is no such day seems to be read as one"
    for cutoff in (f"{day.year}-{day.month}-{day.day}", f"{day.isoformat()}T09:00:00"):
        consistent(learner, evidence, cutoff, issues, [(other, issues[1:])])


@exercise("check_consistency_gate", rule="consistency-retrieval-has-no-say")
def test_only_the_cutoff_counts(learner, rng):
    """What a result is compared with is this state's cutoff, not a moment of retrieval or of any check."""
    cutoff = some_day(rng)
    fine = later(cutoff, -rng.randrange(2, 20))
    late = later(cutoff, rng.randrange(5, 20))
    retrieved = f"{later(cutoff, rng.randrange(100, 200))}T10:00:00"
    early = f"{later(cutoff, -rng.randrange(200, 300))}T10:00:00"
    evidence = [item(rng, "search_results", retrieved, [fine, late]), item(rng, "base_rate", early, [fine])]
    consistent(learner, [pages(rng, f"{rng.randrange(2500, 2600)}-01-01")], cutoff.isoformat(), [(0, 0, "post_cutoff")])
    moment = "Results seem to be compared with another moment than the cutoff of the state"
    otherwise = [(moment, []), (moment, [(1, 0, "post_cutoff")])]
    consistent(learner, evidence, cutoff.isoformat(), [(0, 1, "post_cutoff")], otherwise)
    far = dt.date(rng.randrange(2300, 2400), 1, 1)
    evidence = [pages(rng, later(far, -rng.randrange(2, 20)), later(far, 3))]
    otherwise = [(moment, [(0, 0, "post_cutoff"), (0, 1, "post_cutoff")])]
    consistent(learner, evidence, far.isoformat(), [(0, 1, "post_cutoff")], otherwise)


# --- run_quality_gates and decide ---------------------------------------------------------------

ORDER = ["coverage", "freshness", "consistency"]
GATES_DIFFER = "One of your gates answers otherwise than its own tests ask for; mend it first"


def situation(rng, learner, broken, open_questions=(), **fields):
    """A state in which exactly the gates `broken` fail, and the moment of the check."""
    as_of = some_moment(rng)
    cutoff = as_of.date() + dt.timedelta(days=1)
    retrieved = as_of - dt.timedelta(hours=60 if "freshness" in broken else rng.randrange(1, 20))
    published = later(cutoff, 5 if "consistency" in broken else -rng.randrange(2, 50))
    kinds = ["search_results"] * rng.randrange(3, 6) + ([] if "coverage" in broken else ["base_rate"])
    rng.shuffle(kinds)
    evidence = [item(rng, kind, retrieved, [published]) for kind in kinds]
    state = state_of(
        learner,
        *evidence,
        cutoff_date=cutoff.isoformat(),
        open_questions=list(open_questions),
        **fields,
    )
    return state, iso(as_of)


def combination(rng, at_least=0):
    return rng.sample(ORDER, rng.randrange(at_least, 4))


def three(value, sentence="These are not the results of the three gates in their order"):
    """Whether each passed; promises that there are three results in their order."""
    promise(shape(value, ["QualityGateResult"]), "This is not a list of QualityGateResult")
    promise([said.gate_name for said in value] == ORDER, sentence)
    return [said.passed for said in value]


@exercise("run_quality_gates", points=2, rule=["all-gates-run", "gate-reports-all"])
def test_no_gate_is_left_out(learner, rng):
    """Whichever gates fail, all three answer, in their order."""
    for broken in (["coverage"], ["coverage", "freshness"], rng.sample(ORDER, 2), ORDER, []):
        state, as_of = situation(rng, learner, broken)
        value = learner.call("run_quality_gates", state, as_of=as_of).value
        promise(shape(value, ["QualityGateResult"]), "This is not a list of QualityGateResult")
        fewer = 0 < len(value) < 3 and [said.gate_name for said in value] == ORDER[: len(value)]
        promise(not fewer, "A gate that fails seems to keep the others from being asked")
        promise(three(value) == [gate not in broken for gate in ORDER], GATES_DIFFER)


@exercise("run_quality_gates", points=2, rule="gates-stored")
def test_results_are_stored_and_replaced(learner, rng):
    """The state holds the three results of the last check and no older ones; nothing else in it changes."""
    broken = combination(rng)
    state, as_of = situation(rng, learner, broken, [word(rng)], synthesis_status=rng.choice(["pending", "complete"]))
    before = fields_of(state)
    said = learner.call("run_quality_gates", state, as_of=as_of).value
    _ = three(said)
    stored = state.get("quality_gates").value
    promise(stored != [], "The results are returned and not stored in the state")
    promise(same(stored, said), "What is stored is not what was returned")
    again = learner.call("run_quality_gates", state, as_of=as_of).value
    _ = three(again, "A second check returns more, or something else, than three results")
    after = fields_of(state)
    promise(shape(after["quality_gates"], list), "What is stored is not what was returned")
    appended = "The results of a second check seem to be added to those of the first"
    promise(len(after["quality_gates"]) == 3, appended)
    promise(same(after["quality_gates"], again), "What is stored is not what was returned")
    others = {name: value for name, value in before.items() if name != "quality_gates"}
    promise(same({name: after[name] for name in others}, others), "Something else in the state changes")


def decided(learner, state, as_of):
    """What decide says and the status after it; promises that the results of the gates are stored."""
    got = learner.call("decide", state, as_of=as_of).value
    promise(shape(got, str), "decide does not say a text")
    stored = state.get("quality_gates").value
    promise(stored != [], "decide does not leave the results of the gates in the state")
    return got, three(stored), state.get("synthesis_status").value


@exercise("run_quality_gates", points=3, rule=["decision", "abstention-is-an-outcome"])
def test_every_gate_has_a_veto(learner, rng):
    """One gate that fails is enough: the run gathers more while a question is open, and abstains when none is."""
    whole, as_of = situation(rng, learner, [])
    got, passed, _ = decided(learner, whole, as_of)
    promise(passed == [True] * 3, GATES_DIFFER)
    promise(got not in ("complete", "completed"), "Only whoever writes the answer may call it complete")
    promise(got == "in_progress", "A state that passes every gate is not let go on")
    for gate in rng.sample(ORDER, 3):
        for questions in rng.sample([[], [word(rng)]], 2):
            state, as_of = situation(rng, learner, [gate], questions)
            got, passed, _ = decided(learner, state, as_of)
            promise(passed == [other != gate for other in ORDER], GATES_DIFFER)
            promise(got != "in_progress", "The run goes on although a gate has failed")
            if questions:
                promise(got != "abstained", "The run abstains although a question is still open")
                promise(got == "gather_more", "With an open question, something else is decided")
            else:
                promise(got != "gather_more", "The run wants to gather more although no question is open")
                promise(got == "abstained", "With no open question, something else is decided")


@exercise("run_quality_gates", points=2, rule=["status-after-decision", "abstention-is-an-outcome"])
def test_the_status_follows_the_decision(learner, rng):
    """Whatever the status was: abstained after an abstention, in_progress otherwise, with the gates' answers stored."""
    for was in ("pending", *rng.sample(["in_progress", "abstained", "complete"], 3)):
        for broken, questions in (([], []), (combination(rng, 1), [word(rng)]), (combination(rng, 1), [])):
            state, as_of = situation(rng, learner, broken, questions, synthesis_status=was)
            got, passed, status = decided(learner, state, as_of)
            promise(passed == [gate not in broken for gate in ORDER], GATES_DIFFER)
            wanted = "abstained" if broken and not questions else "in_progress"
            promise(got == ("gather_more" if broken and questions else wanted), "Another decision is taken")
            promise(status == wanted or status != was, "The status stays as it was, whatever is decided")
            promise(status not in ("complete", "completed"), "The status is complete, which only an answer makes it")
            promise(status == wanted, "The status does not say what was decided")


# --- ablate -------------------------------------------------------------------------------------


def checkpoint(rng, learner, **fields):
    """A saved state that passes every gate, its fields, and the moment of the check."""
    state, as_of = situation(rng, learner, [], tool_trace=[], **fields)
    evidence = state.get("evidence").value
    trace = [{"tool": "search", "query": each["query"], "status": "success"} for each in evidence]
    whole = {**fields_of(state), "tool_trace": trace}
    state = learner.new("AgentState", **whole)
    return text_of(state), whole, as_of


def sides_of(learner, text, kind, as_of):
    sides = learner.call("ablate", text, kind, as_of=as_of).value
    promise(shape(sides, {"before": "AgentState", "after": "AgentState"}), "There are no two AgentStates")
    both = sides["before"].fields, sides["after"].fields
    kinds = {"evidence": list, "tool_trace": list, "quality_gates": list, "synthesis_status": str}
    fits = all(shape(side, kinds) and side.keys() == set(FIELDS) for side in both)
    promise(fits, "A side has not the eight fields, or other kinds of values in them")
    return both


def without(evidence, kind):
    return [each for each in evidence if each["type"] != kind]


@exercise("ablate", points=2, rule=["ablation", "ablation-changes-one-thing"])
def test_one_type_is_taken_away(learner, rng):
    """The items of that type are gone after, no others are, and before still holds all of them."""
    for kind in rng.sample(["base_rate", "search_results", "nothing_like_it"], 3):
        text, whole, as_of = checkpoint(rng, learner)
        before, after = sides_of(learner, text, kind, as_of)
        kept = without(whole["evidence"], kind)
        lost = "What is taken away is gone from before as well"
        promise(same(kept, whole["evidence"]) or not same(before["evidence"], kept), lost)
        promise(same(before["evidence"], whole["evidence"]), "The evidence before is not that of the checkpoint")
        opposite = [each for each in whole["evidence"] if each["type"] == kind]
        promise(not same(after["evidence"], opposite), "The other types seem to be taken away, and this one kept")
        promise(same(after["evidence"], kept), "The evidence after lacks something else, or still holds this type")


@exercise("ablate", rule="ablation-changes-one-thing")
def test_the_tool_trace_stays(learner, rng):
    """That something was searched for stays true: the tool trace and all that was asked are the same on both sides."""
    text, whole, as_of = checkpoint(rng, learner)
    before, after = sides_of(learner, text, rng.choice(["base_rate", "search_results"]), as_of)
    promise(len(after["evidence"]) < len(before["evidence"]), "Nothing is taken away")
    shorter = "Calls seem to be taken out of the tool trace along with the evidence"
    promise(len(after["tool_trace"]) == len(whole["tool_trace"]), shorter)
    for name in ("question", "cutoff_date", "run_id", "open_questions", "tool_trace"):
        for side in (before, after):
            promise(same(side[name], whole[name]), f"{name} is not that of the checkpoint")


@exercise("ablate", points=2, rule="ablation-decides-anew")
def test_both_sides_are_decided_anew(learner, rng):
    """Gate results and status of each side are its own, whatever was saved."""
    for was in ("complete", rng.choice(["abstained", "pending"])):
        questions = rng.choice([[], [word(rng)]])
        said = learner.lib("course_lib.evidence:QualityGateResult", **some_results(rng)[0])
        state, as_of = situation(rng, learner, [], questions, quality_gates=[said], synthesis_status=was)
        text = text_of(state)
        before, after = sides_of(learner, text, "base_rate", as_of)
        kept = "The results of the gates seem to be those that were saved"
        for side in (before, after):
            promise(len(side["quality_gates"]) != 1, kept)
        promise(three(before["quality_gates"]) == [True] * 3, "Before, the gates do not answer as they do for decide")
        same_as_before = "After, the gates seem to have been asked about the evidence of before"
        passed = three(after["quality_gates"])
        promise(passed != [True] * 3, same_as_before)
        promise(passed == [False, True, True], GATES_DIFFER)
        status = before["synthesis_status"], after["synthesis_status"]
        wanted = "in_progress", "in_progress" if questions else "abstained"
        promise(was not in status or was in wanted, "A status seems to be the one that was saved")
        promise(status == wanted, "A status is not what decide makes it")


@exercise("ablate", rule="ablation-sides-share-nothing")
def test_the_sides_share_nothing(learner, rng):
    """Whoever changes the one side changes nothing in the other, nor in a later ablation."""
    text, whole, as_of = checkpoint(rng, learner)
    kind = rng.choice(["base_rate", "search_results"])
    kept = without(whole["evidence"], kind)
    promise(same(sides_of(learner, text, kind, as_of)[1]["tool_trace"], whole["tool_trace"]), "The tool trace changes")
    sides = learner.new("ablate", text, kind, as_of=as_of)
    before, after = (learner.lib("operator:getitem", sides, side) for side in ("before", "after"))
    promise(
        same(after.get("evidence").value, kept), "The evidence after lacks something else, or still holds this type"
    )
    for name in ("evidence", "tool_trace"):
        entries = learner.lib("operator:call", learner.lib("operator:attrgetter", name), after)
        learner.lib("operator:getitem", entries, 0).call("update", {"query": "changed"})
        entries.call("clear")
        shared = f"Both sides share one list, or its entries: {name}"
        promise(same(before.get(name).value, whole[name]), shared)
    again = sides_of(learner, text, kind, as_of)
    promise(same(again[1]["evidence"], kept), "A second ablation of the same text finds what was changed in the first")
