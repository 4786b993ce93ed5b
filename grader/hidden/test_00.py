"""Hidden tests of notebook 00. Every input is drawn from `rng`."""

import copy

from grader.judge import exercise, promise, same

TOOLS = ("read_note", "copy_note", "rename_note", "delete_note")
NOTES = ("alpha.txt", "beta.txt", "gamma.txt", "delta.txt")
ERRORS = ("invalid_arguments", "tool_unavailable", "not_found")


def entry(rng, ok, tool=None, name=None):
    """One trace entry; the tool and the note are drawn unless they are given."""
    tool = tool or rng.choice(TOOLS)
    name = name or rng.choice(NOTES)
    seen = {"ok": True, "name": name} if ok else {"ok": False, "error": rng.choice(ERRORS)}
    return {"action": {"tool": tool, "args": {"name": name}}, "observation": seen}


def failures(rng, number):
    return [entry(rng, False) for _ in range(number)]


def successes(rng, number):
    return [entry(rng, True) for _ in range(number)]


# --- count_retries ------------------------------------------------------------------------------


def promise_count(learner, trace, number, mistaken, sentence, **details):
    """The count is `number`; whoever arrives at one of `mistaken` instead is told `sentence`."""
    got = learner.call("count_retries", trace).value
    promise(not any(same(got, wrong) for wrong in mistaken), sentence, **details)
    promise(same(got, number), "The number returned is not the number of failed observations", **details)


@exercise("count_retries", rule="failed-observations-are-counted")
def test_successes_are_not_counted(learner, rng):
    """A run without a failure has 0 retries, however long it is; those that follow failures add nothing either."""
    length = rng.randint(3, 9)
    counted = "It looks as if entries are counted, whether they failed or not"
    promise_count(learner, successes(rng, length), 0, [length, length - 1], counted, entries=length)
    number = rng.randint(1, 3)
    entries = number + length
    trace = failures(rng, number) + successes(rng, length)
    promise_count(learner, trace, number, [entries, entries - 1], counted, entries=entries)


@exercise("count_retries", rule="sent-again-is-not-failed")
def test_sent_again_is_not_failed(learner, rng):
    """What counts is that an observation failed, not that an action was sent again."""
    length = rng.randint(2, 5)
    again = [entry(rng, True, "read_note", "alpha.txt") for _ in range(length)]
    confused = "It looks as if actions that were sent again are counted, not observations that failed"
    promise_count(learner, again, 0, [length - 1], confused)
    once_each = [entry(rng, False, tool) for tool in rng.sample(TOOLS, 3)]
    promise_count(learner, once_each, 3, [0], confused)


@exercise("count_retries", rule="failures-count-wherever-they-stand")
def test_failures_after_a_success(learner, rng):
    """Failures that come after a success are counted."""
    number = rng.randint(2, 4)
    trace = successes(rng, rng.randint(1, 3)) + failures(rng, number)
    promise_count(learner, trace, number, [0], "It looks as if the counting stops at the first success")


@exercise("count_retries", rule="failures-count-wherever-they-stand")
def test_failures_around_a_success(learner, rng):
    """A success in between does not wipe out the failures before it."""
    before, after = rng.randint(1, 3), rng.randint(1, 3)
    trace = failures(rng, before) + successes(rng, rng.randint(1, 2)) + failures(rng, after)
    wiped = "It looks as if a success sets the count back to 0"
    promise_count(learner, trace, before + after, [after], wiped)


@exercise("count_retries", rule="failures-count-wherever-they-stand")
def test_one_tool_fails_often(learner, rng):
    """Each failure counts, also when it is always the same tool that fails."""
    number = rng.randint(2, 5)
    trace = [entry(rng, False, "read_note") for _ in range(number)]
    once = "It looks as if a tool that fails is counted once, however often it fails"
    promise_count(learner, trace, number, [1], once)


@exercise("count_retries", rule="ok-alone-decides")
def test_only_ok_decides(learner, rng):
    """Only `ok` decides: neither a missing nor an extra key of the observation changes the count."""
    fine = rng.randint(1, 3)
    number = fine + rng.randint(1, 3)  # not as many as went well: mixing the two up must show
    trace = successes(rng, fine) + failures(rng, number)
    for each in trace:
        if each["observation"]["ok"]:
            each["observation"]["error"] = None
        else:
            del each["observation"]["error"]
    rng.shuffle(trace)
    mixed_up = "It looks as if `error` decides what failed, not `ok`"
    promise_count(learner, trace, number, [fine, 0], mixed_up)


@exercise("count_retries", rule="counting-changes-nothing")
def test_the_trace_is_left_alone(learner, rng):
    """The trace is the same after counting as before."""
    trace = failures(rng, rng.randint(1, 3)) + successes(rng, rng.randint(1, 3))
    rng.shuffle(trace)
    got = learner.call("count_retries", copy.deepcopy(trace))
    promise(same(got.args_after, (trace,)), "Your function changed the trace that it was given")
    failed = sum(not each["observation"]["ok"] for each in trace)
    promise(same(got.value, failed), "The trace is left alone, but the failures in it are not counted")


# --- brier --------------------------------------------------------------------------------------


def confidence(rng):
    """A confidence at which every misconception gives another score: not 0, not 1, not near 0.5, not 0.9."""
    return rng.choice([n for n in (*range(11, 36), *range(65, 90)) if n % 10]) / 100


def score(predictions):
    return sum((p - int(right)) ** 2 for p, right in predictions) / len(predictions)


ROUNDED = "It looks as if the score is rounded before it is returned"


def shortened(got, exact):
    """Whether `got` is `exact` with two, three or four decimals."""
    return any(same(got, round(exact, places)) for places in (2, 3, 4))


@exercise("brier", rule="price-of-a-prediction")
def test_one_right_prediction(learner, rng):
    """The price of one right prediction is the square of what was missing to certainty."""
    p = confidence(rng)
    price = (1 - p) ** 2
    got = learner.call("brier", [(p, True)]).value
    promise(same(got, price) or not shortened(got, price), ROUNDED)
    promise(not same(got, 1 - p), "It looks as if the differences are not squared")
    promise(
        not same(got, (p / 100 - 1) ** 2),
        "It looks as if confidences are read as percent; they go from 0 to 1",
    )
    promise(not same(got, p**2), "It looks as if a wrong prediction counts as y = 1; y is 1 for a right one")
    promise(same(got, price), "The price of a right prediction is not (p - 1) squared")


@exercise("brier", rule="price-of-a-prediction")
def test_one_wrong_prediction(learner, rng):
    """The price of one wrong prediction is the square of its confidence."""
    p = confidence(rng)
    got = learner.call("brier", [(p, False)]).value
    promise(same(got, p**2) or not shortened(got, p**2), ROUNDED)
    promise(not same(got, (1 - p) ** 2), "It looks as if the outcome of a wrong prediction is taken for 1")
    promise(same(got, p**2), "The price of a wrong prediction is not p squared")


@exercise("brier", after="test_one_right_prediction", rule="brier-is-the-mean-price")
def test_the_mean_of_many(learner, rng):
    """The score of many predictions is the mean of their prices."""
    mean = 0.0
    while shortened(mean, mean):  # one that has no short form, so that rounding it shows
        predictions = [(confidence(rng), rng.random() < 0.6) for _ in range(rng.randint(3, 8))]
        mean, number = score(predictions), len(predictions)
    got = learner.call("brier", predictions).value
    promise(not shortened(got, mean), ROUNDED)
    promise(
        not same(got, mean * number / (number - 1)),
        "It looks as if the sum is divided by one less than the number of predictions",
    )
    promise(same(got, mean), "The score is not the mean of the single prices")


@exercise("brier", rule="confidence-from-0-to-1")
def test_refuses_what_is_no_confidence(learner, rng, refused):
    """A confidence below 0 or above 1 raises ValueError, wherever it stands in the list."""
    sound = [(confidence(rng), rng.random() < 0.5) for _ in range(3)]
    for wrong in (-rng.randint(1, 50) / 100, rng.randint(101, 190) / 100, float(rng.randint(2, 100))):
        predictions = list(sound)
        predictions.insert(rng.randint(0, 3), (wrong, rng.random() < 0.5))
        got = learner.call("brier", predictions)
        refused(got, "ValueError", "It looks as if a confidence outside 0 to 1 is accepted")
    accepted = learner.call("brier", sound)
    promise(not accepted.raised("ValueError"), "A list is refused in which every confidence is sound")
    _ = accepted.value


@exercise("brier", rule="confidence-from-0-to-1")
def test_accepts_the_ends(learner, rng):
    """0 and 1 are confidences too."""
    right = [rng.choice([(0.0, False), (1.0, True)]) for _ in range(rng.randint(1, 3))]
    wrong = [rng.choice([(1.0, False), (0.0, True)]) for _ in range(rng.randint(1, 3))]
    predictions = right + wrong  # of both, so that the mean is neither 0 nor 1
    rng.shuffle(predictions)
    got = learner.call("brier", predictions)
    promise(not got.raised("ValueError"), "It looks as if 0 and 1 themselves are refused")
    mean = score(predictions)
    promise(same(got.value, mean) or not shortened(got.value, mean), ROUNDED)
    promise(same(got.value, mean), "The score of certain predictions is not the mean of their prices")
