"""Answers as plain JSON values, and when two of them agree."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

Plain = Any
"""What JSON holds. A set is {"set": [...]}, a float that is not finite {"float": "inf"}."""

MAX_DEPTH = 100
"""Lists within lists that an answer may hold: one bound for every Python, whatever its own limit is."""

_TAGS = {"set", "float", "dict"}


def to_plain(value: object) -> Plain:
    """`value` as JSON can hold it, the same text for equal values.

    Sets become {"set": [sorted]}, tuples and ranges lists, numpy numbers and arrays numbers and lists,
    and dicts with other keys than text {"dict": [[key, value], ...]}. Plain values come back as they are.
    Raises TypeError for anything else (one line that names the type), ValueError or RecursionError for
    what is too large or deep.
    """
    return _to_plain(value, 0)


def _to_plain(value: object, depth: int) -> Plain:
    if depth > MAX_DEPTH:
        raise ValueError(f"a value nested more than {MAX_DEPTH} deep cannot be written to the journal")
    match value:
        case None | bool() | str():
            return value
        case int():
            int(value).__repr__()  # refuses what no JSON reader would take back
            return int(value)
        case float():
            return float(value) if math.isfinite(value) else {"float": repr(float(value))}
        case list() | tuple() | range():
            return [_to_plain(item, depth + 1) for item in value]
        case set() | frozenset():
            return {"set": _sorted(value, depth + 1)}
        case dict():
            return _plain_dict(value, depth + 1)
    if type(value).__module__ == "numpy":
        return _to_plain(value.tolist(), depth + 1)  # type: ignore[attr-defined]
    raise TypeError(f"a {type(value).__name__} cannot be written to the journal")


def _sorted(items: Any, depth: int) -> list[Plain]:
    texts = {text(_to_plain(item, depth)) for item in items}
    return [json.loads(item) for item in sorted(texts)]


def _plain_dict(value: dict[Any, Any], depth: int) -> Plain:
    match value:
        case {"set": list(items)} if len(value) == 1:
            return {"set": _sorted(items, depth)}
        case {"float": "inf" | "-inf" | "nan"} if len(value) == 1:
            return dict(value)
        case {"dict": list(pairs)} if len(value) == 1 and all(isinstance(p, list) and len(p) == 2 for p in pairs):
            return {"dict": sorted(([_to_plain(k, depth), _to_plain(v, depth)] for k, v in pairs), key=text)}
    if all(isinstance(key, str) for key in value) and not (len(value) == 1 and _TAGS & value.keys()):
        return {key: _to_plain(value[key], depth) for key in sorted(value)}
    return {"dict": sorted(([_to_plain(k, depth), _to_plain(v, depth)] for k, v in value.items()), key=text)}


def text(plain: Plain) -> str:
    """The one JSON text of a plain value: no spaces, ASCII only, keys in the order given."""
    return json.dumps(plain, separators=(",", ":"), allow_nan=False)


def readable(plain: Plain, like: object = None) -> str:
    """A plain value as a person would write it in Python, at most about 200 characters.

    A plain list was a tuple where `like`, a value of the same form, has one, and wherever it is member of a set.
    """
    shown = _readable(plain, like)
    return shown if len(shown) <= 200 else shown[:199] + "…"


def _readable(plain: Plain, like: object = None) -> str:
    match plain:
        case {"set": list(items)} if len(plain) == 1:
            return "{" + ", ".join(_readable(item, ()) for item in items) + "}" if items else "set()"
        case {"float": str(name)} if len(plain) == 1:
            return name
        case {"dict": list(pairs)} if len(plain) == 1:
            return "{" + ", ".join(": ".join(map(_readable, pair)) for pair in pairs) + "}"
        case {"not recorded": str(kind)} if len(plain) == 1:
            return f"a value of type {kind}"
        case list():
            likes = list(like) if isinstance(like, list | tuple) else []
            likes += (likes[-1:] or [None]) * (len(plain) - len(likes))
            shown = ", ".join(map(_readable, plain, likes))
            return f"({shown}{',' if len(plain) == 1 else ''})" if isinstance(like, tuple) else f"[{shown}]"
        case dict():
            inner = like if isinstance(like, dict) else {}
            parts = (f"{key!r}: {_readable(value, inner.get(key))}" for key, value in plain.items())
            return "{" + ", ".join(parts) + "}"
    return repr(plain)


def same(a: object, b: object) -> bool:
    """True when two answers are the same answer: equal kinds, numbers within float noise. Never raises.

    For comparing what a notebook says with what is on record; an interval is not the same as a number in it.
    """
    try:
        return _same(to_plain(a), to_plain(b))
    except (TypeError, ValueError, RecursionError):
        return False


def agrees(predicted: object, observed: object) -> bool:
    """True when a prediction came true. Never raises. Either side may be a value or its plain form.

    number      equal within float noise; True and False are no numbers
    choice      the same text
    set         the same members in any order; a list or tuple of them will do
    interval    a pair (low, high) of numbers holds the observed number, ends included
    list, dict  the same members in the same places
    """
    try:
        said, seen = to_plain(predicted), to_plain(observed)
        if is_number(seen) and isinstance(said, list):
            return len(said) == 2 and all(map(is_number, said)) and _within(seen, said)
        if is_set(seen) and isinstance(said, list):
            return _same({"set": said}, seen)
        return _same(said, seen)
    except (TypeError, ValueError, RecursionError):
        return False


def _within(number: float, ends: Sequence[float]) -> bool:
    low, high = ends
    return low <= number <= high or (low <= high and (_close(low, number) or _close(high, number)))


def _same(a: Plain, b: Plain) -> bool:
    if is_number(a) and is_number(b):
        return _close(a, b)
    if is_set(a) and is_set(b):
        if len(a["set"]) * len(b["set"]) > 250_000:  # pairwise would take minutes
            return bool(a == b)
        return all(any(_same(x, y) for y in b["set"]) for x in a["set"]) and all(
            any(_same(x, y) for x in a["set"]) for y in b["set"]
        )
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same(a[key], b[key]) for key in a)
    if isinstance(a, str) and isinstance(b, str):
        return a.strip() == b.strip()
    return type(a) is type(b) and bool(a == b)


def _close(a: float, b: float) -> bool:
    try:
        return a == b or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
    except OverflowError:  # an integer beyond the floats
        return False


def is_number(plain: Plain) -> bool:
    """Whether it is a finite number; True and False are none."""
    return isinstance(plain, int | float) and not isinstance(plain, bool)


def is_set(plain: Plain) -> bool:
    """Whether it is the plain form of a set."""
    return isinstance(plain, dict) and plain.keys() == {"set"} and isinstance(plain["set"], list)
