"""`learner`: what a test works with. It asks the learner's process and never lets anything of it in but plain data."""

from __future__ import annotations

import copy
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

from grader.judge.api import AnswerRaised
from grader.kernel import wire
from grader.kernel.trouble import Trouble

MAX_FILE = 8_000_000


class Transport(Protocol):
    """Where the learner's code runs: a kernel while grading, the live notebook in `check()`."""

    def request(
        self, message: dict[str, Any], callback: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    ) -> dict[str, Any]:
        """Have one request of `grader.kernel.inside.perform` answered; raises Trouble when there is no answer."""

    def folder(self) -> Path:
        """A new empty folder that both sides can reach."""


@dataclass(frozen=True)
class Fault:
    """What the learner's code raised: type's name, names of its base classes, message, and the line of their cell."""

    type: str
    mro: tuple[str, ...] = field()  # field(): without it the name finds type.mro as a default
    message: str
    own_line: str | None


@dataclass(frozen=True)
class Outcome:
    """What one call did. `value` raises AnswerRaised when the call did; look at `error` first where it may."""

    returned: Any
    error: Fault | None
    args_after: tuple[Any, ...]
    stdout: str
    seconds: float

    @property
    def value(self) -> Any:
        """What the call returned."""
        if self.error is not None:
            raise AnswerRaised(self.error)
        return self.returned

    def raised(self, name: str) -> bool:
        """Whether the call raised the exception called `name`, or one derived from it."""
        return self.error is not None and name in self.error.mro


@dataclass(frozen=True)
class Seen:
    """The last call that a test made, for `check()` to show."""

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    outcome: Outcome


@dataclass(frozen=True)
class _Remote:
    """A grader's object as an argument: only its number crosses."""

    ref: wire.Ref
    obj: Any


class Handle:
    """An object that the learner's code made and that stays in the learner's process."""

    def __init__(self, learner: Learner, ref: wire.Ref, made: Outcome) -> None:
        self._learner = learner
        self.ref = ref
        self.made = made

    def call(self, method: str, *args: Any, **kwargs: Any) -> Outcome:
        """Call a method of the object."""
        return self._learner._ask("method", method, [(args, kwargs)], handle=self.ref.id)[0]

    def get(self, attribute: str) -> Outcome:
        """Read an attribute of the object."""
        return self._learner._ask("get", attribute, [((), {})], handle=self.ref.id)[0]


@dataclass
class Learner:
    """One test's view of the learner's answers. A new one is made for each test; handles die with it."""

    transport: Transport
    _remotes: list[Any] = field(default_factory=list)
    _folder: Path | None = None
    last: Seen | None = None

    def call(self, name: str, *args: Any, **kwargs: Any) -> Outcome:
        """Call the learner's function `name` with copies of the arguments."""
        return self._ask("name", name, [(args, kwargs)])[0]

    def map(self, name: str, calls: list[tuple[Any, ...]]) -> list[Outcome]:
        """Call the learner's function once for each tuple of arguments, in one round trip."""
        return self._ask("name", name, [(args, {}) for args in calls])

    def new(self, name: str, *args: Any, **kwargs: Any) -> Handle:
        """Make an object with the learner's class (or function) `name`; raises AnswerRaised when that raises."""
        return self._keep("name", name, args, kwargs)

    def lib(self, name: str, *args: Any, **kwargs: Any) -> Handle:
        """Make an object of course_lib ("course_lib.module:Name") in the learner's process. For plain data only."""
        return self._keep("lib", name, args, kwargs)

    def remote(self, obj: Any) -> _Remote:
        """`obj` stays in the grader; the learner gets a stand-in that forwards calls, attributes and items."""
        number = next((n for n, known in enumerate(self._remotes) if known is obj), len(self._remotes))
        if number == len(self._remotes):
            self._remotes.append(obj)
        methods = tuple(n for n in dir(type(obj)) if not n.startswith("_") and callable(getattr(type(obj), n)))
        own = tuple(n for n, v in getattr(obj, "__dict__", {}).items() if not n.startswith("_") and callable(v))
        return _Remote(wire.Ref("remote", number, methods + own, callable(obj)), obj)

    def path(self, name: str = "") -> str:
        """A path in this test's own empty folder, which is also the current folder of its calls."""
        return str(self._home() / name)

    def write(self, name: str, data: bytes) -> str:
        """Put a file into the test's folder; its path."""
        (self._home() / name).write_bytes(data)
        return self.path(name)

    def read(self, name: str) -> bytes | None:
        """A plain file of the test's folder as it is now, at most 8 MB; None when there is none."""
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        try:
            descriptor = os.open(self._home() / name, flags)
        except OSError:
            return None
        with os.fdopen(descriptor, "rb") as file:
            return file.read(MAX_FILE) if stat.S_ISREG(os.fstat(descriptor).st_mode) else None

    def listdir(self) -> list[str]:
        """Names in the test's folder, sorted."""
        return sorted(entry.name for entry in self._home().iterdir())

    def _home(self) -> Path:
        if self._folder is None:
            self._folder = self.transport.folder()
        return self._folder

    def _keep(self, of: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Handle:
        made = self._ask(of, name, [(args, kwargs)], keep=True)[0]
        if not isinstance(made.value, wire.Ref):
            raise Trouble("protocol", "The call's answer did not come through.")
        return Handle(self, made.value, made)

    def _ask(
        self,
        of: str,
        name: str,
        calls: list[tuple[tuple[Any, ...], dict[str, Any]]],
        *,
        handle: int | None = None,
        keep: bool = False,
    ) -> list[Outcome]:
        wired = [
            {
                "of": of,
                "name": name,
                "handle": handle,
                "keep": keep,
                "args": [wire.encode(arg, self._ref) for arg in args],
                "kwargs": {key: wire.encode(arg, self._ref) for key, arg in kwargs.items()},
            }
            for args, kwargs in calls
        ]
        started = monotonic()
        reply = self.transport.request({"op": "calls", "calls": wired, "folder": str(self._home())}, self._callback)
        seconds = monotonic() - started
        try:
            outcomes = [self._outcome(raw, seconds / len(calls)) for raw in reply["outcomes"]]
        except (KeyError, TypeError, ValueError):
            outcomes = []
        if len(outcomes) != len(calls):
            raise Trouble("protocol", "The call's answer did not come through.")
        if calls:
            self.last = Seen(name, calls[-1][0], calls[-1][1], outcomes[-1])
        return outcomes

    def _outcome(self, raw: dict[str, Any], seconds: float) -> Outcome:
        error = None
        if raw.get("error") is not None:
            told = raw["error"]
            line = told.get("own_line")
            own_line = f"line {int(line['line'])}: {str(line['text'])[:200]}" if isinstance(line, dict) else None
            error = Fault(
                str(told["type"])[:100],
                tuple(str(n) for n in told["mro"][:20]),
                str(told["message"])[:500],
                own_line,
            )
        return Outcome(
            returned=None if error else wire.decode(raw["value"], self._resolve),
            error=error,
            args_after=tuple(wire.decode(arg, self._resolve) for arg in raw["args_after"]),
            stdout=str(raw["stdout"]),
            seconds=seconds,
        )

    def _ref(self, value: Any) -> wire.Ref | None:
        if isinstance(value, _Remote):
            return value.ref
        return value.ref if isinstance(value, Handle) else None

    def _resolve(self, ref: wire.Ref) -> Any:
        if ref.kind == "handle":
            return ref
        if not 0 <= ref.id < len(self._remotes):
            raise wire.WireError("no such object")
        return self._remotes[ref.id]

    def _callback(self, message: dict[str, Any]) -> dict[str, Any]:
        """Serve one call on a grader's object. A forged message may name only what a real stand-in could."""
        try:
            obj = self._remotes[int(message["id"])]
            ref = self.remote(obj).ref
            name = str(message["name"])
            args = [wire.decode(arg, self._resolve) for arg in message["args"]]
            kwargs = {str(key): wire.decode(arg, self._resolve) for key, arg in message["kwargs"].items()}
            is_call = message["op"] == "call"
        except (KeyError, IndexError, TypeError, ValueError, AttributeError):
            return {"raise": {"type": "TypeError", "message": "this call could not be understood"}}
        if name.startswith("_") and not (is_call and name == "__call__" and ref.callable):
            return {"raise": {"type": "AttributeError", "message": name}}
        if is_call and name != "__call__" and name not in ref.methods:
            return {"raise": {"type": "AttributeError", "message": name}}
        before = [copy.deepcopy(arg) if isinstance(arg, list | dict) else None for arg in args]
        reply: dict[str, Any] = {}
        try:
            result = getattr(obj, name)(*args, **kwargs) if is_call else getattr(obj, name)
            reply["value"] = wire.encode(result, self._ref)
        except Exception as error:
            reply["raise"] = {"type": type(error).__name__, "message": str(error)}
        changed = {
            str(i): wire.encode(arg, self._ref)
            for i, (arg, was) in enumerate(zip(args, before, strict=True))
            if isinstance(arg, list | dict) and arg != was
        }
        return reply | ({"changed": changed} if changed else {})
