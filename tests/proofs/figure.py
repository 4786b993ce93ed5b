"""The kill matrix as a figure: a panel for each exercise, mutants from top to bottom, tests from left to right."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from tests.proofs.matrix import Block, message

# Three steps of one hue that stay three steps in grey; the named promise carries a mark besides.
KEPT, LOST, NAMED = "#eef3f8", "#7fb2d9", "#0b3c6d"
CELL, HEAD, LABELS, FOOT = 0.2, 0.55, 2.6, 0.55  # inches
COLUMNS = 2


def draw(found: Sequence[Block], path: Path) -> str:
    """Write the figure to `path` (PNG); its alternative text, which the file carries as its description too."""
    columns = _columns(found)
    wide = LABELS + CELL * max(len(block.tests) for block in found) + 0.3
    width = max(wide * len(columns), 8.0)
    height = max(sum(_height(block) for block in column) for column in columns) + FOOT + 0.65
    figure = Figure(figsize=(width, height), facecolor="white")
    for at, column in enumerate(columns):
        top = height - 0.65
        for block in column:
            body = CELL * len(block.rows)
            left, bottom = at * wide + LABELS, top - HEAD - body
            size = [left / width, bottom / height, CELL * len(block.tests) / width, body / height]
            _panel(figure.add_axes(size), block)  # type: ignore[arg-type]
            top -= _height(block)
    figure.text(0.15 / width, 1 - 0.15 / height, message(found), fontsize=12.5, fontweight="bold", va="top")
    axes = "Each row is a wrong answer, each column a test of its exercise (p public, h hidden)"
    figure.text(0.15 / width, 1 - 0.45 / height, axes, fontsize=9, va="top")
    handles = [
        Patch(facecolor=NAMED, label="◆ loses the promise that names its misconception"),
        Patch(facecolor=LOST, edgecolor="#33475b", label="loses this one as well"),
        Patch(facecolor=KEPT, edgecolor="#33475b", label="keeps it, or was not asked"),
    ]
    figure.legend(
        handles=handles,
        loc="lower left",
        bbox_to_anchor=(0.02, 0),
        ncols=3 if width > 9 else 1,
        frameon=False,
        fontsize=8.5,
    )
    alt = alternative_text(found)
    FigureCanvasAgg(figure)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130, metadata={"Title": message(found), "Description": alt, "Software": None})
    return alt


def alternative_text(found: Sequence[Block]) -> str:
    """The figure's message for whom it cannot be shown."""
    parts = []
    for block in found:
        killed = sum(row.killed for row in block.rows)
        alone = sum(sum(map(bool, row.lost.values())) == 1 for row in block.rows)
        parts.append(f"{block.exercise}: {killed} of {len(block.rows)} caught, {alone} of them by a single test")
    return f"Kill matrix, wrong answers by tests. {message(found)}. {'; '.join(parts)}."


def _height(block: Block) -> float:
    return HEAD + CELL * len(block.rows) + 0.3


def _columns(found: Sequence[Block]) -> list[list[Block]]:
    """The panels in their order, broken into columns of about the same height."""
    total = sum(_height(block) for block in found)
    columns: list[list[Block]] = [[]]
    used = 0.0
    for block in found:
        if used >= total / COLUMNS * len(columns) - _height(block) / 2 and columns[-1] and len(columns) < COLUMNS:
            columns.append([])
        columns[-1].append(block)
        used += _height(block)
    return columns


def _panel(axes: Axes, block: Block) -> None:
    level = {"kept": 0, "sometimes": 1, "lost": 1, "sometimes named": 1, "named": 2}
    grid = [[level[row.mark(test)] for test, _ in block.tests] for row in block.rows]
    axes.pcolormesh(grid, cmap=ListedColormap([KEPT, LOST, NAMED]), vmin=0, vmax=2, edgecolors="white", linewidth=1.2)
    axes.invert_yaxis()
    for y, row in enumerate(block.rows):
        for x, (test, _) in enumerate(block.tests):
            if row.mark(test) == "named":
                axes.plot(x + 0.5, y + 0.5, marker="D", markersize=3.2, color="white")
    axes.set_xticks([x + 0.5 for x in range(len(block.tests))], block.heads.values(), fontsize=6.5)
    axes.set_yticks(
        [y + 0.5 for y in range(len(block.rows))],
        [row.mutant.slug.replace("_", " ") for row in block.rows],
        fontsize=8,
    )
    axes.xaxis.tick_top()
    axes.tick_params(length=0, pad=2)
    axes.set_title(f"{block.notebook}  {block.exercise}", fontsize=9.5, fontweight="bold", loc="left", pad=5)
    for spine in axes.spines.values():
        spine.set_visible(False)
