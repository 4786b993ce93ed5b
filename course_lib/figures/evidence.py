"""Evidence: what gates let through, where results lie in time, and which gate fails in which state."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .canvas import BLUE, GREY, INK, ORANGE, PALE_BLUE, PALE_ORANGE, canvas, count, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Cell = tuple[str, str]  # state, gate


def evidence_waterfall(entering: int, stopped: Mapping[str, Collection[int]], needed: int) -> Figure:
    """How many items of evidence are left after each gate, beside how many are needed.

    `entering` items come in, numbered from 0; `stopped` maps a gate to the items that it names. An item that two
    gates name is stopped by the first. Raises ValueError when a gate names an item that did not come in.
    """
    if any(not 0 <= item < entering for items in stopped.values() for item in items):
        raise ValueError(f"evidence_waterfall: a gate names an item that is not among the {entering}")
    bars: list[tuple[str, int, int]] = []  # label, left after it, stopped by it
    left = set(range(entering))
    for gate, items in stopped.items():
        now = left & set(items)
        left -= now
        bars.append((gate, len(left), len(now)))
    enough = "enough" if len(left) >= needed else "too few"
    parts = ", ".join(f"{gate} stops {lost}" for gate, _, lost in bars)
    title = f"Of {count(entering, 'item')} {parts}; {len(left)} {'is' if len(left) == 1 else 'are'} left, {enough}"
    told = "; ".join(f"after {gate} {after}" for gate, after, _ in bars)
    with style():
        figure, (axes,) = canvas(title, 2.9, f"{title}. {told}. Needed: {needed}.")
        axes.bar(0, entering, 0.7, color=PALE_BLUE, edgecolor=BLUE)
        axes.text(0, entering + 0.1, str(entering), ha="center", va="bottom")
        for place, (_, after, lost) in enumerate(bars, 1):
            axes.bar(place, after, 0.7, color=PALE_BLUE, edgecolor=BLUE)
            axes.bar(place, lost, 0.7, bottom=after, color=PALE_ORANGE, edgecolor=ORANGE, hatch="//")
            if lost:
                axes.text(place, after + lost / 2, f"✗ {lost}", ha="center", va="center", weight="bold")
            axes.text(place, after + lost + 0.1, str(after), ha="center", va="bottom")
        axes.axhline(needed, color=INK, linestyle="--", linewidth=1.4)
        axes.text(len(bars) + 0.45, needed, f" needed: {needed}", va="center", ha="left")
        axes.set_xticks(range(len(bars) + 1), ["come in", *(f"after {gate}" for gate, _, _ in bars)])
        axes.set_xlim(-0.5, len(bars) + 0.45)
        axes.set_ylim(0, max(entering, needed) * 1.15 + 0.3)
        axes.set_ylabel("items of evidence")
        axes.tick_params(axis="x", length=0)
    return figure


@dataclass(frozen=True)
class Dated:
    """A result in time: hours from retrieval to the moment of the check, days from publication to the cutoff."""

    label: str
    hours: float
    days: float
    refused: bool


def admissible_plane(results: Sequence[Dated], window: float) -> Figure:
    """Each result by when it was retrieved and when it was published, over the region that both gates let through.

    `window` is the age, in hours, up to which a retrieval is fresh. Raises ValueError when there is no result.
    """
    if not results:
        raise ValueError("admissible_plane: there is no result to draw")
    refused = [result for result in results if result.refused]
    let = len(results) - len(refused)
    title = f"{let} of {count(len(results), 'result')} {'is' if let == 1 else 'are'} admissible in both directions"
    told = "; ".join(
        f"{each.label} retrieved {each.hours:g} h before, published {each.days:g} days before the cutoff, "
        f"{'refused' if each.refused else 'let through'}"
        for each in results
    )
    furthest = max([window, *(each.hours for each in results)])
    oldest = max([3.0, *(each.days for each in results)])
    nearest = min([-1.0, *(each.days for each in results)])
    latest = min([-0.1 * furthest, *(each.hours for each in results)])
    edge_x, edge_y = 0.09 * (furthest - latest), 0.12 * (oldest - nearest)
    with style():
        figure, (axes,) = canvas(title, 3.7, f"{title}. {told}.")
        axes.fill([0, window, window, 0], [0, 0, oldest + edge_y, oldest + edge_y], color=PALE_BLUE, linewidth=0)
        axes.axvline(0, color=GREY, linestyle=":", linewidth=1.2)
        axes.axvline(window, color=GREY, linestyle=":", linewidth=1.2)
        axes.axhline(0, color=INK, linestyle="--", linewidth=1.2)
        for each in results:
            marker, color = ("X", ORANGE) if each.refused else ("o", BLUE)
            axes.plot(each.hours, each.days, marker, color=color, markeredgecolor=INK, markersize=10, zorder=3)
            axes.annotate(each.label, (each.hours, each.days), xytext=(8, 6), textcoords="offset points")
        axes.text(0.98 * window, 0.2 * edge_y, "admissible", ha="left", va="bottom", style="italic")
        axes.set_xlim(furthest + edge_x, latest - edge_x)  # time runs to the right
        axes.set_ylim(nearest - edge_y, oldest + edge_y)
        axes.set_xlabel("retrieved: hours before the moment of the check   (✗ refused, ● let through)")
        axes.set_ylabel("published: days\nbefore the cutoff")
    return figure


def gate_matrix(
    states: Sequence[str], gates: Sequence[str], failing: Collection[Cell], predicted: Collection[Cell]
) -> Figure:
    """Which gate fails in which state, and where a prediction said something else.

    `failing` and `predicted` are the cells (state, gate) that fail, and that were said to. Raises ValueError for a
    matrix without cells.
    """
    if not (states and gates):
        raise ValueError("gate_matrix: there is no state or no gate")
    cells = [(state, gate) for state in states for gate in gates]
    wrong = [cell for cell in cells if (cell in failing) != (cell in predicted)]
    fails = sum(cell in failing for cell in cells)
    foreseen = "all as predicted" if not wrong else f"{count(len(wrong), 'cell')} not as predicted"
    title = f"{fails} of {len(cells)} cells {'fails' if fails == 1 else 'fail'}, {foreseen}"
    told = "; ".join(f"{state}: {_fails([gate for gate in gates if (state, gate) in failing])}" for state in states)
    missed = f" Not as predicted: {', '.join(f'{s} {g}' for s, g in wrong)}." if wrong else ""
    with style():
        figure, (axes,) = canvas(title, 1.4 + 0.44 * len(states), f"{title}. {told}.{missed}")
        for row, state in enumerate(states):
            for column, gate in enumerate(gates):
                bad = (state, gate) in failing
                fill, mark, color = (ORANGE, "✗ fails", "white") if bad else (PALE_BLUE, "✓", INK)
                axes.barh(row, 0.92, 0.84, left=column - 0.46, color=fill, edgecolor=BLUE if not bad else ORANGE)
                surprise = "  ≠ predicted" if (state, gate) in wrong else ""
                axes.text(column, row, mark + surprise, color=color, ha="center", va="center", fontsize=11)
        axes.set_yticks(range(len(states)), list(states))
        axes.set_ylim(len(states) - 0.45, -0.55)
        axes.set_xticks(range(len(gates)), list(gates))
        axes.set_xlim(-0.55, len(gates) - 0.45)
        axes.set_xlabel("quality gate   (✓ passes, ✗ fails)")
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
    return figure


def _fails(gates: Sequence[str]) -> str:
    return f"{' and '.join(gates)} fails" if len(gates) == 1 else f"{' and '.join(gates)} fail" if gates else "passes"
