"""Public tests of notebook 05: kill and resume. Every run that is killed is a process of its own."""

from __future__ import annotations

import json

from course_lib.crash import store
from grader.judge.api import exercise, promise


def _parsed(data):
    """The value of a JSON text; the text "torn" for what is none, "missing" for no file."""
    if data is None:
        return "missing"
    try:
        return json.loads(data)
    except ValueError:
        return "torn"


@exercise("atomic_write_json", points=1, rule="atomic-replace")
def test_writes_what_it_is_given(learner):
    """What is written can be read back as JSON, in place of what was there."""
    path = learner.path("state.json")
    for obj in ({"version": 1}, {"version": 2, "notes": ["alpha.txt"]}):
        learner.call("atomic_write_json", path, obj)
        found = _parsed(learner.read("state.json"))
        promise(found == obj, "The file does not hold what was written last", promised=obj, found=found)


@exercise("atomic_write_json", points=1, after="test_writes_what_it_is_given", rule="atomic-replace")
def test_a_kill_leaves_one_of_the_two(learner):
    """Killed before any of its instructions, it leaves the old file or the new one."""
    old, new = {"version": 1}, {"version": 2}
    files = {"state.json": json.dumps(old)}
    made = learner.crash.sweep("atomic_write_json", lambda: ("state.json", new), resume=False, files=files)
    for case, data in zip(made.cases, learner.crash.files(made, "state.json"), strict=True):
        found = _parsed(data)
        promise(
            found in (old, new), "A kill left neither the old file nor the new one", instruction=case.n, found=found
        )


TASK = "summarize-notes"


class Plan:
    """An adapter that goes by the history: the n-th good answer is followed by the n-th action of a plan."""

    def __init__(self, actions):
        self._actions = actions

    def next_action(self, history):
        return self._actions[sum(entry["observation"]["ok"] for entry in history)]


class Tool:
    """A tool that stays outside and notes each call."""

    def __init__(self, name, calls):
        self._name, self._calls = name, calls

    def __call__(self, args):
        self._calls.append({"tool": self._name, "args": args})
        return {"ok": True, "text": f"{self._name} {len(args)}"}


class EndAt:
    """The rule of a run that ends after some entries."""

    def __init__(self, size):
        self._size = size

    def __call__(self, trace):
        return ("completed", "goal_reached") if len(trace) >= self._size else None


ACTIONS = [{"tool": "list_notes", "args": {}}] + [
    {"tool": "read_note", "args": {"name": name}} for name in ("alpha.txt", "beta.txt", "gamma.txt")
]


def _world(learner, calls):
    tools = {name: learner.remote(Tool(name, calls)) for name in ("list_notes", "read_note")}
    return learner.remote(Plan(ACTIONS)), tools, learner.remote(EndAt(4))


@exercise("resume_run", points=1, rule="resume-not-restart")
def test_runs_from_the_beginning(learner):
    """Without a checkpoint the whole run is made, and the file then holds all of it."""
    calls = []
    got = learner.call("resume_run", learner.path("run.json"), *_world(learner, calls)).value
    promise(calls == ACTIONS, "The tools were not called as the adapter proposed", promised=ACTIONS)
    trace = [
        {"action": action, "observation": {"ok": True, "text": f"{action['tool']} {len(action['args'])}"}}
        for action in ACTIONS
    ]
    saved = {"task_id": TASK, "steps": 4, "retries": 0, "trace": trace}
    promise(_parsed(learner.read("run.json")) == saved, "The checkpoint is not the whole run", promised=saved)
    whole = {**saved, "status": "completed", "termination": "goal_reached"}
    promise(got == whole, "The result is not that of the whole run", promised=whole)


@exercise("resume_run", points=1, after="test_runs_from_the_beginning", rule="resume-not-restart")
def test_goes_on_after_two_entries(learner):
    """With two entries on record, only the other two calls are made."""
    trace = [{"action": action, "observation": {"ok": True, "text": "seen"}} for action in ACTIONS[:2]]
    saved = {"task_id": TASK, "steps": 2, "retries": 0, "trace": trace}
    learner.write("run.json", json.dumps(saved).encode())
    calls = []
    got = learner.call("resume_run", learner.path("run.json"), *_world(learner, calls)).value
    promise(calls == ACTIONS[2:], "Other calls were made than those that were missing", promised=ACTIONS[2:])
    promise(got["trace"][:2] == trace, "The recorded entries do not stand at the beginning of the trace")
    promise(got["steps"] == 4, "The steps are not those of the whole run", promised=4)


class Receiver:
    """A service outside. It acts on what it is sent; with `dedupes` once for each key."""

    def __init__(self, dedupes):
        self.dedupes = dedupes
        self._acted = []

    def send(self, key, payload):
        if not (self.dedupes and key in [known for known, _ in self._acted]):
            self._acted.append((key, payload))


@exercise("commit_local", points=1, rule=["remote-once-or-in-doubt"])
def test_acts_and_says_done(learner):
    """Left alone, commit_remote has the service act once and says "done"; asked again, it does not act again."""
    for dedupes in (True, False):
        receiver = Receiver(dedupes)
        case = learner.crash.case("commit_remote", (store(), learner.remote(receiver), "order-2", "a mail"))
        got = case.ending.outcome.value
        promise(got == "done", "An undisturbed call should say that it is done", promised="done", returned=got)
        again = learner.crash.again(case, "commit_remote").outcome.value
        promise(again == "done", "Asked again, it should say that it is done", promised="done", returned=again)
        promise(receiver._acted == [("order-2", "a mail")], "The service did not act exactly once", dedupes=dedupes)


@exercise("commit_local", points=1, rule="commit-in-one-transaction")
def test_one_row_whatever_the_kill(learner):
    """Killed before any instruction and called again, commit_local leaves one row and says who wrote it."""
    made = learner.crash.sweep("commit_local", lambda: (store(), "order-1", "two notes"), most=45)
    rows = learner.crash.rows(made, "SELECT payload FROM effects WHERE key = ?", "order-1")
    states = learner.crash.rows(made, "SELECT state FROM obligations WHERE key = ?", "order-1")
    promise(made.whole.ending.outcome.value is True, "The first call should say True", promised=True)
    for case, found, state in zip(made.cases, rows, states, strict=True):
        got = case.answer.value
        promise(found == [("two notes",)], "After a kill there is not exactly one row", instruction=case.n, rows=found)
        promise(state == [("done",)], "The obligation is not done in the end", instruction=case.n, states=state)
        promise(got is True or got is False, "It should return True or False", returned=got)


@exercise("commit_local", points=1, after="test_acts_and_says_done", rule=["remote-once-or-in-doubt"])
def test_never_twice_and_never_a_guess(learner):
    """Killed anywhere, commit_remote acts at most once, and says "done" only where it has acted."""
    receivers = []

    def new_args():
        receivers.append(Receiver(dedupes=False))
        return store(), learner.remote(receivers[-1]), "order-3", "a mail"

    made = learner.crash.sweep("commit_remote", new_args, most=60)
    for case, receiver in zip(made.cases, receivers[1:], strict=True):
        acted, got = len(receiver._acted), case.answer.value
        promise(got in ("done", "in_doubt"), "The answer is neither done nor in_doubt", returned=got)
        promise(acted <= 1, "The service acted twice", instruction=case.n)
        promise(acted == 1 or got == "in_doubt", "It says done, and the service never acted", instruction=case.n)
