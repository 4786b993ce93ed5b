from __future__ import annotations

from collections.abc import Callable

import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from course_lib.agent import RunResult
from course_lib.figures import alt_text, png, state_timeline, transition_diagram
from course_lib.recordings import recorded_names, recording

Draw = Callable[[dict[str, RunResult]], Figure]
each_figure = pytest.mark.parametrize("draw", [state_timeline, transition_diagram])


def recorded(*names: str) -> dict[str, RunResult]:
    return {name: recording(name) for name in names or recorded_names()}


def crashed() -> RunResult:
    run = recording("invalid-arguments")
    return {**run, "trace": run["trace"][:2], "status": "in_progress", "termination": None}


def runaway() -> RunResult:
    run = recording("tool-failure")
    return {**run, "trace": 3 * run["trace"], "status": "failed"}


@each_figure
@pytest.mark.parametrize(
    ("runs", "says"),
    [
        (recorded(), "2 of 4 {}s end with a report, 2 at a {}"),
        (recorded("summarize-notes"), "1 of 1 {} ends with a report"),
        ({"crashed": crashed(), **recorded("step-budget")}, "None of 2 {}s end with a report, 1 at a {}, 1 not yet"),
    ],
)
def test_the_title_says_how_the_runs_ended(draw: Draw, runs: dict[str, RunResult], says: str) -> None:
    words = ("run", "limit") if draw is state_timeline else ("path", "border")
    figure = draw(runs)
    assert figure.get_suptitle() == says.format(*words)
    assert alt_text(figure).startswith(f"{figure.get_suptitle()}. By run: ")


@each_figure
def test_the_alt_text_tells_each_run(draw: Draw) -> None:
    told = alt_text(draw(recorded()))
    assert "invalid-arguments: 5 steps, failures at k = 1, completed" in told
    assert "tool-failure: 3 steps, failures at k = 0, 1, 2, failed" in told
    assert "step-budget: 6 steps, no failure, budget_exhausted." in told


@each_figure
def test_the_bytes_depend_on_the_runs_alone(draw: Draw) -> None:
    assert png(draw(recorded())) == png(draw(recorded()))


@each_figure
@pytest.mark.parametrize("runs", [recorded(), {"crashed": crashed()}, {"runaway": runaway(), **recorded()}])
def test_no_text_is_clipped(draw: Draw, runs: dict[str, RunResult]) -> None:
    figure = draw(runs)
    png(figure)
    page = figure.bbox
    for text in figure.findobj(Text):
        assert isinstance(text, Text)
        if text.get_visible() and text.get_text().strip():
            box = text.get_window_extent()
            assert page.x0 <= box.x0 < box.x1 <= page.x1, text.get_text()
            assert page.y0 <= box.y0 < box.y1 <= page.y1, text.get_text()


@each_figure
def test_nothing_to_draw_is_refused(draw: Draw) -> None:
    with pytest.raises(ValueError, match="there is no run to draw"):
        draw({})
    with pytest.raises(ValueError, match="the trace of early is empty"):
        draw({"early": {**crashed(), "trace": []}})
