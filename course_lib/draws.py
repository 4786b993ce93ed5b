"""What a strategy draws, kept for a look: which values come up, and how often."""

from __future__ import annotations

import copy
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from hypothesis import Phase, find, settings
from hypothesis.errors import NoSuchExample, Unsatisfiable
from hypothesis.strategies import SearchStrategy


class Draws:
    """Up to `count` values of the strategy that `make(value)` gives, in the list `drawn`; the same ones each time.

    They are copies, so that no later draw changes an earlier one. Hypothesis does not draw in the same way twice, so
    a strategy may have fewer values to offer, even none. Raises TypeError when `make` gives something else than a
    Hypothesis strategy, and whatever drawing raises.
    """

    def __init__(self, make: Callable[[Any], Any], value: Any, count: int) -> None:
        strategy = make(value)
        if not isinstance(strategy, SearchStrategy):
            raise TypeError(f"what comes back is no Hypothesis strategy but of type {type(strategy).__name__}")
        self.drawn: list[Any] = []
        quiet = settings(max_examples=count, derandomize=True, database=None, deadline=None, phases=[Phase.generate])
        with suppress(NoSuchExample, Unsatisfiable):
            find(strategy, self._keep, settings=quiet)

    def _keep(self, value: Any) -> bool:
        """Never what find() looks for, so that it goes on drawing."""
        self.drawn.append(copy.deepcopy(value))
        return False
