"""Comparing a learner's value with the promised one: strict about kinds, forgiving about float noise."""

from __future__ import annotations

import math
from typing import Any

from grader.kernel.wire import Record


def same(got: Any, promised: Any) -> bool:
    """Deep equality in which True is not 1 and a tuple is not a list; 0.1 + 0.2 is 0.3, and 2.0 is 2.

    Dicts compare without order, sets by their members, records by their type's last name and their fields.
    """
    if isinstance(got, bool) or isinstance(promised, bool):
        return type(got) is type(promised) and bool(got == promised)
    if isinstance(got, int | float) and isinstance(promised, int | float):
        try:
            both_nan = math.isnan(got) and math.isnan(promised)
            return got == promised or both_nan or math.isclose(got, promised, rel_tol=1e-9, abs_tol=1e-12)
        except OverflowError:  # an integer beyond the floats
            return bool(got == promised)
    if isinstance(promised, Record) and isinstance(got, Record):
        return _last(got) == _last(promised) and same(got.fields, promised.fields)
    if type(got) is not type(promised):
        return False
    if isinstance(promised, list | tuple):
        return len(got) == len(promised) and all(map(same, got, promised))
    if isinstance(promised, dict):
        return got.keys() == promised.keys() and all(same(got[key], promised[key]) for key in promised)
    return bool(got == promised)


def _last(record: Record) -> str:
    return record.type_name.rpartition(":")[2].rpartition(".")[2]


def shape(value: Any, wanted: Any) -> bool:
    """Whether `value` looks like `wanted`, so that a test may take it apart.

    `wanted` is a type (``int`` does not take a bool), ``[item]`` for a list of such items, ``{key: item}`` for a dict
    with at least these keys, a tuple of alternatives, or the name of a dataclass for a record.
    """
    if isinstance(wanted, type):
        return type(value) is wanted or (wanted is float and type(value) is int)
    if isinstance(wanted, list):
        return isinstance(value, list) and all(shape(item, wanted[0]) for item in value)
    if isinstance(wanted, dict):
        return isinstance(value, dict) and all(key in value and shape(value[key], of) for key, of in wanted.items())
    if isinstance(wanted, str):
        return isinstance(value, Record) and _last(value) == wanted
    return any(shape(value, alternative) for alternative in wanted)
