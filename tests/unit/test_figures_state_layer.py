from __future__ import annotations

from collections.abc import Callable

import pytest
from matplotlib.figure import Figure

from course_lib.figures import alt_text, obligation_states, png, race_map, score_against_truth, version_chain
from course_lib.state import Fact


def version(id: int, value: str, observed: str, recorded: str, later: int | None) -> Fact:
    return Fact(id, "valve 3", "litres a day", value, f"source {id}", observed, recorded, later)


CHAIN = [version(1, "1", "2026-03-02", "2026-03-02", 4), version(4, "0", "2026-03-01", "2026-03-05", None)]
FOUND = [(0.7, "A"), (0.2, "B"), (0.0, "C")]
BELIEVED = {"A": "1", "B": "0"}
RACES = {"looking": [("AB", "once"), ("BA", "twice")], "deferred": [("AB", "crash")], "yours": [("AB", "once")]}
FIGURES: list[Callable[[], Figure]] = [
    lambda: version_chain(CHAIN),
    lambda: score_against_truth(FOUND, BELIEVED, truth="0"),
    lambda: obligation_states({"open": 1, "claimed": 1, "done": 3}),
    lambda: race_map(RACES),
]


def test_a_chain_says_which_version_stands() -> None:
    figure = version_chain(CHAIN)
    title = "2 versions of “valve 3, litres a day”: 0 stands, although it was not observed last"
    assert figure.get_suptitle().replace("\n", " ") == title
    assert "1 (source 1), observed 2026-03-02, recorded 2026-03-02, superseded by 0" in alt_text(figure)
    both = [CHAIN[1], version(5, "2", "2026-03-01", "2026-03-06", None)]
    assert "0 and 2 stand" in " ".join(version_chain(both).get_suptitle().split())


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (FOUND, "The best hit, A, is stale; what stands in the record comes in place 2"),
        (FOUND[1:], "The best hit, B, agrees with the record"),
        (FOUND[:1], "The best hit, A, is stale, and nothing that was found agrees with the record"),
    ],
)
def test_a_score_is_set_against_the_record(found: list[tuple[float, str]], says: str) -> None:
    assert score_against_truth(found, BELIEVED, truth="0").get_suptitle().replace("\n", " ") == says


@pytest.mark.parametrize(
    ("counts", "says"),
    [
        (
            {"open": 1, "claimed": 1, "done": 3},
            "2 of 5 obligations are still owed, 1 of them claimed and not committed",
        ),
        ({"done": 1}, "None of 1 obligation is still owed"),
        ({"open": 1}, "1 of 1 obligation is still owed"),
    ],
)
def test_states_say_what_is_owed(counts: dict[str, int], says: str) -> None:
    assert obligation_states(counts).get_suptitle().replace("\n", " ") == says


def test_a_race_map_says_who_doubles_and_who_crashes() -> None:
    figure = race_map(RACES)
    title = figure.get_suptitle().replace("\n", " ")
    assert title == (
        "Looking doubles in some order; deferred crashes in some order; yours has one effect in every order"
    )
    assert "looking: one effect, two effects; deferred: an exception in a worker; yours: one effect." in alt_text(
        figure
    )


def test_nothing_and_the_unknown_are_refused() -> None:
    for draw in (
        lambda: version_chain([]),
        lambda: score_against_truth([], {}, truth="0"),
        lambda: obligation_states({"lost": 1}),
        lambda: race_map({}),
        lambda: race_map({"x": []}),
        lambda: race_map({"x": [("AB", "thrice")]}),
    ):
        with pytest.raises(ValueError, match=":"):
            draw()


@pytest.mark.parametrize("draw", FIGURES)
def test_the_bytes_depend_on_the_data_alone(draw: Callable[[], Figure]) -> None:
    assert png(draw()) == png(draw())
