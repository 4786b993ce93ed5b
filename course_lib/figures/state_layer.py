"""The state layer: versions of a fact, what a retriever believes, an obligation's states, and two workers in a race."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..state import Fact
from .canvas import BLUE, GREY, INK, ORANGE, PALE_BLUE, PALE_GREY, PALE_ORANGE, canvas, count, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def version_chain(facts: Sequence[Fact]) -> Figure:
    """The versions of one fact in the order in which they were recorded, linked, against when each was so.

    Raises ValueError when there is none.
    """
    if not facts:
        raise ValueError("version_chain: there is no fact to draw")
    facts = sorted(facts, key=lambda fact: (fact.recorded_at, fact.id))
    place = {fact.id: x for x, fact in enumerate(facts)}
    days = sorted({fact.observed_at for fact in facts})
    standing = [one for one in facts if one.superseded_by is None]
    values = " and ".join(fact.value for fact in standing) or "none"
    verb = "stands" if len(standing) < 2 else "stand"
    title = f"{count(len(facts), 'version')} of “{facts[0].subject}, {facts[0].predicate}”: {values} {verb}"
    if len(standing) == 1 and standing[0].observed_at != days[-1]:
        title += ", although it was not observed last"
    told = "; ".join(
        f"{fact.value} ({fact.source}), observed {fact.observed_at[:10]}, recorded {fact.recorded_at[:10]}, "
        + (f"superseded by {_value(facts, fact.superseded_by)}" if fact.superseded_by else "stands")
        for fact in facts
    )
    with style():
        figure, (axes,) = canvas(title, 1.6 + 0.62 * len(days), f"{title}. In the order of recording: {told}.")
        for x, fact in enumerate(facts):
            y = days.index(fact.observed_at)
            stands = fact.superseded_by is None
            fill, edge = (PALE_BLUE, BLUE) if stands else ("white", GREY)
            box = {"boxstyle": "round,pad=0.4", "facecolor": fill, "edgecolor": edge, "linewidth": 2 if stands else 1}
            label = f"{'✓ ' if stands else ''}{fact.value}\n{fact.source}"
            axes.text(x, y, label, ha="center", va="center", fontsize=9.5, bbox=box, zorder=3)
            other = place.get(fact.superseded_by or 0)
            if other is not None:
                above = days.index(facts[other].observed_at)
                arrow = {"arrowstyle": "-|>", "color": INK, "shrinkA": 34, "shrinkB": 34, "linewidth": 1.3}
                axes.annotate("", (other, above), (x, y), arrowprops=arrow, zorder=2)
        axes.set_xticks(range(len(facts)), [fact.recorded_at[:10] for fact in facts])
        axes.set_yticks(range(len(days)), [day[:10] for day in days])
        axes.set_xlim(-0.6, max(len(facts), 2) - 0.4)
        axes.set_ylim(-0.6, len(days) - 0.4)
        axes.set_xlabel("recorded on (day)   → superseded by   ✓ stands")
        axes.set_ylabel("observed on (day)")
        axes.grid(axis="y", color=PALE_GREY, linewidth=0.6)
        axes.tick_params(length=0)
    return figure


def _value(facts: Sequence[Fact], wanted: int) -> str:
    return next((one.value for one in facts if one.id == wanted), f"fact {wanted}")


def score_against_truth(found: Sequence[tuple[float, str]], believed: Mapping[str, str], *, truth: str) -> Figure:
    """What a retriever found, the best first, and the value that each passage would have its reader believe.

    `found` holds (score, name); a name that `believed` has not says nothing about the question. `truth` is the value
    that stands in the record. Raises ValueError when nothing was found.
    """
    if not found:
        raise ValueError("score_against_truth: nothing was found")
    best, right = found[0][1], [name for _, name in found if believed.get(name) == truth]
    if best in right:
        title = f"The best hit, {best}, agrees with the record"
    elif right:
        rank = [name for _, name in found].index(right[0]) + 1
        title = f"The best hit, {best}, is stale; what stands in the record comes in place {rank}"
    else:
        title = f"The best hit, {best}, is stale, and nothing that was found agrees with the record"
    told = "; ".join(f"{name} {score:.2f}, {_says(believed.get(name), truth)}" for score, name in found)
    with style():
        figure, (axes,) = canvas(title, 1.2 + 0.42 * len(found), f"{title}. By score: {told}.")
        for row, (score, name) in enumerate(found):
            value = believed.get(name)
            fill, edge, hatch = (PALE_GREY, GREY, "") if value is None else (PALE_ORANGE, ORANGE, "//")
            if value == truth:
                fill, edge, hatch = PALE_BLUE, BLUE, ""
            axes.barh(row, score, 0.62, color=fill, edgecolor=edge, hatch=hatch)
            axes.text(score + 0.015, row, _says(value, truth), va="center", fontsize=9.5)
        axes.set_yticks(range(len(found)), [name for _, name in found])
        axes.set_ylim(len(found) - 0.4, -0.6)
        axes.set_xlim(0, 1)
        axes.set_xlabel("score: cosine with the question, from 0 to 1")
        axes.set_ylabel("passage")
        axes.tick_params(axis="y", length=0)
    return figure


def _says(value: str | None, truth: str) -> str:
    if value is None:
        return "says nothing about it"
    return f"✓ {value}: stands in the record" if value == truth else f"✗ {value}: does not stand any more"


STATES = {"open": (0.0, 0.5), "claimed": (1.0, 0.5), "done": (2.0, 0.82), "failed": (2.0, 0.18)}
MOVES = [
    ("open", "claimed", "claim"),
    ("claimed", "done", "commit,\nwith its token"),
    ("claimed", "failed", "given up"),
]


def obligation_states(counts: Mapping[str, int]) -> Figure:
    """The states of an obligation and the ways between them, with how many obligations are in each now.

    `counts` maps a state to a number; one that is missing has none. Raises ValueError for a state that is unknown.
    """
    if unknown := counts.keys() - STATES.keys():
        raise ValueError(f"obligation_states: there is no state {min(unknown)}")
    owed = counts.get("open", 0) + counts.get("claimed", 0)
    total = sum(counts.values())
    title = f"{owed or 'None'} of {count(total, 'obligation')} {'is' if 1 in (owed, total) else 'are'} still owed"
    if claimed := counts.get("claimed", 0):
        title += f", {claimed} of them claimed and not committed"
    in_words = ", ".join(f"{state} {counts.get(state, 0)}" for state in STATES)
    with style():
        figure, (axes,) = canvas(title, 2.7, f"{title}. By state: {in_words}.")
        for start, end, label in MOVES:
            _arrow(axes, STATES[start], STATES[end], label)
        arc = {
            "arrowstyle": "-|>",
            "color": ORANGE,
            "connectionstyle": "arc3,rad=-1.2",
            "shrinkA": 0,
            "shrinkB": 0,
            "linestyle": "--",
        }
        axes.annotate("", (1.1, 0.59), (0.9, 0.59), arrowprops=arc)
        axes.text(1.0, 0.95, "lease over: a new claim, a higher token", ha="center", fontsize=9, color=INK)
        for state, (x, y) in STATES.items():
            number = counts.get(state, 0)
            ended = state in ("done", "failed")
            box = {
                "boxstyle": "round,pad=0.5",
                "facecolor": PALE_BLUE if number else "white",
                "edgecolor": BLUE if number else GREY,
                "linewidth": 2.4 if ended else 1.2,
            }
            axes.text(x, y, f"{state}: {number}", ha="center", va="center", bbox=box, zorder=3)
        axes.set_xlim(-0.35, 2.4)
        axes.set_ylim(0, 1.08)
        axes.set_xlabel("from owed (left) to ended (right, thick border); the numbers count obligations")
        axes.set_xticks([])
        axes.set_yticks([])
        axes.spines[:].set_visible(False)
    return figure


def _arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float], label: str) -> None:
    style_ = {"arrowstyle": "-|>", "color": INK, "shrinkA": 34, "shrinkB": 34, "linewidth": 1.3}
    axes.annotate("", end, start, arrowprops=style_, zorder=1)
    x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
    up = end[1] >= start[1]
    axes.text(x, y + (0.09 if up else -0.09), label, ha="center", va="bottom" if up else "top", fontsize=9)


# An outcome of a race: its mark, the colours of its square, and how it is said.
RACE = {
    "once": ("", PALE_BLUE, BLUE, "one effect"),
    "twice": ("✗", ORANGE, ORANGE, "two effects"),
    "crash": ("!", INK, INK, "an exception in a worker"),
    "never": ("0", PALE_ORANGE, GREY, "no effect"),
}
COLUMNS = 42


def race_map(races: Mapping[str, Sequence[tuple[str, str]]]) -> Figure:
    """Every order of two workers' statements as a square that says how it ended; a block for each program.

    `races` maps a program to pairs (order, outcome): the order is a text such as "ABAB", the outcome one of RACE.
    Raises ValueError for an unknown outcome, and when there is nothing to draw.
    """
    if not races or not all(races.values()):
        raise ValueError("race_map: there is no race to draw")
    for label, ran in races.items():
        if unknown := {outcome for _, outcome in ran} - RACE.keys():
            raise ValueError(f"race_map: {label} ends as {min(unknown)}, which is none of {', '.join(RACE)}")
    kinds = {
        label: [kind for kind in RACE if any(kind == outcome for _, outcome in ran)] for label, ran in races.items()
    }
    clean = [label for label, found in kinds.items() if found == ["once"]]
    bad = [f"{label} {_worst(found)}" for label, found in kinds.items() if found != ["once"]]
    said = [f"{' and '.join(clean)} {'has' if len(clean) == 1 else 'have'} one effect in every order"] if clean else []
    title = "; ".join([*bad, *said])
    title = title[0].upper() + title[1:]
    told = "; ".join(f"{label}: {', '.join(RACE[kind][3] for kind in found)}" for label, found in kinds.items())
    rows = {label: -(-len(ran) // COLUMNS) for label, ran in races.items()}
    with style():
        height = 1.3 + sum(0.5 + 0.19 * number for number in rows.values())
        alt = f"{title}. Outcomes that occur: {told}."
        figure, lanes = canvas(title, height, alt, tuple(0.6 + 0.3 * number for number in rows.values()))
        for axes, (label, ran) in zip(lanes, races.items(), strict=True):
            for place, (_, outcome) in enumerate(ran):
                row, column = divmod(place, COLUMNS)
                mark, fill, edge, _ = RACE[outcome]
                axes.barh(row, 0.84, 0.84, left=column - 0.42, color=fill, edgecolor=edge, linewidth=0.8)
                color = INK if outcome == "never" else "white"
                axes.text(column, row, mark, color=color, ha="center", va="center", fontsize=8, weight="bold")
            axes.set_title(label, loc="left", fontsize=10)
            axes.set_xlim(-0.7, COLUMNS - 0.3)
            axes.set_ylim(rows[label] - 0.4, -0.6)
            axes.set_xticks([])
            axes.set_yticks([])
            axes.spines[:].set_visible(False)
        key = "   ".join(f"{mark or '□'} {words}" for mark, _, _, words in RACE.values())
        lanes[-1].set_xlabel(f"each square is one order of the two workers' statements\n{key}")
    return figure


def _worst(found: Sequence[str]) -> str:
    said = {"twice": "doubles", "crash": "crashes", "never": "loses the effect"}
    return " and ".join(said[kind] for kind in found if kind in said) + " in some order"
