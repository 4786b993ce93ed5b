"""Crashes: where a kill strikes and what it leads to, what each ordering can do, and how a run goes on."""

from __future__ import annotations

import ast
import contextlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .canvas import BLUE, GREY, INK, ORANGE, PALE_BLUE, PALE_ORANGE, canvas, count, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..crash import Sweep

WANTED, UNWANTED = ("o", "s", "D"), ("X", "^", "v")
SHOWN = 50  # characters of a source line


def kill_map(sweep: Sweep, good: Sequence[Any], what: str) -> Figure:
    """Every kill over the source lines of the function: a mark for each, by its outcome.

    `good` are the outcomes that one would want; `what` names what is counted or found, as in "effect" or "file".
    Raises ValueError when nothing was killed.
    """
    if not sweep.cases:
        raise ValueError("kill_map: there is no kill to draw")
    lines = _code_lines(sweep.listing())
    outcomes = _ordered(sweep.outcomes)
    bad = sum(case.outcome not in good for case in sweep.cases)
    total = len(sweep.cases)
    title = f"{sweep.name}: not {_named(good, what)} at {bad} of {total} kill points"
    if not bad:
        title = f"{sweep.name}: {_named(good, what)} at all {total} kill points"
    struck = [(sweep.own_line(case), case) for case in sweep.cases]
    by_line = {number: _ordered(case.outcome for line, case in struck if line == number) for number in lines}
    told = "; ".join(f"line {number}: {_named(found, what)}" for number, found in by_line.items() if found)
    with style():
        figure, (axes,) = canvas(title, 1.4 + 0.24 * len(lines), f"{title}. By line: {told}.")
        rows = {number: row for row, number in enumerate(lines)}
        for number, row in rows.items():
            if any(outcome not in good for outcome in by_line[number]):
                axes.axhspan(row - 0.5, row + 0.5, color=PALE_ORANGE, linewidth=0)
            axes.text(
                -0.01,
                row,
                f"{lines[number][:SHOWN]:<{SHOWN}}{number:3}",
                transform=axes.get_yaxis_transform(),
                family="DejaVu Sans Mono",
                fontsize=7.5,
                ha="right",
                va="center",
                color=INK,
            )
        for outcome in outcomes:
            marks = WANTED if outcome in good else UNWANTED
            place = [one for one in outcomes if (one in good) == (outcome in good)].index(outcome)
            found = [(case.n, rows[line]) for line, case in struck if case.outcome == outcome and line in rows]
            axes.scatter(
                [n for n, _ in found],
                [row for _, row in found],
                marker=marks[place % len(marks)],
                s=24,
                color=BLUE if outcome in good else ORANGE,
                label=_named([outcome], what),
                zorder=3,
            )
        axes.set_ylim(len(lines) - 0.4, -0.6)
        axes.set_yticks([])
        axes.set_xlabel("instruction that the kill came before (number)", fontsize=9.5)
        axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=4, fontsize=9.5, handletextpad=0.2)
    return figure


def _code_lines(lines: Sequence[str]) -> dict[int, str]:
    """The lines of a function that are neither blank nor its docstring, by their number; its `def` is line 1."""
    hidden: set[int] = set()
    with contextlib.suppress(SyntaxError):
        body = ast.parse("\n".join(lines)).body
        first = body[0].body[0] if body and isinstance(body[0], ast.FunctionDef) else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            hidden = set(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return {number: text for number, text in enumerate(lines, 1) if text.strip() and number not in hidden}


def outcome_bars(sweeps: Mapping[str, Sweep], good: Sequence[Any], what: str) -> Figure:
    """For each program the share of kill points that led to each outcome, as bars from left to right.

    Raises ValueError when there is no program.
    """
    if not sweeps:
        raise ValueError("outcome_bars: there is no program to draw")
    sure = [label for label, sweep in sweeps.items() if sweep.outcomes <= set(good)]
    title = f"Always {_named(good, what)}, whatever the moment of the kill: {', '.join(sure) or 'none of them'}"
    told = "; ".join(f"{label}: {_either(_ordered(sweep.outcomes))}" for label, sweep in sweeps.items())
    with style():
        figure, (axes,) = canvas(title, 1.4 + 0.42 * len(sweeps), f"{title}. Outcomes: {told}.")
        for row, sweep in enumerate(sweeps.values()):
            _bar(axes, row, sweep.histogram(), good)
        axes.set_yticks(range(len(sweeps)), list(sweeps))
        axes.set_ylim(len(sweeps) - 0.4, -0.6)
        axes.set_xlim(0, 100)
        axes.set_xlabel(f"share of the kill points (%); the word in a bar is the outcome ({what})")
        axes.tick_params(axis="y", length=0)
    return figure


def strike_bars(sweep: Sweep, struck: Sweep, good: Sequence[Any], what: str) -> Figure:
    """The same program killed at each instruction and killed at random times, one bar each.

    The title and the alt text name outcomes only: how often one occurs at random times differs from run to run.
    """
    new = _ordered(struck.outcomes - sweep.outcomes)
    title = (
        f"Random times show {_named(new, what)}, which no instruction did"
        if new
        else f"{sweep.name}: random times lead to no outcome that the sweep has not shown"
    )
    both = {"at each instruction": sweep, "at random times": struck}
    with style():
        figure, (axes,) = canvas(title, 2.3, f"{title}. At each instruction: {_named(_ordered(sweep.outcomes), what)}.")
        for row, made in enumerate(both.values()):
            _bar(axes, row, made.histogram(), good)
        axes.set_yticks(range(2), list(both))
        axes.set_ylim(1.6, -0.6)
        axes.set_xlim(0, 100)
        axes.set_xlabel(f"share of the kills (%); the word in a bar is the outcome ({what})")
        axes.tick_params(axis="y", length=0)
    return figure


def crash_timeline(before: Sequence[str], recorded: int, after: Sequence[str]) -> Figure:
    """A run that was killed and the run that went on: the tool calls of both, by the entry that they are for.

    `before` and `after` are the names of the tools called; the checkpoint held `recorded` entries when the kill came.
    """
    lost = len(before) - recorded
    title = f"The resumed run begins at entry {recorded}: {count(recorded, 'recorded call')} not made again"
    if lost:
        title += f", {count(lost, 'call')} in flight made twice"
    alt = f"{title}. Before the kill: {', '.join(before) or 'nothing'}. After it: {', '.join(after) or 'nothing'}."
    with style():
        figure, (axes,) = canvas(title, 2.2, alt)
        for row, (calls, first) in enumerate([(before, 0), (after, recorded)]):
            for k, name in enumerate(calls, first):
                kept = row == 1 or k < recorded
                fill, edge, mark = (PALE_BLUE, BLUE, "✓") if kept else (PALE_ORANGE, ORANGE, "✗ not on record")
                axes.barh(row, 0.9, 0.6, left=k - 0.45, color=fill, edgecolor=edge)
                axes.text(k, row, f"{name}\n{mark}", ha="center", va="center", fontsize=9)
        axes.axvline(recorded - 0.5, color=GREY, linestyle=":", linewidth=1.2)
        axes.set_yticks([0, 1], ["killed run", "resumed run"])
        axes.set_ylim(1.6, -0.6)
        width = max(len(before), recorded + len(after))
        axes.set_xlim(-0.6, width - 0.4)
        axes.set_xticks(range(width))
        axes.set_xlabel("entry of the trace that the call is for   (dotted: where the checkpoint ended)")
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
    return figure


def _bar(axes: Any, row: int, histogram: Counter[Any], good: Sequence[Any]) -> None:
    total, left = sum(histogram.values()), 0.0
    for outcome in _ordered(histogram):
        width = 100 * histogram[outcome] / total
        fill, edge = (PALE_BLUE, BLUE) if outcome in good else (PALE_ORANGE, ORANGE)
        hatch = None if outcome in good else "//"
        axes.barh(row, width, 0.7, left=left, color=fill, edgecolor=edge, hatch=hatch)
        axes.text(left + width / 2, row, str(outcome), ha="center", va="center", weight="bold")
        left += width


def _ordered(outcomes: Iterable[Any]) -> list[Any]:
    """Each outcome once, in the order of their texts."""
    return sorted(dict.fromkeys(outcomes), key=str)


def _named(outcomes: Sequence[Any], what: str) -> str:
    """1 effect, 1 or 2 effects, old or new file."""
    several = bool(what) and isinstance(outcomes[-1], int) and outcomes[-1] != 1
    return f"{_either(outcomes)} {what}{'s' if several else ''}".strip()


def _either(outcomes: Sequence[Any]) -> str:
    return " or ".join(map(str, outcomes)) or "nothing"
