from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.judge import same, shape
from grader.kernel.wire import Opaque, Record

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.lists(inner).map(tuple),
    max_leaves=10,
)


@given(plain)
def test_everything_is_the_same_as_itself(value: Any) -> None:
    assert same(value, value)


@given(plain, plain)
def test_order_of_the_two_does_not_matter(a: Any, b: Any) -> None:
    assert same(a, b) == same(b, a)


@pytest.mark.parametrize(
    ("got", "promised"),
    [
        (0.1 + 0.2, 0.3),
        (2.0, 2),
        (math.nan, math.nan),
        (math.inf, math.inf),
        ([{"a": 1.0000000000001}], [{"a": 1}]),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({1, 2}, {2, 1}),
        (Record("__main__:Divergence", {"k": 1}), Record("course_lib.agent:Divergence", {"k": 1})),
    ],
    ids=repr,
)
def test_the_same(got: Any, promised: Any) -> None:
    assert same(got, promised)


@pytest.mark.parametrize(
    ("got", "promised"),
    [
        (True, 1),
        (0, False),
        ((1, 2), [1, 2]),
        ([1], [1, 2]),
        ({"a": 1}, {"a": 1, "b": 2}),
        ({"a": True}, {"a": 1}),
        ("1", 1),
        (None, 0),
        (b"a", "a"),
        (math.nan, 0.0),
        (10**400, math.inf),
        (10**400, 1.5),
        ({1}, frozenset({1})),
        (Opaque("x:Y"), Opaque("x:Y")),
        ([Opaque("x:Y")], [1]),
        (Record("m:A", {"k": 1}), Record("m:B", {"k": 1})),
        (Record("m:A", {"k": True}), Record("m:A", {"k": 1})),
        (Record("m:A", {"k": 1}), {"k": 1}),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_not_the_same(got: Any, promised: Any) -> None:
    assert not same(got, promised)


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (1, int),
        (1, float),
        (True, bool),
        ([], [int]),
        ([{"k": 1, "more": None}], [{"k": int}]),
        (None, (str, type(None))),
        (Record("__main__:Outer.Divergence", {}), "Divergence"),
    ],
    ids=repr,
)
def test_has_the_shape(value: Any, wanted: Any) -> None:
    assert shape(value, wanted)


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (True, int),
        (True, float),
        ((1,), [int]),
        ([1, "a"], [int]),
        ({}, {"k": int}),
        (1, (str, bytes)),
        ({}, "Divergence"),
    ],
    ids=repr,
)
def test_has_another_shape(value: Any, wanted: Any) -> None:
    assert not shape(value, wanted)
