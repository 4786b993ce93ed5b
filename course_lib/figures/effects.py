"""Effects: what a repeated call leaves behind, which key goes wrong where, and how retries multiply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from .canvas import BLUE, GREY, INK, ORANGE, PALE_BLUE, PALE_ORANGE, canvas, count, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DASHES = ("-", "--", ":", "-.")
MARKS = ("o", "s", "^", "D")


def hash_strip(hashes: Mapping[str, Sequence[str]]) -> Figure:
    """The state after each call as the beginning of its hash: a row for each tool, a column for each call.

    `hashes` maps a tool to at least two hex digests, the first one taken before any call. A square is orange and
    marked where the state is another than after the call before. Raises ValueError when a row is shorter.
    """
    if not hashes or any(len(row) < 2 for row in hashes.values()):
        raise ValueError("hash_strip: each tool needs the state before the first call and after at least one")
    repeats = {name: sum(row[k] != row[k - 1] for k in range(2, len(row))) for name, row in hashes.items()}
    growing = [name for name, changes in repeats.items() if changes]
    if growing:
        title = f"A repeated call changes the state again with {' and '.join(growing)}"
    else:
        title = "No repeated call changes the state again"
    told = "; ".join(f"{name}: {' '.join(row_text(row))}" for name, row in hashes.items())
    width = max(map(len, hashes.values()))
    with style():
        figure, (axes,) = canvas(title, 1.5 + 0.55 * len(hashes), f"{title}. State before and after each call: {told}.")
        for row, states in enumerate(hashes.values()):
            for k, state in enumerate(states):
                changed = k > 0 and state != states[k - 1]
                fill, edge = (PALE_ORANGE, ORANGE) if changed else (PALE_BLUE, BLUE)
                axes.barh(row, 0.92, 0.78, left=k - 0.46, color=fill, edgecolor=edge)
                mark = "Δ " if changed else ""
                axes.text(k, row, f"{mark}{state[:6]}", ha="center", va="center", color=INK, family="DejaVu Sans Mono")
        axes.set_yticks(range(len(hashes)), list(hashes))
        axes.set_ylim(len(hashes) - 0.4, -0.6)
        axes.set_xlim(-0.6, width - 0.4)
        axes.set_xticks(range(width), ["before", *(f"call {k}" for k in range(1, width))])
        axes.set_xlabel("when the hash was taken   (Δ another state than one column before)")
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
    return figure


def row_text(row: Sequence[str]) -> list[str]:
    """The beginnings of the hashes, with a word where the state has changed."""
    return [state[:6] + (" (changed)" if k and state != row[k - 1] else "") for k, state in enumerate(row)]


def key_grid(lines: Mapping[tuple[str, str], tuple[int, int]]) -> Figure:
    """How many lines each kind of key lets through in each scenario, beside how many were meant.

    `lines` maps (kind of key, scenario) to (lines found, lines meant); every pair has to be there. Raises ValueError
    when one is missing.
    """
    kinds = list(dict.fromkeys(kind for kind, _ in lines))
    scenarios = list(dict.fromkeys(scenario for _, scenario in lines))
    if not lines or len(lines) != len(kinds) * len(scenarios):
        raise ValueError("key_grid: a pair of key and scenario is missing")
    wrong = [pair for pair, (found, meant) in lines.items() if found != meant]
    if not wrong:
        title = "Each kind of key leaves the lines that were meant, in every scenario"
    elif all(any(kind == k for k, _ in wrong) for kind in kinds):
        title = "Each kind of key goes wrong in some scenario, and none of them in all"
        if any(all((kind, s) in wrong for s in scenarios) for kind in kinds):
            title = f"{len(wrong)} of {len(lines)} pairs of key and scenario leave the wrong number of lines"
    else:
        title = f"{len(wrong)} of {len(lines)} pairs of key and scenario leave the wrong number of lines"
    told = "; ".join(f"{kind}, {scenario}: {_lines(*lines[kind, scenario])}" for kind, scenario in lines)
    with style():
        figure, (axes,) = canvas(title, 1.5 + 0.75 * len(kinds), f"{title}. {told}.")
        for row, kind in enumerate(kinds):
            for column, scenario in enumerate(scenarios):
                found, meant = lines[kind, scenario]
                bad = found != meant
                fill, edge = (PALE_ORANGE, ORANGE) if bad else (PALE_BLUE, BLUE)
                axes.barh(row, 0.94, 0.84, left=column - 0.47, color=fill, edgecolor=edge)
                text = f"{'✗' if bad else '✓'} {count(found, 'line')}\nmeant: {meant}"
                axes.text(column, row, text, ha="center", va="center", color=INK, fontsize=10)
        axes.set_yticks(range(len(kinds)), kinds)
        axes.set_ylim(len(kinds) - 0.4, -0.6)
        axes.set_xlim(-0.6, len(scenarios) - 0.4)
        axes.set_xticks(range(len(scenarios)), scenarios)
        axes.set_xlabel("what the agent does")
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
    return figure


def _lines(found: int, meant: int) -> str:
    return f"{count(found, 'line')}, {meant} meant"


def retry_amplification(without: Mapping[int, Sequence[int]], budgeted: Sequence[float], ratio: float) -> Figure:
    """Calls that arrive at a bottom that is down, for one request at the top, over the number of layers.

    `without` maps the retries of each layer to the calls for 1, 2, 3, ... layers; `budgeted` has the calls for one
    request when the layers share one retry budget of `ratio`. Raises ValueError when there is nothing to draw.
    """
    if not without or not budgeted or any(not calls for calls in without.values()):
        raise ValueError("retry_amplification: there is nothing to draw")
    most = max(without)
    layers = len(without[most])
    title = (
        f"{count(most, 'retry', 'retries')} in each of {count(layers, 'layer')} make "
        f"{count(without[most][-1], 'call')} of one request; a shared budget of {ratio:.0%} makes {budgeted[-1]:.2g}"
    )
    told = "; ".join(
        f"{count(retries, 'retry', 'retries')} a layer: {', '.join(map(str, calls))}"
        for retries, calls in without.items()
    )
    shared = ", ".join(f"{calls:.2g}" for calls in budgeted)
    alt = f"{title}. Calls by number of layers, from 1. {told}. With the budget: {shared}."
    with style():
        figure, (axes,) = canvas(title, 3.6, alt)
        for n, (retries, calls) in enumerate(sorted(without.items(), reverse=True)):
            places = range(1, len(calls) + 1)
            axes.plot(places, calls, color=ORANGE, linestyle=DASHES[n % 4], marker=MARKS[n % 4])
            label = f"{count(retries, 'retry', 'retries')} a layer: {calls[-1]}"
            axes.text(len(calls) + 0.08, calls[-1], label, va="center", fontsize=9.5)
        places = range(1, len(budgeted) + 1)
        axes.plot(places, budgeted, color=BLUE, linewidth=2.5, marker="x", markersize=8)
        axes.text(len(budgeted) + 0.08, budgeted[-1], f"shared budget: {budgeted[-1]:.2g}", va="center", fontsize=9.5)
        axes.set_yscale("log", base=10)
        axes.yaxis.set_major_formatter("{x:g}")
        axes.set_ylim(0.7, 1.6 * max(max(calls) for calls in without.values()))
        axes.set_xlim(0.8, layers + 1.0)
        axes.set_xticks(range(1, layers + 1))
        axes.grid(axis="y", color=GREY, alpha=0.25)
        axes.set_xlabel("layers that retry")
        axes.set_ylabel("calls at the bottom\nfor one request")
    return figure
