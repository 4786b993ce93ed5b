# ---
# course:
#   title: Evidence and quality gates
#   minutes: 120
#   summary: Before an agent concludes anything, three gates look at what it has. Build them, and let it refuse.
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
# An agent is asked whether the river at Altenau will rise above three metres before March. It searches,
# finds an article about melting snow, and answers *very likely*. The sentence is fluent, and it hangs on
# one article. Nobody asked how often the river has done so before, when the article was found, or whether
# it was written too late to count.
#
# A forecast without support costs more than none: people move their cattle because of it. So the agent may say
# *I abstain*, and something has to decide when.
#
# **When you are through, you can**
#
# - keep a typed record of what a run has concluded, apart from the text that a model reads;
# - write three gates that look at this record: is there enough, is it fresh, was it published in time;
# - say which gate refused, and which pieces of evidence it refused;
# - let a run go on, ask for more, or abstain, with the reason on record;
# - save a record and have the same one back, take one kind of evidence away, and see what moves;
# - show what such gates do not look at.

# %% [markdown]
# **What is real here.** The archive of articles is a folder of JSON files, and the searches read it; so are the
# record's file and its hash. The river is invented, and no model is asked at all. The notebook needs no other
# notebook.
#
# **How to work.** Predict before you run; the cell that follows holds its answer back until you have. You
# may use any help you like. Three of the five exercises count. The two marked *stretch*, the first and the
# last, do not; the three in the middle need neither. Save now and then, and run `grader check 02` in a
# terminal for the rest of the tests.
#
# **The words**
#
# | word | what it means |
# |---|---|
# | event log, or trace | the pairs of action and observation that are kept; the state of a run is their fold |
# | transcript | prompts and replies, as text |
# | record | here: the typed state that says what has been concluded, and from what |
# | memory | retrieval over past text; it informs, it never decides |
# | item of evidence | what one search brought back, with its kind and the time at which it was retrieved |
# | result | one page in an item, with the day on which it was published |
# | quality gate | a function that looks at the record and says whether it passes, and why |
# | abstain | to end without a conclusion; an outcome like any other |

# %%
import copy
import dataclasses
import hashlib
import json
import tempfile
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from course_lib import attempt, check, figures, journal, predict, reveal
from course_lib.evidence import (
    AS_OF,
    CUTOFF,
    QUESTION,
    RUN_ID,
    QualityGateResult,
    make_archive,
    new_run_id,
    search_archive,
    wire_story,
)
from course_lib.recordings import recording

Item = dict[str, Any]

scratch = tempfile.TemporaryDirectory()
root = Path(scratch.name)
make_archive(root / "archive")
print(*sorted(path.name for path in (root / "archive").iterdir()), sep="\n")

# %% [markdown]
# ## Two questions from earlier
#
# ### Before you run · P02.1
#
# The trace of a recorded run, without its status. What was it: `"completed"`, `"failed"` or
# `"budget_exhausted"`?

# %%
for k, step in enumerate(recording("step-budget")["trace"]):
    print(k, step["action"]["tool"].ljust(11), *step["action"]["args"].values(), step["observation"]["ok"])

predict("P02.1", "budget_exhausted", confidence=0.9, kind=["completed", "failed", "budget_exhausted"])

# %% [markdown]
# The recording says:

# %%
reveal("P02.1", lambda: recording("step-budget")["status"])

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# Nothing failed and no report was written, so only the budget is left. The status followed from the trace. The
# statuses of this notebook are those of another object, and none of them is ever `completed`.
#
# </details>

# %% [markdown]
# ### Before you run · P02.2
#
# Somebody gives a confidence of 0.5 to each of ten predictions, and seven of them come true. The Brier
# score is the mean squared distance between confidence and outcome. What is it here? Answer with a number.

# %%
predict("P02.2", 0.25, confidence=0.8, kind="number")

# %% [markdown]
# Ten squared distances, and their mean:


# %%
def ten_halves() -> float:
    distances = [(0.5 - came_true) ** 2 for came_true in [1] * 7 + [0] * 3]
    print(distances)
    return sum(distances) / len(distances)


reveal("P02.2", ten_halves)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# It would have been the same with none or with ten. Whoever always says one half risks nothing and says
# nothing. Abstaining, in this notebook, is something else: it is on record, with a reason.
#
# </details>

# %% [markdown]
# ## 1 · Two sentences that are both true
#
# *The trace is the whole state of a run*: that was notebook 01. *A transcript is not state*: you will read that
# elsewhere, and it is just as true. They speak of two things.
#
# A **trace** is an event log. Code wrote it, in pairs of action and observation, and the state is its fold.
# A **transcript** is the text that went to a model and came back. In between stands what this notebook is
# about: the log is what is *persisted*; the typed **record** is what has been *concluded* from it. It can
# be made anew from the log, so it is a convenience, but it can do four things that no transcript can:
#
# - hold what was worked out and never said, *three items, one of them old*;
# - be checked before the answer is given;
# - be taken up again with one setting changed;
# - be compared with another one, field by field.
#
# And **memory**? A model works with what is in its context, a run with its record, and many runs share what
# can be retrieved from the past. In this course *memory* is only the last of the three. It may inform a
# decision. The record decides.
#
# Below the same two searches stand in both forms. Look at what you would have to do, in each, to learn how many
# searches found nothing.

# %%
transcript = """Assistant: I searched for snow and found two articles.
Assistant: I then looked for ice jams, which did not add anything new."""
log = [
    {"action": {"tool": "search", "args": {"query": "snow"}}, "observation": {"ok": True, "results": 2}},
    {"action": {"tool": "search", "args": {"query": "ice jam"}}, "observation": {"ok": True, "results": 0}},
]
print(transcript)
print("searches that found nothing, from the log:", sum(step["observation"]["results"] == 0 for step in log))

# %% [markdown]
# ## 2 · The record
#
# Eight fields, in four groups:
#
# | group | field | what it holds |
# |---|---|---|
# | identity | `question`, `cutoff_date`, `run_id` | what is asked; a day, and only what was published before it counts; a name |
# | evidence | `evidence`, `open_questions` | the items; what could still be searched for |
# | provenance | `tool_trace` | every call, with its query |
# | checks | `quality_gates`, `synthesis_status` | what the gates said; `pending`, `in_progress`, `complete` or `abstained` |
#
# `complete` (not `completed`, which is said of a run) is set by whoever writes the answer, later, and by
# nobody here.
#
# What a gate says is a `QualityGateResult`, with four fields. Look at one as it is, and as JSON has it after
# `dataclasses.asdict`, which turns a dataclass into a dict, also where it stands inside lists and dicts.

# %%
example = QualityGateResult(gate_name="weather", passed=False, reason="it is raining", details={"mm": [3, 4]})
print(example)
plain = dataclasses.asdict(example)
print(json.dumps(plain))

# %% [markdown] exercise="AgentState" title="A record that comes back" difficulty=2 minutes=20 mode="with help" stretch=true
# A run is stopped and taken up tomorrow. If the record that comes back differs from the one that was saved,
# in a field that nobody thought of comparing, nothing says so. Hence two demands: saved again, it gives
# *the same bytes*; and every value has *its old type*, because equal bytes can hide that an object has
# become a dict.
#
# The class is there with its fields, and the gates below need no more. Write its two methods, now or when
# you come to part 7. An encoder of one's own is not needed: the day a field is added, it is the one thing
# that forgets it.
#
# hint: Which of the eight fields holds values that JSON has no form for? What does it turn into on the way
# out, and who turns it back?
# hint: On the way out, asdict and then json.dumps. On the way back, json.loads gives a dict with the names
# of the fields as its keys, and a dataclass takes those as keyword arguments. One value needs work in
# between.
# hint: Compare the set of keys with the names from dataclasses.fields, and raise ValueError when it is
# another one or no dict at all. Then replace data["quality_gates"] by a list with one QualityGateResult for
# each dict in it, and return cls with everything as keyword arguments. Keep nothing from one call to the
# next.


# %%
@dataclass
class AgentState:
    """What a run has concluded so far, and from what. Gates read it and decide by it.

    question, cutoff_date (a day, YYYY-MM-DD) and run_id say what this is about; evidence is a list of items
    as in course_lib.evidence, open_questions a list of texts, tool_trace a list of {"tool", "query", "status"},
    quality_gates a list of QualityGateResult, synthesis_status a text. A state that is made without lists gets
    lists of its own, and without a run_id a new one.
    """

    question: str
    cutoff_date: str
    run_id: str = field(default_factory=new_run_id)
    evidence: list[Item] = field(default_factory=list)
    open_questions: list[str] = field(default_factory=list)
    tool_trace: list[Item] = field(default_factory=list)
    quality_gates: list[QualityGateResult] = field(default_factory=list)
    synthesis_status: str = "pending"

    def to_json(self) -> str:
        """All eight fields as one JSON object, keyed by their names; a gate result is an object with its four.

        The state is left as it was. Raises TypeError when a field holds what JSON has no form for (a datetime,
        a set, bytes), at any depth.
        """
        # BEGIN SOLUTION
        return json.dumps(dataclasses.asdict(self), indent=2)
        # END SOLUTION

    @classmethod
    def from_json(cls, saved: str) -> "AgentState":
        """The state that the text `saved` holds: all eight fields as they were, in their order and of their types.

        The entries of quality_gates are QualityGateResult again. to_json of what comes back gives the text that
        to_json gave before, byte by byte. Two states from one text share nothing: a change to one does not show
        in the other. Raises ValueError when the text is no JSON object, or has other keys than the eight. What
        the fields hold is taken on trust.
        """
        # BEGIN SOLUTION
        stored = json.loads(saved)
        names = {each.name for each in dataclasses.fields(cls)}
        if not isinstance(stored, dict) or stored.keys() != names:
            raise ValueError(f"a state has the fields {', '.join(sorted(names))}, and no other ones")
        stored["quality_gates"] = [QualityGateResult(**said) for said in stored["quality_gates"]]
        return cls(**stored)
        # END SOLUTION


# %% [markdown]
# ### Where evidence comes from
#
# `look` makes one search and writes it down. Read what it does with a search that finds nothing.


# %%
def look(state: AgentState, kind: str, word: str, *, now: str = "2025-02-19T11:00:00", filtered: bool = True) -> None:
    """Search the archive for `word` at the moment `now`, and record it."""
    before = state.cutoff_date if filtered else None
    found = search_archive(root / "archive", kind, word, before=before)
    state.tool_trace.append({"tool": "search", "query": word, "status": "success"})
    if found:
        item = {"type": kind, "source": "archive", "timestamp": now, "query": word, "content": {"results": found}}
        state.evidence.append(item)


def new_state(**fields: Any) -> AgentState:
    return AgentState(question=QUESTION, cutoff_date=CUTOFF, run_id=RUN_ID, **fields)


def changed(state: AgentState, **fields: Any) -> AgentState:
    """A copy of `state`, all the way down, with other values in some fields."""
    copied = copy.deepcopy(state)
    vars(copied).update(fields)
    return copied


state = new_state()
look(state, "search_results", "snow")
print(json.dumps(state.evidence, indent=2))

# %% [markdown]
# ### Before you run · P02.3
#
# Two runs hold equal evidence. One looked for ice jams and found nothing; the other never looked. Which
# field tells them apart: `"evidence"`, `"open_questions"`, `"tool_trace"` or `"quality_gates"`?

# %%
predict("P02.3", "tool_trace", confidence=0.9, kind=["evidence", "open_questions", "tool_trace", "quality_gates"])

# %% [markdown]
# Both runs, compared field by field:


# %%
def looked_or_not() -> str:
    looked, idle = copy.deepcopy(state), copy.deepcopy(state)
    look(looked, "search_results", "ice jam")
    differing = [name for name, value in vars(looked).items() if value != vars(idle)[name]]
    print("differing:", differing)
    return differing[0]


reveal("P02.3", looked_or_not)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# *Did not look* and *looked and found nothing* are different findings. Only the provenance knows; that is
# why an empty call is recorded like any other.
#
# </details>

# %% [markdown]
# ## 3 · A gate looks at the record
#
# Here is a whole gate, as an example. It asks whether every item says where it came from. Look at its
# parts: it goes through **all** items before it speaks, it counts what is wrong with each, and its details
# are for a program to read, the reason for a person.


# %%
def check_source_gate(state: AgentState) -> QualityGateResult:
    sources = [each.get("source") for each in state.evidence]
    nameless = [position for position, source in enumerate(sources) if not source]
    reason = f"no source: items {nameless}" if nameless else "every item names its source"
    return QualityGateResult("source", not nameless, reason, {"items": nameless})


print(check_source_gate(state))
broken = copy.deepcopy(state)
broken.evidence[0]["source"] = ""
print(check_source_gate(broken))

# %% [markdown]
# Two gates now. The first wants enough evidence, and of two kinds. Articles tell what is special this time;
# a **base rate** tells how often such things happen at all. Without it a vivid article decides, and people
# (and models) let it. So a run that found no base rate is refused. That is a decision about research, not
# about code; the gate only makes it visible.
#
# The second wants evidence that was retrieved recently. It takes the present moment as an argument,
# `as_of`, instead of asking a clock: whoever checks the run again next year should get the same answer.
#
# ### Before you run · P02.4
#
# Python subtracts two moments that lie exactly 48 hours apart, and gives a `timedelta`. What does its attribute
# `.seconds` say? Answer with a number.

# %%
predict("P02.4", 0, confidence=0.7, kind="number")

# %% [markdown]
# Look at the difference in three ways:


# %%
def two_days() -> int:
    difference = timedelta(hours=48)
    print("days", difference.days, "· seconds", difference.seconds, "· in all", difference / timedelta(seconds=1))
    return difference.seconds


reveal("P02.4", two_days)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# A `timedelta` keeps whole days apart, and `.seconds` is what is left over. Two days old looks brand new to
# whoever asks for that attribute. Two differences can also be compared as they are.
#
# </details>

# %% [markdown] exercise="check_coverage_gate" title="Enough of it, and new enough" difficulty=2 minutes=25 mode="with help" defines="check_freshness_gate"
# These two are short, and nearly all of them is edges: what counts as one piece, how old is too old, what of a
# timestamp that cannot be read. Where nobody says what it means, the answer is no.
#
# Write `check_coverage_gate` and `check_freshness_gate`. Both look through everything and report all that
# they find.
#
# hint: Is an item one piece of evidence, or are its results? And which of two items may an old one hide behind?
# hint: Coverage: which of the required types does no item have, and how many items are there? Freshness:
# decide for each item by itself which of the three kinds of issue it has, if any, and collect them with
# their positions.
# hint: datetime.fromisoformat reads a timestamp and raises ValueError, or TypeError for what is no text;
# one whose tzinfo is not None has a time zone. That order matters, for a moment with a zone cannot be
# compared with one without. Then compare the two moments, and their difference with
# a timedelta of max_age_hours hours.


# %%
def check_coverage_gate(
    state: AgentState, min_items: int = 3, required_types: tuple[str, ...] = ("search_results", "base_rate")
) -> QualityGateResult:
    """Is there enough evidence, and of every kind that is needed?

    It passes when state.evidence has an item of each of `required_types`, and at least `min_items` items in all.
    An item is of a type when its "type" is exactly that. Every item counts as one, whatever its type and
    however many results it has, none included.

    gate_name is "coverage", reason is not empty, and details is exactly
    {"missing": the required types that no item has, in their order, "items": how many items there are}.
    The state is left as it was.
    """
    # BEGIN SOLUTION
    present = {item["type"] for item in state.evidence}
    missing = [kind for kind in required_types if kind not in present]
    items = len(state.evidence)
    if missing:
        reason = f"nothing of type {', '.join(missing)}"
    elif items < min_items:
        reason = f"{items} items, {min_items} are needed"
    else:
        reason = f"{items} items, every type is there"
    return QualityGateResult(
        "coverage", not missing and items >= min_items, reason, {"missing": missing, "items": items}
    )
    # END SOLUTION


def check_freshness_gate(state: AgentState, *, as_of: str, max_age_hours: float = 24) -> QualityGateResult:
    """Was every item retrieved recently, seen from the moment `as_of`?

    as_of is a date and time in ISO form without a time zone, like "2025-02-19T12:00:00"; an item's
    "timestamp" should be one too. It passes when no item has an issue. An item has at most one, of this kind:

    "unknown"   there is no "timestamp", or it is not in that form (a date and time with a time zone, say)
    "future"    it was retrieved after as_of
    "stale"     it was retrieved more than max_age_hours before as_of; exactly that long before is fresh

    Neither the clock nor the days of publication have a say. With no evidence there is no issue.

    gate_name is "freshness", reason is not empty, and details is exactly {"issues": [...]}, with one
    {"item": its position in state.evidence, from 0, "kind": ...} for each item that has one, in their order.
    The state is left as it was.
    """
    # BEGIN SOLUTION
    moment = datetime.fromisoformat(as_of)
    issues = []
    for at, item in enumerate(state.evidence):
        kind = None
        try:
            retrieved = datetime.fromisoformat(item.get("timestamp"))
        except (ValueError, TypeError):
            kind = "unknown"
        else:
            if retrieved.tzinfo is not None:
                kind = "unknown"
            elif retrieved > moment:
                kind = "future"
            elif moment - retrieved > timedelta(hours=max_age_hours):
                kind = "stale"
        if kind:
            issues.append({"item": at, "kind": kind})
    told = ", ".join(f"item {issue['item']} is {issue['kind']}" for issue in issues)
    return QualityGateResult("freshness", not issues, told or "every item is fresh", {"issues": issues})
    # END SOLUTION


# %% [markdown]
# Both at work, on five items around the edges of a day. Look at the item that is exactly 24 hours old, and
# at the last one: one second decides.

# %%
with attempt("check_coverage_gate", "check_freshness_gate"):
    edges = new_state()
    for hours in (0, 24, 48, -1, 24 + 1 / 3600):
        look(edges, "search_results", "snow", now=(datetime(2025, 2, 19, 12) - timedelta(hours=hours)).isoformat())
    print(check_coverage_gate(edges))
    print(check_freshness_gate(edges, as_of=AS_OF))

# %% [markdown]
# ## 4 · Published in time
#
# *When was it retrieved?* and *when was it published?* are two questions. A page fetched a minute ago can
# be years old; that is fine. A page from the day **after** the cutoff is not, however fresh: whoever judges
# a forecast that was made before the cutoff must not let it peek. Nor is one from the cutoff day itself,
# since nobody knows at what hour it appeared.
#
# The search tool filters by date already. The gate asks again all the same. Evidence also comes from
# checkpoints, from fixtures, and from the tool that somebody adds next month and that forgets the filter.
#
# ### Before you run · P02.5
#
# Days written as text can be put in order as text, as long as everybody writes them alike. Here are three.
# Which of them does Python put **last**?

# %%
written = ["2025-02-18", "2025-2-9", "2025-02-20"]

predict("P02.5", "2025-2-9", confidence=0.7, kind=["2025-02-18", "2025-2-9", "2025-02-20"])

# %% [markdown]
# In the order of text:


# %%
def last_as_text() -> str:
    print(*sorted(written), sep="  <  ")
    return sorted(written)[-1]


reveal("P02.5", last_as_text)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# As text, the earliest of the three days comes last. So a day has to be *read* before it is compared, and
# one reader should serve for the results and for the cutoff: two readers disagree one day, and always about
# the case that matters.
#
# </details>

# %% [markdown] exercise="check_consistency_gate" title="Nothing from after the cutoff" difficulty=3 minutes=20 mode="with help"
# A result can be wrong here in three ways, and whoever has to mend it does something else for each: find
# the missing day, correct the tool that writes it oddly, or throw the page out. So the three are told
# apart.
#
# Write `check_consistency_gate`. It looks at every result of every item, base rates included, and reports
# each that is wrong.
#
# hint: What can go wrong with the cutoff itself? What would a gate say that skips what it cannot read?
# hint: Write one small function that reads a day, or says that it cannot, and use it for the cutoff and for
# every result. Two loops, one inside the other, find the results and their two positions.
# hint: date.fromisoformat raises ValueError for text that is no such day, and TypeError for what is no
# text. Sort the three kinds in the order of the docstring: first nothing there, then not readable, then not
# before the cutoff. When the cutoff cannot be read, put its own issue first; the third kind then cannot be
# found.


# %%
def check_consistency_gate(state: AgentState) -> QualityGateResult:
    """Was every result published before state.cutoff_date?

    A day is written YYYY-MM-DD, with all its zeros, like "2025-02-09"; this holds for the cutoff and for
    "published". It passes when there is no issue. A result, of any item whatever its type, has at most one:

    "missing"      there is no "published", or it is None or ""
    "unparseable"  it is there and is no such day: "2025-2-9", "2025-02-30", "last week", a number
    "post_cutoff"  it is a day, and not before the cutoff; the cutoff day itself is one of these

    A cutoff that is no such day is an issue too, of the kind "cutoff", and comes first. Nothing can then be
    said to be "post_cutoff", and the other two kinds are reported as ever. When anything was retrieved has no
    say.

    gate_name is "consistency", reason is not empty, and details is exactly {"issues": [...]}, with one
    {"item": position in state.evidence, "result": position in that item's content["results"], "kind": ...}
    for each that there is, in their order, positions from 0. For the cutoff both positions are None. The
    state is left as it was.
    """

    # BEGIN SOLUTION
    def day(text):
        try:
            found = date.fromisoformat(text)
        except (ValueError, TypeError):
            found = None
        return found

    def kind_of(published):
        if published in (None, ""):
            return "missing"
        if day(published) is None:
            return "unparseable"
        return "post_cutoff" if cutoff and day(published) >= cutoff else None

    cutoff = day(state.cutoff_date)
    issues = [] if cutoff else [{"item": None, "result": None, "kind": "cutoff"}]
    for at, piece in enumerate(state.evidence):
        content = piece["content"]
        for number, page in enumerate(content["results"]):
            if kind := kind_of(page.get("published")):
                issues.append({"item": at, "result": number, "kind": kind})
    words = "; ".join(f"{issue['kind']} (item {issue['item']}, result {issue['result']})" for issue in issues)
    return QualityGateResult("consistency", not issues, words or "all published before the cutoff", {"issues": issues})
    # END SOLUTION


# %% [markdown]
# Now all questions at once. Seven pages were found, some too long ago, some published too late. The figure
# puts each where it belongs: to the left what was retrieved long ago, at the bottom what was published
# late. Look for the pages in the shaded region; they are the ones that no gate names.

# %%
PAGES = [
    ("snow", "2025-02-19T11:00:00", "2025-02-18"),
    ("dam", "2025-02-19T01:00:00", "2025-02-19"),
    ("years", "2025-02-18T20:00:00", "2025-02-12"),
    ("rain", "2025-02-17T12:00:00", "2025-02-17"),
    ("report", "2025-02-19T06:00:00", "2025-02-20"),
    ("flood", "2025-02-19T09:00:00", "2025-02-23"),
    ("ahead", "2025-02-19T16:00:00", "2025-02-16"),
]
seven = new_state()
for word, retrieved, published in PAGES:
    content = {"results": [{"title": word, "published": published}]}
    kind = "base_rate" if word == "years" else "search_results"
    seven.evidence.append(
        {"type": kind, "source": "archive", "timestamp": retrieved, "query": word, "content": content}
    )


def named(said: QualityGateResult) -> set[int]:
    """The items that a gate's issues name."""
    return {issue["item"] for issue in said.details["issues"] if issue["item"] is not None}


def old_and_late() -> tuple[set[int], set[int]]:
    return named(check_freshness_gate(seven, as_of=AS_OF)), named(check_consistency_gate(seven))


with attempt("check_freshness_gate", "check_consistency_gate"):
    old, late = old_and_late()
    dots = [
        figures.Dated(
            word,
            (datetime(2025, 2, 19, 12) - datetime.strptime(retrieved, "%Y-%m-%dT%H:%M:%S")) / timedelta(hours=1),
            (date(2025, 2, 20) - date(*map(int, published.split("-")))).days,
            at in late | old,
        )
        for at, (word, retrieved, published) in enumerate(PAGES)
    ]
    figures.show(figures.admissible_plane(dots, 24))

# %% [markdown]
# The same seven as a waterfall: how many come in, how many each gate names, how many would be left, and how
# many coverage asks for.

# %%
with attempt("check_freshness_gate", "check_consistency_gate"):
    old, late = old_and_late()
    figures.show(figures.evidence_waterfall(7, {"freshness": old, "consistency": late}, 3))

# %% [markdown]
# A gate throws nothing away, though. It names what it refuses; what becomes of it is for somebody else to
# decide.

# %% [markdown]
# ## 5 · Six states, eighteen questions
#
# A gate that was never seen to fail should not be trusted. So here are six states, and every gate is asked
# about each of them. Read how they are made:
#
# | state | how it is made |
# |---|---|
# | `full` | three searches that find something, four results in all: two of articles, one of base rates |
# | `sparse` | one search for articles |
# | `thin` | one search for articles, one for base rates |
# | `bad` | like `full`, but one search for articles forgot its filter, and a page of 27 February came along |
# | `stale` | like `full`, but everything was retrieved 48 hours before the moment of the check |
# | `ablated` | `full`, with its items of type `base_rate` taken out |


# %%
def three_searches(first: dict[str, Any], **others: Any) -> AgentState:
    state = new_state()
    look(state, "search_results", "snow", **first, **others)
    look(state, "search_results", "dam", **others)
    look(state, "search_results", "ice jam", **others)
    look(state, "base_rate", "gauge", **others)
    return state


sparse, thin = new_state(), new_state()
for partial in (sparse, thin):
    look(partial, "search_results", "snow")
look(thin, "base_rate", "gauge")
full = three_searches({})
states = {
    "full": full,
    "sparse": sparse,
    "thin": thin,
    "bad": three_searches({"filtered": False}),
    "stale": three_searches({}, now="2025-02-17T12:00:00"),
    "ablated": changed(full, evidence=list(filter(lambda item: item["type"] != "base_rate", full.evidence))),
}
for name, each in states.items():
    print(f"{name:8}", [(item["type"], item["timestamp"], len(item["content"]["results"])) for item in each.evidence])

# %% [markdown]
# ### Before you run · P02.6
#
# The moment of the check is 2025-02-19, 12:00; the cutoff is 2025-02-20; three items are needed; a day is
# fresh. In which of the eighteen cells does a gate fail? Predict the set of cells, each as a pair of state
# and gate, written like `{("full", "coverage"), ("thin", "freshness")}`.

# %%
predict(
    "P02.6",
    {
        ("sparse", "coverage"),
        ("thin", "coverage"),
        ("bad", "consistency"),
        ("stale", "freshness"),
        ("ablated", "coverage"),
    },
    confidence=0.9,
    kind="set",
)

# %% [markdown] exercise="run_quality_gates" title="Run them all, then decide" difficulty=3 minutes=25 mode="with help" defines="decide"
# Two temptations. One is to stop at the first gate that fails, which saves nothing and hides the rest. The
# other is to let the gates decide what happens. They do not know what could still be searched for; the run
# does.
#
# Write `run_quality_gates`, which asks and records, and `decide`, which draws the conclusion. When
# something is missing and there are open questions left, the run should gather more. When there are none,
# it abstains: that is an outcome, and the reason for it stands in the record.
#
# hint: A run is checked twice, with more evidence the second time. What should `quality_gates` hold then?
# hint: Make one list of three results, put it in the place of what was in the state, and return it. In
# decide, use that list: whether all of it passed, and if not, whether state.open_questions is empty.
# hint: Both gates that look at time or type get only what their signatures ask for; as_of goes to
# freshness. decide sets synthesis_status to "abstained" in one of its three cases, and to "in_progress" in
# the other two.


# %%
def run_quality_gates(state: AgentState, *, as_of: str) -> list[QualityGateResult]:
    """Ask coverage, freshness and consistency about `state`, in this order, each with its usual limits.

    All three are asked, whatever the first ones say. Returns the list of their three results. The same
    results stand in state.quality_gates afterwards, in place of what was there; nothing else changes.
    """
    # BEGIN SOLUTION
    said = [check_coverage_gate(state), check_freshness_gate(state, as_of=as_of), check_consistency_gate(state)]
    state.quality_gates = list(said)
    return said
    # END SOLUTION


def decide(state: AgentState, *, as_of: str) -> str:
    """Run the gates on `state`, and say what to do now:

    "in_progress"   all of them passed; the answer may be written
    "gather_more"   one or more failed, and state.open_questions holds something that could still be searched for
    "abstained"     one or more failed, and there are no open questions

    state.quality_gates then holds the three results, and state.synthesis_status is "abstained" in the last
    case and "in_progress" in the other two, whatever it was before; "complete" is for whoever writes the
    answer. Nothing else in the state changes.
    """
    # BEGIN SOLUTION
    results = run_quality_gates(state, as_of=as_of)
    answer = "in_progress"
    if any(not each.passed for each in results):
        answer = "gather_more" if state.open_questions else "abstained"
    state.synthesis_status = answer if answer == "abstained" else "in_progress"
    return answer
    # END SOLUTION


# %% [markdown]
# Now the eighteen answers, over your prediction. Look for the cells that are marked as not predicted, and
# in each row at how many gates fail.


# %%
def failing_cells() -> set[tuple[str, str]]:
    answers = {name: run_quality_gates(copy.deepcopy(each), as_of=AS_OF) for name, each in states.items()}
    failing = {(name, said.gate_name) for name, three in answers.items() for said in three if not said.passed}
    lines, _ = journal.read(journal.journal_path("P02.6").read_bytes())
    said, _ = journal.standing(lines, "P02.6")
    predicted = {tuple(cell) for cell in said.value["set"]} if isinstance(said.value, dict) else set()
    figures.show(figures.gate_matrix(list(states), ["coverage", "freshness", "consistency"], failing, predicted))
    for name, three in answers.items():
        print(f"{name:8}", "; ".join(said.reason for said in three if not said.passed) or "passes")
    return failing


with attempt("check_coverage_gate", "check_freshness_gate", "check_consistency_gate", "run_quality_gates"):
    reveal("P02.6", failing_cells)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# Each failing state breaks one contract and no other, so each failure says which gate is at work. Three
# states fail coverage, for two reasons: a type is missing, or there is too little. And one state passes
# everything. Without it you could not tell strict gates from gates that refuse whatever they see.
#
# </details>

# %% [markdown]
# The conclusion that a run draws, with and without anything left to search for. Look at the status beside
# each, and at the reason that the record keeps.

# %%
with attempt("check_coverage_gate", "check_freshness_gate", "check_consistency_gate", "run_quality_gates"):
    for name, open_questions in [("full", []), ("thin", ["what does the dam do?"]), ("thin", [])]:
        each = changed(states[name], open_questions=open_questions)
        answer = decide(each, as_of=AS_OF)
        reasons = [said.reason for said in each.quality_gates if not said.passed]
        print(f"{name:5} {answer:12} status {each.synthesis_status:12} {reasons}")

# %% [markdown]
# ## 6 · What the gates do not look at
#
# Passing means *admissible*, and no more. Four states that show what that leaves out.
#
# ### Before you run · P02.7 and P02.8
#
# - **P02.7**: a state with no evidence at all. Which of the three gates **pass**? Predict a set of their names.
# - **P02.8**: three searches, two of the one kind and one of the other, all of them this morning; an eager
#   tool has recorded an item for each, and every item has `results: []`. Which gates pass?

# %%
predict("P02.7", {"freshness", "consistency"}, confidence=0.8, kind="set")
predict("P02.8", {"coverage", "freshness", "consistency"}, confidence=0.7, kind="set")

# %% [markdown]
# First nothing, then three times nothing:


# %%
def passing(state: AgentState, as_of: str = AS_OF) -> set[str]:
    said = run_quality_gates(copy.deepcopy(state), as_of=as_of)
    for each in said:
        print(f"{each.gate_name:12} {'passes' if each.passed else 'FAILS':7} {each.reason}")
    return {each.gate_name for each in said if each.passed}


def three_times_nothing() -> set[str]:
    hollow = copy.deepcopy(full)
    for item in hollow.evidence:
        item["content"]["results"] = []
    return passing(hollow)


with attempt("check_coverage_gate", "check_freshness_gate", "check_consistency_gate", "run_quality_gates"):
    reveal("P02.7", lambda: passing(new_state()))
    reveal("P02.8", three_times_nothing)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# What is said of *every* item is true when there is none; logicians call it vacuous. In the first state
# coverage saves the day. In the second nobody does: an item without results counts as an item. The tool
# that you read above never makes one, and so the gate relies on the tool. Could you mend it, and in which
# of the two gates?
#
# </details>

# %% [markdown]
# ### Before you run · P02.9 and P02.10
#
# - **P02.9**: the state `stale` was gathered at noon on 17 February. Somebody checks it again with the
#   moment that its own file names, `as_of="2025-02-17T13:00:00"`. Does its freshness gate say `"passes"` or
#   `"fails"`?
# - **P02.10**: a news agency sends out one report, which hangs on one unnamed official, and five papers
#   print it. A run finds all five, each in a search of its own, and a base rate. Does `decide` say
#   `"in_progress"`, `"gather_more"` or `"abstained"`?

# %%
predict("P02.9", "passes", confidence=0.8, kind=["passes", "fails"])
predict("P02.10", "in_progress", confidence=0.8, kind=["in_progress", "gather_more", "abstained"])

# %% [markdown]
# The old run, judged as of its own day. Look at the timestamps, and at the days on which two of its results
# were published.


# %%
def as_of_its_own_day() -> str:
    for item in states["stale"].evidence:
        print(
            item["timestamp"], "retrieved ·", *(page["published"] for page in item["content"]["results"]), "published"
        )
    return "passes" if "freshness" in passing(states["stale"], "2025-02-17T13:00:00") else "fails"


def five_copies() -> str:
    copies = new_state()
    outlets = ["herald", "courier", "mirror", "post", "echo"]
    for story in wire_story(outlets, "2025-02-18"):
        item = {"type": "search_results", "source": "web", "timestamp": "2025-02-19T10:00:00", "query": story["url"]}
        copies.evidence.append({**item, "content": {"results": [story]}})
    look(copies, "base_rate", "gauge")
    answer = decide(copies, as_of=AS_OF)
    pages = [page for item in copies.evidence for page in item["content"]["results"] if item["source"] == "web"]
    print(len(pages), "pages,", len({page["snippet"] for page in pages}), "text")
    return answer


with attempt("check_coverage_gate", "check_freshness_gate", "check_consistency_gate", "run_quality_gates"):
    reveal("P02.9", as_of_its_own_day)
    reveal("P02.10", five_copies)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# An `as_of` that is given makes a check repeatable, and for the same price it makes an old run look as
# fresh as it was on its own day. The gate answers *was it fresh then?* Whether *then* is good enough for
# you, it is not asked. And did you notice the days? This run holds a page that was published after it was
# retrieved, which cannot be. Each of the two questions is asked by itself; nobody asks whether the answers
# fit together.
#
# Five pages are one source. Counting does not see it, and neither do dates. Nor would the gates notice two
# pages that contradict each other.
#
# </details>

# %% [markdown]
# ## 7 · Take one thing away
#
# The record can be written to a file and taken up again: readable in an editor, comparable line by line, of
# use to programs that do not have your class. Look at the two hashes, and at the type of the gate result
# that comes back.


# %%
checkpoint = root / "state.json"


def save_full() -> AgentState:
    """Decide a copy of the full state and write it to the checkpoint."""
    saved = copy.deepcopy(full)
    decide(saved, as_of=AS_OF)
    checkpoint.write_bytes(saved.to_json().encode())
    return saved


with attempt("AgentState", "check_coverage_gate", "check_consistency_gate", "run_quality_gates"):
    saved = save_full()
    restored = AgentState.from_json(checkpoint.read_bytes().decode())
    for each in (saved, restored):
        print(hashlib.sha256(each.to_json().encode()).hexdigest()[:16], type(each.quality_gates[0]).__name__)

# %% [markdown]
# What does the conclusion rest on? Take one kind of evidence away and ask again: an *ablation*. It is not a
# replay, in which the same history is fed to the same adapter, nor a re-issue, in which the same action is
# sent a second time.
#
# ### Before you run · P02.11
#
# The state `full` was decided, and saved. It is restored twice; from one of the two all items of type
# `base_rate` are taken, and both are decided anew. In which of the eight fields do the two differ then?
# Predict a set of field names.

# %%
predict("P02.11", {"evidence", "quality_gates", "synthesis_status"}, confidence=0.7, kind="set")

# %% [markdown] exercise="ablate" title="What does it rest on?" difficulty=3 minutes=15 mode="with help" stretch=true
# An experiment with two sides is worth something when the sides differ in one thing only. Most ways to get
# this wrong let the one side leak into the other.
#
# Write `ablate`. It needs your `AgentState` and your `decide`.
#
# hint: How many states does it take, and how do you get them so that they have nothing in common?
# hint: Restore twice from the text. Change the one, and decide both.
# hint: For the side "after", replace its evidence by a list of the items of other types before you call
# decide with as_of. Leave its tool_trace alone: that the search was made stays true.


# %%
def ablate(checkpoint: str, evidence_type: str, *, as_of: str) -> dict[str, AgentState]:
    """A saved state with and without one type of evidence: {"before": ..., "after": ...}, two AgentStates.

    `checkpoint` is what to_json gave. "before" is the state as it was saved; in "after" the items of exactly
    the type `evidence_type` are no longer in evidence, and the others stand in their old order. Nothing else
    is taken out: the tool trace still says what was searched for. Then each is decided anew with `as_of`, so
    that its quality_gates and synthesis_status are its own, whatever was saved. The two share nothing: a
    change to one does not show in the other.
    """
    # BEGIN SOLUTION
    sides = {side: AgentState.from_json(checkpoint) for side in ("before", "after")}
    kept = (item for item in sides["after"].evidence if item["type"] != evidence_type)
    sides["after"].evidence = [*kept]
    for side in sides.values():
        decide(side, as_of=as_of)
    return sides
    # END SOLUTION


# %% [markdown]
# Field by field. Look for the fields that moved, and for the one that you would have expected to.


# %%
def what_moved() -> set[str]:
    save_full()
    sides = ablate(checkpoint.read_bytes().decode(), "base_rate", as_of=AS_OF)
    before, after = vars(sides["before"]), vars(sides["after"])
    for name in before:
        print(f"{name:17}", "same" if before[name] == after[name] else "differs")
    print("evidence:", len(before["evidence"]), "→", len(after["evidence"]), "items")
    print("status:", before["synthesis_status"], "→", after["synthesis_status"])
    return {name for name in before if before[name] != after[name]}


with attempt("AgentState", "check_coverage_gate", "check_consistency_gate", "run_quality_gates", "ablate"):
    reveal("P02.11", what_moved)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# Without its base rate the run abstains, and there is no forecast at all. So the conclusion rests on it.
# The tool trace stays: the search was made, and it found something. What is gone is only what the run may
# use.
#
# </details>

# %% [markdown]
# ## 8 · A run that passes everything
#
# And a run to which nobody has an objection: it gathers until nothing is missing. Look at the answers, one
# a round.

# %%
with attempt("check_coverage_gate", "check_freshness_gate", "check_consistency_gate", "run_quality_gates"):
    run = new_state(open_questions=["dam", "gauge"])
    look(run, "search_results", "snow")
    while (answer := decide(run, as_of=AS_OF)) == "gather_more":
        word = run.open_questions.pop(0)
        print(f"{answer}: {len(run.evidence)} items; searching for {word!r}")
        look(run, "base_rate" if word == "gauge" else "search_results", word)
    print(f"{answer}: {len(run.evidence)} items;", "; ".join(said.reason for said in run.quality_gates))

# %% [markdown]
# ## What this does not do
#
# - **It does not judge quality.** A page of nonsense with a date passes.
# - **It does not know whether sources are independent.** Five copies are five results.
# - **It does not see a contradiction**, between two pages or between the two dates of one.
# - **An item with nothing in it counts**, and what is said of all items holds when there are none.
# - **A given `as_of` makes an old run look fresh.** Who gives it has to be right.
# - **The gates run once.** Evidence that arrives while the answer is being written is seen by no gate.
# - **A bad page stays.** Gathering more does not cure `bad`: its page would have to be taken out, and that is a
#   decision that nobody here makes.
# - **The numbers were chosen by somebody.** Three items, two kinds, a day: right for a river, not for
#   everything.

# %% [markdown]
# ## Have you got it?
#
# **Answer without running anything**
#
# 1. *The trace is the whole state* and *a transcript is not state*: which word in each makes them fit together?
# 2. An item is 47 hours old and a page in it was published yesterday. Which gates have an objection?
# 3. All three gates fail and there is an open question. What does `decide` say, what is the status, and
#    where is the reason?
# 4. Two saved records have equal bytes. What may still have gone wrong when one of them was restored?
# 5. Which gate notices that five results are one?
#
# **Show that you can**
#
# - make a state that fails two gates at once, and say beforehand what each will name;
# - take `search_results` away instead of `base_rate`, and say beforehand which fields move and what
#   coverage says;
# - add a gate that refuses a page published after it was retrieved, and find the states of part 5 that it
#   refuses.
#
# <details><summary>Answers to 1 to 5</summary>
#
# 1\. *Trace*, an event log of which the state is the fold, and *transcript*, text that went to a model and
# came back.
# 2\. Freshness; consistency has none, and coverage never looks at times. 3. `gather_more`; `in_progress`;
# in the `reason` of the results in `quality_gates`. 4. A value may have another type: the gate results may
# be dicts.
# 5\. None of them.
#
# </details>

# %% [markdown]
# ## Where to read on
#
# Links for comparison: no exercise needs them, nor an account or a framework.
#
# **Freshness** · dbt documentation · dbt Labs
#
# - *Where*: [dbt, the freshness
#   configuration](https://docs.getdbt.com/reference/resource-configs/freshness), how an age becomes a
#   warning or an error
# - *Rights*: © the publisher; linked only, nothing adapted
# - *Verified*: dbt v2, a stored copy of the page read on 2026-11-30
# - *Why this one*: the same question, asked of tables: how old may the newest entry be? Note *newest*. It
#   decides for all there, and here it must not; say why each is right
# - *Presumes*: that data lie in tables which are filled again and again; no account to read it
# - *Offline*: part 3 above
# - *Compared with*: [Great Expectations,
#   ExpectationValidationResult](https://docs.greatexpectations.io/docs/reference/api/core/ExpectationValidationResult_class)
#   has your four fields in other words, and catches a check that raises · [dbt, data
#   tests](https://docs.getdbt.com/docs/build/data-tests) count the rows that break a rule, and hold no
#   state of a run

# %% [markdown]
# **Base Rates and Reference Classes** · Jacob Steinhardt · lecture notes, Stat 157, UC Berkeley
#
# - *Where*: [the lecture notes](https://bounded-regret.ghost.io/author/js/), the entry of that title
# - *Rights*: © the author; linked only, nothing adapted
# - *Verified*: a stored copy of the page read on 2026-11-30
# - *Why this one*: why the gate asks for a base rate: how to choose the class of cases that yours is
#   compared with
# - *Presumes*: a little arithmetic
# - *Offline*: the file `base_rate-5.json` of the archive, and the ablation in part 7
# - *Compared with*: [Kahneman and Tversky, On the psychology of
#   prediction](https://doi.org/10.1037/h0034747) is the experiment behind it, 1973 · [Wikipedia, Base rate
#   fallacy](https://en.wikipedia.org/wiki/Base_rate_fallacy) has the worked examples, and is shorter
#
# Next: **03**, where gates stand in front of single calls, and count what is read.
