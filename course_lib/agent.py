"""The agent: what it persists, how it chooses, and the loop that drives it.

A run is a conversation between an *adapter*, which proposes actions, and *tools*, which carry
them out. Everything the run persists is its *trace*: the pairs of action and observation, in the
order in which they happened. There is no other memory, so whoever holds the trace holds the run.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Literal, NotRequired, Protocol, TypeAlias, TypedDict

ErrorName: TypeAlias = Literal["invalid_arguments", "tool_unavailable", "unknown_tool", "not_found"]


class Action(TypedDict):
    """What the adapter proposes: a tool's name and its arguments."""

    tool: str
    args: dict[str, Any]


class Observation(TypedDict):
    """What the tool answered. `ok` is always there; the other keys depend on the tool."""

    ok: bool
    error: NotRequired[ErrorName]  # any tool, when ok is False
    notes: NotRequired[list[str]]  # list_notes
    name: NotRequired[str]  # read_note
    text: NotRequired[str]  # read_note
    sha256: NotRequired[str]  # write_report, 64 hex digits


class Step(TypedDict):
    """One trace entry."""

    action: Action
    observation: Observation


Trace: TypeAlias = list[Step]
EndRule: TypeAlias = Callable[[Trace], tuple[str, str] | None]
Tool: TypeAlias = Callable[[dict[str, Any]], Observation]
Tools: TypeAlias = Mapping[str, Tool]


class RunResult(TypedDict):
    """A run and how it ended. `termination` is None only for a run that has not ended."""

    task_id: str
    steps: int
    retries: int
    status: str
    termination: str | None
    trace: Trace


class Adapter(Protocol):
    """Stands where a language model would: reads the history, proposes the next action.

    It has to be a pure function of the history. Only then can a run be replayed.
    """

    def next_action(self, history: Trace) -> Action:
        """The action to take after `history`, which may be empty."""
        ...


@dataclass(frozen=True)
class Divergence:
    """The adapter, shown the first `k` entries, proposed something else than the trace recorded."""

    k: int
    recorded: Action
    proposed: Action


# A step taken apart: `for action, answer in map(unpack, history)`.
unpack: Callable[[Step], tuple[Action, Observation]] = itemgetter("action", "observation")


def good_answers(history: Trace, tool: str) -> list[Observation]:
    """The observations of `tool` that went well, oldest first."""
    return [answer for action, answer in map(unpack, history) if action["tool"] == tool and answer["ok"]]


class DeterministicModelAdapter:
    """The healthy adapter: list the notes, read each one not yet read, write the report.

    It asks the history what is known so far, never how long the history is. So it takes a failed
    call in its stride: nothing was learned from it, and the next proposal is still the right one.
    """

    def next_action(self, history: Trace) -> Action:
        """The next call that is still missing from `history`."""
        listings = good_answers(history, "list_notes")
        if not listings:
            return {"tool": "list_notes", "args": {}}
        texts = {answer["name"]: answer["text"] for answer in good_answers(history, "read_note")}
        for name in listings[-1]["notes"]:
            if name not in texts:
                return {"tool": "read_note", "args": {"name": name}}
        report = summary({name: texts[name] for name in listings[-1]["notes"]})
        return {"tool": "write_report", "args": {"content": report}}


def summary(texts: Mapping[str, str]) -> str:
    """The report on the notes, name -> text: one line a note, with its first sentence."""
    lines = [f"Summary of {len(texts)} notes"]
    for name, text in texts.items():
        first, _, _ = text.strip().partition(". ")
        lines.append(f"- {name}: {first.rstrip('.')}.")
    return "\n".join(lines) + "\n"


def _tool_call(tools: Tools, action: Action) -> Observation:
    """Carry out one action. Whatever goes wrong is an observation, never an exception.

    The adapter learns from observations alone: a call that raised here would leave no trace.
    """
    tool, args = action.get("tool"), action.get("args")
    if not isinstance(tool, str) or tool not in tools:
        return {"ok": False, "error": "unknown_tool"}
    if not isinstance(args, dict):
        return {"ok": False, "error": "invalid_arguments"}
    try:
        return tools[tool](copy.deepcopy(args))
    except OSError:  # the disk is full, the folder is gone: the outside world said no
        return {"ok": False, "error": "tool_unavailable"}


RUNAWAY_STEPS = 200


def run_task(adapter: Adapter, tools: Tools, rule: EndRule, *, task_id: str = "summarize-notes") -> RunResult:
    """Run until `rule` says how it ended; `rule` sees the trace after every entry.

    `rule` returns (status, termination), or None to go on. The loop has no limits of its own.
    Raises RuntimeError after 200 entries without an end: then the rule is broken, not the run.
    """
    trace: Trace = []
    failures = 0
    while len(trace) < RUNAWAY_STEPS:
        shown = copy.deepcopy(trace)  # the adapter may look at the past, not change it
        action = adapter.next_action(shown)
        answer = _tool_call(tools, action)
        trace.append({"action": copy.deepcopy(action), "observation": copy.deepcopy(answer)})
        if not answer["ok"]:
            failures += 1
        end = rule(trace)
        if end is not None:
            status, termination = end
            return RunResult(
                task_id=task_id,
                steps=len(trace),
                retries=failures,
                status=status,
                termination=termination,
                trace=trace,
            )
    raise RuntimeError(f"run_task: the end rule let {RUNAWAY_STEPS} steps pass; check when it returns an end")
