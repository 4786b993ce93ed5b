"""What sort of answer a prediction asks for, so that a slip of the pen is asked back before it is on record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from course_lib.values import is_number, is_set, same, to_plain

AnswerKind = Literal["number", "set", "text", "interval"] | Sequence[str]
"""One of the four words, or a list or tuple of the texts to choose from."""

_WANTED = {
    "number": "a number, such as 3",
    "set": "a set, such as {1, 4}; the empty one is set()",
    "text": "text in quotes, such as 'both'",
    "interval": "a pair of numbers, the lower one first, such as (2, 5)",
}


def wanted(kind: object) -> str:
    """What to answer, in words that go after "Answer with". Raises ValueError for what is no `AnswerKind`."""
    match kind:
        case str() if kind in _WANTED:
            return _WANTED[kind]
        case list() | tuple() if kind and all(isinstance(choice, str) for choice in kind):
            return f"one of {', '.join(map(repr, kind))}"
    raise ValueError("kind is 'number', 'set', 'text', 'interval', or a list of texts to choose from")


def fits(value: object, kind: AnswerKind) -> bool:
    """Whether `value` is an answer of this kind. Never raises; True and False are no numbers, a list is no set."""
    try:
        plain = to_plain(value)
    except (TypeError, ValueError, RecursionError):
        return False
    match kind:
        case "number":
            return is_number(plain)
        case "set":
            return is_set(plain)
        case "text":
            return isinstance(plain, str) and bool(plain.strip())
        case "interval":
            pair = plain if isinstance(plain, list) and len(plain) == 2 else []
            return bool(pair) and all(map(is_number, pair)) and pair[0] <= pair[1]
    return any(same(plain, choice) for choice in kind)
