"""Notebook 01: what learners may read. The first line of each docstring is the promise on their card."""

from __future__ import annotations

import copy

from grader.judge import exercise, promise, same

# --- end_after ----------------------------------------------------------------------------------


def promise_last(learner, trace, promised):
    """Nothing ends the run before its last entry, and that one ends it as promised."""
    for size in range(len(trace)):
        got = learner.call("end_after", trace[:size]).value
        promise(same(got, None), "The run ends too early", promised=None, entries=size)
    got = learner.call("end_after", trace).value
    promise(not same(got, None), "The run goes on, though its last entry ends it", promised=promised)
    promise(isinstance(got, tuple), "The end is not a tuple (status, termination)", promised=promised)
    promise(same(got, promised), "This is another end than the one that was reached", promised=promised)


@exercise("end_after", rule=["three-ends", "report-ends-a-run", "unfinished-run", "normal-run"])
def test_normal_run(learner, runs):
    """The normal run goes on until its report is written, and then it is completed."""
    promise_last(learner, runs["summarize-notes"].trace, ("completed", "goal_reached"))


@exercise("end_after", rule=["three-ends", "third-failure-ends-a-run", "limits"])
def test_third_failure(learner, runs):
    """Two failures are forgiven; the third ends the run as failed."""
    promise_last(learner, runs["tool-failure"].trace, ("failed", "tool_failure"))


@exercise("end_after", rule=["three-ends", "budget-ends-a-run", "limits"])
def test_sixth_step(learner, runs):
    """A run that has not come to a report by its sixth step has used up its budget."""
    promise_last(learner, runs["step-budget"].trace, ("budget_exhausted", "step_budget"))


# --- transitions --------------------------------------------------------------------------------

KEYS = ["k", "action", "observation", "steps", "retries"]


@exercise("transitions", rule=["record-of-a-step", "retries-count-failures"])
def test_two_of_four_failed(learner):
    """Four entries of which the second and the last failed give four rows: retries is 0, 1, 1, 2."""
    trace = [
        {"action": {"tool": "read_note", "args": {"name": name}}, "observation": {"ok": ok, "name": name}}
        for name, ok in [("alpha.txt", True), ("beta.txt", False), ("beta.txt", True), ("gamma.txt", False)]
    ]
    rows = learner.call("transitions", copy.deepcopy(trace)).value
    counters = [(1, 0), (2, 1), (3, 1), (4, 2)]
    expected = [
        {"k": k, **step, "steps": steps, "retries": retries}
        for k, (step, (steps, retries)) in enumerate(zip(trace, counters, strict=True))
    ]
    is_rows = isinstance(rows, list) and all(isinstance(row, dict) for row in rows)
    promise(is_rows, "What comes back is not a list of dicts")
    promise(len(rows) == 4, "There is not one row for each entry", promised=4, rows=len(rows))
    promise(all(sorted(row) == sorted(KEYS) for row in rows), "A row has other keys than the five", promised=KEYS)
    promise(all(list(row) == KEYS for row in rows), "The keys of a row stand in another order", promised=KEYS)
    counted = [(row["steps"], row["retries"]) for row in rows]
    promise(same(counted, counters), "The counters are not those after each entry", promised=counters, counters=counted)
    promise(same(rows, expected), "A row's k, action or observation is not that of its entry", promised=expected)


@exercise("transitions", rule="state-is-the-trace")
def test_no_entry_no_row(learner):
    """An empty trace gives an empty list, and one entry one row."""
    got = learner.call("transitions", []).value
    promise(same(got, []), "A run that has not begun has no row", promised=[])
    entry = {"action": {"tool": "list_notes", "args": {}}, "observation": {"ok": False, "error": "tool_unavailable"}}
    expected = [{"k": 0, **entry, "steps": 1, "retries": 1}]
    got = learner.call("transitions", [copy.deepcopy(entry)]).value
    promise(same(got, expected), "One entry does not give its one row", promised=expected)


# --- forbidden_paths ----------------------------------------------------------------------------

NAMES = ["thought", "chain_of_thought"]


@exercise("forbidden_paths", rule="no-scratchpad")
def test_field_inside_an_entry(learner, runs):
    """A field deep inside a run is found, and named by its whole path."""
    run = copy.deepcopy(runs["summarize-notes"].result)
    run["trace"][2]["action"]["args"]["thought"] = "the second note matters more"
    got = learner.call("forbidden_paths", run, NAMES).value
    promised = ["trace[2].action.args.thought"]
    promise(not same(got, []), "A forbidden field seems to be looked for at the top only", promised=promised)
    promise(same(got, promised), "The path is not written as the docstring says", promised=promised)


@exercise("forbidden_paths", rule="no-scratchpad", after="test_field_inside_an_entry")
def test_recorded_runs_are_clean(learner, runs):
    """The four recorded runs hold no forbidden field, also when the word stands in a text."""
    for name, run in runs.items():
        result = copy.deepcopy(run.result)
        result["trace"][0]["observation"]["text"] = "thought"
        got = learner.call("forbidden_paths", result, NAMES).value
        promise(same(got, []), "Something is reported that is no forbidden field", promised=[], run=name)
