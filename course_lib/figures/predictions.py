"""Predictions against what came true."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

from .canvas import BLUE, GREY, PALE_GREY, canvas, count, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TOO_FEW = 20
BINS = (0.0, 0.5, 0.8, 1.0)


class _Point(NamedTuple):
    """The predictions of one bin. Confidence and shares are percentages."""

    sure: float  # mean confidence
    true: float  # share that came true
    size: int
    least: float  # nine in ten perfectly calibrated people lie between these two
    most: float


def calibration(made: Sequence[tuple[float, bool]]) -> Figure:
    """How often predictions came true, by the confidence (0 to 1) that they were given.

    At most three points. The bar behind a point is where nine in ten perfectly calibrated people
    would land with as many predictions. Under 20 predictions the figure claims nothing. Raises
    ValueError when there is no prediction, or a confidence is outside [0, 1].
    """
    if len(made) == 0:
        raise ValueError("calibration: there is no prediction yet")
    if any(sure < 0 or sure > 1 for sure, _ in made):
        raise ValueError("calibration: a confidence lies between 0 and 1")
    bins = [[one for one in made if low < one[0] <= high or one[0] == low == 0] for low, high in pairwise(BINS)]
    points = [_point(inside) for inside in bins if inside]
    title = _title(made, points)
    told = "; ".join(f"{p.sure:.0f}% sure, {p.true:.0f}% of {count(p.size, 'prediction')} came true" for p in points)
    with style():
        figure, (axes,) = canvas(title, 4.2, f"{title}. By mean confidence: {told}.")
        sure = [point.sure for point in points]
        axes.plot([0, 100], [0, 100], color=GREY, linestyle="--", label="perfectly calibrated")
        luck = "9 in 10 calibrated people land here"
        least, most = [point.least for point in points], [point.most for point in points]
        axes.vlines(sure, least, most, color=PALE_GREY, linewidth=11, label=luck)
        true = [point.true for point in points]
        axes.plot(sure, true, "o", color=BLUE, markersize=9, label="you, with n predictions")
        for point in points:
            near_the_edge = point.sure > 90  # there the label stands above the diagonal, else below it
            axes.annotate(
                f"n = {point.size}",
                (point.sure, point.true),
                xytext=(-12, 9) if near_the_edge else (11, -11),
                textcoords="offset points",
                ha="right" if near_the_edge else "left",
                va="center",
            )
        axes.set_xticks(range(0, 101, 20))
        axes.set_yticks(range(0, 101, 20))
        axes.set_xlim(-3, 103)
        axes.set_ylim(-5, 105)
        axes.set_xlabel("mean confidence (%)")
        axes.set_ylabel("came true (%)")
        axes.legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
    return figure


def _title(made: Sequence[tuple[float, bool]], points: list[_Point]) -> str:
    if len(made) < TOO_FEW:
        true = sum(came_true for _, came_true in made)
        return f"{true} of {count(len(made), 'prediction')} came true: too few to judge calibration"
    off = [point for point in points if not point.least <= point.true <= point.most]
    if not off:
        return "What you were sure of came true about as often as you said"
    worst = max(off, key=lambda point: abs(point.sure - point.true))
    return f"Where you were {worst.sure:.0f}% sure on average, {worst.true:.0f}% came true"


def _point(inside: list[tuple[float, bool]]) -> _Point:
    chances = [1.0]  # chances[h]: of h coming true among those seen so far, if the confidences are right
    for sure, _ in inside:
        one_more = zip([*chances, 0.0], [0.0, *chances], strict=True)
        chances = [same * (1 - sure) + fewer * sure for same, fewer in one_more]
    up_to = list(accumulate(chances))
    size, percent = len(inside), 100 / len(inside)
    return _Point(
        sure=percent * sum(sure for sure, _ in inside),
        true=percent * sum(came_true for _, came_true in inside),
        size=size,
        least=percent * next(h for h in range(size + 1) if up_to[h] > 0.05 or h == size),
        most=percent * next(h for h in range(size + 1) if up_to[h] >= 0.95 or h == size),
    )
