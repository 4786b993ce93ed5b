"""Public tests of notebook 00: what a learner may read, and what check() runs in the notebook."""

from grader.judge import exercise, promise, same

OK = {"ok": True, "notes": ["alpha.txt", "beta.txt"]}
FAILED = {"ok": False, "error": "tool_unavailable"}


def trace_of(*observations):
    """Entries that all ask for the same thing, with these observations."""
    return [{"action": {"tool": "list_notes", "args": {}}, "observation": seen} for seen in observations]


@exercise("count_retries", rule="failed-observations-are-counted")
def test_counts_failed_observations(learner):
    """Every failed observation counts: a run of ok, failed, ok has 1 retry."""
    got = learner.call("count_retries", trace_of(OK, FAILED, OK)).value
    promise(same(got, 1), "One of the three observations failed, and that is not the number returned", promised=1)


@exercise("count_retries", rule="failed-observations-are-counted")
def test_no_entry_no_retry(learner):
    """An empty trace has 0 retries; with one failed entry in it, it has 1."""
    got = learner.call("count_retries", []).value
    promise(same(got, 0), "A run that has not begun has nothing to count", promised=0)
    got = learner.call("count_retries", trace_of(FAILED)).value
    promise(same(got, 1), "The only observation failed, and that is not the number returned", promised=1)


@exercise("brier", rule=["price-of-a-prediction", "brier-is-the-mean-price"])
def test_right_and_wrong(learner):
    """Saying 0.9 twice, once right and once wrong, scores 0.41."""
    got = learner.call("brier", [(0.9, True), (0.9, False)]).value
    promise(same(got, 0.41), "0.01 for the right one and 0.81 for the wrong one: the mean is 0.41", promised=0.41)


@exercise("brier", rule="price-of-a-prediction")
def test_sure_and_right(learner):
    """Saying 1.0 scores 0 for being right, and 1 for being wrong."""
    got = learner.call("brier", [(1.0, True)]).value
    promise(same(got, 0.0), "Nothing lies between a certainty and what happened", promised=0.0)
    got = learner.call("brier", [(1.0, False)]).value
    promise(same(got, 1.0), "A certainty could not have been farther from what happened", promised=1.0)


@exercise("brier", rule="no-score-of-nothing")
def test_refuses_an_empty_list(learner, refused):
    """An empty list raises ValueError."""
    got = learner.call("brier", [])
    refused(got, "ValueError", "There is no mean of nothing, so no score can be returned for it")
    accepted = learner.call("brier", [(0.9, True)])
    promise(not accepted.raised("ValueError"), "A list that is not empty is refused as well")
    _ = accepted.value
