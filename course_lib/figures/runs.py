"""One run, entry by entry."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from ..agent import RunResult, unpack
from .canvas import BLUE, GREY, ORANGE, PALE_BLUE, PALE_ORANGE, canvas, count, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def run_strip(run: RunResult) -> Figure:
    """One run from left to right: what was proposed, what came back, what the counters then say.

    Raises ValueError for a run without entries.
    """
    trace = run["trace"]
    if not trace:
        raise ValueError("run_strip: the trace is empty; there is nothing to draw")
    entries = range(len(trace))
    failed = [not answer["ok"] for _, answer in map(unpack, trace)]
    retries = list(accumulate(map(int, failed)))
    ending = "the run is not over" if run["termination"] is None else f"the run ends with status {run['status']}"
    title = f"{count(len(trace), 'step')}, {count(retries[-1], 'failed call')}: {ending}"
    told = "; ".join(
        f"{k} {action['tool']} {answer.get('error', 'ok')}" for k, (action, answer) in enumerate(map(unpack, trace))
    )
    alt = f"{title}. Entry by entry: {told}. Counters at the end: steps {len(trace)}, retries {retries[-1]}."
    turned = 90 if len(trace) > 7 else 0
    with style():
        figure, (strip, counters) = canvas(title, 5.0 if turned else 3.9, alt, (2.1 if turned else 1.1, 1.6))
        for k, (action, answer) in enumerate(map(unpack, trace)):
            fill, edge = (PALE_ORANGE, ORANGE) if failed[k] else (PALE_BLUE, BLUE)
            strip.barh(1, 0.94, 0.8, left=k - 0.47, color="white", edgecolor=GREY)
            strip.barh(0, 0.94, 0.8, left=k - 0.47, color=fill, edgecolor=edge)
            outcome = f"✗ {answer.get('error', 'failed')}".replace("_", "_\n") if failed[k] else "✓ ok"
            _centred(strip, k, 1, action["tool"], turned)
            _centred(strip, k, 0, outcome[0] if turned else outcome, 0)
        strip.set_yticks([1, 0], ["action", "observation"])
        strip.set_ylim(-0.5, 1.5)
        strip.tick_params(length=0, labelbottom=False)
        strip.spines[:].set_visible(False)

        # The ring is wider than the square, so that both show where the two counters are equal.
        (steps,) = counters.plot(entries, [k + 1 for k in entries], "--o", color=GREY, label="steps")
        steps.set(markersize=11, markerfacecolor="white", markeredgewidth=1.6)
        counters.plot(entries, retries, color=ORANGE, marker="s", markersize=5, label="retries")
        counters.set_ylabel("count after the entry")
        counters.set_xlabel("trace entry k")
        counters.set_xticks(list(entries))
        counters.set_yticks(range(0, len(trace) + 1, 1 if len(trace) < 8 else 5))
        counters.set_ylim(-0.09 * len(trace), 1.12 * len(trace))
        counters.legend(loc="upper left")
        for axes in (strip, counters):
            axes.set_xlim(-0.6, len(trace) - 0.4)
    return figure


def _centred(axes: Axes, x: float, y: float, text: str, rotation: int) -> None:
    axes.text(x, y, text, ha="center", va="center", fontsize=8.5, rotation=rotation)
