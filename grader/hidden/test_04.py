"""Notebook 04: what a class bundle may leave out. Adapters are random functions of the whole history."""

from __future__ import annotations

import copy
import datetime
import json

from course_lib.agent import DeterministicModelAdapter
from grader.judge import exercise, promise, same

WRONG_PLACES = "The places are not the right ones, or not in the order of k"


# --- save_checkpoint and load_checkpoint --------------------------------------------------------


def checkpoint_of(trace):
    failed = sum(step["observation"]["ok"] is False for step in trace)
    return {"task_id": "summarize-notes", "steps": len(trace), "retries": failed, "trace": trace}


@exercise("save_checkpoint", rule="checkpoint-counts-for-itself")
def test_counters_are_counted(learner, rng, pure_adapter, random_run, json_object):
    """Steps and retries are counted from the trace, also when the result claims other numbers."""
    for n in range(3):
        trace = random_run(pure_adapter(), rng.randrange(4, 12))
        honest = checkpoint_of(trace)
        claims = {"steps": rng.randrange(100, 200), "retries": rng.randrange(100, 200)}
        result = honest | claims | {"status": "completed", "termination": "goal_reached"}
        _ = learner.call("save_checkpoint", result, learner.path(f"{n}.json")).value
        saved = json_object(learner.read(f"{n}.json"))
        promise(saved is not None, "The file is not a JSON object in UTF-8")
        for counter in ("steps", "retries"):
            got = saved.get(counter)
            promise(not same(got, claims[counter]), f"The {counter} are copied from the result, not counted")
        promise(same(saved.get("steps"), honest["steps"]), "steps is not the number of entries that were given")
        promise(same(saved.get("retries"), honest["retries"]), "retries is not the number of failed observations")


@exercise("save_checkpoint", rule="checkpoint-keeps-every-entry")
def test_every_entry_survives(learner, rng, pure_adapter, random_run):
    """Every entry comes back as it was, failed ones and any text included, and the result is left alone."""
    for n in range(3):
        trace = random_run(pure_adapter(), rng.randrange(4, 12))
        trace[rng.randrange(1, len(trace))]["observation"] = {"ok": False, "error": "not_found"}
        trace[0]["observation"] = {
            "ok": True,
            "text": rng.choice(["naïve ☕", 'Größe\n\t"½"', "日本語 \u2028 🙂"]),
        }
        result = {"task_id": f"task-{rng.randrange(1000)}", "trace": trace}
        outcome = learner.call("save_checkpoint", result, learner.path(f"{n}.json"))
        promise(not outcome.raised("KeyError"), "It takes more from the result than task_id and trace")
        _ = outcome.value
        promise(same(outcome.args_after[0], result), "save_checkpoint changes the result that it is given")
        loaded = learner.call("load_checkpoint", learner.path(f"{n}.json")).value
        promise(isinstance(loaded, dict) and isinstance(loaded.get("trace"), list), "No trace comes back")
        only_ok = [step for step in trace if step["observation"]["ok"]]
        promise(not same(loaded["trace"], only_ok), "Failed entries seem to be dropped from the trace")
        promise(same(loaded["trace"], trace), "An entry does not come back as it was")
        promise(
            same(loaded, checkpoint_of(trace) | {"task_id": result["task_id"]}),
            "Something else is in it as well",
        )


@exercise("save_checkpoint", rule="checkpoint-contradiction-refused")
def test_contradictions_are_refused(learner, rng, pure_adapter, random_run, refused):
    """A checkpoint is refused whichever of its counters does not fit its trace, too high or too low."""
    trace = random_run(pure_adapter(), rng.randrange(5, 10))
    honest = checkpoint_of(trace)
    one_more = [*copy.deepcopy(trace), copy.deepcopy(trace[-1])]
    one_more[-1]["observation"] = {"ok": True, "text": "an entry too many"}
    retries = "The retries in the file are believed"
    forged = [
        ("The steps in the file are believed", {"steps": honest["steps"] + rng.randrange(1, 4)}),
        ("A trace with extra entries is accepted", {"trace": one_more}),
        (retries, {"retries": honest["retries"] + rng.randrange(1, 4)}),
        (retries, {"retries": honest["retries"] - 1}),
    ]
    rng.shuffle(forged)
    for n, (sentence, change) in enumerate(forged):
        path = learner.write(f"{n}.json", json.dumps(honest | change).encode())
        refused(learner.call("load_checkpoint", path), "ValueError", sentence)
    path = learner.write("honest.json", json.dumps(honest).encode())
    accepted = learner.call("load_checkpoint", path)
    promise(not accepted.raised("ValueError"), "A checkpoint without a contradiction is refused")
    _ = accepted.value


@exercise("save_checkpoint", rule=["checkpoint-keys", "checkpoint-is-plain-json"])
def test_other_files_are_refused(learner, rng, pure_adapter, random_run, refused):
    """A file with a key too many or missing, or no JSON object in it, is refused with ValueError."""
    honest = checkpoint_of(random_run(pure_adapter(), rng.randrange(3, 8)))
    status = rng.choice(["completed", "failed", "budget_exhausted"])
    missing = rng.choice(sorted(honest))
    without = {key: value for key, value in honest.items() if key != missing}
    text = json.dumps(honest)
    files = [
        ("A status in the file is accepted", json.dumps(honest | {"status": status})),
        (
            "A file in which a key is missing is accepted",
            json.dumps(without),
        ),
        ("A file that is not a JSON object is accepted", json.dumps([honest])),
        ("Half a file is accepted", text[: rng.randrange(1, len(text) - 1)]),
    ]
    for n, (sentence, content) in enumerate(files):
        path = learner.write(f"{n}.json", content.encode())
        refused(learner.call("load_checkpoint", path), "ValueError", sentence)
    path = learner.write("honest.json", text.encode())
    accepted = learner.call("load_checkpoint", path)
    promise(not accepted.raised("ValueError"), "A checkpoint with nothing wrong in it is refused")
    _ = accepted.value


@exercise("save_checkpoint", rule="checkpoint-no-custom-encoder")
def test_what_json_cannot_hold_is_refused(learner, rng, pure_adapter, random_run, refused):
    """A value that JSON has no form for is refused with TypeError, never turned into text on the quiet."""
    plain = {"task_id": "t", "trace": random_run(pure_adapter(), 3)}
    _ = learner.call("save_checkpoint", plain, learner.path("plain.json")).value
    odd = [
        datetime.datetime(2026, 1, rng.randrange(1, 28)),
        {rng.randrange(9), 10},
        bytes([rng.randrange(256)]),
    ]
    for n, value in enumerate(odd):
        trace = random_run(pure_adapter(), 3)
        trace[rng.randrange(3)]["observation"]["text"] = value
        outcome = learner.call("save_checkpoint", {"task_id": "t", "trace": trace}, learner.path(f"{n}.json"))
        as_something_else = "A value that JSON cannot hold is saved as something else"
        promise(outcome.error is not None, as_something_else)
        refused(outcome, "TypeError", as_something_else)


@exercise("save_checkpoint", rule="checkpoint-replaces-the-file")
def test_an_existing_file_is_replaced(learner, rng, pure_adapter, random_run):
    """Saving to a path where a file is already replaces that file, whichever of the two is longer."""
    for n, length in enumerate((rng.randrange(1, 4), rng.randrange(5, 9), rng.randrange(1, 4))):
        checkpoint = checkpoint_of(random_run(pure_adapter(), length))
        for name in (f"{n}.json", "again.json"):
            _ = learner.call("save_checkpoint", checkpoint, learner.path(name)).value
        alone, again = learner.read(f"{n}.json"), learner.read("again.json")
        promise(alone is not None and again is not None, "No file was written to the path that was given")
        promise(len(again) <= len(alone), "What was in the file before seems to be in it still")
        promise(again == alone, "Where a file is already, something else is written than where there is none")


# --- replay -------------------------------------------------------------------------------------


OTHER_ANSWER = "The answer is not what this adapter says to this prefix"


class Watched:
    """Passes questions on to another adapter and remembers the histories that it was shown."""

    def __init__(self, adapter):
        self._adapter, self.seen = adapter, []

    def next_action(self, history):
        self.seen.append(copy.deepcopy(history))
        return self._adapter.next_action(history)

    def misconception(self, prefix):
        """What a wrong answer to `prefix` seems to come from, judging by what this adapter was shown."""
        shown = self.seen[-1] if self.seen else None
        if not isinstance(shown, list | tuple) or not all(isinstance(entry, dict) for entry in shown):
            return OTHER_ANSWER
        actions = [entry.get("action") for entry in shown]
        if same(actions, [step["action"] for step in prefix]) and not same(list(shown), prefix):
            return "Observations seem to be kept from the adapter"
        if same(actions, [step["action"] for step in prefix if step["observation"]["ok"]]) and len(shown) < len(prefix):
            return "Failed entries seem to be kept from the adapter"
        return OTHER_ANSWER


@exercise("replay", rule="replay-every-prefix")
def test_asks_this_adapter(learner, rng, pure_adapter, random_run):
    """Whatever adapter is given: its own answer to the prefix comes back."""
    for _ in range(3):
        adapter = Watched(pure_adapter())
        trace = random_run(adapter, rng.randrange(3, 8))
        adapter.seen.clear()
        for k, step in enumerate(trace):
            got = learner.call("replay", trace[:k], learner.remote(adapter)).value
            promise(same(got, step["action"]), adapter.misconception(trace[:k]), k=k)


@exercise("replay", rule="replay-shows-the-whole-history")
def test_failed_entries_belong_to_it(learner, rng, pure_adapter, random_run):
    """The adapter sees the failed entries too."""
    adapter = pure_adapter()
    trace = random_run(adapter, rng.randrange(4, 9))
    for k in sorted(rng.sample(range(len(trace)), 2)):
        trace[k]["observation"] = {"ok": False, "error": "tool_unavailable"}
        prefix, watched = trace[: k + 1], Watched(adapter)
        got = learner.call("replay", prefix, learner.remote(watched)).value
        promise(same(got, adapter.next_action(prefix)), watched.misconception(prefix), k=k + 1)


@exercise("replay", rule="replay-shows-the-whole-history")
def test_observations_belong_to_it(learner, rng, pure_adapter, random_run):
    """The adapter sees what came back, not only what was proposed."""
    adapter = pure_adapter()
    trace = random_run(adapter, rng.randrange(2, 6))
    for _ in range(3):
        k = rng.randrange(len(trace))
        trace[k]["observation"] = {"ok": True, "text": f"seen {rng.randrange(10**6)}"}
        watched = Watched(adapter)
        got = learner.call("replay", trace, learner.remote(watched)).value
        promise(same(got, adapter.next_action(trace)), watched.misconception(trace))


@exercise("replay", rule="replay-remembers-nothing")
def test_nothing_is_remembered(learner, rng):
    """One adapter, asked about several histories of the same length, gives each its own answer."""
    adapter = learner.lib("course_lib.agent:DeterministicModelAdapter")
    earlier = []
    for _ in range(4):
        notes = sorted(f"note-{rng.randrange(1000)}.txt" for _ in range(rng.randrange(1, 4)))
        history = [{"action": {"tool": "list_notes", "args": {}}, "observation": {"ok": True, "notes": notes}}]
        got = learner.call("replay", history, adapter).value
        kept = "The answer to another history of the same length seems to come back"
        sentence = kept if any(same(got, answer) for answer in earlier) else OTHER_ANSWER
        promise(same(got, DeterministicModelAdapter().next_action(history)), sentence, k=1)
        earlier.append(got)


@exercise("replay", rule="replay-asks-not-looks-up")
def test_the_adapter_decides_not_the_record(learner, rng, runs, pure_adapter):
    """On a prefix of a recorded run, another adapter's proposal comes back, not the recorded action."""
    adapter = pure_adapter()
    prefixes = [run.trace[:k] for run in runs.values() for k in range(len(run.trace))]
    rng.shuffle(prefixes)
    got = [learner.call("replay", prefix, learner.remote(adapter)).value for prefix in prefixes]
    wrong = [n for n, prefix in enumerate(prefixes) if not same(got[n], adapter.next_action(prefix))]
    healthy = [DeterministicModelAdapter().next_action(prefix) for prefix in prefixes]
    promise(not same(got, healthy), "Another adapter than the one that was given seems to be asked")
    looked_up = all(any(same(got[n], action) for action in recorded_after(prefixes[n], runs)) for n in wrong)
    promise(wrong == [] or not looked_up, "The recorded action comes back, whatever the adapter says")
    promise(wrong == [], OTHER_ANSWER)


def recorded_after(prefix, runs):
    """The actions that some recorded run took after just these entries."""
    traces = [run.trace for run in runs.values()]
    return [
        trace[len(prefix)]["action"] for trace in traces if len(prefix) < len(trace) and trace[: len(prefix)] == prefix
    ]


class Meddling:
    """Gives the right answer, and meanwhile changes the list that it was given."""

    def __init__(self, adapter, meddle):
        self._adapter, self._meddle = adapter, meddle

    def next_action(self, history):
        action = self._adapter.next_action(copy.deepcopy(history))
        self._meddle(history)
        return action


@exercise("replay", rule="replay-leaves-the-prefix")
def test_the_prefix_is_yours(learner, rng, pure_adapter, random_run):
    """However an adapter changes the list that it is given, and when it raises too, trace_prefix stays as it was."""
    adapter = pure_adapter()
    prefix = random_run(adapter, rng.randrange(3, 7))
    extra = random_run(adapter, 1)[0]
    # An answer may ask about shorter prefixes too, so nothing here minds an empty history.
    ways = [lambda h: h.append(extra), lambda h: h and h.pop(), lambda h: h.reverse(), lambda h: h.clear()]
    rng.shuffle(ways)
    for meddle in ways:
        outcome = learner.call("replay", prefix, learner.remote(Meddling(adapter, meddle)))
        promise(same(outcome.value, adapter.next_action(prefix)), OTHER_ANSWER)
        promise(same(outcome.args_after[0], prefix), "The adapter received your own list, not a copy")
    outcome = learner.call("replay", prefix, learner.remote(Meddling(adapter, give_up)))
    promise(same(outcome.args_after[0], prefix), "The adapter received your own list, not a copy")
    promise(outcome.raised("RuntimeError"), "An exception of the adapter seems to be swallowed")


def give_up(history):
    history.clear()
    raise RuntimeError("the adapter gave up")


@exercise("replay", rule="replay-has-no-effects")
def test_nothing_happens_outside(learner, rng, runs):
    """Replaying a proposal to write the report writes nothing, and the proposal itself comes back."""
    run = runs[rng.choice(["summarize-notes", "invalid-arguments"])]
    k = len(run.trace) - 1
    got = learner.call("replay", run.trace[:k], learner.remote(run.adapter())).value
    promise(learner.listdir() == [], "A tool seems to have run: there is a file that was not there before")
    promise(same(got, run.trace[k]["action"]), "What comes back is not the proposed action")


# --- verify_replay ------------------------------------------------------------------------------


def proposals_of(trace):
    return [copy.deepcopy(step["action"]) for step in trace]


def changed_at_the_end(verified, last):
    """Promises that the only divergence is the one in the last entry, whose action is not the one it was."""
    found = verified.places([last])
    promise(len(found) > 0, "The action of the last entry is another one, and nothing is reported")
    promise([k for k, _, _ in found] == [last], WRONG_PLACES)


@exercise("verify_replay", rule="replay-with-its-own-adapter")
def test_a_pure_adapter_agrees(rng, pure_adapter, random_run, another_action, verify):
    """A run agrees with the pure adapter that made it: [], for an empty trace too, until its last action is changed."""
    for length in (0, 1, rng.randrange(4, 9)):
        adapter = pure_adapter()
        trace = random_run(adapter, length)
        found = verify(trace, lambda adapter=adapter: adapter).places([])
        promise(found == [], "A divergence is reported where the two actions are equal", steps=length)
    trace[-1]["action"] = another_action()
    changed_at_the_end(verify(trace, lambda: adapter), len(trace) - 1)


@exercise("verify_replay", rule="every-prefix-verified")
def test_the_empty_prefix_counts(rng, pure_adapter, random_run, another_action, by_prefix, verify):
    """A divergence at the empty prefix, k = 0, is found."""
    trace = random_run(pure_adapter(), rng.randrange(3, 8))
    proposals = [another_action(), *proposals_of(trace)[1:]]
    found = verify(trace, lambda: by_prefix(trace, proposals)).places([0])
    promise(len(found) > 0, "The empty prefix, k = 0, seems never to be asked")
    promise([k for k, _, _ in found] == [0], WRONG_PLACES)


@exercise("verify_replay", rule="every-prefix-verified")
def test_a_single_place_is_found(rng, pure_adapter, random_run, another_action, by_prefix, verify):
    """A single divergence is found wherever it is, the last place included."""
    trace = random_run(pure_adapter(), rng.randrange(5, 9))
    for place in (rng.randrange(1, len(trace) - 1), len(trace) - 1):
        proposals = proposals_of(trace)
        proposals[place] = another_action()
        found = verify(trace, lambda proposals=proposals: by_prefix(trace, proposals)).places([place])
        promise(len(found) > 0, "Some prefixes seem never to be asked")
        promise([k for k, _, _ in found] == [place], WRONG_PLACES)


@exercise("verify_replay", rule="every-divergence-reported")
def test_all_places_are_found(rng, pure_adapter, random_run, another_action, by_prefix, verify):
    """Every divergence is reported, in the order of k, with both actions as they are."""
    trace = random_run(pure_adapter(), rng.randrange(7, 12))
    wrong = sorted(rng.sample(range(len(trace)), 4))
    proposals = [another_action() if k in wrong else step["action"] for k, step in enumerate(trace)]
    verified = verify(trace, lambda: by_prefix(trace, proposals))
    found = verified.places(wrong)
    promise(len(found) > 0, "Divergences are found and then not reported")
    promise(len(found) > 1, "The search seems to stop at the first divergence")
    promise([k for k, _, _ in found] == wrong, WRONG_PLACES)
    expected = [(k, trace[k]["action"], proposals[k]) for k in wrong]
    promise(same(found, expected), "recorded or proposed is not the action that it should be")
    promise(same(verified.outcome.args_after[0], trace), "The trace that was given has been changed")


def changed_deep_inside(rng, value):
    """A copy of an action in which one value, at any depth, is another one; the tool stays."""
    changed = copy.deepcopy(value)
    inside = changed["args"]
    while True:
        key = rng.choice(sorted(inside)) if isinstance(inside, dict) else rng.randrange(len(inside))
        if not isinstance(inside[key], dict | list) or not inside[key]:
            inside[key] = f"changed {rng.randrange(10**6)}"
            return changed
        inside = inside[key]


@exercise("verify_replay", rule="whole-actions-compared")
def test_arguments_count(rng, pure_adapter, random_run, by_prefix, verify):
    """Two actions with the same tool and other arguments differ, however deep inside the difference is."""
    trace = random_run(pure_adapter(), rng.randrange(5, 9))
    wrong = sorted(rng.sample(range(len(trace)), 3))
    proposals = [
        changed_deep_inside(rng, step["action"]) if k in wrong else step["action"] for k, step in enumerate(trace)
    ]
    found = verify(trace, lambda: by_prefix(trace, proposals)).places(wrong)
    promise(len(found) > 0, "The values of the arguments seem not to be compared")
    promise([k for k, _, _ in found] == wrong, WRONG_PLACES)


def turned(value):
    """The same value, with the keys of each dict in the opposite order."""
    if isinstance(value, dict):
        return {key: turned(value[key]) for key in reversed(value)}
    return [turned(item) for item in value] if isinstance(value, list) else value


@exercise("verify_replay", rule="whole-actions-compared")
def test_order_of_keys_does_not_count(rng, pure_adapter, random_run, another_action, by_prefix, verify):
    """Equal actions agree, in whatever order their keys were written; an action that differs among them is found."""
    trace = random_run(pure_adapter(), rng.randrange(4, 8))
    proposals = [turned(step["action"]) for step in trace]
    found = verify(trace, lambda: by_prefix(trace, proposals)).places([])
    promise(found == [], "Equal actions count as different when their keys stand in another order")
    proposals[-1] = another_action()
    changed_at_the_end(verify(trace, lambda: by_prefix(trace, proposals)), len(trace) - 1)


class Remembering:
    """Right only about histories whose predecessor this very object has been asked about; right about []."""

    def __init__(self, adapter):
        self._adapter, self._seen = adapter, []

    def next_action(self, history):
        prepared = not history or history[:-1] in self._seen
        self._seen.append(copy.deepcopy(history))
        return self._adapter.next_action(history if prepared else [*history, "unprepared"])


@exercise("verify_replay", rule="fresh-adapter-each")
def test_each_prefix_has_a_fresh_adapter(rng, pure_adapter, random_run, verify):
    """What an adapter remembers from one prefix does not help it at the next."""
    adapter = pure_adapter()
    trace = random_run(adapter, rng.randrange(4, 8))
    found = verify(trace, lambda: Remembering(adapter)).places(list(range(1, len(trace))))
    sentence = "One adapter seems to serve all prefixes, so that its memory hides the divergences"
    promise(len(found) > 0, sentence)
    promise([k for k, _, _ in found] == list(range(1, len(trace))), WRONG_PLACES)


@exercise("verify_replay", rule="every-prefix-verified")
def test_goes_on_after_a_report(rng, pure_adapter, random_run, another_action, by_prefix, verify):
    """Entries after a written report are checked like all the others."""
    trace = random_run(pure_adapter(), rng.randrange(6, 10))
    report = rng.randrange(1, len(trace) - 3)
    trace[report]["action"] = {"tool": "write_report", "args": {"content": f"Report {rng.randrange(1000)}"}}
    trace[report]["observation"] = {"ok": True, "sha256": f"{rng.getrandbits(256):064x}"}
    proposals = proposals_of(trace)
    late = rng.randrange(report + 1, len(trace))
    proposals[late] = another_action()
    found = verify(trace, lambda: by_prefix(trace, proposals)).places([late])
    promise(len(found) > 0, "The comparison seems to end with the first report")
    promise([k for k, _, _ in found] == [late], WRONG_PLACES)


class Failing:
    """Raises when it is shown a history of the given length; follows another adapter otherwise."""

    def __init__(self, adapter, length, error):
        self._adapter, self._length, self._error = adapter, length, error

    def next_action(self, history):
        if len(history) == self._length:
            raise self._error
        return self._adapter.next_action(history)


@exercise("verify_replay", rule="exceptions-pass-through")
def test_exceptions_pass_through(rng, pure_adapter, random_run, verify):
    """An exception of the adapter passes through; it means neither agreement nor the end of the trace."""
    for error in (IndexError("list index out of range"), rng.choice([KeyError("x"), RuntimeError("x")])):
        adapter = pure_adapter()
        trace = random_run(adapter, rng.randrange(4, 8))
        length = rng.randrange(1, len(trace))
        _ = verify(trace, lambda a=adapter: a).places([])
        outcome = verify(trace, lambda a=adapter, n=length, e=error: Failing(a, n, e)).outcome
        promise(outcome.error is not None, "An exception of the adapter seems to be swallowed")
        promise(outcome.raised(type(error).__name__), "Another exception comes out than the adapter raised")


@exercise("verify_replay", rule="every-prefix-verified")
def test_asks_nothing_after_the_last_action(rng, pure_adapter, random_run, another_action, verify):
    """Every prefix that a recorded action follows is asked about, and the whole trace, which none follows, is not."""
    adapter = pure_adapter()
    trace = random_run(adapter, rng.randrange(3, 8))
    over = RuntimeError("the run is over")
    verified = verify(trace, lambda: Failing(adapter, len(trace), over))
    beyond = "The whole trace is asked about too, though no recorded action follows it"
    promise(not verified.outcome.raised("RuntimeError"), beyond)
    promise(verified.places([]) == [], "A divergence is reported where the two actions are equal")
    trace[-1]["action"] = another_action()
    changed_at_the_end(verify(trace, lambda: Failing(adapter, len(trace), over)), len(trace) - 1)


@exercise("verify_replay", rule=["verify-changes-nothing", "every-prefix-verified"])
def test_one_adapter_cannot_spoil_the_next(rng, pure_adapter, random_run, another_action, verify):
    """An adapter that empties or reorders its history changes neither the trace nor what the next one sees."""
    adapter = pure_adapter()
    trace = random_run(adapter, rng.randrange(5, 9))
    last = len(trace) - 1
    trace[last]["action"] = another_action()
    for meddle in (lambda history: history.clear(), lambda history: history.reverse()):
        verified = verify(trace, lambda meddle=meddle: Meddling(adapter, meddle))
        found = verified.places([last])
        promise(same(verified.outcome.args_after[0], trace), "The trace that was given has been changed")
        promise(len(found) < 2, "What an adapter does to its history seems to reach the ones after it")
        promise([k for k, _, _ in found] == [last], WRONG_PLACES)
