"""What stands between `# BEGIN SOLUTION` and `# END SOLUTION`: an answer, of which learners get a stub."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grader.build.cells import Cell, mistake

BEGIN, END, STUB = "# BEGIN SOLUTION", "# END SOLUTION", "# STUB"
_ALMOST = re.compile(r"#+\s*(begin|end)[\s_-]*solution", re.IGNORECASE)
_ALMOST_STUB = re.compile(r"#+\s*stub\b", re.IGNORECASE)
_TOP_LEVEL = re.compile(r"(?:async\s+)?(?:def|class)\s+(\w+)")


@dataclass(frozen=True)
class Answer:
    """A code cell told both ways; `blocks` are the texts of its solutions, the first begins in `line`."""

    solved: str
    stub: str
    blocks: tuple[str, ...]
    line: int


def read_answer(cell: Cell, where: str) -> Answer | None:
    """The two tellings of a code cell, or None when it has no solution block. Raises CourseError."""
    solved: list[str] = []
    stub: list[str] = []
    blocks: list[str] = []
    block: _Block | None = None
    begun = 0
    owner: str | None = None  # the top-level function or class that a block stands in
    for number, line in enumerate(cell.source.split("\n"), cell.line):
        mark = _mark(line, where, number)
        if mark == BEGIN:
            if block:
                raise mistake(
                    where,
                    number,
                    f"a second '{BEGIN}' before the first (line {block.line}) has ended",
                    f"Put '{END}' before it",
                )
            block = _Block(number, line[: len(line) - len(line.lstrip())], [], [])
            begun = begun or number
        elif mark == END:
            if not block:
                raise mistake(where, number, f"'{END}' without a '{BEGIN}'", f"Add '{BEGIN}' above the answer")
            solved += block.lines
            stub += _stub_lines(block, owner, where)
            blocks.append("\n".join(block.lines))
            block = None
        elif mark == STUB:
            if not block:
                raise mistake(where, number, f"'{STUB}' outside a solution block", f"Move it below '{BEGIN}'")
            indent = line[: len(line) - len(line.lstrip())]
            block.stub.append((indent + line.strip().removeprefix(STUB).removeprefix(" ")).rstrip())
        elif block:
            block.lines.append(line)
        else:
            found = _TOP_LEVEL.match(line)
            owner = found[1] if found else owner
            solved.append(line)
            stub.append(line)
    if block:
        raise mistake(where, block.line, f"'{BEGIN}' is never closed in its cell", f"Add '{END}' below the answer")
    return Answer("\n".join(solved), "\n".join(stub), tuple(blocks), begun) if blocks else None


@dataclass
class _Block:
    line: int
    indent: str
    lines: list[str]
    stub: list[str]


def _mark(line: str, where: str, number: int) -> str | None:
    text = line.strip()
    if text in {BEGIN, END}:
        return text
    if text == STUB or text.startswith(STUB + " "):
        return STUB
    if _ALMOST.match(text) or _ALMOST_STUB.match(text):
        raise mistake(
            where,
            number,
            f"{text!r} looks like a marker",
            f"Write exactly '{BEGIN}', '{END}' or '{STUB} ...'",
        )
    return None


def _stub_lines(block: _Block, owner: str | None, where: str) -> list[str]:
    if not any(line.strip() and not line.strip().startswith("#") for line in block.lines):
        raise mistake(where, block.line, "the solution block holds no answer", "Write the answer into it")
    if block.stub:
        return block.stub
    if not block.indent or owner is None:
        raise mistake(
            where,
            block.line,
            "the block stands outside a function and leaves no stub, so a learner's Run All would stop here",
            f"Move it into the function's body, below the docstring, or give '{STUB} ...' lines",
        )
    return [f'{block.indent}raise NotImplementedError("{owner}")']
