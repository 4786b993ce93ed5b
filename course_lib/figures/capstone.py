"""The capstone: where a run was killed and what it came to, and one page on a run from its record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from ..agent import unpack
from .canvas import BLUE, GREY, INK, ORANGE, PALE_BLUE, PALE_ORANGE, canvas, count, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..crash import Sweep

MARKS = ("o", "X", "s", "^", "D")


def run_kill_map(struck: Sweep, resumed: Sweep) -> Figure:
    """Every kill, in the lane of the step that it fell into; the mark says what the run came to when started again.

    Both are sweeps of the same run with outcomes (entries on record, charges, state of the charge's obligation), one
    that leaves the case as the kill left it and one that resumes. Raises ValueError when nothing was killed.
    """
    if not struck.cases or len(struck.cases) != len(resumed.cases):
        raise ValueError("run_kill_map: two sweeps with the same kills are wanted")
    trace = resumed.whole.ending.outcome.value["trace"]
    tools = [action["tool"] for action, _ in map(unpack, trace)]
    ends = [(then.outcome[1], then.outcome[2]) for then in resumed.cases]
    unsure = sum(state != "done" for _, state in ends)
    most = max(acted for acted, _ in ends)
    title = f"Killed at {len(ends)} points and started again: never more than {count(most, 'charge')}, "
    title += f"unsettled after {count(unsure, 'kill')}"
    lanes = [*tools, "(ended)"]
    by_lane = {
        name: {_end(end) for case, end in zip(struck.cases, ends, strict=True) if case.outcome[0] == n}
        for n, name in enumerate(lanes)
    }
    told = "; ".join(f"{name}: {', '.join(sorted(found))}" for name, found in by_lane.items() if found)
    with style():
        figure, (axes,) = canvas(title, 1.9 + 0.34 * len(lanes), f"{title}. By lane: {told}.")
        for position, kind in enumerate(sorted(set(ends))):
            at = [(case.n, case.outcome[0]) for case, end in zip(struck.cases, ends, strict=True) if end == kind]
            axes.scatter(
                [n for n, _ in at],
                [lane for _, lane in at],
                marker=MARKS[position % len(MARKS)],
                s=30,
                color=BLUE if kind[1] == "done" else ORANGE,
                label=_end(kind),
                zorder=3,
            )
        axes.set_yticks(range(len(lanes)), [f"{n} {name}" for n, name in enumerate(lanes)])
        axes.set_ylim(len(lanes) - 0.4, -0.6)
        axes.grid(axis="y", color=PALE_BLUE)
        axes.set_xlabel("instruction before which the process is killed (number)")
        axes.set_ylabel("step in flight at the kill")
        axes.legend(loc="upper center", bbox_to_anchor=(0.35, -0.2), ncols=3, fontsize=9, columnspacing=1.0)
    return figure


def _end(end: tuple[int, str]) -> str:
    return f"{count(end[0], 'charge')}, obligation {end[1]}"


def run_report(task_id: str, record: Mapping[str, Sequence[Any]], limit: int = 200) -> Figure:
    """One page on a task from what its record holds (see `course_lib.durable.recorded`): every entry, tokens, debts.

    `limit` is the number of tokens that may be read. Raises ValueError when nothing of the task is on record.
    """
    steps = record["steps"]
    if not steps:
        raise ValueError(f"run_report: nothing of {task_id} is on record")
    open_items = [key for kind, key, state in record["obligations"] if kind == "charge" and state != "done"]
    settled = sum(kind == "charge" and state == "done" for kind, _, state in record["obligations"])
    title = f"{task_id}: {count(len(steps), 'entry', 'entries')}, {count(settled, 'charge')} settled, "
    title += f"{count(len(open_items), 'open item')}{': ' + ', '.join(open_items) if open_items else ''}"
    tokens = list(accumulate(len(step["observation"].get("text", "")) // 4 for step in steps))
    lines = [(step["action"]["tool"], _came_back(step["observation"])) for step in steps]
    told = "; ".join(f"{n} {tool}: {came}" for n, (tool, came) in enumerate(lines))
    with style():
        figure, (page, stairs) = canvas(title, 2.6 + 0.3 * len(lines), f"{title}. Entries: {told}.", (len(lines), 4))
        for n, ((tool, came), (_, answer)) in enumerate(zip(lines, map(unpack, steps), strict=True)):
            good = answer["ok"]
            page.axhspan(n - 0.45, n + 0.45, color=PALE_BLUE if good else PALE_ORANGE, linewidth=0)
            for x, text in ((0.01, str(n)), (0.06, tool), (0.32, f"{'✓' if good else '✗'} {came}"[:78])):
                page.text(x, n, text, va="center", fontsize=9, color=INK)
        page.set_xlim(0, 1)
        page.set_ylim(len(lines) - 0.4, -0.6)
        page.set_axis_off()
        stairs.step(range(len(tokens)), tokens, where="post", color=BLUE, label="read so far")
        stairs.axhline(limit, color=GREY, linestyle="--", label="limit")
        stairs.set_ylim(0, limit * 1.25)
        stairs.set_xticks(range(len(tokens)))
        stairs.set_xlabel("entry")
        stairs.set_ylabel("tokens")
        stairs.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
        stairs.tick_params(length=0)
    return figure


def _came_back(answer: Mapping[str, Any]) -> str:
    """What an observation says, in a few words."""
    kept = {name: value for name, value in answer.items() if name not in ("ok", "text", "sha256")}
    if "facts" in kept:
        return ", ".join(f"{fact['predicate']} {fact['value']}" for fact in kept["facts"]) or "no facts"
    if "notes" in kept:
        return ", ".join(kept["notes"])
    return ", ".join(f"{value}" if name == "error" else f"{name} {value}" for name, value in kept.items()) or "written"
