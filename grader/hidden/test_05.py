"""Hidden tests of notebook 05: kill and resume.

A sweep kills at each instruction, `calls` from this side at each call on a witness, `strike` at random times. Which
outcomes occur is asserted, never how many points there are.
"""

from __future__ import annotations

import json

from course_lib.crash import store
from grader.judge.api import exercise, promise


def _parsed(data):
    if data is None:
        return "missing"
    try:
        return json.loads(data)
    except ValueError:
        return "torn"


def _some_text(rng):
    return "".join(rng.choice("abcdeé ") for _ in range(rng.randint(4, 9))) + str(rng.randrange(10**6))


def _some_object(rng, size):
    return {_some_text(rng): [_some_text(rng), rng.randrange(10**6), {"ok": rng.random() < 0.5}] for _ in range(size)}


# atomic_write_json


@exercise("atomic_write_json", points=2, rule="atomic-replace")
def test_old_or_new_inside_the_library_too(learner, rng):
    """Also killed inside the library that writes files, it leaves the old file or the new one."""
    old, new = _some_object(rng, 3), _some_object(rng, 120)
    made = learner.crash.sweep(
        "atomic_write_json",
        lambda: ("state.json", new),
        resume=False,
        inside=("pathlib", "tempfile"),
        files={"state.json": json.dumps(old)},
        most=100,
    )
    found = [_parsed(data) for data in learner.crash.files(made, "state.json")]
    promise("missing" not in found, "After some kill there is no file at all")
    promise("torn" not in found, "After some kill a reader finds half a file, or one text behind another")
    promise(all(each in (old, new) for each in found), "After some kill another value than the two is in the file")
    promise(found[-1] == new or new in found, "The new text never arrived, not even at the last instructions")


@exercise("atomic_write_json", points=1, rule="atomic-replace")
def test_nothing_there_or_all_of_it(learner, rng):
    """Where there was no file, a kill leaves none, or the whole new one."""
    new = _some_object(rng, 30)
    made = learner.crash.sweep(
        "atomic_write_json", lambda: ("new.json", new), resume=False, inside=("pathlib",), most=60
    )
    found = [_parsed(data) for data in learner.crash.files(made, "new.json")]
    promise("torn" not in found, "After some kill a reader finds half of a new file")
    promise(all(each in ("missing", new) for each in found), "After some kill another value is in the file")
    whole = _parsed(learner.crash.files([made.whole], "new.json")[0])
    promise(whole == new, "Left alone, it did not write what it was given")


@exercise("atomic_write_json", points=1, rule="no-temporary-left")
def test_leaves_no_other_file(learner, rng):
    """When it returns, the folder holds the files that it held before, and the new one."""
    names = [f"{_some_text(rng).split()[0]}{n}.json" for n in range(2)]
    learner.write("bystander.txt", b"leave me alone")
    for name in [*names, names[0]]:
        learner.call("atomic_write_json", learner.path(name), _some_object(rng, 4))
        promise(learner.read(name) is not None, "The file is not there after the call")
    left = set(learner.listdir()) - {*names, "bystander.txt"}
    promise(not left, "Another file stayed behind in the folder", left=sorted(left))
    promise(learner.read("bystander.txt") == b"leave me alone", "A file that was none of its business has changed")


@exercise("atomic_write_json", points=1, rule="no-temporary-left")
def test_a_refused_value_changes_nothing(learner, rng):
    """A value that JSON cannot hold raises TypeError, and the folder is as it was."""
    before = json.dumps(_some_object(rng, 5)).encode()
    learner.write("state.json", before)
    bad = {_some_text(rng): [1, {rng.randrange(9)}]}
    got = learner.call("atomic_write_json", learner.path("state.json"), bad)
    promise(got.raised("TypeError"), "A set inside the value should raise TypeError")
    promise(learner.read("state.json") == before, "The old file was touched before the value was looked at")
    promise(learner.listdir() == ["state.json"], "A half-written file stayed behind in the folder")
    good = _some_object(rng, 2)
    learner.call("atomic_write_json", learner.path("state.json"), good)
    promise(_parsed(learner.read("state.json")) == good, "A value that JSON can hold is not written either")


@exercise("atomic_write_json", points=1, rule="writers-side-by-side")
def test_two_writers_at_once(learner, rng):
    """Two processes that write the same path at once both return, and one of the two texts is there, whole."""
    both = [_some_object(rng, 3000), _some_object(rng, 3000)]
    for _ in range(3):
        case = learner.crash.race([("atomic_write_json", ("state.json", obj)) for obj in both], hold=None)
        for ending in case.resumed:
            error = ending.outcome.error if ending.outcome is not None else None
            promise(ending.outcome is not None and error is None, "Two writers seem to get in each other's way")
        found = _parsed(learner.crash.files([case], "state.json")[0])
        promise(found in both, "Two writers at once left a text that neither of them wrote")


# resume_run


class Pure:
    """A random function of the whole history. Its actions differ from each other."""

    def __init__(self, seed):
        self._seed = seed
        self._asked = 0

    def next_action(self, history):
        import random

        self._asked += 1
        rng = random.Random(self._seed + json.dumps(history, sort_keys=True))
        return {"tool": rng.choice(["look", "fetch"]), "args": {"nonce": rng.randrange(10**9)}}


class Tool:
    """Stays outside, notes each call; the answer follows from the arguments, and some fail."""

    def __init__(self, name, calls, fails):
        self._name, self._calls, self._fails = name, calls, fails

    def __call__(self, args):
        self._calls.append({"tool": self._name, "args": args})
        if args["nonce"] % 10 < self._fails:
            return {"ok": False, "error": "tool_unavailable"}
        return {"ok": True, "text": str(args["nonce"] // 7)}


class Rule:
    """Ends at a size, or at a number of failures, over the whole trace; notes the sizes that it was shown."""

    def __init__(self, size, failures):
        self._size, self._failures = size, failures
        self._shown = []

    def __call__(self, trace):
        self._shown.append(len(trace))
        if sum(not entry["observation"]["ok"] for entry in trace) > self._failures:
            return ("failed", "tool_failure")
        return ("budget_exhausted", "step_budget") if len(trace) >= self._size else None


class World:
    """Adapter, tools and rule of one run, and what was asked of them."""

    def __init__(self, seed, size, fails=0, failures=99):
        self.calls = []
        self.adapter = Pure(seed)
        self.tools = {name: Tool(name, self.calls, fails) for name in ("look", "fetch")}
        self.rule = Rule(size, failures)

    def args(self, learner, path):
        tools = {name: learner.remote(tool) for name, tool in self.tools.items()}
        return path, learner.remote(self.adapter), tools, learner.remote(self.rule)


def _reference(world, task_id="summarize-notes", trace=()):
    """The whole run, as it should be."""
    trace = list(trace)
    while (end := world.rule(trace)) is None:
        action = world.adapter.next_action(trace)
        trace = [*trace, {"action": action, "observation": world.tools[action["tool"]](action["args"])}]
    failed = sum(not entry["observation"]["ok"] for entry in trace)
    saved = {"task_id": task_id, "steps": len(trace), "retries": failed, "trace": trace}
    return {**saved, "status": end[0], "termination": end[1]}


def _saved(run):
    return {name: run[name] for name in ("task_id", "steps", "retries", "trace")}


def _once_more(calls, whole):
    """Whether `calls` are those of the whole run, with the one in flight made twice at most."""
    return calls == whole or any(calls == whole[: k + 1] + whole[k:] for k in range(len(whole)))


def _check_resumed(learner, made, worlds, whole, calls):
    """What must hold after a kill and a resume, in each case."""
    for case, world in zip(made.cases, worlds, strict=True):
        got = case.answer.value
        if case.kills == 1:
            holds = _once_more(world.calls, calls)
            promise(holds, "A step that was on record seems to have been run again, or one was left out")
        promise(got == whole, "After a kill and a resume the result is another than that of an undisturbed run")
    for data in learner.crash.files(made, "run.json"):
        promise(_parsed(data) == _saved(whole), "After a kill and a resume the checkpoint is not that of the whole run")


@exercise("resume_run", points=2, rule="resume-not-restart")
def test_killed_around_each_call(learner, rng):
    """Killed around any call on the world outside, and resumed: only the step in flight is repeated."""
    seed, size = f"{rng.random()}", rng.randint(3, 4)
    model = World(seed, size, fails=3)
    whole = _reference(model)
    worlds = []

    def new_args():
        worlds.append(World(seed, size, fails=3))
        return worlds[-1].args(learner, "run.json")

    made = learner.crash.calls("resume_run", new_args)
    promise(worlds[0].calls == model.calls, "Left alone, it does not call the tools as the adapter proposes")
    _check_resumed(learner, made, worlds[1:], whole, model.calls)


@exercise("resume_run", points=2, after="test_killed_around_each_call", rule=["resume-not-restart", "kill-anywhere"])
def test_killed_at_its_instructions(learner, rng):
    """Killed before any of its instructions, once or twice, and resumed: result and file are those of one whole run."""
    seed, size = f"{rng.random()}", 3
    model = World(seed, size)
    whole = _reference(model)
    worlds = []

    def new_args():
        worlds.append(World(seed, size))
        return worlds[-1].args(learner, "run.json")

    made = learner.crash.sweep("resume_run", new_args, twice=rng.random() < 0.5, most=40)
    _check_resumed(learner, made, worlds[1:], whole, model.calls)


@exercise("resume_run", points=1, rule="counters-of-the-whole-run")
def test_the_whole_run_counts(learner, rng):
    """Retries, steps and the rule of the end belong to the whole run, not to what came after the crash."""
    seed = f"{rng.random()}"
    for fails, failures in ((6, 3), (4, 99)):
        world = World(seed, 7, fails, failures)
        whole = _reference(world, task_id=_some_text(rng))
        k = rng.randint(1, whole["steps"] - 1)
        trace = whole["trace"][:k]
        failed = sum(not entry["observation"]["ok"] for entry in trace)
        begun = {"task_id": whole["task_id"], "steps": k, "retries": failed, "trace": trace}
        learner.write("run.json", json.dumps(begun).encode())
        fresh = World(seed, 7, fails, failures)
        got = learner.call("resume_run", *fresh.args(learner, learner.path("run.json"))).value
        promise(isinstance(got, dict), "No result came back")
        promise(got.get("trace") == whole["trace"], "The trace is not that of the whole run")
        promise(got.get("retries") == whole["retries"], "Retries seem to be counted from the crash on")
        promise(got.get("steps") == whole["steps"], "Steps seem to be counted from the crash on")
        promise(got.get("status") == whole["status"], "The end seems to be judged by a part of the run")
        promise(got.get("task_id") == whole["task_id"], "The task_id of the checkpoint is lost")


@exercise("resume_run", points=1, rule="counters-of-the-whole-run")
def test_a_run_that_has_ended(learner, rng):
    """A run that has ended is reported once more, and nobody outside is asked for anything."""
    seed, size = f"{rng.random()}", rng.randint(2, 5)
    whole = _reference(World(seed, size, fails=3))
    data = json.dumps(_saved(whole)).encode()
    learner.write("run.json", data)
    world = World(seed, size, fails=3)
    got = learner.call("resume_run", *world.args(learner, learner.path("run.json"))).value
    promise(world.calls == [], "A tool was called for a run that has ended")
    promise(world.adapter._asked == 0, "The adapter was asked about a run that has ended")
    promise(got == whole, "The result of a run that has ended is not the one that its trace gives")


@exercise("resume_run", points=1, rule="no-silent-restart")
def test_no_silent_new_beginning(learner, rng):
    """A file that is no whole checkpoint raises ValueError; no tool is called and the file stays."""
    seed = f"{rng.random()}"
    whole = _reference(World(seed, 3, fails=3))
    saved = _saved(whole)
    text = json.dumps(saved)
    left_out = rng.choice(["retries", "task_id", "trace"])
    other = {name: value for name, value in saved.items() if name != left_out}
    broken = {
        "torn": text[: rng.randint(20, len(text) - 2)],
        "empty": "",
        "without a key": json.dumps(other),
        "steps": json.dumps({**saved, "steps": rng.choice([2, 4])}),
        "retries": json.dumps({**saved, "retries": saved["retries"] + rng.randint(1, 3)}),
    }
    for kind, content in broken.items():
        learner.write("run.json", content.encode())
        world = World(seed, 5, fails=3)
        got = learner.call("resume_run", *world.args(learner, learner.path("run.json")))
        promise(world.calls == [], "A tool was called although the file is no whole checkpoint", file=kind)
        promise(got.raised("ValueError"), "A file that is no whole checkpoint should raise ValueError", file=kind)
        promise(learner.read("run.json") == content.encode(), "The broken file was changed", file=kind)
    learner.write("run.json", text.encode())
    sound = learner.call("resume_run", *World(seed, 3, fails=3).args(learner, learner.path("run.json"))).value
    promise(sound == whole, "A whole checkpoint is refused as well, or reported as another run")


# commit_local and commit_remote


def _row(rng):
    return f"{_some_text(rng)}/{rng.randrange(99)}", _some_text(rng)


ONE = "SELECT key, payload FROM effects ORDER BY id"
STATE = "SELECT key, state FROM obligations"


@exercise("commit_local", points=2, rule=["commit-in-one-transaction", "kill-anywhere"])
def test_exactly_one_row(learner, rng):
    """Killed at any instruction, once or twice, and called again: one row, one obligation that is done."""
    key, payload = _row(rng)
    for twice in (False, True):
        made = learner.crash.sweep(
            "commit_local", lambda: (store(), key, payload), twice=twice, most=30 if twice else 60
        )
        found = learner.crash.rows(made, ONE)
        promise([] not in found and None not in found, "After some kill the effect never happens")
        promise(
            all(rows == [(key, payload)] for rows in found), "After some kill the effect is there twice, or changed"
        )
        states = learner.crash.rows(made, STATE)
        promise(all(rows == [(key, "done")] for rows in states), "The obligation is not done, or not the only one")
        promise({case.answer.value for case in made.cases} <= {True, False}, "It should return True or False")
    promise(made.whole.ending.outcome.value is True, "The call that did it should return True")


@exercise("commit_local", points=1, rule=["commit-in-one-transaction", "kill-anywhere"])
def test_one_row_at_random_times(learner, rng):
    """Killed at random times from outside: one row all the same."""
    key, payload = _row(rng)
    made = learner.crash.strike("commit_local", lambda: (store(), key, payload), rng, rounds=25)
    found = learner.crash.rows(made, ONE)
    promise(all(rows == [(key, payload)] for rows in found), "A kill at a random time led to another count than one")


@exercise("commit_local", points=1, rule="commit-in-one-transaction")
def test_other_keys_and_the_same_key(learner, rng):
    """The same key again changes nothing and says False; another key is another effect, whatever its payload."""
    (key, payload), (other, _) = _row(rng), _row(rng)
    case = learner.crash.case("commit_local", (store(), key, payload))
    promise(case.ending.outcome.value is True, "The first call should return True")
    for wanted in (key, payload), (key, _some_text(rng)):
        again = learner.crash.again(case, "commit_local", (store(), *wanted)).outcome.value
        promise(again is False, "The same key again should return False")
    second = learner.crash.again(case, "commit_local", (store(), other, payload)).outcome.value
    promise(second is True, "Another key should be another effect")
    rows = learner.crash.rows([case], ONE)[0]
    promise(rows == [(key, payload), (other, payload)], "The rows are not one for each key")


@exercise("commit_local", points=1, rule="commit-in-one-transaction")
def test_two_processes_at_once(learner, rng):
    """Two processes that commit the same key at the same time: one row, one True, one False, and nobody raises."""
    key, payload = _row(rng)
    for _ in range(2):
        case = learner.crash.race([("commit_local", (store(), key, payload))] * 2)
        rows = learner.crash.rows([case], ONE)[0]
        promise(rows == [(key, payload)], "Two at once seem to look before their transaction begins: not one row")
        got = [ending.outcome.value for ending in case.resumed if ending.outcome is not None]
        promise(sorted(map(repr, got)) == ["False", "True"], "Of two at once, one should say True and one False")


class Receiver:
    """A service outside. `breaks` are the sends (from 1) whose line breaks, before or after it has acted."""

    def __init__(self, dedupes, breaks=None):
        self.dedupes = dedupes
        self._acted = []
        self._breaks = breaks or {}
        self._sent = 0

    def send(self, key, payload):
        self._sent += 1
        if self._breaks.get(self._sent) == "before":
            raise ConnectionError("the line broke")
        if not (self.dedupes and key in [known for known, _ in self._acted]):
            self._acted.append((key, payload))
        if self._breaks.get(self._sent) == "after":
            raise ConnectionError("the line broke")


def _killed(learner, rng, dedupes):
    """Kills at instructions and around calls: (receiver, case) for each."""
    key, payload = _row(rng)
    found = []
    for crash in (learner.crash.sweep, learner.crash.calls):
        receivers = []

        def new_args(receivers=receivers):
            receivers.append(Receiver(dedupes))
            return store(), learner.remote(receivers[-1]), key, payload

        how = {"most": 60} if crash == learner.crash.sweep else {}
        made = crash("commit_remote", new_args, **how)
        promise(made.whole.ending.outcome.value == "done", "Left alone, it does not say that it is done")
        promise(receivers[0]._acted == [(key, payload)], "Left alone, it does not have the service act once")
        found += zip(receivers[1:], made.cases, strict=True)
    return found


@exercise("commit_local", points=2, rule=["remote-once-or-in-doubt", "kill-anywhere"])
def test_a_service_that_dedupes(learner, rng):
    """With a service that dedupes, a kill and a second call end in one effect and "done"."""
    for receiver, case in _killed(learner, rng, dedupes=True):
        promise(len(receiver._acted) == 1, "A service that dedupes should have acted exactly once, whatever the kill")
        promise(case.answer.value == "done", "Where the service dedupes, nothing needs to stay in doubt")


@exercise("commit_local", points=3, rule=["remote-once-or-in-doubt", "kill-anywhere"])
def test_a_service_that_does_not(learner, rng):
    """With one that does not, it acts once or not at all, and what is not certain is "in_doubt"."""
    for receiver, case in _killed(learner, rng, dedupes=False):
        got = case.answer.value
        promise(len(receiver._acted) <= 1, "Some kill made the service act twice")
        promise(bool(receiver._acted) or got == "in_doubt", "It answers done where the service has never acted")
        promise(got in ("done", "in_doubt"), "The answer is neither done nor in_doubt")
        if case.where == "before call":  # the message may have left, for all that anyone can tell from here
            later = learner.crash.again(case, "commit_remote").outcome.value
            promise(later == got, "Asked once more after a kill, it changes its answer")
            promise(len(receiver._acted) <= 1, "Asked once more after a kill, it sends once more")


@exercise("commit_local", points=1, rule="remote-once-or-in-doubt")
def test_a_broken_line(learner, rng):
    """A send whose line broke is in doubt; later calls send again only where the service dedupes."""
    for dedupes in (True, False):
        for when in ("before", "after"):
            key, payload = _row(rng)
            receiver = Receiver(dedupes, {1: when})
            case = learner.crash.case("commit_remote", (store(), learner.remote(receiver), key, payload))
            got = case.ending.outcome.value
            promise(got == "in_doubt", "A broken line says nothing about the effect: that is in doubt", broke=when)
            later = learner.crash.again(case, "commit_remote").outcome.value
            if dedupes:
                promise(later == "done", "A service that dedupes can be sent the key again, which settles it")
                promise(len(receiver._acted) == 1, "The service did not act exactly once in the end")
            else:
                promise(later == "in_doubt", "What was in doubt has become certain without any new knowledge")
                promise(receiver._sent == 1, "After a broken line it sent again to a service that does not dedupe")


@exercise("commit_local", points=1, rule="remote-once-or-in-doubt")
def test_every_key_for_itself(learner, rng):
    """What is in doubt or done for one key says nothing about another."""
    (key, payload), (other, _) = _row(rng), _row(rng)
    receiver = Receiver(False, {1: "before"})
    remote = learner.remote(receiver)
    case = learner.crash.case("commit_remote", (store(), remote, key, payload))
    got = learner.crash.again(case, "commit_remote", (store(), remote, other, payload)).outcome.value
    promise(got == "done", "A key that is in doubt holds up another one")
    promise(receiver._acted == [(other, payload)], "The other key should have been sent, and nothing else")
