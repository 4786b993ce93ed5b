"""The crash harness as a notebook uses it. Needs course_lib and pytest alone, so that it runs under any Python."""

import json
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

import pytest

from course_lib import crash
from course_lib.closure import NotWrittenError
from course_lib.crash import Bench, Ending, Outside, SweepError, store, strike, sweep

if not hasattr(os, "fork"):
    pytest.skip("no fork and no SIGKILL here", allow_module_level=True)


class Witness(Outside):
    def __init__(self):
        self.seen = []

    def act(self, what):
        self.seen.append(what)
        return len(self.seen)


def known(db, key):
    return db.execute("SELECT 1 FROM obligations WHERE key = ?", (key,)).fetchone()


def note(db, key):
    db.execute(
        "INSERT INTO obligations (task_id, kind, key, state, created_at) VALUES ('t', 'k', ?, 'done', 'now')", (key,)
    )


def act_then_record(db, witness, key):
    if known(db, key):
        return
    witness.act(key)
    note(db, key)
    db.commit()


def record_then_act(db, witness, key):
    if known(db, key):
        return
    note(db, key)
    db.commit()
    witness.act(key)


def one_transaction(db, key):
    db.execute("BEGIN IMMEDIATE")
    if not known(db, key):
        db.execute("INSERT INTO effects (key, payload) VALUES (?, 'p')", (key,))
        note(db, key)
    db.commit()


def counted(case):
    return len(case.args[1].seen)


def rows(case):
    return len(case.rows("SELECT id FROM effects"))


def outside():
    return store(), Witness(), "k"


def all_killed(made):
    """What every sweep must show: there were kills, and each of them was one."""
    return bool(made.cases) and all(case.ending.signal == signal.SIGKILL for case in made.cases)


def test_act_then_record_leads_to_one_or_two():
    made = sweep(act_then_record, outside, counted)
    assert made.outcomes == {1, 2}
    assert all_killed(made)
    assert made.whole.outcome == 1
    # After the call and up to the end of the commit.
    assert {4, 6} <= made.lines(2) | made.lines(1)
    assert 5 in made.lines(2)
    assert made.listing()[0].startswith("def act_then_record")


def test_record_then_act_leads_to_none_or_one():
    made = sweep(record_then_act, outside, counted)
    assert made.outcomes == {0, 1}
    assert all_killed(made)


def test_one_transaction_leads_to_one():
    made = sweep(one_transaction, lambda: (store(), "k"), rows)
    assert made.outcomes == {1}
    assert all_killed(made)


def test_a_second_kill_can_make_it_three():
    made = sweep(act_then_record, outside, counted, twice=True)
    assert made.outcomes == {1, 2, 3}
    assert max(case.kills for case in made.cases) == 2


def test_random_times_show_the_same_outcomes():
    made = strike(act_then_record, outside, counted, rounds=20)
    assert made.outcomes <= {1, 2}
    assert any(case.ending.signal == signal.SIGKILL for case in made.cases)


def plain(path, text):
    Path(path).write_text(text)


def replaced(path, text):
    handle, other = tempfile.mkstemp(dir=".")
    with os.fdopen(handle, "w") as file:
        file.write(text)
    Path(other).replace(path)


def content(case):
    return {"old": "old", "n" * 20_000: "new", None: "missing"}.get(case.text("f"), "torn")


def test_write_text_can_tear_and_replace_cannot():
    how = {"resume": False, "inside": ["pathlib"], "files": {"f": "old"}, "most": 150}
    torn = sweep(plain, lambda: ("f", "n" * 20_000), content, **how)
    whole = sweep(replaced, lambda: ("f", "n" * 20_000), content, **how)
    assert torn.outcomes == {"old", "torn", "new"}
    assert whole.outcomes == {"old", "new"}
    assert all_killed(torn)
    assert all_killed(whole)


def test_what_is_left_out_is_said():
    made = sweep(plain, lambda: ("f", "x"), content, resume=False, inside=["pathlib"], most=20)
    assert len(made.cases) <= 20
    assert "instructions were tried" in made.note


def long_loop(witness):
    for number in range(3):
        witness.act(number)


def test_thinned_points_keep_the_first_and_the_last():
    made = sweep(long_loop, lambda: (Witness(),), lambda case: len(case.args[0].seen), resume=False, most=9)
    assert made.cases[0].outcome == 0
    assert made.cases[-1].outcome == 3


def resumes_elsewhere(witness):
    witness.act("first")


def recovery(witness):
    witness.act("second")


def test_another_function_can_resume():
    made = sweep(resumes_elsewhere, lambda: (Witness(),), lambda case: tuple(case.args[0].seen), resume=recovery)
    assert made.outcomes == {("second",), ("first", "second")}


def in_a_thread(witness):
    import threading

    def work():
        witness.act(1)
        witness.act(2)

    worker = threading.Thread(target=work)
    worker.start()
    worker.join()


def test_threads_are_killed_inside_too():
    made = sweep(in_a_thread, lambda: (Witness(),), lambda case: len(case.args[0].seen), resume=False)
    assert made.outcomes == {0, 1, 2}


def stub():
    raise NotImplementedError("stub")


def raises():
    raise KeyError("what")


def leaves():
    os._exit(0)


def kills_itself():
    os.kill(os.getpid(), signal.SIGKILL)


def forks():
    os.fork()


def shells():
    import subprocess

    subprocess.run(["true"])


def hangs():
    time.sleep(60)


def untraced():
    sys.settrace(None)
    return 1


def nothing():
    return ()


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (raises, "raised"),
        (leaves, "killed"),
        (kills_itself, "killed"),
        (forks, "processes"),
        (shells, "processes"),
        (hangs, "time"),
        (untraced, "protocol"),
    ],
)
def test_a_sweep_that_cannot_show_anything_says_why(monkeypatch, function, reason):
    monkeypatch.setattr(crash.Bench, "seconds", 0.5)
    with pytest.raises(SweepError) as caught:
        sweep(function, nothing)
    assert caught.value.reason == reason
    assert function.__name__ in str(caught.value) or reason == "raised"


def test_a_stub_is_not_written_yet():
    with pytest.raises(NotWrittenError):
        sweep(stub, nothing)


class NoPoints:
    """A worker that ran the function and counted nothing, as a tracer that is never called does."""

    def run(self, *_):
        return [Ending(None, crash.Outcome(None), "", 0)]


class NobodyDies(NoPoints):
    """A worker whose children are through before they are killed."""

    def run(self, *_):
        return [Ending(None, crash.Outcome(None), "", 0, 1, [(1, 0)])]


@pytest.mark.parametrize(
    ("worker", "said"), [(NoPoints, "nothing could be killed"), (NobodyDies, "was through before")]
)
def test_a_sweep_without_a_kill_is_an_error(tmp_path, worker, said):
    bench = Bench(worker(), tmp_path, crash.Desk)
    with pytest.raises(SweepError, match=said):
        list(crash.run_sweep(bench, "f", nothing, again=None))


def both(db, key):
    one_transaction(db, key)
    return os.getpid()


def test_two_at_once_meet_at_the_lock(tmp_path):
    with crash.Helper(crash.WORKER, crash._environment()) as helper:
        helper.learn("both", crash.sources_of(both))
        bench = Bench(helper, tmp_path, crash.Desk)
        folder = bench.folder()
        endings = bench.runs(folder, [("both", (store(), "k"))] * 2, hold="record.db", hold_seconds=0.1)
    assert len({ending.outcome.value for ending in endings}) == 2
    assert all(ending.seconds > 0.05 for ending in endings)
    assert crash.Case(0, 0, "", folder, (), endings[0]).rows("SELECT count(*) FROM effects") == [(1,)]


def test_a_kill_around_a_call_is_made_from_outside(tmp_path):
    with crash.Helper(crash.WORKER, crash._environment()) as helper:
        helper.learn("act_then_record", crash.sources_of(act_then_record))
        bench = Bench(helper, tmp_path, crash.Desk)
        *cases, made = crash.run_calls(bench, "act_then_record", outside, again="act_then_record")
    assert [(case.where, counted(case)) for case in cases] == [("before call", 1), ("after call", 2)]
    assert made.name == "act_then_record"


def test_values_come_back_as_they_are():
    def outcome(case):
        return json.dumps(case.answer.value)

    made = sweep(gives_back, lambda: ({"a": (1, 2)}, [None]), outcome)
    assert made.outcomes == {'[{"a": [1, 2]}, [null]]'}


def goes_round(witness):
    while True:
        if witness.act("once more") > 2:
            return


def test_instructions_that_belong_to_no_line_are_points_too():
    made = sweep(goes_round, lambda: (Witness(),), lambda case: len(case.args[0].seen), resume=False)
    assert made.outcomes == {0, 1, 2, 3}
    assert all(case.line in made.span for case in made.cases)


def gives_back(*args):
    return args
