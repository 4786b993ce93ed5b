"""Figures of crashes: the message is true of what was drawn, and the alt text says it."""

from pathlib import Path

import pytest

from course_lib import figures
from course_lib.crash import Case, Ending, Sweep

SOURCE = '''import os

def act(x):
    """What it does.

    In two lines.
    """
    first(x)

    second(x)
'''


def made(*outcomes: tuple[int, object]) -> Sweep:
    killed = Ending(9, None, "", 0)
    cases = [Case(n, line, "answer", Path(), (), killed, outcome=o) for n, (line, o) in enumerate(outcomes, 1)]
    return Sweep("act", SOURCE, Case(0, 0, "answer", Path(), (), killed), cases)


def test_a_kill_map_says_where_it_went_wrong():
    alt = figures.alt_text(figures.kill_map(made((8, 1), (8, 2), (10, 2)), [1], "effect"))
    assert alt.startswith("act: not 1 effect at 2 of 3 kill points.")
    assert "line 6: 1 or 2 effects; line 8: 2 effects." in alt


def test_a_kill_map_says_that_nothing_went_wrong():
    alt = figures.alt_text(figures.kill_map(made((8, 1), (10, 1)), [1], "effect"))
    assert alt.startswith("act: 1 effect at all 2 kill points.")


def test_a_kill_map_shows_code_and_no_docstring():
    (axes,) = figures.kill_map(made((8, 1)), [1], "effect").axes
    shown = [text.get_text().split()[0] for text in axes.texts]
    assert shown == ["def", "first(x)", "second(x)"]


def test_a_kill_outside_of_the_function_is_counted_and_not_drawn():
    figure = figures.kill_map(made((1, 2), (8, 1)), [1], "effect")
    assert "at 1 of 2 kill points" in figures.alt_text(figure)
    assert sum(len(dots.get_offsets()) for dots in figure.axes[0].collections) == 1


def test_an_empty_sweep_is_no_kill_map():
    with pytest.raises(ValueError):
        figures.kill_map(made(), [1], "effect")


def test_bars_name_the_programs_that_are_sure():
    sweeps = {"one": made((8, 1), (8, 1)), "other": made((8, 1), (8, 2))}
    alt = figures.alt_text(figures.outcome_bars(sweeps, [1], "effect"))
    assert alt.startswith("Always 1 effect, whatever the moment of the kill: one.")
    assert "other: 1 or 2." in alt
    with pytest.raises(ValueError):
        figures.outcome_bars({}, [1], "effect")


def test_strikes_name_what_only_they_have_shown():
    sweep, struck = made((8, 1)), made((0, 1), (0, 3))
    assert "show 3 effects" in figures.alt_text(figures.strike_bars(sweep, struck, [1], "effect"))
    assert "no outcome that" in figures.alt_text(figures.strike_bars(sweep, made((0, 1)), [1], "effect"))


def test_a_timeline_counts_what_was_made_twice():
    alt = figures.alt_text(figures.crash_timeline(["list", "read"], 1, ["read", "write"]))
    assert alt.startswith(
        "The resumed run begins at entry 1: 1 recorded call not made again, 1 call in flight made twice."
    )
    alt = figures.alt_text(figures.crash_timeline(["list"], 1, ["read"]))
    assert "in flight" not in alt
