"""Notebook 04: what learners may read. The first line of each docstring is the promise on their card."""

from __future__ import annotations

import copy
import json

from course_lib.agent import DeterministicModelAdapter
from course_lib.faults import ClockAdapter, StatefulAdapter
from grader.judge import exercise, promise, same

KEYS = ["retries", "steps", "task_id", "trace"]


# --- save_checkpoint and load_checkpoint --------------------------------------------------------


@exercise("save_checkpoint", rule=["checkpoint-is-plain-json", "checkpoint-keys"])
def test_file_is_plain_json(learner, runs, json_object):
    """The file is JSON and holds task_id, steps, retries and trace, nothing else."""
    run = runs["invalid-arguments"]
    _ = learner.call("save_checkpoint", run.result, learner.path("run.json")).value
    data = learner.read("run.json")
    promise(data is not None, "No file was written to the path that was given")
    saved = json_object(data)
    promise(saved is not None, "The file is not a JSON object in UTF-8")
    promise(sorted(saved) == KEYS, "The file has other keys than the four", promised=KEYS, keys=sorted(saved))
    promise(same(saved["trace"], run.trace), "The trace in the file is not the one that was given")
    counted = (saved["steps"], saved["retries"])
    promise(counted == (5, 1), "The file's counters do not fit its trace", promised=(5, 1), counted=counted)


@exercise("save_checkpoint", after="test_file_is_plain_json", rule="checkpoint-round-trip")
def test_what_was_saved_comes_back(learner, runs):
    """What was saved comes back equal, and saving it again gives the same bytes."""
    run = runs["summarize-notes"]
    _ = learner.call("save_checkpoint", run.result, learner.path("first.json")).value
    loaded = learner.call("load_checkpoint", learner.path("first.json")).value
    expected = {key: run.result[key] for key in ("task_id", "steps", "retries", "trace")}
    promise(same(loaded, expected), "What comes back is not what was saved", promised=expected)
    _ = learner.call("save_checkpoint", loaded, learner.path("second.json")).value
    equal = learner.read("first.json") == learner.read("second.json")
    promise(equal, "Saving what was loaded gives a file with other bytes")


@exercise("save_checkpoint", after="test_file_is_plain_json", rule="checkpoint-contradiction-refused")
def test_contradiction_is_refused(learner, runs, refused):
    """A file whose steps contradict its trace is refused with ValueError."""
    result = runs["summarize-notes"].result
    checkpoint = {key: result[key] for key in ("task_id", "steps", "retries", "trace")} | {"steps": 5}
    path = learner.write("forged.json", json.dumps(checkpoint).encode())
    got = learner.call("load_checkpoint", path)
    refused(got, "ValueError", "The steps in the file are believed", steps=5, entries=4)


# --- replay -------------------------------------------------------------------------------------


@exercise("replay", rule="replay-every-prefix")
def test_follows_the_normal_run(learner, runs):
    """Every prefix of the normal run leads to the action that was recorded next."""
    run = runs["summarize-notes"]
    adapter = learner.remote(run.adapter())
    for k, step in enumerate(run.trace):
        got = learner.call("replay", run.trace[:k], adapter).value
        promise(same(got, step["action"]), "This is not what the adapter proposes", promised=step["action"], k=k)


@exercise("replay", rule=["replay-every-prefix", "replay-with-its-own-adapter"])
def test_follows_the_history_after_a_fault(learner, runs):
    """After a fault, every prefix still leads to the action that was recorded next."""
    run = runs["invalid-arguments"]
    adapter = learner.remote(run.adapter())
    prefixes = [run.trace[:k] for k in range(len(run.trace))]
    outcomes = [learner.call("replay", prefix, adapter) for prefix in prefixes]
    for k, step in enumerate(run.trace):
        if outcomes[k].error is None and same(outcomes[k].returned, step["action"]):
            continue
        got = learner.call("replay", prefixes[k], adapter).value  # once more: the card shows the last call
        sentence = where_it_comes_from(runs, [outcome.returned for outcome in outcomes])
        promise(same(got, step["action"]), sentence, promised=step["action"], k=k)


def where_it_comes_from(runs, got):
    """What answers to the prefixes of the run with a fault seem to come from, when some of them are wrong."""
    trace = runs["invalid-arguments"].trace
    if same(got, [DeterministicModelAdapter().next_action(trace[:k]) for k in range(len(trace))]):
        return "Another adapter than the one that was given seems to be asked"
    by_length = [step["action"] for step in runs["summarize-notes"].trace]
    wrong = [k for k in range(len(by_length)) if not same(got[k], trace[k]["action"])]
    if all(same(got[k], by_length[k]) for k in wrong):
        return "The next action seems to be chosen by the length of the prefix"
    return "This is not what the adapter proposes"


class Emptying:
    """A healthy adapter with bad manners: it empties the history that it was given."""

    def next_action(self, history):
        action = DeterministicModelAdapter().next_action(history)
        history.clear()
        return action


@exercise("replay", after="test_follows_the_normal_run", rule="replay-leaves-the-prefix")
def test_adapter_cannot_change_the_prefix(learner, runs):
    """An adapter that empties its history leaves the prefix that you were given as it was."""
    prefix = runs["summarize-notes"].trace[:2]
    outcome = learner.call("replay", prefix, learner.remote(Emptying()))
    promise(
        same(outcome.value, runs["summarize-notes"].trace[2]["action"]),
        "This is not what the adapter proposes",
    )
    promise(same(outcome.args_after[0], prefix), "The adapter received your own list, not a copy")


# --- verify_replay ------------------------------------------------------------------------------


@exercise("verify_replay", rule="replay-with-its-own-adapter")
def test_own_adapter_replays_every_recording(runs, verify):
    """A recorded run and the adapter that made it agree at every prefix: [], until the last action is changed."""
    for name, run in runs.items():
        found = verify(run.trace, run.adapter).places([])
        promise(found == [], "A divergence is reported where the two actions are equal", promised=[], run=name)
    run = runs["summarize-notes"]
    changed = [*run.trace[:3], {**run.trace[3], "action": {"tool": "list_notes", "args": {}}}]
    at = [k for k, _, _ in verify(changed, run.adapter).places([3])]
    promise(at != [], "The last action was changed in the trace, and nothing is reported", promised=[3])
    promise(at == [3], "The places are not the right ones", promised=[3])


@exercise("verify_replay", rule=["another-adapter-diverges", "every-divergence-reported"])
def test_another_adapter_diverges(runs, verify):
    """With another adapter than the one that made the run, every difference is there, with both actions."""
    trace = runs["step-budget"].trace
    found = verify(trace, DeterministicModelAdapter).places([3, 4, 5])
    expected = [(k, trace[k]["action"], DeterministicModelAdapter().next_action(trace[:k])) for k in (3, 4, 5)]
    at = [k for k, _, _ in found]
    promise(at != [3], "The search seems to stop at the first divergence", promised=[3, 4, 5])
    promise(at == [3, 4, 5], "The places are not the right ones", promised=[3, 4, 5])
    promise(same(found, expected), "recorded or proposed is not the action that it should be", promised=expected)


@exercise("verify_replay", rule=["hunt-impure-adapters", "fresh-adapter-each"])
def test_finds_state_between_calls(runs, verify):
    """An adapter that believes its own count of calls is found out, because each prefix has a fresh one."""
    found = verify(runs["summarize-notes"].trace, StatefulAdapter).places([1, 2, 3])
    sentence = "One adapter seems to serve all prefixes, so its memory grows in step with them"
    promise(len(found) > 0, sentence, promised=[1, 2, 3])
    promise([k for k, _, _ in found] == [1, 2, 3], "The places are not the right ones", promised=[1, 2, 3])


@exercise("verify_replay", rule=["hunt-impure-adapters", "whole-actions-compared"])
def test_finds_a_clock(runs, verify):
    """An adapter that puts the time into its report is found out: the arguments count."""
    trace = copy.deepcopy(runs["summarize-notes"].trace)
    trace[3]["action"] = ClockAdapter(lambda: 1_000).next_action(trace[:3])
    found = verify(trace, lambda: ClockAdapter(lambda: 2_000)).places([3])
    promise(len(found) > 0, "The values of the arguments seem not to be compared", promised=[3])
    promise([k for k, _, _ in found] == [3], "The places are not the right ones", promised=[3])


THREE_NOTES = ["alpha.txt", "beta.txt", "gamma.txt"]


@exercise("verify_replay", rule="hunt-impure-adapters")
def test_finds_set_order_in_another_process(set_order, by_prefix, verify):
    """A run that followed a set's order is found out in a process with other hashes."""
    trace = [{"action": {"tool": "list_notes", "args": {}}, "observation": {"ok": True, "notes": THREE_NOTES}}]
    for name in THREE_NOTES:
        action = {"tool": "read_note", "args": {"name": name}}
        trace.append({"action": action, "observation": {"ok": True, "name": name, "text": f"About {name}."}})
    for hash_seed in range(1, 30):  # the first seed under which the set has another order; the order differs by system
        proposals = set_order(hash_seed, trace)[:-1]
        expected = [k for k, step in enumerate(trace) if proposals[k] != step["action"]]
        if expected:
            break
    found = verify(trace, lambda: by_prefix(trace, proposals)).places(expected)
    promise([k for k, _, _ in found] == expected, "The places are not the right ones", promised=expected)
