"""What a forged message can do to the objects that a test keeps in the grader, and to the grader itself."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.judge.learner import Learner
from grader.kernel import wire
from grader.kernel.trouble import Trouble

SECRET = "heron-5512"
STALL = {"$": "remote", "id": 0}
LIMIT = settings(max_examples=60, deadline=None, derandomize=True)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
TAGS = ["int", "float", "dict", "tuple", "set", "frozenset", "text", "bytes", "datetime", "date", "path", "record"]
# Almost right: the encoding's own keys, with anything in them.
ALMOST = JSON | st.fixed_dictionaries(
    {"$": st.sampled_from([*TAGS, "remote", "handle", "opaque", "other"])},
    optional=dict.fromkeys(("hex", "repr", "items", "b64", "iso", "path", "type", "fields", "id", "methods"), JSON),
)


@dataclasses.dataclass
class Answers:
    """A dataclass, as a test may well write one: sent as a value it would show its fields."""

    _prices: dict[str, str]

    def price(self, kind: str) -> str:
        return self._prices[kind]

    def keep(self, kinds: list[Any]) -> list[Any]:
        kinds.append(self)
        return kinds


class Nothing:
    """A transport whose replies are chosen by the test."""

    def __init__(self, folder: Path, reply: Any = None) -> None:
        self.home, self.reply = folder, reply

    def request(self, message: dict[str, Any], callback: Callable[..., Any] | None = None) -> dict[str, Any]:
        reply: dict[str, Any] = self.reply
        return reply

    def folder(self) -> Path:
        return self.home


@pytest.fixture
def learner(tmp_path: Path) -> Learner:
    made = Learner(Nothing(tmp_path))
    made.remote(Answers({"kind-1": SECRET}))
    made.remote(lambda thing=None: made.remote(thing))  # careless: a default that a call can replace
    return made


def ask(learner: Learner, **message: Any) -> dict[str, Any]:
    whole = {"t": "callback", "id": 0, "op": "call", "name": "price", "args": [], "kwargs": {}, **message}
    reply: dict[str, Any] = json.loads(msgspec.json.encode(learner._callback(whole)))
    return reply


def test_the_double_answers(learner: Learner) -> None:
    assert ask(learner, args=["kind-1"]) == {"value": SECRET}
    assert ask(learner, kwargs={"kind": "kind-1"}) == {"value": SECRET}


@pytest.mark.parametrize("op", ["get", "call", "set", None])
@pytest.mark.parametrize(
    "name",
    ["_prices", "__dict__", "__class__", "__init__", "__reduce_ex__", "__call__", "price.__globals__", "", "__eq__", 1],
)
def test_private_names_stay_private(learner: Learner, op: Any, name: Any) -> None:
    reply = ask(learner, op=op, name=name, args=[2] if name == "__reduce_ex__" else [])
    assert "raise" in reply
    assert SECRET not in json.dumps(reply)


def test_a_dataclass_never_crosses_as_a_value(learner: Learner) -> None:
    for args in ([[]], [[STALL]], [[{"$": "tuple", "items": [STALL]}]]):
        reply = ask(learner, name="keep", args=args)
        assert reply["value"][-1]["$"] == "remote"
        assert SECRET not in json.dumps(reply)


def test_a_string_is_no_double(learner: Learner) -> None:
    """Otherwise "{0._prices}".format(double) would read what it likes."""
    reply = ask(learner, id=1, name="__call__", args=["{0._prices}"])
    assert reply["raise"]["type"] == "TypeError"
    assert len(learner._remotes) == 2


@pytest.mark.parametrize("number", [-1, 2, 10**30, 0.0, True, "0", None, [0], {}])
def test_other_numbers_reach_nothing(learner: Learner, number: Any) -> None:
    assert "raise" in ask(learner, id=number, args=["kind-1"])


def test_what_does_not_fit_names_no_class(learner: Learner) -> None:
    """The name of a test's class would say which hidden test runs."""
    for message in ({"args": [1, 2, 3]}, {"kwargs": {"x": 1}}, {"op": "get", "name": "nothing"}):
        assert "Answers" not in json.dumps(ask(learner, **message))


@LIMIT
@given(args=st.lists(ALMOST, max_size=2), kwargs=st.dictionaries(st.text(max_size=4), ALMOST, max_size=2), name=JSON)
def test_no_message_breaks_the_grader(args: list[Any], kwargs: dict[str, Any], name: Any) -> None:
    learner = Learner(Nothing(Path()))
    learner.remote(Answers({"kind-1": SECRET}))
    for message in ({"args": args, "kwargs": kwargs}, {"args": args, "name": "keep"}, {"name": name}, {"args": name}):
        ask(learner, **message)
    learner._callback({"name": name})


@LIMIT
@given(value=ALMOST, other=ALMOST)
def test_no_reply_breaks_the_grader(value: Any, other: Any) -> None:
    good = {"value": value, "args_after": [other], "stdout": "", "error": None}
    fault = {"type": "E", "mro": ["E"], "message": "m", "own_line": {"line": 1, "text": "x"}}
    for reply in (
        {"outcomes": [good]},
        {"outcomes": [good | {"args_after": value}]},
        {"outcomes": [good | {"error": value}]},
        *({"outcomes": [good | {"error": fault | {key: value}}]} for key in fault),
        {"outcomes": value},
        {"outcomes": [value]},
        {"other": value},
    ):
        learner = Learner(Nothing(Path(), reply))
        with suppress(Trouble):
            assert len(learner.call("toll", 1).args_after) == 1


BOMBS: dict[str, Any] = {
    "colliding numbers": {"$": "set", "items": [{"$": "int", "hex": hex(n * (2**61 - 1))} for n in range(60_000)]},
    "colliding keys": {"$": "dict", "items": [[{"$": "int", "hex": hex(n * (2**61 - 1))}, 0] for n in range(60_000)]},
    "a very long number": {"$": "int", "hex": "f" * 4_000_000},
    "many nodes": [[0] * 1_000] * 500,
    "great depth": json.loads("[" * 200 + "]" * 200),
    "a field of Python's own": {"$": "record", "type": "x:Y", "fields": {"__deepcopy__": 1, "fields": 2}},
}


@pytest.mark.parametrize("bomb", list(BOMBS))
def test_a_bomb_is_refused_in_time(bomb: str) -> None:
    if bomb == "a field of Python's own":
        record = wire.decode(BOMBS[bomb])
        assert not hasattr(record, "__deepcopy__")
        assert record.fields["fields"] == 2
        return
    with pytest.raises(wire.WireError):
        wire.decode(BOMBS[bomb])


# The test's folder.


def test_a_link_is_not_written_through(learner: Learner, tmp_path: Path) -> None:
    victim = tmp_path.parent / f"{tmp_path.name}-victim.txt"
    victim.write_text("untouched")
    (tmp_path / "in.txt").symlink_to(victim)
    os.link(victim, tmp_path / "hard.txt")
    learner.write("in.txt", b"new")
    learner.write("hard.txt", b"new")
    assert victim.read_text() == "untouched"
    assert learner.read("in.txt") == b"new"


def test_a_link_is_not_read_through(learner: Learner, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text(SECRET)
    (tmp_path / "out.txt").symlink_to(tmp_path / "secret.txt")
    os.mkfifo(tmp_path / "pipe")
    assert learner.read("out.txt") is None
    assert learner.read("pipe") is None
    (tmp_path / "folder.txt").mkdir()
    assert learner.read("folder.txt") is None
    assert learner.read("nothing") is None


def test_another_folder_in_its_place_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "out.txt").write_text(SECRET)
    (tmp_path / "home").symlink_to(tmp_path / "secret")
    learner = Learner(Nothing(tmp_path / "home"))
    for use in (lambda: learner.read("out.txt"), lambda: learner.write("in.txt", b""), learner.listdir):
        with pytest.raises(Trouble, match="not there any more"):
            use()
    assert [entry.name for entry in (tmp_path / "secret").iterdir()] == ["out.txt"]


def test_what_is_in_the_way_is_no_fault_of_the_grader(learner: Learner, tmp_path: Path) -> None:
    (tmp_path / "in.txt").mkdir()
    with pytest.raises(Trouble, match="could not be put"):
        learner.write("in.txt", b"")


@pytest.mark.parametrize("name", ["../out.txt", "/etc/passwd", "a/b", ".."])
def test_only_plain_names(learner: Learner, name: str) -> None:
    with pytest.raises(ValueError, match="plain file name"):
        learner.read(name)
