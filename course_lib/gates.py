"""Gates: what stands between a model that proposes a call and the tool that would carry it out.

Here are the shapes that notebook 03 works with, a model that follows a script, and tools that read
real files. The gates themselves, the ledger and the loop are the learner's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias, TypedDict


@dataclass(frozen=True)
class ToolCall:
    """A call that a model proposes. `turn` is the turn in which the model decided on it, from 1."""

    tool: str
    args: dict[str, Any]
    turn: int


@dataclass(frozen=True)
class TextObservation:
    """What an allowed call brought back in `turn`, as the text that the model is going to read.

    The observation of a trace entry is a dict that code decides by; this is the same event from the
    side of the model, for which it is text, and text costs tokens.
    """

    call: ToolCall
    turn: int
    text: str


@dataclass(frozen=True)
class GateDecision:
    """What one gate said about one call. `gate_name` is the name of the gate's class."""

    allow: bool
    reason: str
    gate_name: str


class LedgerRow(TypedDict):
    """One observation in the ledger. Nothing of its text is kept but what it cost."""

    turn: int
    tool: str
    tokens: int
    cumulative: int  # tokens of this row and of all rows before it


class Ledger(Protocol):
    """What the model has read so far, in tokens."""

    def record(self, observation: TextObservation) -> None:
        """Enter one observation."""

    def cumulative(self) -> int:
        """Tokens of all observations together."""

    def per_tool(self, tool: str) -> int:
        """Tokens of the observations of this tool."""

    def latest_turn(self) -> int:
        """The highest turn of any observation, 0 when there is none."""

    def rows(self) -> list[LedgerRow]:
        """The observations in the order of their turns."""


@dataclass(frozen=True)
class GateContext:
    """What a gate may look at besides the call: the present turn, the observations so far, the ledger."""

    turn: int
    history: list[TextObservation]
    ledger: Ledger


class VerificationGate(Protocol):
    """Says yes or no to one call, before it runs. It decides by call and context alone."""

    def evaluate(self, call: ToolCall, ctx: GateContext) -> GateDecision:
        """Allow or deny `call`, and say why."""


# --- the loop -----------------------------------------------------------------------------------


class Message(TypedDict):
    """One thing that the model is told: what a tool returned, or that a call was refused."""

    role: Literal["tool", "system"]
    content: str


class Turn(TypedDict):
    """One turn of the loop: what was proposed, and every decision that was made on it."""

    turn: int
    call: ToolCall
    decisions: list[GateDecision]


class LoopResult(TypedDict):
    """A run of the loop and how it ended."""

    ended: Literal["done", "refused"]
    exit_code: int
    refusals: int
    turns: list[Turn]
    messages: list[Message]


class Model(Protocol):
    """Stands where a language model would: is told what happened, proposes the next call."""

    def next_call(self, messages: list[Message]) -> ToolCall | None:
        """The next call, or None when the model has what it wanted."""


class ScriptedModel:
    """Proposes the calls of a script one after the other, whatever it is told, and then is done.

    Each turn adds one message, so their number says how far the script is. Nothing else is remembered.
    """

    def __init__(self, script: Sequence[ToolCall]) -> None:
        self._script = list(script)

    def next_call(self, messages: list[Message]) -> ToolCall | None:
        """The call of the script that is due."""
        due = self._script[len(messages) :]
        return due[0] if due else None


# --- real tools over real files -----------------------------------------------------------------

TextTool: TypeAlias = Callable[[dict[str, Any]], str]

LOG_FILES, LOG_LINES = 8, 8192
_TOLD = ("timeout after 30 s, asking again", "answered, pressure is as planned")


def make_logs(folder: Path) -> None:
    """Write eight days of a pump station's log into `folder`: 8192 lines of 48 characters each, 3 MB in all.

    Every second line reports a timeout.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for day in range(1, LOG_FILES + 1):
        lines = []
        for number in range(LOG_LINES):
            hours, minutes, seconds = number // 3600, number // 60 % 60, number % 60
            clock = f"{hours:02}:{minutes:02}:{seconds:02}"
            lines.append(f"{clock} pump {number % 7 + 1} {_TOLD[number % 2]}\n")
        (folder / f"day-{day}.log").write_bytes("".join(lines).encode())


def file_tools(folder: Path) -> Mapping[str, TextTool]:
    """The tools list_files, read_file and grep over the files that lie directly in `folder`.

    Each takes the arguments of a call and returns a text, also when it cannot do what it was asked.
    """

    def files() -> list[Path]:
        return sorted(path for path in folder.iterdir() if path.is_file() and not path.is_symlink())

    def list_files(args: dict[str, Any]) -> str:
        return "".join(f"{path.name}\n" for path in files())

    def read_file(args: dict[str, Any]) -> str:
        wanted = [path for path in files() if path.name == args.get("name")]
        return wanted[0].read_text(encoding="utf-8") if wanted else f"There is no file {args.get('name')!r}.\n"

    def grep(args: dict[str, Any]) -> str:
        pattern = re.compile(str(args.get("pattern", "")))
        found = []
        for path in files():
            with path.open(encoding="utf-8") as lines:
                found += [f"{path.name}:{at:04}:{line}" for at, line in enumerate(lines, 1) if pattern.search(line)]
        return "".join(found)

    return {"list_files": list_files, "read_file": read_file, "grep": grep}
