"""What stands in the learner's process: it notes definitions, calls them, and sends back what they did.

Everything here can be patched by the learner, so nothing here is believed beyond what the learner could have said
anyway: a value. Expected values, test sources and verdicts never come here. `perform` also serves `check()` in a
live notebook, where the same requests are answered without a kernel in between.
"""

from __future__ import annotations

import builtins
import contextlib
import dataclasses
import importlib
import io
import json
import linecache
import os
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from grader.kernel import wire

Ask = Callable[[dict[str, Any]], dict[str, Any]]

MAX_TEXT = 2_000
MAX_STDOUT = 20_000


@dataclasses.dataclass
class Desk:
    """The state of one learner's process: its namespace, what each cell defined, and objects kept for handles."""

    namespace: dict[str, Any]
    notes: dict[str, list[tuple[int, Any]]] = dataclasses.field(default_factory=dict)
    handles: list[Any] = dataclasses.field(default_factory=list)

    def note(self, names: list[str], cell: int) -> None:
        """Remember the object that each of `names` is bound to after cell number `cell`."""
        for name in names:
            if name in self.namespace:
                self.notes.setdefault(name, []).append((cell, self.namespace[name]))


def perform(desk: Desk, request: dict[str, Any], ask: Ask) -> dict[str, Any]:
    """Answer one request. `ask` carries a call on a grader's object back to the grader and returns its reply."""
    match request["op"]:
        case "noted":
            return {"noted": {n: [(cell, callable(obj)) for cell, obj in seen] for n, seen in desk.notes.items()}}
        case "pick":
            return {"picked": _pick(desk, request["picks"])}
        case "calls":
            return {"outcomes": [_call(desk, request, call, ask) for call in request["calls"]]}
        case other:
            return {"refused": f"unknown request {other}"}


def _pick(desk: Desk, picks: dict[str, int]) -> list[str]:
    """Bind each name to the object that it had after the given cell, whatever a later cell made of it."""
    for name, cell in picks.items():
        for noted_cell, obj in desk.notes.get(name, []):
            if noted_cell == cell:
                desk.namespace[name] = obj
    return sorted(picks)


def _call(desk: Desk, request: dict[str, Any], call: dict[str, Any], ask: Ask) -> dict[str, Any]:
    stubs: dict[int, Remote] = {}
    lock = threading.Lock()

    def locked_ask(message: dict[str, Any]) -> dict[str, Any]:
        with lock:
            return ask(message)

    def resolve(ref: wire.Ref) -> Any:
        if ref.kind == "handle":
            return desk.handles[ref.id]
        return stubs.setdefault(ref.id, Remote(ref, locked_ask, resolve))

    args = [wire.decode(arg, resolve, rebuild=True) for arg in call["args"]]
    kwargs = {name: wire.decode(arg, resolve, rebuild=True) for name, arg in call["kwargs"].items()}
    out = io.StringIO()
    reply: dict[str, Any] = {}
    with _in_folder(request.get("folder")), contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            value = _target(desk, call)(*args, **kwargs)
            if call["keep"]:
                desk.handles.append(value)
                reply["value"] = wire.encode(value, lambda v: _handle(desk, v))
            else:
                reply["value"] = wire.encode(value, remote_ref)
        except BaseException as error:
            reply["error"] = _fault(error)
    reply["args_after"] = [wire.encode(arg, remote_ref) for arg in args]
    reply["stdout"] = out.getvalue()[:MAX_STDOUT]
    return reply


def _target(desk: Desk, call: dict[str, Any]) -> Callable[..., Any]:
    name = call["name"]
    match call["of"]:
        case "name" if name not in desk.namespace:
            raise NameError(f"name {name!r} is not defined")
        case "name":
            return desk.namespace[name]  # type: ignore[no-any-return]
        case "lib":
            module, _, attribute = name.partition(":")
            return getattr(importlib.import_module(module), attribute)  # type: ignore[no-any-return]
        case "get":
            return lambda: getattr(desk.handles[call["handle"]], name)
        case _:
            return getattr(desk.handles[call["handle"]], name)  # type: ignore[no-any-return]


def _handle(desk: Desk, value: Any) -> wire.Ref | None:
    """The newest handle, when `value` is the very object that was just kept."""
    return wire.Ref("handle", len(desk.handles) - 1) if value is desk.handles[-1] else remote_ref(value)


def remote_ref(value: Any) -> wire.Ref | None:
    """The reference of a stand-in, None for any other value."""
    return value._Remote__ref if type(value) is Remote else None


@contextlib.contextmanager
def _in_folder(folder: str | None) -> Iterator[None]:
    """Run in `folder`, so that a relative path lands where the test looks; go back wherever that was before."""
    if folder is None:
        yield
        return
    try:
        before = Path.cwd()
    except OSError:
        before = Path(folder)
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _fault(error: BaseException) -> dict[str, Any]:
    kind = type(error)
    return {
        "type": kind.__name__[:100],
        "mro": [base.__name__ for base in kind.__mro__][:20],
        "message": _text_of(error),
        "own_line": _own_line(error),
    }


def _text_of(error: BaseException) -> str:
    try:
        return str(error)[:MAX_TEXT]
    except Exception:
        return "(the exception has no readable message)"


def _own_line(error: BaseException) -> dict[str, Any] | None:
    """The innermost line that stands in a cell of the notebook, as ``{"line", "text"}``, or None."""
    found = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        filename = frame.f_code.co_filename
        # IPython puts a cell's text into linecache without a size on disk; files are not the learner's cells.
        if filename in linecache.cache and not Path(filename).exists():
            found = {"line": line, "text": linecache.getline(filename, line).strip()[:200]}
    return found


class Remote:
    """Stands in for an object that stays in the grader: each call, attribute or item goes there and waits."""

    def __init__(self, ref: wire.Ref, ask: Ask, resolve: wire.Resolve) -> None:
        self.__ref = ref
        self.__ask = ask
        self.__resolve = resolve

    def __getattr__(self, name: str) -> Any:
        if name in self.__ref.methods:
            return lambda *args, **kwargs: self.__send("call", name, args, kwargs)
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return self.__send("get", name, (), {})

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the grader's object itself."""
        if not self.__ref.callable:
            raise TypeError("this object cannot be called")
        return self.__send("call", "__call__", args, kwargs)

    def __send(self, op: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        reply = self.__ask(
            {
                "t": "callback",
                "id": self.__ref.id,
                "op": op,
                "name": name,
                "args": [wire.encode(arg, remote_ref) for arg in args],
                "kwargs": {key: wire.encode(arg, remote_ref) for key, arg in kwargs.items()},
            }
        )
        given = {**{str(position): arg for position, arg in enumerate(args)}, **kwargs}
        for name, after in reply.get("changed", {}).items():
            _restore(given[name], wire.decode(after, self.__resolve, rebuild=True))
        if (fault := reply.get("raise")) is not None:
            kind = getattr(builtins, fault["type"], None)
            known = isinstance(kind, type) and issubclass(kind, Exception)
            raise (kind if known else RuntimeError)(fault["message"])  # type: ignore[misc]
        return wire.decode(reply["value"], self.__resolve, rebuild=True)


def _restore(own: Any, after: Any) -> None:
    """Make the caller's list or dict what the grader's object has left of it, as an ordinary call would."""
    if isinstance(own, list) and isinstance(after, list):
        own[:] = after
    elif isinstance(own, dict) and isinstance(after, dict):
        own.clear()
        own.update(after)


# In a kernel.

_desk: Desk | None = None
_plan: list[tuple[int, str, list[str]]] = []


def attach(shell: Any) -> None:
    """Take notes in this IPython shell: after each cell of the announced plan, what it defined."""
    global _desk
    _desk = Desk(shell.user_ns)
    shell.events.register("post_run_cell", _after_cell)
    for name in ("exit", "quit"):
        shell.user_ns[name] = _no_exit


def _no_exit(*_: object) -> None:
    # A cell with exit() would end the kernel of everything behind it.
    sys.stdout.write("exit() does nothing while the notebook is graded.\n")


def _after_cell(result: Any) -> None:
    # Cells come in the order of the plan; one that a cell ran by itself (run_cell) is not in it and is passed over.
    for position, (cell, source, names) in enumerate(_plan):
        if result.info.raw_cell == source:
            del _plan[: position + 1]
            if _desk is not None:
                _desk.note(names, cell)
            return


def without_late_stubs(source: str, stubs: dict[str, str]) -> str:
    """`source` without a stub that stands below an answer of the same name and would undo it; lines keep their number.

    `stubs` maps names to the digest of their stub.
    """
    from course_lib import source as code

    try:
        text, tree = code.parse(source)
    except code.UNREADABLE:
        return source
    if text != source or "\r" in source:  # with IPython's own syntax in it, lines are not what they seem
        return source
    lines = source.split("\n")
    answered: set[str] = set()
    for node in tree.body:
        if not isinstance(node, code.Scope) or node.name not in stubs:
            continue
        if not (code.is_stub(node) or code.digest(node) == stubs[node.name]):
            answered.add(node.name)
        elif node.name in answered:
            first = min(part.lineno for part in (node, *node.decorator_list))
            last = node.end_lineno or first
            lines[first - 1 : last] = [""] * (last - first + 1)
    return "\n".join(lines)


def serve() -> None:
    """Fetch one request from the grader, perform it, hand back the reply. All of it over the stdin channel."""
    from IPython.core.getipython import get_ipython

    kernel = get_ipython().kernel  # type: ignore[union-attr]

    def ask(message: dict[str, Any]) -> dict[str, Any]:
        # Half a surrogate pair in an exception's message would make the whole answer unreadable.
        text = json.dumps(message, ensure_ascii=False).encode("utf-8", "replace").decode()
        reply: dict[str, Any] = json.loads(kernel.raw_input(text))
        return reply

    request = ask({"t": "ready"})
    if request["op"] == "scan":
        from course_lib import definitions

        sources = [without_late_stubs(source, request["stubs"]) for source in request["sources"]]
        reply = {"scan": wire.encode(definitions.scan(sources)), "sources": sources}
    elif request["op"] == "plan":
        _plan[:] = [(cell, source, names) for cell, source, names in request["plan"]]
        reply = {}
    else:
        assert _desk is not None
        reply = perform(_desk, request, ask)
    ask({"t": "done", "reply": reply})
