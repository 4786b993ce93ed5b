from __future__ import annotations

import contextlib
import copy
import dataclasses
import datetime as dt
import enum
import json
import math
from pathlib import PurePosixPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib.agent import Divergence
from grader.kernel import wire
from grader.kernel.wire import Opaque, Record, Ref, WireError, decode, encode

texts = st.text(st.characters(exclude_categories=())) | st.just("$")  # with halves of surrogate pairs
finite = st.floats(allow_nan=False)
scalars = st.none() | st.booleans() | st.integers() | st.integers(-(2**200), 2**200) | finite | texts | st.binary()
hashables = st.recursive(
    scalars, lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=3), max_leaves=6
)
dates = st.datetimes(timezones=st.none() | st.just(dt.UTC)) | st.dates()
values = st.recursive(
    scalars | dates,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(hashables, inner, max_size=4)
        | st.sets(hashables, max_size=4)
        | st.frozensets(hashables, max_size=4)
    ),
    max_leaves=20,
)
TAGS = ["int", "float", "dict", "tuple", "set", "frozenset", "bytes", "text", "datetime", "date", "path"]
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=5), inner, max_size=3)
        | st.fixed_dictionaries(
            {"$": inner | st.sampled_from(TAGS)},
            optional=dict.fromkeys(("items", "hex", "repr", "b64", "iso", "path", "type", "fields", "id"), inner),
        )
        | st.fixed_dictionaries(
            {"$": st.sampled_from(["opaque", "record", "remote", "handle", "set", "dict"])},
            optional=dict.fromkeys(("items", "type", "fields", "id", "methods", "callable"), inner),
        )
    ),
    max_leaves=15,
)


def kinds(value: Any) -> Any:
    """The value with the type of each part beside it: 1, True and 1.0 are not the same here."""
    match value:
        case dict():
            return dict, [(kinds(key), kinds(item)) for key, item in value.items()]
        case list() | tuple():
            return type(value), [kinds(item) for item in value]
        case set() | frozenset():
            return type(value), sorted(repr(kinds(item)) for item in value)
        case float():
            return float, math.copysign(1, value), repr(value)
    return type(value), value


def across(value: Any) -> Any:
    """What arrives: encoded, through JSON, decoded."""
    return decode(json.loads(json.dumps(encode(value), allow_nan=False).encode()))


@given(values)
def test_a_plain_value_arrives_as_it_was(value: Any) -> None:
    assert kinds(across(value)) == kinds(value)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, -0.0, 5e-324], ids=repr)
def test_floats_that_json_cannot_hold(value: float) -> None:
    assert kinds(across([value])) == kinds([value])


@given(anything)
def test_decoding_raises_nothing_but_wire_error(value: Any) -> None:
    for resolve in (None, lambda ref: ref):
        with contextlib.suppress(WireError):
            decode(value, resolve)


@pytest.mark.parametrize(
    "value",
    [
        {"$": "int", "hex": 7},
        {"$": "int", "hex": "f" * 5_000_000},
        {"$": "set", "items": 5},
        {"$": "dict", "items": [[1]]},
        {"$": "record", "type": "a:B", "fields": []},
        {"$": "bytes", "b64": "?"},
        {"$": "text", "b64": "//8="},
        {"$": "datetime", "iso": "soon"},
        {"$": "remote", "id": 0},
        {"$": "remote", "id": math.inf},
        {"$": ["set"]},
        {"$": "code"},
        object(),
    ],
    ids=lambda value: repr(value)[:60] if isinstance(value, dict) else "no JSON value",
)
def test_what_encode_cannot_have_made(value: Any) -> None:
    with pytest.raises(WireError):
        decode(value)


def test_deep_nesting_is_refused() -> None:
    deep: Any = []
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(WireError):
        decode(deep)


def test_many_colliding_numbers_are_refused() -> None:
    """Numbers can be chosen so that a set of n of them takes n * n steps to build."""
    with pytest.raises(WireError):
        decode({"$": "set", "items": list(range(100_000))})


# Values without a plain form.


class AlwaysEqual:
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


class Colour(enum.Enum):
    RED = 1


class ShoutingText(str):
    def __str__(self) -> str:
        return "shout"

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = str.__hash__


class LyingList(list[Any]):
    def __iter__(self) -> Any:
        return iter([1, 2, 3])

    def __len__(self) -> int:
        return 3


@dataclasses.dataclass
class Half:
    here: int
    never: int = dataclasses.field(init=False)


class RaisingZone(dt.tzinfo):
    def utcoffset(self, when: dt.datetime | None) -> dt.timedelta:
        raise RuntimeError("no")


@pytest.mark.parametrize(
    "value",
    [
        AlwaysEqual(),
        Colour.RED,
        Half(1),
        print,
        int,
        ...,
        1j,
        (n for n in [1]),
        dt.datetime(2026, 1, 1, tzinfo=RaisingZone()),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_odd_value_becomes_opaque_and_equals_nothing(value: Any) -> None:
    got = across([value])[0]
    assert isinstance(got, Opaque)
    assert got != got
    assert got not in [copy.copy(got), 1, None]


def test_an_override_in_a_subclass_has_no_say() -> None:
    assert kinds(across(ShoutingText("quiet"))) == kinds("quiet")
    assert across(LyingList([9])) == [9]


def test_a_value_that_contains_itself() -> None:
    value: list[Any] = [1]
    value.append(value)
    number, itself = across(value)
    assert number == 1
    assert isinstance(itself, Opaque)


def test_the_same_object_twice_is_no_cycle() -> None:
    part = [1]
    assert across([part, part]) == [[1], [1]]


def test_too_deep_and_too_large_become_opaque() -> None:
    deep: Any = 1
    for _ in range(200):
        deep = [deep]
    got = across(deep)
    while isinstance(got, list):
        got = got[0]
    assert isinstance(got, Opaque)
    assert isinstance(encode([0] * (wire.MAX_NODES + 5))[-1], dict)


def test_paths_and_numpy_numbers_become_plain() -> None:
    numpy = pytest.importorskip("numpy")
    assert across(PurePosixPath("a/b")) == "a/b"
    assert kinds(across(numpy.float64(0.5))) == kinds(0.5)
    assert kinds(across(numpy.int32(3))) == kinds(3)
    assert kinds(across(numpy.bool_(True))) == kinds(True)
    assert isinstance(across(numpy.zeros(2)), Opaque)


# Records and references.


def test_a_record_has_the_fields_as_attributes_and_can_be_copied() -> None:
    got = across(Divergence(1, {"tool": "a", "args": {}}, {"tool": "b", "args": {}}))
    assert isinstance(got, Record)
    assert (got.type_name, got.k, got.recorded["tool"]) == ("course_lib.agent:Divergence", 1, "a")
    assert copy.deepcopy(got) == got
    with pytest.raises(AttributeError):
        _ = got.nothing


def test_only_course_lib_is_ever_rebuilt() -> None:
    sent = Divergence(1, {"tool": "a", "args": {}}, {"tool": "b", "args": {}})
    assert decode(encode(sent), rebuild=True) == sent
    for name in ("os:system", "course_library.x:Y", "grader.cli:main", ":"):
        with pytest.raises(WireError):
            decode({"$": "record", "type": name, "fields": {}}, rebuild=True)


def test_a_reference_needs_somebody_who_knows_it() -> None:
    kept = object()
    wired = json.loads(json.dumps(encode([kept, 1], lambda v: Ref("remote", 3, ("go",), True) if v is kept else None)))
    assert decode(wired, lambda ref: ref) == [Ref("remote", 3, ("go",), True), 1]
    with pytest.raises(WireError):
        decode(wired)
