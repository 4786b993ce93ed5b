"""Replay: where it diverges, how two checkpoints differ, and what it cannot reach."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..agent import Divergence, Trace, good_answers, unpack
from .canvas import BLUE, GREY, INK, ORANGE, PALE_BLUE, PALE_ORANGE, canvas, count, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def prefix_grid(runs: Mapping[str, tuple[Trace, Sequence[Divergence]]]) -> Figure:
    """Whether replay proposed what was recorded: a row for each run, a column for each prefix.

    `runs` maps a label to the recorded trace and its divergences. Raises ValueError when there is
    no run, or a divergence lies at a prefix that the trace does not have.
    """
    if not runs:
        raise ValueError("prefix_grid: there is no run to draw")
    for label, (trace, found) in runs.items():
        for divergence in found:
            if not 0 <= divergence.k < len(trace):
                raise ValueError(f"prefix_grid: {label} has no next action at k = {divergence.k}")
    places = {label: sorted({divergence.k for divergence in found}) for label, (_, found) in runs.items()}
    total = sum(len(trace) for trace, _ in runs.values())
    apart = sum(map(len, places.values()))
    if apart:
        label = next(label for label, ks in places.items() if ks)
        where = f"k = {places[label][0]} of {' '.join(label.split())}"
        several = f"{apart} of {total} prefixes diverge, the first at {where}"
        title = several if apart > 1 else f"1 of {total} prefixes diverges: {where}"
    else:
        title = f"All {total} prefixes lead to the action that was recorded next"
    told = "; ".join(f"{label}: {_places(ks)}" for label, ks in places.items())
    width = max(len(trace) for trace, _ in runs.values())
    with style():
        figure, (axes,) = canvas(title, 1.5 + 0.48 * len(runs), f"{title}. By run: {told}.")
        for row, (label, (trace, _)) in enumerate(runs.items()):
            for k in range(len(trace)):
                bad = k in places[label]
                fill, edge = (ORANGE, ORANGE) if bad else (PALE_BLUE, BLUE)
                axes.barh(row, 0.9, 0.8, left=k - 0.45, color=fill, edgecolor=edge)
                mark, color = ("✗", "white") if bad else ("✓", INK)
                axes.text(k, row, mark, color=color, ha="center", va="center", fontsize=13)
        axes.set_yticks(range(len(runs)), list(runs))
        axes.set_ylim(len(runs) - 0.4, -0.6)
        axes.set_xlim(-0.6, max(width, 4) - 0.4)
        axes.set_xticks(range(width))
        axes.set_xlabel("k: entries of the trace that the adapter is shown   (✓ same action, ✗ another one)")
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
    return figure


def checkpoint_diff(
    left: Mapping[str, Any], right: Mapping[str, Any], names: tuple[str, str] = ("left", "right")
) -> Figure:
    """Two checkpoints side by side, field by field; the trace counts one field per half of an entry."""
    fields = _fields(left, right)
    differing = [path for path, (one, other) in fields.items() if one != other]
    if differing:
        listed = ", ".join(differing[:3]) + (", …" if len(differing) > 3 else "")
        title = f"{len(differing)} of {len(fields)} fields differ: {listed}"
    else:
        title = f"All {len(fields)} fields are the same"
    alt = title
    for path in differing[:5]:
        one, other = _around_difference(*fields[path], 36)
        alt += f". {path}: {names[0]} {one}, {names[1]} {other}"
    with style():
        figure, (axes,) = canvas(title, 1.05 + 0.27 * len(fields), f"{alt}.")
        columns = (0.0, 2.25, 2.55, 6.25)
        for x, head in zip(columns, ("field", "", *names), strict=True):
            axes.text(x, -1, head, weight="bold", va="center")
        for row, (path, (one, other)) in enumerate(fields.items()):
            same = one == other
            if not same:
                axes.axhspan(row - 0.5, row + 0.5, color=PALE_ORANGE, linewidth=0)
            cells = (path, "=" if same else "≠", *_around_difference(one, other, 36))
            for x, cell in zip(columns, cells, strict=True):
                color = GREY if same else INK
                axes.text(x, row, cell, family="DejaVu Sans Mono", fontsize=8.5, va="center", color=color)
        axes.set_xlim(-0.08, 10)
        axes.set_ylim(len(fields) - 0.3, -1.6)
        axes.set_axis_off()
    return figure


def rebuilt_and_outside(trace: Trace, report: Path) -> Figure:
    """What a replay of `trace` rebuilds, and what lies outside it: the file `report`, as it is now."""
    promised = [answer["sha256"] for answer in good_answers(trace, "write_report")]
    recorded = promised[-1] if promised else None
    now = hashlib.sha256(report.read_bytes()).hexdigest() if report.is_file() else None
    does, state = _outcome(report.name, recorded, now)
    title = f"Replay rebuilds every decision{does}"
    failures = sum(1 for _, answer in map(unpack, trace) if not answer["ok"])
    read = sorted({answer["name"] for answer in good_answers(trace, "read_note")})
    inside = [
        f"history: {count(len(trace), 'entry', 'entries')}",
        f"counters: steps {len(trace)}, retries {failures}",
        f"notes read: {', '.join(read) or 'none'}",
        "the next action, for every prefix",
    ]
    outside = [
        f"in the trace: sha256 {recorded[:12]}…" if recorded else "in the trace: nothing",
        f"on the disk: sha256 {now[:12]}…" if now else "on the disk: nothing",
        state,
    ]
    alt = f"{title}. Rebuilt from the trace: {'; '.join(inside)}. Outside, {report.name}: {'; '.join(outside)}."
    with style():
        figure, (axes,) = canvas(title, 2.9, alt)
        _box(axes, 0.0, 4.5, "rebuilt from the trace", inside, BLUE, "-")
        _box(axes, 5.7, 10.0, f"outside: {report.name}", outside, ORANGE, "--")
        arrow = {"arrowstyle": "-|>", "color": INK, "linewidth": 1.4}
        axes.annotate("", (5.65, 2.35), xytext=(4.55, 2.35), arrowprops=arrow)
        axes.text(
            5.1,
            2.5,
            "the run\nwrote it" if recorded else "not written\nby the run",
            ha="center",
            va="bottom",
            fontsize=9.5,
        )
        axes.annotate("", (5.65, 1.2), xytext=(4.55, 1.2), arrowprops={**arrow, "linestyle": ":"})
        axes.text(5.1, 1.2, "✗", ha="center", va="center", fontsize=17, color=ORANGE, weight="bold")
        axes.text(5.1, 0.95, "replay does\nnot touch it", ha="center", va="top", fontsize=9.5)
        axes.set_xlim(-0.05, 10.05)
        axes.set_ylim(-0.05, 3.6)
        axes.set_axis_off()
    return figure


def _outcome(name: str, recorded: str | None, now: str | None) -> tuple[str, str]:
    """The end of the title, and the state of the file in words; both hashes are hex or None."""
    if recorded is None:
        return (
            f" and knows nothing of {name}",
            "there is no such file" if now is None else "not from this run",
        )
    if now is None:
        return f" and does not bring {name} back", "the file is gone"
    if now != recorded:
        return f" and does not notice a changed {name}", "the file differs from the record"
    return f" and leaves {name} as it was written", "the file is as recorded"


def _box(axes: Axes, left: float, right: float, head: str, lines: list[str], color: str, dashes: str) -> None:
    axes.fill(
        [left, right, right, left],
        [0, 0, 3.5, 3.5],
        facecolor="white",
        edgecolor=color,
        linestyle=dashes,
        lw=2,
    )
    axes.text(left + 0.2, 3.1, head, weight="bold", color=color, va="center")
    for row, line in enumerate(lines):
        axes.text(left + 0.2, 2.4 - 0.62 * row, line, va="center", fontsize=9.5)


def _places(ks: list[int]) -> str:
    return f"diverges at k = {', '.join(map(str, ks))}" if ks else "every prefix matches"


def _fields(left: Mapping[str, Any], right: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Path -> the two values as text; "—" where one side has no such field."""
    one, other = _flat(left), _flat(right)
    return {path: (one.get(path, "—"), other.get(path, "—")) for path in {**one, **other}}


def _flat(checkpoint: Mapping[str, Any]) -> dict[str, str]:
    flat: dict[str, str] = {}
    for key, value in checkpoint.items():
        if key == "trace":
            for k, entry in enumerate(value):
                flat |= {f"trace[{k}].{half}": _compact(part) for half, part in entry.items()}
        else:
            flat[key] = _compact(value)
    return flat


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=repr)


def _around_difference(one: str, other: str, width: int) -> tuple[str, str]:
    """Both texts cut to `width` characters, so that the first place where they differ is in view."""
    pairs = enumerate(zip(one, other, strict=False))
    differs = next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))
    start = 0 if one == other or differs < width - 8 else differs - width // 2
    return _cut(one, start, width), _cut(other, start, width)


def _cut(text: str, start: int, width: int) -> str:
    tail = text[start:]
    head = "…" if start else ""
    return head + tail if len(head + tail) <= width else (head + tail)[: width - 1] + "…"
