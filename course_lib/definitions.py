"""What the cells of a notebook define, found by name. Standard library only.

Nothing here runs a cell. Sources may hold anything a person can hand in: IPython lines are set aside first,
and a cell that is not Python becomes a record that says so, never an exception.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from course_lib.closure import NotWrittenError, closure
from course_lib.constants import constant
from course_lib.source import Scope, digest, is_stub, own_names, parse, statements

__all__ = [
    "PREDICTION_ID",
    "Cell",
    "Definition",
    "NotWrittenError",
    "PredictCall",
    "Scan",
    "closure",
    "digest",
    "is_stub",
    "scan",
]

PREDICTION_ID = re.compile(r"P\d\d\.\d+", re.ASCII)


@dataclass(frozen=True)
class Definition:
    """One `def`, `async def` or `class` at top level. `digest`: 64 hex digits over its code, see `digest`."""

    name: str
    kind: str  # "function" | "class"
    digest: str
    stub: bool
    line: int  # within its cell, from 1


@dataclass(frozen=True)
class PredictCall:
    """One `predict(...)` call as written.

    id          the id, None when it is not a literal string
    filled      False while the value or the confidence is absent or still `...`
    constant    value and confidence are constant expressions; only then is `value` meaningful
    value       what the value comes to (numbers, text, None, tuples, lists, sets, dicts of them), else None
    confidence  a float, None when absent or not a constant number
    line        within its cell, from 1
    """

    id: str | None
    filled: bool
    constant: bool
    value: Any
    confidence: float | None
    line: int


@dataclass(frozen=True)
class Cell:
    """What one cell source holds.

    names     bound at top level, in order, each once
    problem   None, or one line that says why the cell could not be read; the rest is then empty
    """

    names: tuple[str, ...]
    definitions: tuple[Definition, ...]
    predictions: tuple[PredictCall, ...]
    problem: str | None = None


@dataclass(frozen=True)
class Scan:
    """One `Cell` for each source, in the order given."""

    cells: tuple[Cell, ...]

    def defining(self, name: str) -> list[int]:
        """Indices of the cells whose top level binds `name`."""
        return [index for index, cell in enumerate(self.cells) if name in cell.names]


def scan(sources: Sequence[str]) -> Scan:
    """Read cell sources without running them. Never raises on what a source holds."""
    return Scan(tuple(_scan_cell(source) for source in sources))


# Reading one cell.


def _scan_cell(source: str) -> Cell:
    try:
        _, tree = parse(source)
        nodes = list(statements(tree.body))
        names = dict.fromkeys(name for node in nodes for name in own_names(node))
        definitions = tuple(
            Definition(
                name=node.name,
                kind="class" if isinstance(node, ast.ClassDef) else "function",
                digest=digest(node),
                stub=is_stub(node),
                line=node.lineno,
            )
            for node in nodes
            if isinstance(node, Scope)
        )
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        calls.sort(key=lambda call: (call.lineno, call.col_offset))
        predictions = tuple(found for call in calls if (found := _prediction(call)) is not None)
        return Cell(tuple(names), definitions, predictions)
    except SyntaxError as error:
        return Cell((), (), (), f"line {error.lineno or 1}: {error.msg}")
    except (RecursionError, MemoryError):
        return Cell((), (), (), "nested too deeply to be read")
    except ValueError:
        return Cell((), (), (), "holds characters that Python source cannot hold")


# Predictions as they are written.


def _prediction(call: ast.Call) -> PredictCall | None:
    func = call.func
    if isinstance(func, ast.Name):
        named = func.id == "predict"
    else:
        named = isinstance(func, ast.Attribute) and func.attr == "predict"
    if not named:
        return None
    given: dict[str, ast.expr] = dict(zip(("id", "value", "confidence"), call.args, strict=False))
    given |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    ident = given.get("id")
    text = ident.value if isinstance(ident, ast.Constant) and isinstance(ident.value, str) else None
    if isinstance(func, ast.Attribute) and not (text and PREDICTION_ID.fullmatch(text)):
        return None  # some model's own .predict(...)
    pair = [given.get("value"), given.get("confidence")]
    filled = all(part is not None and not _is_ellipsis(part) for part in pair)
    try:
        value, confidence = (None if part is None or _is_ellipsis(part) else constant(part) for part in pair)
    except ValueError:
        return PredictCall(text, filled, False, None, None, call.lineno)
    number = None
    if isinstance(confidence, int | float) and not isinstance(confidence, bool) and abs(confidence) < 1e9:
        number = float(confidence)
    return PredictCall(text, filled, filled, value if filled else None, number, call.lineno)


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...
