"""The process that forks: it runs a function in a child, has it killed where it is told to, and says how it ended.

`course_lib.crash` starts it and talks to it; a learner need not read further than there. It is small and has one
thread, so a fork costs a few milliseconds and copies nothing half-done (a notebook's own process has threads). It
never runs a learner's code itself: each run gets a child of its own, in a folder of its own, with the *source* of the
answer. Needs the standard library alone.

Frames in both directions: a letter, the number of the child, the length, then JSON.

    parent → worker   L  learn a function: {"name", "sources", "stubs"}
                      C  run calls, each in a child of its own, at the same time: {"folder", "calls", ...}
                      R  the reply to what a child asked            K  kill that child now
    worker → parent   S  learnt: {"source"} or {"unwritten"}
                      A  a child calls an object that stays with the parent
                      D  what a child says of its own end           E  what the worker saw of it
"""

from __future__ import annotations

import base64
import contextlib
import gc
import io
import json
import linecache
import os
import pickle
import select
import signal
import socket
import struct
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from time import monotonic, sleep
from types import CodeType, FrameType, ModuleType
from typing import Any, Protocol

Message = dict[str, Any]
Ask = Callable[[Message], Message]

HEADER = struct.Struct(">cHI")
MAX_FRAME = 16_000_000
MAX_POINTS = 200_000
MAX_TEXT = 2_000
TOOL = 3  # our number among the tools that may watch instructions (sys.monitoring)
# What a child may not do, because the sweep could not follow it there. Python tells a hook that stays for good.
REFUSED = {
    "os.fork": "starts another process",
    "os.forkpty": "starts another process",
    "os.posix_spawn": "starts another process",
    "os.exec": "starts another process",
    "os.system": "starts another process",
    "subprocess.Popen": "starts another process",
    "ctypes.dlopen": "reaches into Python itself",
    "ctypes.dlsym": "reaches into Python itself",
    "sys.settrace": "changes the tracing that counts its instructions",
    "sys.setprofile": "changes the tracing that counts its instructions",
}


@dataclass(frozen=True)
class Store:
    """Stands for `open_store(path)`: each run opens the record anew, in the folder of its case."""

    path: str = "record.db"


class Codec(Protocol):
    """How arguments and results cross. `wrap` makes the stand-in of an object that stays with the parent."""

    def encode(self, value: Any) -> Any:
        """What of `value` fits into JSON."""

    def decode(self, value: Any, ask: Ask) -> Any:
        """The value; its stand-ins send what is asked of them through `ask`."""


# Frames.


def frame(kind: bytes, child: int, body: bytes | Message) -> bytes:
    """One frame, ready to be sent."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return HEADER.pack(kind, child, len(data)) + data


class Frames:
    """Cuts what a socket brings into whole frames; what is left of a sender that died in the middle is dropped."""

    def __init__(self, line: socket.socket) -> None:
        self.line = line
        self.data = b""
        self.ended = False

    def take(self) -> Iterator[tuple[bytes, int, bytes]]:
        """Read once (blocks, unless something is there), then give every frame that is whole."""
        try:
            more = self.line.recv(1 << 18)
        except OSError:
            more = b""
        self.ended = self.ended or not more
        self.data += more
        while len(self.data) >= HEADER.size:
            kind, child, size = HEADER.unpack_from(self.data)
            if size > MAX_FRAME:
                raise ValueError("a frame is too long")
            if len(self.data) < HEADER.size + size:
                return
            body, self.data = self.data[HEADER.size : HEADER.size + size], self.data[HEADER.size + size :]
            yield kind, child, body

    def one(self) -> tuple[bytes, int, bytes]:
        """Wait for one frame, of a sender that waits for the reply. Raises EOFError when there is nobody."""
        while not self.ended:
            for found in self.take():
                return found
        raise EOFError


# In the child.


class Counter:
    """Counts the bytecode instructions of the answer (and of modules named in `inside`); kills at number `kill_at`."""

    def __init__(self, answer: str, inside: Sequence[str], kill_at: int | None) -> None:
        self.answer = answer
        self.places = {place: number for number, name in enumerate(inside, 1) for place in _places(name)}
        self.known: dict[CodeType, int | None] = {}
        self.kill_at = kill_at
        self.count = 0
        self.last = 0
        self.points: list[tuple[int, int]] = []

    def start(self) -> None:
        """Count from here on, in every thread."""
        if sys.version_info >= (3, 12):
            # Not settrace: 3.12.1 gives it no instruction events unless a flag is set beforehand, 3.13.0 none in the
            # first call of a function. A sweep without points would pass everything.
            monitoring = sys.monitoring
            monitoring.use_tool_id(TOOL, "crash")
            monitoring.register_callback(TOOL, monitoring.events.INSTRUCTION, self._instruction)
            monitoring.set_events(TOOL, monitoring.events.INSTRUCTION)
        else:
            threading.settrace(self._enter)
            sys.settrace(self._enter)

    def stop(self) -> bool:
        """Count no further; whether it was still counting."""
        if sys.version_info >= (3, 12):
            monitoring = sys.monitoring
            on = monitoring.get_tool(TOOL) == "crash" and monitoring.get_events(TOOL) == monitoring.events.INSTRUCTION
            monitoring.set_events(TOOL, 0)
            return on
        on = sys.gettrace() == self._enter
        sys.settrace(None)
        threading.settrace(None)
        return on

    def _instruction(self, code: CodeType, offset: int) -> Any:
        if self._place(code) is None:
            return sys.monitoring.DISABLE  # type: ignore[attr-defined]
        return self._step(sys._getframe(1))

    def _enter(self, frame: FrameType, event: str, arg: object) -> Any:
        if self._place(frame.f_code) is None:
            return None
        frame.f_trace_opcodes = True
        frame.f_trace_lines = False
        return self._traced

    def _traced(self, frame: FrameType, event: str, arg: object) -> Any:
        if event == "opcode":
            self._step(frame)
        return self._traced

    def _step(self, frame: FrameType) -> None:
        self.count += 1
        if self.count == self.kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.kill_at is None and self.count <= MAX_POINTS:
            self.points.append((self._line(frame), self.known[frame.f_code] or 0))

    def _place(self, code: CodeType) -> int | None:
        if code not in self.known:
            self.known[code] = self._where(code.co_filename)
        return self.known[code]

    def _where(self, filename: str) -> int | None:
        if filename == self.answer:
            return 0
        return next((n for place, n in self.places.items() if filename.startswith(place)), None)

    def _line(self, frame: FrameType | None) -> int:
        while frame is not None and frame.f_code.co_filename != self.answer:
            frame = frame.f_back
        if frame is None:
            return 0
        # Some instructions, a jump back to `while True` say, belong to no line: then the one before it counts.
        self.last = frame.f_lineno or self.last
        return self.last


def _places(module: str) -> list[str]:
    """Where the code of a module lies: its file, or its folder."""
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        raise ValueError(f"there is no Python source of {module}")
    if spec.origin == "frozen":
        return [f"<frozen {module}>"]
    return [str(Path(spec.origin).parent) + os.sep] if spec.submodule_search_locations else [spec.origin]


def run_child(line: socket.socket, call: Message, source: str, codec: Codec, confine: Callable[[], None]) -> None:
    """Everything that happens in a child, up to its end."""
    line.setblocking(True)
    frames = Frames(line)
    lock = threading.Lock()

    def ask(message: Message) -> Message:
        with lock:
            line.sendall(frame(b"A", 0, json.dumps(message, ensure_ascii=False).encode("utf-8", "replace")))
            reply: Message = json.loads(frames.one()[2])
            return reply

    confine()
    filename = f"<{call['name']}>"
    inside = call.get("inside", ())
    counter = Counter(filename, inside, call.get("kill_at")) if call.get("trace") else None
    reply: Message = {}
    args: list[Any] = []
    out = io.StringIO()

    def end() -> None:
        line.sendall(frame(b"D", 0, json.dumps(reply, ensure_ascii=False).encode("utf-8", "replace")))

    armed: list[bool] = []

    def hook(event: str, args: tuple[object, ...]) -> None:
        if event not in REFUSED or not armed:
            return
        if event == "sys.settrace" and _caller_is_threading():
            return
        reply["refused"] = REFUSED[event]
        end()
        os._exit(70)

    sys.addaudithook(hook)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            module = _load(call["name"], filename, source)
            gate = ask if call.get("gate") else None
            args = [_opened(codec.decode(arg, ask), gate) for arg in call["args"]]
            kwargs = {name: _opened(codec.decode(arg, ask), gate) for name, arg in call["kwargs"].items()}
            function = getattr(module, call["name"])
            line.sendall(frame(b"G", 0, b""))
            frames.one()
            if counter:
                counter.start()
            armed.append(True)
            try:
                value = function(*args, **kwargs)
            finally:
                armed.clear()
                if counter and not counter.stop():
                    reply["refused"] = REFUSED["sys.settrace"]
            reply["value"] = codec.encode(value)
        except BaseException as error:
            reply["error"] = _fault(error, filename)
    after = [None if type(arg).__name__ == "Connection" else arg for arg in args] or [None] * len(call["args"])
    reply["args_after"] = [codec.encode(arg) for arg in after]
    reply["stdout"] = out.getvalue()[:MAX_TEXT]
    if counter:
        reply["count"] = counter.count
        reply["points"] = counter.points
    end()


def _caller_is_threading() -> bool:
    asking = sys._getframe(2)
    return asking.f_code.co_filename == threading.__file__


def _load(name: str, filename: str, source: str) -> ModuleType:
    """The answer as a module with a file of its own, which tracebacks and `inspect` can read."""
    module = ModuleType(f"answer_{name}")
    module.__file__ = filename
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    sys.modules[module.__name__] = module
    exec(compile(source, filename, "exec", dont_inherit=True), module.__dict__)  # noqa: S102 - in a child of its own
    return module


def _opened(arg: Any, gate: Ask | None) -> Any:
    if type(arg) is not Store:
        return arg
    if gate is not None:
        from course_lib.gated import open_gated

        return open_gated(arg.path, gate)
    from course_lib.store import open_store

    return open_store(arg.path)


def _fault(error: BaseException, filename: str) -> Message:
    kind = type(error)
    own = None
    for entry, number in traceback.walk_tb(error.__traceback__):
        if entry.f_code.co_filename == filename:
            own = {"line": number, "text": linecache.getline(filename, number).strip()[:200]}
    try:
        message = str(error)[:MAX_TEXT]
    except Exception:
        message = "(the exception has no readable message)"
    mro = [base.__name__ for base in kind.__mro__][:20]
    return {"type": kind.__name__[:100], "mro": mro, "message": message, "own_line": own}


# In the worker.


@dataclass
class Child:
    """One child that runs. `after`: kill it so many seconds after it began."""

    number: int
    pid: int
    line: socket.socket
    frames: Frames
    ends: float
    after: float | None
    began: float | None = None
    kill_time: float = float("inf")
    report: Message = field(default_factory=dict)


class Worker:
    """Serves one parent until that one hangs up. `confine` is called in each child before anything of the answer."""

    def __init__(self, parent: socket.socket, codec: Codec, confine: Callable[[], None] = lambda: None) -> None:
        self.parent = parent
        self.frames = Frames(parent)
        self.codec = codec
        self.confine = confine
        self.sources: dict[str, str] = {}
        self.waiting: list[tuple[bytes, int, bytes]] = []

    def serve(self) -> None:
        """Do what the parent asks, one thing after the other."""
        with contextlib.suppress(EOFError, ConnectionError):
            while True:
                kind, _, body = self._next()
                request = json.loads(body) if body else {}
                if kind == b"L":
                    self._learn(request)
                elif kind == b"C":
                    self._run(request)

    def _next(self) -> tuple[bytes, int, bytes]:
        while not self.waiting:
            self.waiting = list(self.frames.take())
            if self.frames.ended and not self.waiting:
                raise EOFError
        return self.waiting.pop(0)

    def _learn(self, request: Message) -> None:
        """Find the function's source. In a child: some programs are built to be read badly."""
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if not pid:
            _only(theirs.fileno())
            with contextlib.suppress(BaseException):
                self.confine()
                theirs.sendall(frame(b"S", 0, _closure(request)))
            os._exit(0)
        theirs.close()
        ours.settimeout(10)
        try:
            answer = Frames(ours).one()[2]
            found = json.loads(answer)
            self.sources[request["name"]] = found.get("source", "")
        except (EOFError, ValueError, RecursionError, AttributeError):
            answer = json.dumps({"unwritten": f"the source of {request['name']} could not be read"}).encode()
        finally:
            ours.close()
            _kill(pid)
            os.waitpid(pid, 0)
        self.parent.sendall(frame(b"S", 0, answer))

    def _run(self, request: Message) -> None:
        """Run calls side by side, in one folder; `hold` keeps that record's writers waiting until all have begun."""
        # First, so that the record's tables are there: a child that had to make them would wait for the lock.
        holder = _Holder(request["hold"]) if request.get("hold") else None
        children: dict[int, Child] = {}
        try:
            if holder:
                holder.wait()
            children |= {n: self._start(n, call, request) for n, call in enumerate(request["calls"])}
            release = monotonic() + request.get("hold_seconds", 0)
            ready: set[int] = set()
            while children:
                if holder and len(ready) >= len(request["calls"]) and monotonic() >= release:
                    holder.release()
                    holder = None
                self._turn(children, ready, request)
        finally:
            if holder:
                holder.release()
            for child in children.values():
                _kill(child.pid)
                os.waitpid(child.pid, 0)

    def _start(self, number: int, call: Message, request: Message) -> Child:
        ours, theirs = socket.socketpair()
        source = self.sources.get(call["name"], "")
        pid = os.fork()
        if not pid:
            _only(theirs.fileno())
            status = 71
            try:
                os.setpgid(0, 0)
                os.chdir(request["folder"])
                run_child(theirs, call, source, self.codec, self.confine)
                status = 0
            finally:
                os._exit(status)
        theirs.close()
        with contextlib.suppress(OSError):
            os.setpgid(pid, pid)
        ours.settimeout(5)
        return Child(number, pid, ours, Frames(ours), monotonic() + call["seconds"], call.get("kill_after"))

    def _turn(self, children: dict[int, Child], ready: set[int], request: Message) -> None:
        """Wait for something to happen, and pass it on."""
        lines = {child.line: child for child in children.values()}
        soonest = min(min(child.ends, child.kill_time) for child in children.values())
        left = min(max(soonest - monotonic(), 0), 0.02)
        readable, _, _ = select.select([self.parent, *lines] if not self.waiting else list(lines), [], [], left)
        now = monotonic()
        for child in list(children.values()):
            if now >= child.kill_time:
                _kill(child.pid)
                child.kill_time = float("inf")
            elif now >= child.ends:
                child.report["problem"] = "time"
                child.ends = float("inf")
                _kill(child.pid)
        for line in readable:
            if line is not self.parent:
                self._hear(lines[line], ready, request)
        if self.parent in readable or self.waiting:
            self._obey(*self._next(), children)
        for child in list(children.values()):
            status = _ended(child)
            if status is not None:
                del children[child.number]
                self._report(child, status, ready, request)

    def _hear(self, child: Child, ready: set[int], request: Message) -> None:
        try:
            for kind, _, body in child.frames.take():
                if kind == b"G" and child.began is None:
                    ready.add(child.number)
                    child.began = monotonic()
                    child.line.sendall(frame(b"R", 0, b""))
                    if child.after is not None:
                        child.kill_time = child.began + child.after
                elif kind == b"A":
                    self.parent.sendall(frame(b"A", child.number, body))
                elif kind == b"D" and "seconds" not in child.report:
                    child.report["seconds"] = monotonic() - (child.began or monotonic())
                    self.parent.sendall(frame(b"D", child.number, body))
        except (OSError, ValueError):
            child.report["problem"] = "output"
            _kill(child.pid)

    def _obey(self, kind: bytes, number: int, body: bytes, children: dict[int, Child]) -> None:
        child = children.get(number)
        if child is None:
            return
        if kind == b"K":
            _kill(child.pid)
        elif kind == b"R":
            with contextlib.suppress(OSError):
                child.line.sendall(frame(b"R", 0, body))

    def _report(self, child: Child, status: int, ready: set[int], request: Message) -> None:
        """Pass on what a child had still said, then how it ended."""
        child.line.settimeout(0.2)
        while not child.frames.ended:
            self._hear(child, ready, request)
        child.line.close()
        child.report["signal"] = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
        child.report["code"] = os.WEXITSTATUS(status) if os.WIFEXITED(status) else None
        self.parent.sendall(frame(b"E", child.number, child.report))


class _Holder:
    """A process that holds the write lock of a record until it is told to let go."""

    def __init__(self, path: str) -> None:
        self.ours, theirs = socket.socketpair()
        self.pid = os.fork()
        if not self.pid:
            _only(theirs.fileno())
            try:
                from course_lib.store import open_store

                db = open_store(path)
                db.execute("BEGIN IMMEDIATE")
                theirs.sendall(b"h")
                theirs.recv(1)
                db.rollback()
            finally:
                os._exit(0)
        theirs.close()

    def wait(self) -> None:
        self.ours.settimeout(5)
        self.ours.recv(1)

    def release(self) -> None:
        self.ours.close()
        os.waitpid(self.pid, 0)


def _closure(request: Message) -> Message:
    from course_lib.closure import NotWrittenError, closure

    try:
        source = closure(request["sources"], request["name"], request.get("stubs", ()))
    except NotWrittenError as error:
        return {"unwritten": str(error)}
    return {"source": source}


def _only(kept: int) -> None:
    """Close every descriptor but the standard ones, which lead nowhere, and `kept`."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nowhere, standard)
    os.closerange(3, kept)
    os.closerange(kept + 1, 4096)


def _kill(pid: int) -> None:
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(OSError):
            kill(pid, signal.SIGKILL)


def _ended(child: Child) -> int | None:
    """How the child ended, None while it runs. One that has hung up is given a moment, then ended."""
    for _ in range(20 if child.frames.ended else 1):
        pid, status = os.waitpid(child.pid, os.WNOHANG)
        if pid:
            _kill(child.pid)
            return status
        if child.frames.ended:
            sleep(0.005)
    if child.frames.ended:
        _kill(child.pid)
        child.report["problem"] = "hung up"
        return os.waitpid(child.pid, 0)[1]
    return None


# In a live notebook: both sides are the learner's own, so pickle will do. The grader brings a codec of its own.


class Stub:
    """Stands in the child for an object that stays with the parent."""

    def __init__(self, number: int, methods: frozenset[str], ask: Ask) -> None:
        self._number = number
        self._methods = methods
        self._ask = ask

    def __getattr__(self, name: str) -> Any:
        if name in self._methods:
            return lambda *args, **kwargs: self._send("call", name, args, kwargs)
        if name.startswith("_"):
            raise AttributeError(name)
        return self._send("get", name, (), {})

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the parent's object itself."""
        return self._send("call", "__call__", args, kwargs)

    def _send(self, op: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        reply = self._ask({"id": self._number, "op": op, "name": name, "args": dump((args, kwargs), _stub_id)})
        if "raise" in reply:
            raise load(reply["raise"])
        return load(reply["value"])


def _stub_id(value: object) -> Any:
    return (value._number, value._methods) if type(value) is Stub else None


class PickleCodec:
    """Values as pickles; `Stub` for what stays outside."""

    def encode(self, value: Any) -> Any:
        """Pickled; the text of a value that cannot be."""
        try:
            return dump(value, _stub_id)
        except Exception:
            return dump(repr(value)[:MAX_TEXT], _stub_id)

    def decode(self, value: Any, ask: Ask) -> Any:
        """The value, with a `Stub` for each object that stays with the parent."""
        return load(value, lambda known: Stub(known[0], known[1], ask))


def dump(value: Any, mark: Callable[[object], Any]) -> str:
    """`value` pickled, as text; `mark` gives the id of an object that stays where it is, or None."""

    class Pickler(pickle.Pickler):
        def persistent_id(self, obj: object) -> Any:
            return mark(obj)

    file = io.BytesIO()
    Pickler(file).dump(value)
    return base64.b64encode(file.getvalue()).decode()


def load(text: str, find: Callable[[Any], Any] = lambda known: known) -> Any:
    """The value of `dump`; `find` gives the object for an id."""

    class Unpickler(pickle.Unpickler):
        def persistent_load(self, pid: Any) -> Any:
            return find(pid)

    return Unpickler(io.BytesIO(base64.b64decode(text))).load()


def warm() -> None:
    """Import what answers use: once here, and not in each child."""
    import collections
    import contextlib
    import copy
    import dataclasses
    import datetime
    import hashlib
    import pathlib
    import random
    import shutil
    import sqlite3
    import subprocess
    import tempfile
    import time
    import uuid

    import course_lib.agent
    import course_lib.closure
    import course_lib.crash
    import course_lib.durable
    import course_lib.faults
    import course_lib.gated
    import course_lib.gates
    import course_lib.recordings
    import course_lib.service
    import course_lib.state
    import course_lib.store
    import course_lib.tools

    del (
        collections,
        contextlib,
        copy,
        dataclasses,
        datetime,
        hashlib,
        pathlib,
        random,
        shutil,
        sqlite3,
        subprocess,
        tempfile,
    )
    del course_lib, time, uuid
    gc.collect()
    gc.freeze()  # a collection in a child would touch, and so copy, all that is shared


def main() -> None:
    """Serve the parent at descriptor 0 with pickles: the live notebook's own worker."""
    warm()
    Worker(socket.socket(fileno=os.dup(0)), PickleCodec()).serve()


if __name__ == "__main__":
    # Under its own name: as __main__ its classes would be others than those that the parent pickles.
    from course_lib.crash_worker import main

    main()
