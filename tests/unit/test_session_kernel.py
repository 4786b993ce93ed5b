"""Calls into a real kernel: what crosses, what is kept there, what a limit does."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import psutil
import pytest

from course_lib.agent import Divergence
from grader.course import Limits
from grader.judge.api import AnswerRaised
from grader.judge.learner import Learner
from grader.kernel.session import Session
from grader.kernel.trouble import Trouble
from grader.kernel.wire import Opaque, Record
from tests.unit.real_kernel import CELL, LIBRARY, learner, session

__all__ = ["learner", "session"]

# Values.


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        1,
        2.5,
        10**40,
        "é",
        [1, [2]],
        (1, (2,)),
        {"a": {1: 2}},
        {3, 4},
        frozenset({5}),
        b"\x00\xff",
        {"$": "int"},
    ],
    ids=repr,
)
def test_a_value_comes_back_as_it_was(learner: Learner, value: Any) -> None:
    got = learner.call("echo", value).value
    assert got == value
    assert type(got) is type(value)


def test_half_a_surrogate_pair_crosses(learner: Learner) -> None:
    assert learner.call("give", "surrogate").value == "half \ud800"
    assert learner.call("echo", "\udfff").value == "\udfff"


def test_a_dataclass_arrives_as_a_record(learner: Learner) -> None:
    point = learner.call("give", "point").value
    assert isinstance(point, Record)
    assert (point.type_name, point.fields, point.y) == ("__main__:Point", {"x": 1, "y": 2}, 2)


def test_a_dataclass_of_course_lib_goes_in_as_itself(learner: Learner) -> None:
    sent = Divergence(2, {"tool": "a", "args": {}}, {"tool": "b", "args": {}})
    got = learner.call("echo", sent).value
    assert (got.type_name, got.k) == ("course_lib.agent:Divergence", 2)


def test_what_equals_everything_equals_nothing_here(learner: Learner) -> None:
    odd = learner.call("give", "odd").value
    assert isinstance(odd, Opaque)
    assert odd != odd
    assert learner.call("give", "odds").value != [1]
    assert isinstance(learner.call("give", "generator").value, Opaque)


def test_arguments_are_copies_and_their_fate_is_seen(learner: Learner) -> None:
    numbers, table = [1, 2, 3], {"old": False}
    outcome = learner.call("fill", numbers, table)
    assert outcome.args_after == ([1, 2, 3, 4], {"old": False, "new": True})
    assert (numbers, table) == ([1, 2, 3], {"old": False})


def test_many_calls_in_one_round_trip(learner: Learner) -> None:
    assert [o.returned for o in learner.map("echo", [(1,), ("b",), (None,)])] == [1, "b", None]
    assert learner.map("echo", []) == []


def test_what_is_printed_is_kept_and_input_is_at_its_end(learner: Learner) -> None:
    outcome = learner.call("speak")
    assert outcome.stdout == "out\nerr\nwho? "
    assert outcome.raised("EOFError")


# Exceptions.


def test_an_exception_is_told_with_the_learners_own_line(learner: Learner) -> None:
    outcome = learner.call("fail", "own", "no \ud800 luck")
    assert outcome.raised("OwnError")
    assert outcome.raised("ValueError")
    assert not outcome.raised("KeyError")
    assert outcome.error is not None
    assert outcome.error.message == "no ? luck"
    assert outcome.error.own_line is not None
    assert outcome.error.own_line.startswith("line ")
    assert "raise {" in outcome.error.own_line
    with pytest.raises(AnswerRaised, match="OwnError: no"):
        _ = outcome.value


def test_sys_exit_in_an_answer_is_an_exception_like_any_other(learner: Learner) -> None:
    assert learner.call("fail", "exit").raised("SystemExit")


def test_a_name_that_is_not_there(learner: Learner) -> None:
    outcome = learner.call("nowhere")
    assert outcome.raised("NameError")
    assert outcome.error is not None
    assert outcome.error.message == "name 'nowhere' is not defined"


# Handles and files.


def test_an_object_that_stays_with_the_learner(learner: Learner) -> None:
    counter = learner.new("Counter", start=5)
    assert counter.call("add", 3).value == 8
    assert counter.get("count").value == 8
    assert learner.call("read_count", counter).value == 8
    assert counter.get("nothing").raised("AttributeError")


def test_an_object_of_the_library_in_the_kernel(learner: Learner) -> None:
    adapter = learner.lib("course_lib.agent:DeterministicModelAdapter")
    assert adapter.call("next_action", []).value == {"tool": "list_notes", "args": {}}


def test_each_test_has_a_folder_of_its_own(session: Session, learner: Learner) -> None:
    assert learner.call("where").value == learner.path()
    assert learner.read("note.txt") == b"here"
    assert learner.listdir() == ["note.txt"]
    assert Learner(session).listdir() == []
    learner.write("data.bin", b"\x00")
    assert learner.read("data.bin") == b"\x00"
    assert learner.read("absent") is None


# Limits.


def test_a_loop_is_interrupted_and_its_kernel_kept(session: Session, learner: Learner) -> None:
    before = session.restarts
    with pytest.raises(Trouble) as caught:
        learner.call("forever")
    assert (caught.value.reason, session.restarts) == ("time", before)
    assert learner.call("echo", 1).value == 1


def test_a_loop_that_ignores_the_interrupt_costs_its_kernel_only(session: Session, learner: Learner) -> None:
    before = session.restarts
    with pytest.raises(Trouble) as caught:
        learner.call("stubborn")
    assert (caught.value.reason, session.restarts) == ("time", before + 1)
    assert Learner(session).call("echo", 1).value == 1


def test_a_call_that_ends_its_process_is_named_and_the_next_goes_on(session: Session, learner: Learner) -> None:
    before = session.restarts
    with pytest.raises(Trouble) as caught:
        learner.call("leave", 0)
    assert (caught.value.reason, session.restarts) == ("killed", before + 1)
    assert Learner(session).call("echo", 1).value == 1


def test_too_much_is_an_output_error(session: Session, learner: Learner) -> None:
    assert len(learner.call("flood", 1_000_000).value) == 1_000_000
    with pytest.raises(Trouble) as caught:
        learner.call("flood", 40_000_000)
    assert caught.value.reason in ("output", "time")
    assert Learner(session).call("echo", 1).value == 1


def test_the_environment_is_made_from_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "s3cret")
    limits = Limits(max_restarts=0)
    cell = "import os\ndef env():\n    return dict(os.environ)"
    with Session([cell, "import os\nos.environ['LATER'] = '1'"], {"env": ""}, limits, LIBRARY) as session:
        seen = Learner(session).call("env").value
        assert "s3cret" not in seen.values()
        assert (seen["COURSE_GRADING"], seen["LATER"]) == ("1", "1")
        assert session.noted == {"env": [(0, True)]}
        assert [run.outcome for run in session.runs.values()] == ["ok", "ok"]


def test_a_kernel_that_was_launched_and_not_wanted_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = psutil.Process().children(recursive=True)
    session = Session([CELL], {}, Limits(), LIBRARY)
    session.launch()
    assert [child for child in psutil.Process().children(recursive=True) if child not in before]
    session.close()
    session.close()
    assert [child for child in psutil.Process().children(recursive=True) if child not in before] == []
    assert list(tmp_path.iterdir()) == []
