"""Several runs side by side: how their counters grow, and how each run ends.

Nothing here knows when a run should end. The figures draw what the runs say of themselves, beside the
limits that they were given.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from typing import TYPE_CHECKING

from ..agent import RunResult, unpack
from .canvas import BLUE, GREY, INK, ORANGE, PALE_BLUE, PALE_GREY, PALE_ORANGE, canvas, count, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

END = {"completed": ("✓", BLUE), "failed": ("✗", ORANGE), "budget_exhausted": ("■", INK)}
UNENDED = ("…", GREY)
DASHES = ("-", "--", ":", "-.")


def state_timeline(runs: Mapping[str, RunResult], *, max_steps: int = 6, max_retries: int = 2) -> Figure:
    """Each run's two counters, entry by entry, with the limits as lines and a mark where the run ends.

    `runs` maps a label to a run. Raises ValueError when there is none, or one without entries.
    """
    _check(runs, "state_timeline")
    title = _message(runs, "run", "limit")
    longest = max(max_steps, *(len(run["trace"]) for run in runs.values()))
    with style():
        figure, lanes = canvas(title, 0.9 + 1.45 * len(runs), _alt(title, runs), (1.0,) * len(runs))
        for axes, (label, run) in zip(lanes, runs.items(), strict=True):
            retries = _retries(run)
            taken = range(len(retries))
            axes.axhline(max_steps, color=GREY, linestyle="--", linewidth=1)
            axes.axhline(max_retries, color=ORANGE, linestyle=(0, (1, 1.5)), linewidth=1.4)
            # The ring is wider than the square, so that both show where the two counters are equal.
            axes.plot(taken, taken, color=GREY, marker="o", markersize=9, markerfacecolor="white", label="steps")
            axes.plot(taken, retries, color=ORANGE, marker="s", markersize=4.5, label="retries")
            axes.axvline(taken[-1], color=PALE_GREY, linewidth=5, zorder=0)
            mark, color = END.get(run["status"], UNENDED)
            told = f"{mark} {run['status']}\n    {run['termination'] or 'no termination'}"
            between = (max_retries + max_steps) / 2
            axes.text(taken[-1] + 0.2, between, told, color=color, va="center", weight="bold", fontsize=9.5)
            axes.set_title(label, loc="left", fontsize=10)
            axes.set_yticks([0, max_retries, max_steps])
            axes.set_ylim(-0.13 * max_steps, 1.25 * max_steps)
            axes.set_xlim(-0.25, longest + 2.3)
            axes.set_xticks(range(longest + 1))
            axes.tick_params(labelbottom=axes is lanes[-1])
        lanes[0].text(
            longest + 2.3, max_steps * 1.06, f"limit: {max_steps} steps", color=GREY, ha="right", fontsize=8.5
        )
        above = f"limit: {count(max_retries, 'failure')}"
        lanes[0].text(longest + 2.3, max_retries + 0.06 * max_steps, above, color=ORANGE, ha="right", fontsize=8.5)
        lanes[0].legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, fontsize=9, borderaxespad=0)
        lanes[-1].set_xlabel("entries in the trace so far")
        figure.supylabel("count", fontsize=10.5)
    return figure


def transition_diagram(runs: Mapping[str, RunResult], *, max_steps: int = 6, max_retries: int = 2) -> Figure:
    """Each run as a path through the pairs (steps, retries), with what it ended as at its last pair.

    A step leads to the right, one that failed also upwards. `runs` maps a label to a run. Raises
    ValueError when there is none, or one without entries.
    """
    _check(runs, "transition_diagram")
    title = _message(runs, "path", "border")
    paths = {label: _retries(run) for label, run in runs.items()}
    wide = max(max_steps, *(len(path) - 1 for path in paths.values()))
    tall = max(max_retries + 1, *(path[-1] for path in paths.values()))
    with style():
        figure, (axes,) = canvas(title, 5.0, _alt(title, runs))
        axes.axhspan(max_retries + 0.5, tall + 0.95, color=PALE_ORANGE, linewidth=0, zorder=0)
        axes.axvspan(max_steps - 0.5, wide + 1.0, color=PALE_GREY, alpha=0.55, linewidth=0, zorder=0)
        axes.text(-0.35, tall + 0.8, f"more than {count(max_retries, 'failure')}", va="center", fontsize=9.5)
        axes.text(max_steps - 0.4, tall + 0.8, f"{count(max_steps, 'step')} taken", va="center", fontsize=9.5)
        for failed in range(tall + 1):
            states = range(failed, wide + 1)  # no more failures than steps
            axes.plot(states, [failed] * len(states), "o", color="white", markeredgecolor=GREY, markersize=13, zorder=1)
        for place, (label, path) in enumerate(paths.items()):
            apart = 0.09 * (len(paths) - 1) / 2 - 0.09 * place  # so that paths over the same pairs stay apart
            mark, color = END.get(runs[label]["status"], UNENDED)
            heights = [failed + apart for failed in path]
            dashes = DASHES[place % len(DASHES)]
            axes.plot(range(len(path)), heights, color=color, linestyle=dashes, linewidth=2.4, zorder=2)
            axes.plot(range(len(path)), heights, "o", color=color, markersize=4, zorder=3)
            x, y = len(path) - 1, path[-1] + apart
            axes.plot(x, y, "o", color=PALE_BLUE, markeredgecolor=color, markersize=19, markeredgewidth=2, zorder=4)
            axes.text(x, y, mark, color=color, ha="center", va="center", fontsize=12, weight="bold", zorder=5)
            told = f"{label}\n{runs[label]['status']}"
            axes.text(x, path[-1] + 0.27, told, ha="center", va="bottom", fontsize=9, zorder=5)
        axes.set_xlim(-0.45, wide + 1.0)
        axes.set_ylim(-0.45, tall + 0.95)
        axes.set_xticks(range(wide + 1))
        axes.set_yticks(range(tall + 1))
        axes.set_xlabel("steps: entries in the trace")
        axes.set_ylabel("retries: failed observations")
    return figure


def _check(runs: Mapping[str, RunResult], who: str) -> None:
    if not runs:
        raise ValueError(f"{who}: there is no run to draw")
    empty = [label for label, run in runs.items() if not run["trace"]]
    if empty:
        raise ValueError(f"{who}: the trace of {empty[0]} is empty; there is nothing to draw")


def _retries(run: RunResult) -> list[int]:
    """The failed observations so far: before the first entry, and after each."""
    return [0, *accumulate(int(not answer["ok"]) for _, answer in map(unpack, run["trace"]))]


def _message(runs: Mapping[str, RunResult], what: str, where: str) -> str:
    """How many of the runs ended in which way, as a sentence."""
    written = sum(run["status"] == "completed" for run in runs.values())
    unended = sum(run["termination"] is None for run in runs.values())
    said = [f"{written or 'none'} of {count(len(runs), what)} {'ends' if written == 1 else 'end'} with a report"]
    if stopped := len(runs) - written - unended:
        said.append(f"{stopped} at a {where}")
    if unended:
        said.append(f"{unended} not yet")
    return ", ".join(said).capitalize()


def _alt(title: str, runs: Mapping[str, RunResult]) -> str:
    told = []
    for label, run in runs.items():
        failures = [str(k) for k, (_, answer) in enumerate(map(unpack, run["trace"])) if not answer["ok"]]
        where = f"failures at k = {', '.join(failures)}" if failures else "no failure"
        told.append(f"{label}: {count(len(run['trace']), 'step')}, {where}, {run['status']}")
    return f"{title}. By run: {'; '.join(told)}."
