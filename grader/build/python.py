"""Reading the Python of one cell: parsed by the course's one reader, its calls found by name."""

from __future__ import annotations

import ast
import re

from course_lib.source import parse as parse_cell
from grader.build.cells import mistake


def parse(source: str, where: str, line: int) -> ast.Module:
    """The tree of a cell that begins in `line` of the file; a SyntaxError becomes a CourseError there."""
    try:
        return parse_cell(source)[1]
    except SyntaxError as error:
        at = line + (error.lineno or 1) - 1
        reason = re.sub(r" \(detected at line \d+\)", "", error.msg)  # it counts from the cell's first line
        raise mistake(where, at, f"the code does not parse: {reason}", "Correct it") from None
    except ValueError as error:  # a null byte
        raise mistake(where, line, f"the code does not parse: {error}", "Correct it") from None


def calls(tree: ast.Module, name: str) -> list[ast.Call]:
    """The calls `name(...)` in the order in which they stand."""
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
    ]
    return sorted(found, key=lambda node: (node.lineno, node.col_offset))


def first_text(call: ast.Call) -> str | None:
    """The call's first argument when it is a plain string."""
    first = call.args[0] if call.args else None
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else None
