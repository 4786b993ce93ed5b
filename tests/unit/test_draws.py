"""What a strategy draws can be looked at, and asking for it changes nothing."""

import pytest
from hypothesis import strategies as st

from course_lib.draws import Draws


def test_so_many_are_drawn_and_the_same_each_time() -> None:
    first, second = (Draws(lambda top: st.integers(0, top), 10**6, 40).drawn for _ in range(2))
    assert len(first) == 40
    assert len(set(first)) > 20
    assert first == second


def test_a_small_strategy_offers_what_it_has() -> None:
    assert sorted(Draws(st.sampled_from, ["a", "b"], 40).drawn) == ["a", "b"]


def test_a_strategy_without_values_draws_none() -> None:
    assert Draws(lambda _: st.nothing(), None, 40).drawn == []
    assert Draws(lambda _: st.integers().filter(lambda _: False), None, 40).drawn == []


def test_a_later_draw_leaves_an_earlier_one_alone() -> None:
    shared: dict[str, int] = {}

    def noted(number: int) -> dict[str, int]:
        shared["number"] = number
        return shared

    drawn = Draws(lambda _: st.integers(0, 10**6).map(noted), None, 20).drawn
    assert len({each["number"] for each in drawn}) > 5


@pytest.mark.parametrize("odd", [None, {}, [], "text", st.integers])
def test_anything_else_is_refused(odd: object) -> None:
    with pytest.raises(TypeError, match=f"no Hypothesis strategy but of type {type(odd).__name__}"):
        Draws(lambda _: odd, None, 10)


def test_what_drawing_raises_comes_through() -> None:
    def breaks(number: int) -> int:
        raise LookupError(number)

    with pytest.raises(LookupError):
        Draws(lambda _: st.integers().map(breaks), None, 10)
