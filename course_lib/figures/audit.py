"""Audits: which rule sees which corruption, which property finds which wrong audit, and one counter-example."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from ..agent import Trace, unpack
from .canvas import BLUE, GREY, INK, ORANGE, PALE_BLUE, PALE_GREY, PALE_ORANGE, canvas, count, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def corruption_matrix(found: Mapping[str, Collection[str]], codes: Sequence[str]) -> Figure:
    """Which rule reports which corruption: a row for each corruption, a column for each code.

    `found` maps a corruption's label to the codes that an audit reported for it. Raises ValueError when there is
    no corruption, or a code is reported that is not among `codes`.
    """
    if not found:
        raise ValueError("corruption_matrix: there is no corruption to draw")
    for label, reported in found.items():
        if unknown := sorted(set(reported) - set(codes)):
            raise ValueError(f"corruption_matrix: {label} is reported as {unknown[0]}, which is none of the codes")
    past = [label for label, reported in found.items() if not reported]
    title = f"The audit reports {len(found) - len(past)} of {count(len(found), 'corruption')}"
    title += f" and says nothing of {len(past)}" if past else ""
    told = "; ".join(f"{label}: {', '.join(sorted(reported)) or 'nothing'}" for label, reported in found.items())
    with style():
        figure, (axes,) = canvas(title, 2.4 + 0.4 * len(found), f"{title}. By corruption: {told}.")
        for row, (label, reported) in enumerate(found.items()):
            for column, code in enumerate(codes):
                _square(axes, column, row, code in reported, "✗", "")
            if label in past:
                axes.text(len(codes) - 0.4, row, "← not seen", va="center", fontsize=9.5, weight="bold")
        _grid(axes, list(codes), list(found), 1.4)
        axes.set_xlabel("code of the violation   (✗ reported)")
    return figure


def kill_matrix(found: Mapping[str, Mapping[str, bool]]) -> Figure:
    """Which property finds which wrong audit: a row for each audit, a column for each property.

    `found` maps an audit's label to {property's label: whether the property rejects that audit}. The message is
    about the last property. Raises ValueError when there is no audit, no property, or a pair is missing.
    """
    properties = list(next(iter(found.values()), {}))
    if not properties or any(list(row) != properties for row in found.values()):
        raise ValueError("kill_matrix: it takes at least one audit, and the same properties for each")
    last = properties[-1]
    caught = sum(row[last] for row in found.values())
    title = f"“{last}” finds {caught} of {count(len(found), 'wrong audit')}"
    told = "; ".join(
        f"{name} finds {', '.join(audit for audit, row in found.items() if row[name]) or 'none'}" for name in properties
    )
    with style():
        figure, (axes,) = canvas(title, 2.2 + 0.34 * len(found), f"{title}. By property: {told}.")
        for row, kills in enumerate(found.values()):
            for column, name in enumerate(properties):
                _square(axes, column, row, kills[name], "✗ found", "gets past")
        _grid(axes, properties, list(found), 0.0)
        axes.set_xlabel("property")
    return figure


def counter_example(trace: Trace, end: int | None, verdicts: Mapping[str, str]) -> Figure:
    """One trace as a timeline: where the run ended, what follows all the same, and what is said of it.

    `end` is the entry that ended the run, None when none did; `verdicts` maps who says something to what they
    say. Raises ValueError for an `end` that the trace does not have.
    """
    if end is not None and not 0 <= end < len(trace):
        raise ValueError(f"counter_example: there is no entry {end} in a trace of {len(trace)}")
    after = len(trace) - 1 - end if end is not None else 0
    title = f"{count(len(trace), 'entry', 'entries')} {'is' if len(trace) == 1 else 'are'} enough to tell them apart"
    told = "; ".join(
        f"{k} {action['tool']} {'ok' if answer.get('ok') is True else 'not ok'}"
        for k, (action, answer) in enumerate(map(unpack, trace))
    )
    said = "; ".join(f"{who}: {what}" for who, what in verdicts.items())
    ended = "No entry ends the run" if end is None else f"Entry {end} ends the run and {after} more follow"
    alt = f"{title}. Entries: {told or 'none'}. {ended}. Said of it: {said}."
    with style():
        figure, (axes,) = canvas(title, 2.2 + 0.3 * len(verdicts), alt)
        for k, (action, answer) in enumerate(map(unpack, trace)):
            late = end is not None and k > end
            good = answer.get("ok") is True
            edge = GREY if late else BLUE if good else ORANGE
            fill = "white" if late else PALE_BLUE if good else PALE_ORANGE
            axes.barh(0, 0.9, 0.8, left=k - 0.45, color=fill, edgecolor=edge, linestyle="--" if late else "-")
            mark = "✓ ok" if good else "✗ not ok"
            axes.text(k, 0.0, f"{action['tool']}\n{mark}", ha="center", va="center", fontsize=9)
            if late:
                axes.text(k, -0.58, "after the end", ha="center", va="center", fontsize=9, color=GREY)
        if end is not None:
            axes.plot([end + 0.5, end + 0.5], [-0.75, 0.6], color=INK, linewidth=2)
            axes.text(end + 0.5, -0.9, "the run is over", ha="center", va="center", fontsize=9.5, weight="bold")
        for row, (who, what) in enumerate(verdicts.items()):
            axes.text(-0.45, 1.05 + 0.5 * row, who, va="center", weight="bold", fontsize=9.5)
            axes.text(0.75, 1.05 + 0.5 * row, what, va="center", fontsize=9.5)
        axes.set_ylim(1.05 + 0.5 * len(verdicts), -1.15)
        axes.set_xlim(-0.6, max(len(trace), 5) - 0.4)
        axes.set_xticks(range(len(trace)))
        axes.set_xlabel("trace entry k")
        axes.set_yticks([])
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
    return figure


def _square(axes: Axes, column: int, row: int, on: bool, mark: str, otherwise: str) -> None:
    fill, edge = (ORANGE, ORANGE) if on else ("white", PALE_GREY)
    axes.barh(row, 0.9, 0.8, left=column - 0.45, color=fill, edgecolor=edge)
    text, color = (mark, "white") if on else (otherwise, GREY)
    axes.text(column, row, text, color=color, ha="center", va="center", fontsize=10 if on else 9)


def _grid(axes: Axes, columns: list[str], rows: list[str], room: float) -> None:
    turned = len(columns) > 4
    axes.set_xticks(range(len(columns)), columns, rotation=35 if turned else 0, ha="right" if turned else "center")
    axes.set_yticks(range(len(rows)), rows)
    axes.set_xlim(-0.6, len(columns) - 0.4 + room)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
