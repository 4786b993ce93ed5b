"""What may happen to a solved notebook on its way, and costs nothing. The class of `pile.py` holds one of each."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from tests.e2e.toy import ANSWERS, STUBS, answered, cell

Cells = list[dict[str, Any]]


def place(cells: Cells, name: str) -> int:
    return next(at for at, c in enumerate(cells) if c["metadata"].get("exercise") == name)


def bare(cells: Cells) -> Cells:
    return [{**c, "metadata": {}} for c in cells]


def copied(cells: Cells) -> Cells:
    at = place(cells, "pack")
    return [*cells[:at], copy.deepcopy(cells[at]), *cells[at:]]


def split(cells: Cells) -> Cells:
    at = place(cells, "pack")
    first, second = ANSWERS["pack"].split("\n\n\n")
    return [*cells[:at], cell(first), cell(second), *cells[at + 1 :]]


def moved_to_the_end(cells: Cells) -> Cells:
    at = place(cells, "double")
    return [*cells[:at], *cells[at + 1 :], cells[at]]


def stub_above(cells: Cells) -> Cells:
    at = place(cells, "double")
    return [*cells[:at], cell(STUBS["double"]), *cells[at:]]


def stub_below(cells: Cells) -> Cells:
    return [*cells, cell(STUBS["double"]), cell(STUBS["pack"])]


def stub_above_in_the_same_cell(cells: Cells) -> Cells:
    return answered({"double": STUBS["double"] + "\n\n\n" + ANSWERS["double"]})


def stub_below_in_the_same_cell(cells: Cells) -> Cells:
    return answered({"double": ANSWERS["double"] + "\n\n\n" + STUBS["double"] + "\n\n\nbelow = 1"})


def warning_answer(cells: Cells) -> Cells:
    body = (
        "def double(number):\n    import sys, warnings\n    warnings.warn('slow')\n"
        "    print('thinking', file=sys.stderr)\n    print('done')\n    return number * 2"
    )
    return answered({"double": body})


def exits_in_the_middle(cells: Cells) -> Cells:
    return [*cells[:2], *map(cell, ("exit()", "quit()", "import sys\nsys.exit(1)", "raise SystemExit")), *cells[2:]]


def retyped(cells: Cells) -> Cells:
    return [cell("".join(c["source"]), "markdown") if "exercise" in c["metadata"] else c for c in cells]


def parked_attempt_below(cells: Cells) -> Cells:
    return [*cells, cell("def double(number):\n    return number ** 2", "raw")]


def rebound_by_a_decorator(cells: Cells) -> Cells:
    raw = "def double(number):\n    return [number * 2]"
    rebinding = "from functools import cache\n\n\ndef first(function):\n    return cache(lambda n: function(n)[0])"
    return [*answered({"double": raw}), cell(rebinding), cell("double = first(double)")]


def later_loop_variable(cells: Cells) -> Cells:
    return [*cells, cell("for double in [print, len]:\n    pass"), cell("with open('x', 'w') as pack:\n    pass")]


def failing_cell(cells: Cells) -> Cells:
    return [cells[0], cell("1 / 0"), cell("this is not Python"), cell("%no_such_magic"), *cells[1:]]


def input_cells(cells: Cells) -> Cells:
    return [cell("name = input()"), *cells, cell("input('again? ')")]


def through_a_lot(cells: Cells) -> Cells:
    """Each answer at the end and twice, its stub above and below, and nothing that says which cell is which."""
    answers = [c for c in cells if "".join(c["source"]) in ANSWERS.values()]
    stubs = [cell(source) for source in STUBS.values()]
    assert len(answers) == len(stubs)
    return bare([*stubs, *(c for c in cells if c not in answers), *answers, *answers, *stubs])


CHANGES: list[Callable[[Cells], Cells]] = [
    list,
    bare,
    copied,
    split,
    moved_to_the_end,
    stub_above,
    stub_below,
    stub_above_in_the_same_cell,
    stub_below_in_the_same_cell,
    warning_answer,
    exits_in_the_middle,
    retyped,
    parked_attempt_below,
    rebound_by_a_decorator,
    later_loop_variable,
    failing_cell,
    input_cells,
    through_a_lot,
]
