from __future__ import annotations

import base64
import io
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib as mpl
import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from matplotlib.text import Text
from nbclient import NotebookClient
from PIL import Image

from course_lib.agent import DeterministicModelAdapter, Divergence, Trace
from course_lib.figures import (
    alt_text,
    calibration,
    checkpoint_diff,
    png,
    prefix_grid,
    rebuilt_and_outside,
    run_strip,
    show,
)
from course_lib.figures.canvas import BLUE, GREY, INK, ORANGE, PALE_BLUE, PALE_ORANGE
from course_lib.figures.predictions import _point
from course_lib.figures.replay import _around_difference
from course_lib.recordings import recorded_names, recording

ROOT = Path(__file__).parents[2]
NOWHERE = Path("no-such-folder/report.txt")


def replayed(name: str) -> tuple[Trace, list[Divergence]]:
    """The recording and where the healthy adapter departs from it."""
    trace = recording(name)["trace"]
    proposed = [DeterministicModelAdapter().next_action(trace[:k]) for k in range(len(trace))]
    pairs = zip(trace, proposed, strict=True)
    return trace, [Divergence(k, s["action"], p) for k, (s, p) in enumerate(pairs) if s["action"] != p]


def checkpoint(name: str) -> dict[str, Any]:
    run = recording(name)
    return {key: run[key] for key in ("task_id", "steps", "retries", "trace")}


def long_run() -> Figure:
    run = recording("step-budget")
    run["trace"] = 3 * run["trace"] + recording("invalid-arguments")["trace"]
    return run_strip(run)


MANY = [(0.9, k % 10 != 0) for k in range(20)]
FIGURES: dict[str, Callable[[], Figure]] = {
    **{f"strip {name}": lambda name=name: run_strip(recording(name)) for name in recorded_names()},  # type: ignore[misc]
    "strip long": long_run,
    "calibration of one": lambda: calibration([(1.0, True)]),
    "calibration of four": lambda: calibration([(0.0, False), (0.5, True), (0.8, True), (0.95, False)]),
    "calibration of many": lambda: calibration([*MANY, (0.3, True), (0.6, False)]),
    "grid all right": lambda: prefix_grid({"summarize-notes": replayed("summarize-notes")}),
    "grid with faults": lambda: prefix_grid({name: replayed(name) for name in recorded_names()}),
    "grid with long labels": lambda: prefix_grid({"step-budget,\nhealthy adapter": replayed("step-budget")}),
    "diff": lambda: checkpoint_diff(checkpoint("summarize-notes"), checkpoint("invalid-arguments")),
    "diff of none": lambda: checkpoint_diff(checkpoint("step-budget"), checkpoint("step-budget")),
    "outside": lambda: rebuilt_and_outside(recording("summarize-notes")["trace"], NOWHERE),
}


def title(figure: Figure) -> str:
    return figure.get_suptitle().replace("\n", " ")


@pytest.fixture(params=FIGURES, ids=lambda name: name.replace(" ", "-"))
def figure(request: pytest.FixtureRequest) -> Figure:
    return FIGURES[request.param]()


# --- what holds for every figure


def test_the_alt_text_begins_with_the_message_and_ends_as_a_sentence(figure: Figure) -> None:
    assert len(title(figure)) > 20
    assert alt_text(figure).startswith(title(figure))
    assert alt_text(figure).endswith(".")
    assert "\n" not in alt_text(figure)


def test_no_text_is_clipped(figure: Figure) -> None:
    png(figure)
    page = figure.bbox
    for text in figure.findobj(Text):
        assert isinstance(text, Text)
        if text.get_visible() and text.get_text().strip() and (text.axes is None or text.axes.axison):
            box = text.get_window_extent()
            assert page.x0 <= box.x0 < box.x1 <= page.x1, text.get_text()
            assert page.y0 <= box.y0 < box.y1 <= page.y1, text.get_text()


def test_the_rows_and_columns_of_a_diff_do_not_run_into_each_other() -> None:
    drawn = FIGURES["diff"]()
    png(drawn)
    boxes = [text.get_window_extent() for text in drawn.axes[0].texts if text.get_text()]
    rows: dict[float, list[Any]] = {}
    for box in boxes:
        rows.setdefault(round((box.y0 + box.y1) / 20), []).append(box)
    for row in rows.values():
        for left, right in pairwise(sorted(row, key=lambda box: box.x0)):
            assert left.x1 < right.x0
        assert max(box.x1 for box in row) < drawn.bbox.x1


def test_it_is_a_white_page_of_notebook_width_and_few_bytes(figure: Figure) -> None:
    data = png(figure)
    image = Image.open(io.BytesIO(data)).convert("RGB")
    assert image.width == 1200
    corners = [(0, 0), (image.width - 1, 0), (0, image.height - 1), (image.width - 1, image.height - 1)]
    assert {image.getpixel(corner) for corner in corners} == {(255, 255, 255)}
    assert len(data) < 60_000


def test_axes_that_are_shown_are_labelled(figure: Figure) -> None:
    for axes in figure.axes:
        if axes.axison:
            named = [label.get_text() for label in axes.get_yticklabels()]
            assert axes.get_ylabel() or any(name.strip("0123456789") for name in named)
    assert not figure.axes[-1].axison or figure.axes[-1].get_xlabel()


def test_the_bytes_are_the_same_each_time_and_in_each_process() -> None:
    code = (
        "import sys; from course_lib.figures import *; from course_lib.recordings import recording;"
        "sys.stdout.buffer.write(png(run_strip(recording('invalid-arguments'))))"
    )
    other = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True, timeout=60)
    here = run_strip(recording("invalid-arguments"))
    assert png(here) == png(here) == png(run_strip(recording("invalid-arguments"))) == other.stdout


def test_while_grading_nothing_is_drawn_and_matplotlib_stays_away() -> None:
    code = (
        "import sys; from course_lib.figures import *; from course_lib.recordings import recording;"
        "show(run_strip(recording('invalid-arguments'))); print('matplotlib' in sys.modules)"
    )
    for grading, told in ({"COURSE_GRADING": "1"}, "False\n"), ({}, "True\n"):
        ran = subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={"PATH": "", **grading},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        assert ran.stdout.endswith(told)
        assert (ran.stdout == told) == bool(grading)


def test_the_learners_own_settings_do_not_leak_in_nor_ours_out() -> None:
    plain = png(calibration(MANY))
    with mpl.rc_context({"font.size": 30, "figure.facecolor": "black", "savefig.dpi": 30}):
        before = dict(mpl.rcParams)
        assert png(calibration(MANY)) == plain
        assert dict(mpl.rcParams) == before


def luminance(colour: str) -> float:
    """Relative luminance as WCAG defines it: what is left of a colour in grey."""
    channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [
        (ORANGE, PALE_BLUE, 2.9),  # diverges and matches, in the grid
        (INK, PALE_BLUE, 7),
        (INK, PALE_ORANGE, 7),
        (GREY, "#ffffff", 4.5),
        (BLUE, "#ffffff", 4.5),
        ("#ffffff", ORANGE, 3),
    ],
)
def test_colours_tell_apart_in_grey(one: str, other: str, ratio: float) -> None:
    low, high = sorted([luminance(one), luminance(other)])
    assert (high + 0.05) / (low + 0.05) >= ratio


# --- what each one says


def test_a_strip_says_how_the_run_ended() -> None:
    assert title(run_strip(recording("summarize-notes"))) == (
        "4 steps, no failed calls: the run ends with status completed"
    )
    alt = alt_text(run_strip(recording("invalid-arguments")))
    assert alt.startswith("5 steps, 1 failed call: the run ends with status completed")
    assert "1 read_note invalid_arguments; 2 read_note ok" in alt
    assert "retries 1." in alt


def test_a_strip_of_a_run_that_goes_on_says_so() -> None:
    run = recording("summarize-notes")
    run["termination"] = None
    assert title(run_strip(run)).endswith("the run is not over")
    run["trace"] = []
    with pytest.raises(ValueError, match="the trace is empty"):
        run_strip(run)


def test_calibration_claims_nothing_under_twenty_predictions() -> None:
    few = [(0.99, False)] * 19
    assert title(calibration(few)) == "0 of 19 predictions came true: too few to judge calibration"
    assert title(calibration([*few, (0.99, False)])) == "Where you were 99% sure on average, 0% came true"
    assert title(calibration(MANY)) == "What you were sure of came true about as often as you said"


def test_calibration_refuses_what_is_no_record() -> None:
    with pytest.raises(ValueError, match="no prediction yet"):
        calibration([])
    with pytest.raises(ValueError, match="between 0 and 1"):
        calibration([(80, True)])


def test_the_band_is_the_range_of_a_binomial() -> None:
    point = _point([(0.5, True)] * 10)
    assert (point.least, point.most) == (20, 80)  # P(h <= 1) = 0.011, P(h <= 2) = 0.055, P(h <= 8) = 0.989
    assert (point.sure, point.true, point.size) == (50, 100, 10)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60))
def test_a_band_lies_on_the_scale_around_the_mean_confidence(made: list[tuple[float, bool]]) -> None:
    point = _point(made)
    width_of_one = 100 / len(made)
    assert 0 <= point.least <= point.most <= 100
    assert point.least - width_of_one <= point.sure <= point.most + width_of_one


def test_a_grid_says_where_the_first_divergence_is() -> None:
    runs = {name: replayed(name) for name in recorded_names()}
    drawn = prefix_grid(runs)
    assert title(drawn) == "4 of 18 prefixes diverge, the first at k = 1 of invalid-arguments"
    assert "step-budget: diverges at k = 3, 4, 5" in alt_text(drawn)
    own = prefix_grid({name: (trace, []) for name, (trace, _) in runs.items()})
    assert title(own) == "All 18 prefixes lead to the action that was recorded next"


def test_a_grid_refuses_a_divergence_that_cannot_be() -> None:
    trace = recording("summarize-notes")["trace"]
    beyond = Divergence(4, trace[0]["action"], trace[0]["action"])
    with pytest.raises(ValueError, match="summarize-notes has no next action at k = 4"):
        prefix_grid({"summarize-notes": (trace, [beyond])})
    with pytest.raises(ValueError, match="no run"):
        prefix_grid({})


def test_a_diff_names_the_fields_and_shows_the_place() -> None:
    one, other = checkpoint("summarize-notes"), checkpoint("summarize-notes")
    other["trace"][3]["action"]["args"]["content"] += "!"
    drawn = checkpoint_diff(one, other, ("saved", "restored"))
    assert title(drawn) == "1 of 11 fields differ: trace[3].action"
    cells = [text.get_text() for text in drawn.axes[0].texts]
    assert any("day.\\n!" in cell for cell in cells)
    assert cells.count("≠") == 1


def test_a_diff_tells_true_from_one_and_a_missing_field() -> None:
    drawn = checkpoint_diff({"a": True, "b": 1}, {"a": 1})
    assert title(drawn) == "2 of 2 fields differ: a, b"
    assert "—" in [text.get_text() for text in drawn.axes[0].texts]


@given(st.text(max_size=90), st.text(max_size=90))
def test_cut_texts_fit_and_still_differ(one: str, other: str) -> None:
    cut = _around_difference(one, other, 36)
    assert max(map(len, cut)) <= 36
    assert (cut[0] == cut[1]) is (one == other)


def test_the_report_is_outside_whatever_became_of_it(tmp_path: Path) -> None:
    report = tmp_path / "report.txt"
    trace = recording("summarize-notes")["trace"]
    report.write_bytes(trace[3]["action"]["args"]["content"].encode())
    assert title(rebuilt_and_outside(trace, report)).endswith("leaves report.txt as it was written")
    report.write_bytes(b"another")
    assert title(rebuilt_and_outside(trace, report)).endswith("does not notice a changed report.txt")
    assert title(rebuilt_and_outside(trace[:3], report)).endswith("knows nothing of report.txt")
    report.unlink()
    assert title(rebuilt_and_outside(trace, report)).endswith("does not bring report.txt back")


# --- showing it


def test_outside_a_notebook_show_prints_the_alt_text(capsys: pytest.CaptureFixture[str]) -> None:
    drawn = calibration([(1.0, True)])
    show(drawn)
    show(drawn, "a point")
    assert capsys.readouterr().out == alt_text(drawn) + "\na point\n"


def test_in_a_notebook_the_image_carries_its_alt_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    source = 'from course_lib.figures import *\nshow(calibration([(1.0, True)]), "a \\"point\\" <b>")'
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    (output,) = notebook.cells[0].outputs
    assert set(output.data) == {"text/plain", "image/png", "text/html"}
    assert output.data["text/plain"] == 'a "point" <b>'
    assert base64.b64decode(output.data["image/png"]) == png(calibration([(1.0, True)]))
    assert output.data["text/html"].startswith('<img alt="a &quot;point&quot; &lt;b&gt;" width="800" src="data:')
