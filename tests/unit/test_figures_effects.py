"""The figures of notebook 06: their messages, and what they refuse."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from course_lib.figures import alt_text, hash_strip, key_grid, png, retry_amplification

STILL = {"read_note": ["aa11", "aa11", "aa11"], "write_report": ["aa11", "bb22", "bb22"]}
GROWING = {**STILL, "append_note": ["aa11", "cc33", "dd44"], "charge_card": ["aa11", "ee55", "ff66"]}
SCENARIOS = ("retry", "repeat", "re-planned")
LINES = dict(
    zip(
        [(k, s) for k in ("intent", "content") for s in SCENARIOS],
        [(1, 1), (2, 2), (2, 1), (1, 1), (1, 2), (1, 1)],
        strict=True,
    )
)
WITHOUT = {1: [2, 4, 8], 2: [3, 9, 27], 3: [4, 16, 64]}
FIGURES: dict[str, Callable[[], Figure]] = {
    "still": lambda: hash_strip(STILL),
    "growing": lambda: hash_strip(GROWING),
    "keys": lambda: key_grid(LINES),
    "retries": lambda: retry_amplification(WITHOUT, [1.1, 1.1, 1.1], 0.1),
}


def title(figure: Figure) -> str:
    return figure.get_suptitle().replace("\n", " ")


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_is_whole_and_its_bytes_depend_on_its_data_alone(name: str) -> None:
    figure = FIGURES[name]()
    assert png(figure) == png(FIGURES[name]())
    assert alt_text(figure).startswith(title(figure))
    assert alt_text(figure).endswith(".")
    for text in figure.findobj(Text):
        assert isinstance(text, Text)
        if text.get_visible() and text.get_text().strip():
            box = text.get_window_extent()
            assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1, text.get_text()


def test_a_strip_names_the_tools_that_change_again() -> None:
    assert title(hash_strip(STILL)) == "No repeated call changes the state again"
    assert title(hash_strip(GROWING)) == "A repeated call changes the state again with append_note and charge_card"
    assert "write_report: aa11 bb22 (changed) bb22;" in alt_text(hash_strip(GROWING))
    with pytest.raises(ValueError, match="before the first call"):
        hash_strip({"read_note": ["aa11"]})


def test_a_grid_says_how_far_the_keys_go_wrong() -> None:
    assert title(key_grid(LINES)) == "Each kind of key goes wrong in some scenario, and none of them in all"
    assert "intent, re-planned: 2 lines, 1 meant" in alt_text(key_grid(LINES))
    right = {pair: (meant, meant) for pair, (_, meant) in LINES.items()}
    assert title(key_grid(right)) == "Each kind of key leaves the lines that were meant, in every scenario"
    one = {**right, ("content", "repeat"): (1, 2)}
    assert title(key_grid(one)) == "1 of 6 pairs of key and scenario leave the wrong number of lines"
    with pytest.raises(ValueError, match="missing"):
        key_grid({pair: lines for pair, lines in LINES.items() if pair != ("intent", "retry")})


def test_amplification_counts_the_steepest_line_and_the_budget() -> None:
    figure = retry_amplification(WITHOUT, [1.1, 1.1, 1.1], 0.1)
    assert (
        title(figure) == "3 retries in each of 3 layers make 64 calls of one request; a shared budget of 10% makes 1.1"
    )
    assert figure.axes[0].get_yscale() == "log"
    with pytest.raises(ValueError, match="nothing to draw"):
        retry_amplification({}, [1.1], 0.1)
