"""Objects that stay in the grader while a real kernel calls them."""

from __future__ import annotations

import time
from typing import Any

import pytest

from grader.judge.learner import Learner
from grader.kernel.inside import OVER
from grader.kernel.session import Session
from grader.kernel.trouble import Trouble
from tests.unit.real_kernel import learner, session

__all__ = ["learner", "session"]


class Spy:
    """A grader's object: notes each call."""

    label = "a spy"
    _secret = "hidden"

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def first(self, *args: Any, **kwargs: Any) -> int:
        self.calls.append((args, kwargs))
        return len(self.calls)

    def spoil(self, numbers: list[int]) -> None:
        numbers.clear()

    def fail(self) -> None:
        raise PermissionError("not yours")

    def _private(self) -> str:
        return self._secret

    def __call__(self, number: int) -> int:
        return number * 2


def test_the_grader_sees_calls_in_order_with_their_arguments(learner: Learner) -> None:
    spy = Spy()
    got = learner.call("use", learner.remote(spy), [3])
    assert got.value == (4, "a spy", [3])
    assert spy.calls == [((1,), {"key": "a"}), (([3],), {})]


def test_what_a_remote_method_does_to_a_list_reaches_the_caller(learner: Learner) -> None:
    outcome = learner.call("by_name", learner.remote(Spy()), [1, 2])
    assert outcome.value == []
    assert outcome.args_after[1] == []


def test_objects_that_have_no_plain_form_survive_a_remote_call(learner: Learner) -> None:
    assert learner.call("keep_odd", learner.remote(Spy())).value == ("Odd", "Point")


def test_calls_from_threads(learner: Learner) -> None:
    spy = Spy()
    assert learner.call("from_threads", learner.remote(spy), 20).value == 20
    assert sorted(args[0] for args, _ in spy.calls) == list(range(20))


def test_an_exception_of_a_remote_object_reaches_the_learner(learner: Learner) -> None:
    assert learner.call("caught", learner.remote(Spy())).value == ["PermissionError", "not yours"]


def test_a_remote_object_may_hand_out_others(learner: Learner) -> None:
    inner = Spy()
    made = learner.remote(inner)
    factory = learner.remote(lambda *_, **__: made)

    class Factory:
        def first(self, *_: Any, **__: Any) -> Any:
            return made

        __call__ = first
        label = "factory"

    assert learner.call("echo", factory).value is factory.obj
    assert learner.call("use", learner.remote(Factory()), []).value == (inner, "factory", [])


@pytest.mark.parametrize(
    "message",
    [
        {"id": 99},
        {"id": -1},
        {"id": "0"},
        {"id": None},
        {"id": [0]},
        {"name": "_private"},
        {"name": "__init__"},
        {"name": "__class__"},
        {"name": "_secret", "op": "get"},
        {"name": "__dict__", "op": "get"},
        {"name": "calls"},
        {"name": 7},
        {"name": None},
        {"args": 5},
        {"args": [{"$": "remote", "id": 99}]},
        {"args": [{"$": "nonsense"}]},
        {"kwargs": 5},
        {"kwargs": [["a", 1]]},
        {"op": None, "name": "__init__"},
    ],
    ids=repr,
)
def test_a_forged_message_does_no_harm(learner: Learner, message: dict[str, Any]) -> None:
    spy = Spy()
    reply = learner.call("forge", learner.remote(spy), message).value
    assert isinstance(reply, dict)
    assert reply["raise"]["type"] in ("TypeError", "AttributeError")
    assert "hidden" not in str(reply)
    assert spy.calls == []


def test_an_object_that_was_made_in_one_call_may_ask_in_the_next(learner: Learner) -> None:
    spy = Spy()
    keeper = learner.new("Keeper", learner.remote(spy))
    assert [keeper.call("ask", number).value for number in range(3)] == [1, 2, 3]
    assert [args for args, _ in spy.calls] == [(0,), (1,), (2,)]


@pytest.mark.parametrize("pause", [0, 0.4])
def test_a_thread_that_outlives_its_test_is_heard_no_more(session: Session, learner: Learner, pause: float) -> None:
    spy, other = Spy(), Spy()
    assert learner.call("leave_thread", learner.remote(spy)).value is None
    time.sleep(pause)
    later = Learner(session)
    assert later.call("late_word", later.remote(other)).value == "RuntimeError: " + OVER
    assert (spy.calls, other.calls) == ([], [])


def test_an_interrupt_between_question_and_answer_leaves_the_line_in_order(session: Session, learner: Learner) -> None:
    before = session.restarts
    with pytest.raises(Trouble) as caught:
        learner.call("ask_forever", learner.remote(Spy()))
    assert (caught.value.reason, session.restarts) == ("time", before)
    for number in range(20):
        assert learner.call("echo", number).value == number
    spy = Spy()
    assert learner.call("use", learner.remote(spy), [3]).value == (4, "a spy", [3])


def test_a_large_argument_and_answer_cross_in_pieces(learner: Learner) -> None:
    text = "line\n" * 200_000
    assert learner.call("hand_on", learner.remote(lambda given: given + "end"), text).value == text + "end"
