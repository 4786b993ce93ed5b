"""`learner`: what a test works with. It asks the learner's process and never lets anything of it in but plain data."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

from grader.judge.api import AnswerRaised
from grader.kernel import wire
from grader.kernel.trouble import Trouble

if TYPE_CHECKING:
    from grader.judge.crash import CrashTests
    from grader.kernel.crash import Crashes

MAX_FILE = 8_000_000
# Flags that not every system has.
NO_FOLLOW, NO_WAIT, BINARY = (getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
NOT_THROUGH = "The call's answer did not come through."


class Transport(Protocol):
    """Where the learner's code runs: a kernel while grading, the live notebook in `check()`."""

    def request(
        self, message: dict[str, Any], callback: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    ) -> dict[str, Any]:
        """Have one request of `grader.kernel.inside.perform` answered; raises Trouble when there is no answer."""

    def folder(self) -> Path:
        """A new empty folder that both sides can reach."""

    def crashes(self) -> Crashes:
        """What kills answers, from their text and in processes of its own."""


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
class Remote:
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
    _crash: CrashTests | None = None

    @property
    def crash(self) -> CrashTests:
        """For killing answers and looking at what is left: see `grader.judge.crash`."""
        if self._crash is None:
            from grader.judge.crash import CrashTests

            self._crash = CrashTests(self, self.transport.crashes())
        return self._crash

    def close(self) -> None:
        """The test is over."""
        if self._crash is not None:
            self._crash.close()

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

    def remote(self, obj: Any) -> Remote:
        """`obj` stays in the grader; the learner gets a stand-in that forwards calls and reads of attributes.

        It reads every attribute whose name does not begin with an underscore: keep expected values behind one.
        Raises TypeError for a string: `str.format` would read whatever it is given, private names included.
        """
        if isinstance(obj, str):
            raise TypeError("remote() is for objects that do something: hand a string over as it is")
        number = next((n for n, known in enumerate(self._remotes) if known is obj), len(self._remotes))
        if number == len(self._remotes):
            self._remotes.append(obj)
        methods = tuple(n for n in dir(type(obj)) if not n.startswith("_") and callable(getattr(type(obj), n)))
        own = tuple(n for n, v in getattr(obj, "__dict__", {}).items() if not n.startswith("_") and callable(v))
        return Remote(wire.Ref("remote", number, methods + own, callable(obj)), obj)

    def path(self, name: str = "") -> str:
        """A path in this test's own empty folder, which is also the current folder of its calls."""
        return str(self._home() / name)

    def write(self, name: str, data: bytes) -> str:
        """Put a file into the test's folder, in place of what is there; its path."""
        with self._inside(name) as (path, folder):
            try:
                with suppress(FileNotFoundError):
                    os.unlink(path, dir_fd=folder)
                # Exclusively: what the learner's code put there first could be a link to a file of the grader's own.
                descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY, 0o644, dir_fd=folder)
                with os.fdopen(descriptor, "wb") as file:
                    file.write(data)
            except OSError:
                raise Trouble("protocol", f"{name} could not be put into the test's folder.") from None
        return self.path(name)

    def read(self, name: str) -> bytes | None:
        """A plain file of the test's folder as it is now, at most 8 MB; None when there is none."""
        with self._inside(name) as (path, folder):
            try:
                descriptor = os.open(path, os.O_RDONLY | NO_FOLLOW | NO_WAIT | BINARY, dir_fd=folder)
            except OSError:
                return None
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            return None
        with os.fdopen(descriptor, "rb") as file:
            return file.read(MAX_FILE)

    def listdir(self) -> list[str]:
        """Names in the test's folder, sorted."""
        with self._inside("") as (path, folder):
            return sorted(os.listdir(path if folder is None else folder))  # noqa: PTH208 - a descriptor has no path

    @contextmanager
    def _inside(self, name: str) -> Iterator[tuple[Path | str, int | None]]:
        """A way to `name` in the test's folder that no link leads elsewhere: a name, and the opened folder it is in.

        Where Python cannot open a folder (Windows, where links need a privilege) it is a path and None.
        """
        if Path(name).name != name or name == "..":
            raise ValueError(f"{name}: a plain file name is wanted")
        home = self._home()
        if os.open not in os.supports_dir_fd:
            yield home / name, None
            return
        try:
            folder = os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            raise Trouble("protocol", "The folder that the test works in is not there any more.") from None
        try:
            yield name, folder
        finally:
            os.close(folder)

    def _home(self) -> Path:
        if self._folder is None:
            self._folder = self.transport.folder()
        return self._folder

    def _keep(self, of: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Handle:
        made = self._ask(of, name, [(args, kwargs)], keep=True)[0]
        if not isinstance(made.value, wire.Ref):
            raise Trouble("protocol", NOT_THROUGH)
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
            pairs = zip(reply["outcomes"], calls, strict=True)
            outcomes = [self._outcome(raw, len(args), seconds / len(calls)) for raw, (args, _) in pairs]
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError):
            raise Trouble("protocol", NOT_THROUGH) from None
        if calls:
            self.last = Seen(name, calls[-1][0], calls[-1][1], outcomes[-1])
        return outcomes

    def _outcome(self, raw: dict[str, Any], args: int, seconds: float) -> Outcome:
        error = None
        if len(raw["args_after"]) != args:
            raise ValueError("not the arguments that were given")
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
        if isinstance(value, Remote):
            return value.ref
        if isinstance(value, Handle):
            return value.ref
        # Also what a grader's object hands back or keeps in a list: as a value, a dataclass would show its fields.
        return self.remote(value).ref if any(known is value for known in self._remotes) else None

    def _resolve(self, ref: wire.Ref) -> Any:
        if ref.kind == "handle":
            return ref
        if not 0 <= ref.id < len(self._remotes):
            raise wire.WireError("no such object")
        return self._remotes[ref.id]

    def _callback(self, message: dict[str, Any]) -> dict[str, Any]:
        """Serve one call on a grader's object. A forged message may name only what a real stand-in could."""
        try:
            number, name, is_call = message["id"], message["name"], message["op"] == "call"
            if type(number) is not int or type(name) is not str or number < 0:
                raise TypeError
            obj = self._remotes[number]
            args = [wire.decode(arg, self._resolve) for arg in message["args"]]
            kwargs = {key: wire.decode(arg, self._resolve) for key, arg in message["kwargs"].items()}
        except (LookupError, TypeError, ValueError, AttributeError):
            return _raising("TypeError", "this call could not be understood")
        ref = self.remote(obj).ref
        allowed = name in ref.methods or (name == "__call__" and ref.callable) if is_call else name[:1] != "_"
        if not allowed:
            return _raising("AttributeError", name)
        given: dict[str, Any] = {**{str(position): arg for position, arg in enumerate(args)}, **kwargs}
        reply: dict[str, Any] = {}
        changed: dict[str, Any] = {}
        try:
            # Compared as they cross: an Opaque equals nothing, so that comparing values would find changes everywhere.
            before = {key: wire.encode(arg, self._ref) for key, arg in given.items() if isinstance(arg, list | dict)}
            try:
                result = getattr(obj, name)(*args, **kwargs) if is_call else getattr(obj, name)
                reply["value"] = wire.encode(result, self._ref)
            finally:
                after = {key: wire.encode(given[key], self._ref) for key in before}
                changed = {key: arg for key, arg in after.items() if arg != before[key]}
        except Exception as error:
            reply |= _raising(type(error).__name__, _own_words(error, name))
        return reply | ({"changed": changed} if changed else {})


def _raising(kind: str, message: str) -> dict[str, Any]:
    return {"raise": {"type": kind, "message": message.encode("utf-8", "replace").decode()}}


def _own_words(error: Exception, name: str) -> str:
    """What the grader's object says itself. What Python says of a call that does not fit would name its class."""
    raised_inside = error.__traceback__ is not None and error.__traceback__.tb_next is not None
    return str(error) if raised_inside else f"{name} is not there, or is used in another way"
