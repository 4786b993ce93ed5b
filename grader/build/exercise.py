"""Reading an exercise's header cell: its settings, its prose, and its three hints."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from grader.build.cells import Cell, mistake

MODES = ("with help", "on your own, no AI")
_HINT = re.compile(r"hint:\s?", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_KNOWN = {
    "exercise": 'exercise="the_name_it_defines"',
    "title": 'title="What is to be done"',
    "difficulty": "difficulty=2 (1 to 5)",
    "minutes": "minutes=10",
    "mode": " or ".join(f'mode="{mode}"' for mode in MODES),
}
_OPTIONAL = {"stretch", "defines"}


@dataclass(frozen=True)
class Header:
    """What the header cell of an exercise says; `defines` begins with the exercise's own name."""

    name: str
    defines: tuple[str, ...]
    title: str
    difficulty: int
    minutes: int
    mode: str
    stretch: bool
    prose: str
    hints: tuple[str, str, str]
    line: int


def read_header(cell: Cell, where: str) -> Header:
    """The exercise that a markdown cell announces. Raises CourseError for whatever does not hold."""
    data, line = cell.metadata, cell.marker
    for key in data:
        if key not in _KNOWN and key not in _OPTIONAL:
            known = ", ".join([*_KNOWN, *sorted(_OPTIONAL)])
            raise mistake(where, line, f"unknown setting {key}=", f"Known are {known}")
    for key, example in _KNOWN.items():
        if key not in data:
            raise mistake(where, line, f"the exercise has no {key}", f"Add {example} to this line")
    name = _name("exercise", data["exercise"], where, line)
    _expect(isinstance(data["title"], str) and data["title"].strip(), data, "title", where, line)
    _expect(_whole(data["difficulty"]) and 1 <= data["difficulty"] <= 5, data, "difficulty", where, line)
    _expect(_whole(data["minutes"]) and data["minutes"] > 0, data, "minutes", where, line)
    _expect(data["mode"] in MODES, data, "mode", where, line)
    stretch = data.get("stretch", False)
    if not isinstance(stretch, bool):
        raise mistake(where, line, f"stretch={stretch!r} is neither true nor false", "Write stretch=true")
    prose, hints = _read_hints(cell, name, where)
    return Header(
        name=name,
        defines=_defines(data.get("defines", ""), name, where, line),
        title=data["title"].strip(),
        difficulty=data["difficulty"],
        minutes=data["minutes"],
        mode=data["mode"],
        stretch=stretch,
        prose=prose,
        hints=hints,
        line=line,
    )


def _name(key: str, value: object, where: str, line: int) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise mistake(
            where,
            line,
            f"{key}= holds {value!r}, which is not a name that code can define",
            f'Write {key}="a_name" in double quotes',
        )
    return value


def _defines(value: object, name: str, where: str, line: int) -> tuple[str, ...]:
    parts = [part.strip() for part in value.split(",")] if isinstance(value, str) else [value]
    names = [_name("defines", part, where, line) for part in parts if part != ""]
    return tuple(dict.fromkeys([name, *names]))


def _expect(holds: object, data: dict[str, Any], key: str, where: str, line: int) -> None:
    if not holds:
        raise mistake(where, line, f"{key}={data[key]!r} does not fit", f"Write {_KNOWN[key]}")


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _read_hints(cell: Cell, name: str, where: str) -> tuple[str, tuple[str, str, str]]:
    """The prose before the first `hint:`, and the hints; a hint may run on over the lines below it."""
    lines = cell.source.split("\n")
    starts = [i for i, line in enumerate(lines) if _HINT.match(line)]
    prose = "\n".join(lines[: starts[0]] if starts else lines).strip()
    if not prose:
        raise mistake(where, cell.line, f"exercise {name} has no prose", "Say why it matters and what to write")
    if re.match(r"#{1,6}\s", prose):
        raise mistake(
            where,
            cell.line,
            f"the prose of exercise {name} begins with a heading, and the build writes one",
            "Remove it; title= holds the title",
        )
    texts = [
        "\n".join(lines[a:b])[len(_HINT.match(lines[a])[0]) :].strip()  # type: ignore[index]
        for a, b in zip(starts, [*starts[1:], len(lines)], strict=False)
    ]
    if len(texts) != 3:
        at = cell.line + (starts[-1] if starts else len(lines) - 1)
        raise mistake(
            where,
            at,
            f"exercise {name} has {len(texts)} hint{'' if len(texts) == 1 else 's'}, not three",
            "End the cell with three lines 'hint: ...': a question, a direction, almost the answer",
        )
    for start, text in zip(starts, texts, strict=True):
        if not text:
            raise mistake(where, cell.line + start, f"a hint of exercise {name} is empty", "Write it")
    return prose, (texts[0], texts[1], texts[2])
