"""Constant expressions: what a literal answer comes to, without running it."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
}
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_LARGEST = 10**100  # a constant such as 9**9**9 must not keep the reader busy


def constant(node: ast.expr) -> Any:
    """What a constant expression comes to; ValueError when it is not one.

    Constant: literals, signs, `not`, arithmetic on numbers, and tuples, lists, sets and dicts of constants.
    The empty set has no literal, so `set()`, `set(...)` and `frozenset(...)` of a constant count.
    """
    try:
        return _constant(node)
    except (TypeError, ArithmeticError, RecursionError) as error:
        raise ValueError("not a constant expression") from error


def _constant(node: ast.expr | None) -> Any:
    match node:
        case ast.Constant(value=None | bool() | int() | float() | str() as value):
            return value
        case ast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY:
            return _UNARY[type(op)](_constant(operand))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            numbers = _number(left), _number(right)
            if isinstance(op, ast.Pow) and abs(numbers[1]) > 300:
                raise ValueError("too large")
            return _BINARY[type(op)](*numbers)
        case ast.Tuple(elts=items):
            return tuple(map(_constant, items))
        case ast.List(elts=items):
            return list(map(_constant, items))
        case ast.Set(elts=items):
            return set(map(_constant, items))
        case ast.Dict(keys=keys, values=values):
            return {_constant(key): _constant(value) for key, value in zip(keys, values, strict=True)}
        case ast.Call(func=ast.Name(id="set" | "frozenset"), args=args, keywords=[]) if len(args) <= 1:
            return set(*map(_constant, args))
    raise ValueError("not a constant expression")


def _number(node: ast.expr) -> int | float:
    value = _constant(node)
    if type(value) not in (int, float) or abs(value) > _LARGEST:
        raise ValueError("not a number of ordinary size")
    number: int | float = value
    return number
