"""Gates: what was read against the ceiling, who was asked in each turn, and what the order of asking costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..gates import GateDecision, LedgerRow, Turn
from .canvas import BLUE, GREY, INK, ORANGE, PALE_BLUE, PALE_GREY, PALE_ORANGE, canvas, count, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def token_stairs(rows: Sequence[LedgerRow], ceiling: int, refused: Sequence[int] = ()) -> Figure:
    """Tokens read after each turn, as stairs under a ceiling; what lies above the ceiling is shaded.

    `rows` come from a ledger, in the order of their turns; `refused` are the turns whose call was denied.
    Raises ValueError for a ledger without rows.
    """
    if not rows:
        raise ValueError("token_stairs: the ledger has no rows; there is nothing to draw")
    turns, total = [row["turn"] for row in rows], [row["cumulative"] for row in rows]
    over = max(0, total[-1] - ceiling)
    crossing = next((row for row in rows if row["cumulative"] >= ceiling), None)
    if crossing is None:
        title = f"{total[-1]:,} of {ceiling:,} tokens are read: the ceiling is not reached"
    elif over:
        title = f"Turn {crossing['turn']} takes the run {over:,} tokens past its ceiling of {ceiling:,}"
    else:
        title = f"Turn {crossing['turn']} reaches the ceiling of {ceiling:,} tokens exactly"
    told = "; ".join(f"turn {row['turn']} {row['tool']} {row['cumulative']:,}" for row in rows)
    no = f" Refused in turn {', '.join(map(str, refused))}." if refused else ""
    last = max([*turns, *refused])
    # A step is drawn where its turn ends, and the last one is carried on to the edge.
    xs, ys = [0, *turns, last + 0.6], [0, *total, total[-1]]
    with style():
        figure, (axes,) = canvas(title, 3.4, f"{title}. Tokens read after each turn: {told}.{no}")
        if over:
            axes.fill_between(
                xs,
                ceiling,
                [max(y, ceiling) for y in ys],
                step="post",
                facecolor=PALE_ORANGE,
                hatch="//",
                edgecolor=ORANGE,
                linewidth=0,
                label=f"overshoot: {over:,}",
            )
        axes.step(xs, ys, where="post", color=BLUE, linewidth=2.2, label="tokens read")
        axes.axhline(ceiling, color=INK, linestyle="--", linewidth=1.4, label=f"ceiling: {ceiling:,}")
        for number, turn in enumerate(refused):
            height = max([y for x, y in zip(turns, total, strict=True) if x <= turn], default=0)
            (mark,) = axes.plot(turn, height, "X", color=ORANGE, markeredgecolor=INK, markersize=11, zorder=4)
            if number == 0:
                mark.set_label("refused")
        axes.set_xlabel("turn")
        axes.set_ylabel("tokens read")
        axes.set_xticks(range(1, last + 1))
        axes.set_xlim(0.4, last + 0.6)
        axes.set_ylim(0, 1.16 * max(total[-1], ceiling))
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
    return figure


def gate_waterfall(turns: Sequence[Turn], gates: Sequence[str]) -> Figure:
    """Which gates were asked about the call of each turn, and what they said.

    `gates` are the names of the chain's gates, in its order. Raises ValueError when there is no turn.
    """
    if not turns:
        raise ValueError("gate_waterfall: there is no turn to draw")
    asked = sum(len(turn["decisions"]) for turn in turns)
    possible = len(turns) * len(gates)
    title = f"{_refusals(turns)}; {asked} of {possible} questions are asked"
    told = "; ".join(f"turn {turn['turn']} {turn['call'].tool}: {_told(turn['decisions'])}" for turn in turns)
    with style():
        figure, (axes,) = canvas(title, 1.5 + 0.5 * len(gates), f"{title}. {told}.")
        for column, turn in enumerate(turns):
            for row in range(len(gates)):
                _cell(axes, column, row, turn["decisions"][row] if row < len(turn["decisions"]) else None)
        axes.set_yticks(range(len(gates)), list(gates))
        axes.set_ylim(len(gates) - 0.4, -0.6)
        axes.set_xticks(range(len(turns)), [f"{turn['turn']}\n{turn['call'].tool}" for turn in turns])
        axes.set_xlim(-0.6, max(len(turns), 3) - 0.4)
        axes.set_xlabel("turn and proposed call   (✓ allowed, ✗ denied, · not asked)")
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
    return figure


def evaluations_by_order(counts: Mapping[tuple[str, ...], int], chosen: tuple[str, ...]) -> Figure:
    """How many gates were asked in all, for each order of the same gates; the `chosen` order stands out.

    Raises ValueError when `chosen` is not among the orders.
    """
    if chosen not in counts:
        raise ValueError("evaluations_by_order: the chosen order is not among those that were counted")
    orders = sorted(counts, key=lambda order: (counts[order], order))
    least, most = counts[orders[0]], counts[orders[-1]]
    title = f"The same answers cost {least} to {most} evaluations; the chosen order costs {counts[chosen]}"
    alt = f"{title}. Cheapest: {', '.join(orders[0])}. Dearest: {', '.join(orders[-1])}. Chosen: {', '.join(chosen)}."
    short = _abbreviations(chosen)
    with style():
        figure, (axes,) = canvas(title, 3.4, alt)
        for place, order in enumerate(orders):
            mine = order == chosen
            fill, edge = (BLUE, INK) if mine else (PALE_GREY, GREY)
            axes.bar(place, counts[order], 0.78, color=fill, edgecolor=edge, hatch="//" if mine else None)
            axes.text(place, counts[order] + 0.2, str(counts[order]), ha="center", va="bottom", fontsize=8)
        axes.annotate(
            "chosen",
            (orders.index(chosen), counts[chosen] + 0.09 * most),
            xytext=(orders.index(chosen), 1.16 * most),
            ha="center",
            arrowprops={"arrowstyle": "-|>", "color": INK},
        )
        labels = [" ".join(short[gate] for gate in order) for order in orders]
        axes.set_xticks(range(len(orders)), labels, rotation=90, fontsize=8.5)
        axes.set_xlim(-0.7, len(orders) - 0.3)
        axes.set_ylim(0, 1.28 * most)
        key = ", ".join(f"{letter} = {gate}" for gate, letter in short.items())
        axes.set_xlabel(f"order in which the gates are asked   ({key})")
        axes.set_ylabel("gates asked in all")
        axes.tick_params(axis="x", length=0)
    return figure


def _cell(axes: Axes, column: int, row: int, decision: GateDecision | None) -> None:
    if decision is None:
        fill, edge, mark, color, dashes = "white", PALE_GREY, "·", GREY, ":"
    elif decision.allow:
        fill, edge, mark, color, dashes = PALE_BLUE, BLUE, "✓", INK, "-"
    else:
        fill, edge, mark, color, dashes = ORANGE, ORANGE, "✗", "white", "-"
    axes.barh(row, 0.9, 0.8, left=column - 0.45, color=fill, edgecolor=edge, linestyle=dashes)
    axes.text(column, row, mark, color=color, ha="center", va="center", fontsize=13)


def _refusals(turns: Sequence[Turn]) -> str:
    denied = [turn for turn in turns if not turn["decisions"][-1].allow]
    if len(denied) == 1:
        return f"{denied[0]['decisions'][-1].gate_name} refuses the call of turn {denied[0]['turn']}"
    return f"{len(denied)} calls are refused" if denied else "No call is refused"


def _told(decisions: Sequence[GateDecision]) -> str:
    *_, last = decisions
    if last.allow:
        return f"allowed by all {len(decisions)}"
    return f"denied by {last.gate_name}, {count(len(decisions), 'gate')} asked"


def _abbreviations(names: Sequence[str]) -> dict[str, str]:
    """The shortest beginnings, in capitals, that tell the names apart."""
    for size in range(1, max(map(len, names)) + 1):
        short = {name: name[:size].capitalize() for name in names}
        if len(set(short.values())) == len(names):
            return short
    return {name: name for name in names}
