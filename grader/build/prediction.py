"""The predictions of a source: checked where an author answers them, emptied where a learner will."""

from __future__ import annotations

import ast

from course_lib import kinds
from course_lib.constants import constant
from course_lib.definitions import PREDICTION_ID, scan
from course_lib.source import parse as parse_cell
from grader.build.cells import Cell, mistake
from grader.build.python import calls, first_text, parse


def read_predictions(cells: list[Cell], number: str, where: str) -> list[str]:
    """The ids that the notebook asks for, in order. Raises CourseError for what could not be graded."""
    seen: dict[str, int] = {}
    for cell in cells:
        for call in scan([cell.source]).cells[0].predictions if cell.kind == "code" else ():
            line = cell.line + call.line - 1
            if call.id is None or not PREDICTION_ID.fullmatch(call.id):
                raise mistake(
                    where,
                    line,
                    "a prediction without a plain id",
                    f'Write predict("P{number}.{len(seen) + 1}", value, confidence=0.7)',
                )
            if not call.id.startswith(f"P{number}."):
                raise mistake(
                    where,
                    line,
                    f"prediction {call.id} stands in notebook {number}",
                    f"Call it P{number}.{call.id[4:]}",
                )
            if call.id in seen:
                raise mistake(
                    where,
                    line,
                    f"prediction {call.id} is asked for a second time (first in line {seen[call.id]})",
                    "Give it a number of its own",
                )
            if not call.filled:
                raise mistake(
                    where,
                    line,
                    f"prediction {call.id} has no value or no confidence",
                    "Give your own answer and confidence; learners get '...' in their place",
                )
            if not call.constant:
                raise mistake(
                    where,
                    line,
                    f"prediction {call.id} is computed, not a constant expression",
                    "Write the value out: numbers, text, True, or tuples, lists, sets and dicts of them",
                )
            if call.confidence is None or not 0 <= call.confidence <= 1:
                raise mistake(
                    where,
                    line,
                    f"the confidence of prediction {call.id} is not a number from 0 to 1",
                    "Write confidence=0.7 or the like",
                )
            seen[call.id] = line
    _check_kinds(cells, where)
    _check_reveals(cells, seen, where)
    return list(seen)


def _check_kinds(cells: list[Cell], where: str) -> None:
    """Each `kind=` is one that learners can be held to, and the author's own answer is of it."""
    for cell in cells:
        for call in calls(parse(cell.source, where, cell.line), "predict") if cell.kind == "code" else ():
            line, ident = cell.line + call.lineno - 1, first_text(call)
            given = {k.arg: k.value for k in call.keywords}
            if "kind" not in given:
                continue
            try:
                kind = constant(given["kind"])
                wanted = kinds.wanted(kind)
            except ValueError:
                raise mistake(
                    where,
                    line,
                    f"prediction {ident} has a kind that does not exist",
                    'Write kind="number", "set", "text" or "interval", or kind=["one choice", "another"]',
                ) from None
            if not kinds.fits(constant(call.args[1] if call.args[1:] else given["value"]), kind):
                raise mistake(
                    where, line, f"your own answer to prediction {ident} is not of its kind", f"Answer with {wanted}"
                )


def _check_reveals(cells: list[Cell], seen: dict[str, int], where: str) -> None:
    for cell in cells:
        if cell.kind != "code":
            continue
        for call in calls(parse(cell.source, where, cell.line), "reveal"):
            line, ident = cell.line + call.lineno - 1, first_text(call)
            if ident is None:
                continue
            if ident not in seen:
                raise mistake(
                    where,
                    line,
                    f"reveal({ident!r}) has no predict({ident!r}, ...)",
                    "Add it, or correct the id",
                )
            if line < seen[ident]:
                raise mistake(where, line, f"{ident} is revealed before it is predicted", "Move predict(...) above it")


def unanswered(source: str) -> str:
    """A cell's source with the value and confidence of each `predict(...)` replaced by `...`; its `kind` stays."""
    if "predict" not in source:
        return source
    spans = [span for call in calls(parse_cell(source)[1], "predict") for span in _answers(call)]
    # ast counts columns in UTF-8 bytes, so bytes are cut; from the end, so that earlier spans stay true.
    data = source.encode()
    starts = [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node in sorted(spans, key=lambda node: (node.lineno, node.col_offset), reverse=True):
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        begin = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + node.end_col_offset
        data = data[:begin] + b"..." + data[end:]
    return data.decode()


def _answers(call: ast.Call) -> list[ast.expr]:
    if not PREDICTION_ID.fullmatch(first_text(call) or ""):
        return []
    return [*call.args[1:3], *(k.value for k in call.keywords if k.arg in {"value", "confidence"})]
