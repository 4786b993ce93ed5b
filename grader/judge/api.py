"""What a test is written with: `@exercise` says what it belongs to, `promise` says what must hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

Test = TypeVar("Test", bound=Callable[..., Any])


@dataclass(frozen=True)
class Mark:
    """What `@exercise` says of a test function."""

    exercise: str
    points: float
    after: str | None
    rules: tuple[str, ...] = ()


class BrokenPromise(Exception):
    """A promise that does not hold. `sentence` is for the learner; `details` are short facts such as ``k = 2``."""

    def __init__(self, sentence: str, details: dict[str, Any], promised: Any = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.details = details
        self.promised = promised


class AnswerRaised(Exception):
    """The learner's function raised where a value was expected. `fault` says what, and at which line of theirs."""

    def __init__(self, fault: Any) -> None:
        super().__init__(f"{fault.type}: {fault.message}")
        self.fault = fault


def exercise(
    name: str, *, points: float = 1, after: str | None = None, rule: str | Sequence[str] = ()
) -> Callable[[Test], Test]:
    """Make a function a test of exercise `name`.

    The first line of its docstring is the promise that learners read. `points` are what it is worth; with `after`,
    the test is skipped when the test of that name (of the same exercise, public or hidden) did not pass. `rule` names
    the rules that the test holds, as tests/rules.toml lists them.
    """

    def mark(test: Test) -> Test:
        test.__exercise__ = Mark(name, points, after, (rule,) if isinstance(rule, str) else tuple(rule))  # type: ignore[attr-defined]
        return test

    return mark


def promise(holds: object, sentence: str, *, promised: Any = None, **details: Any) -> None:
    """Fail the test with `sentence` unless `holds` is true.

    `sentence` names the likely misconception. `details` are added to it as ``(k = 2)``: inputs, never expected
    values in a hidden test. `promised` is the expected value; only a public test may give it, for `check()` to show.
    """
    if holds is not True:
        if holds is not False:
            raise TypeError(f"promise() wants True or False, not {type(holds).__name__}: compare with == or same()")
        raise BrokenPromise(sentence, details, promised)
