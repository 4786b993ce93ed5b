"""Values on the wire between the grader and a learner's kernel, as plain JSON with tags.

JSON alone would turn a tuple into a list, NaN into null and lose bytes, sets and dates. Here each of them keeps
its kind in a one-key-tagged object, ``{"$": kind, ...}``. Decoding builds plain builtins only: nothing that a
learner wrote is imported, called or compared. Both sides use this module; it needs the standard library alone.
"""

from __future__ import annotations

import base64
import dataclasses
import datetime as dt
import enum
import importlib
import math
import sys
from collections.abc import Callable
from pathlib import PurePath
from typing import Any

TAG = "$"
MAX_DEPTH = 60
MAX_NODES = 400_000
# Keys that are no plain strings and members of sets: numbers can be chosen so that all of them collide, and a set
# of n such numbers takes n * n steps to build, in the grader's own process.
MAX_HASHED = 5_000
# 12,000 bits: Python refuses to write longer integers out in decimal.
MAX_HEX = 3_000


class WireError(ValueError):
    """The other side sent something that is not in this encoding."""


@dataclasses.dataclass(frozen=True)
class Opaque:
    """An object that has no plain form. It equals nothing, itself included."""

    type_name: str

    def __eq__(self, other: object) -> bool:
        return False

    __hash__ = object.__hash__


@dataclasses.dataclass(frozen=True)
class Record:
    """A dataclass that came from the other side: its type's name and its fields, as plain values."""

    type_name: str
    fields: dict[str, Any]

    def __getattr__(self, name: str) -> Any:
        # `fields` itself is not there yet while copy.deepcopy makes a new one; what Python's own protocols ask for
        # is no field, whatever a learner called theirs.
        if name == "fields" or name.startswith("__") or name not in self.fields:
            raise AttributeError(name)
        return self.fields[name]


@dataclasses.dataclass(frozen=True)
class Ref:
    """A reference: ``kind`` "remote" lives in the grader, "handle" in the kernel."""

    kind: str
    id: int
    methods: tuple[str, ...] = ()
    callable: bool = False


# What `encode` may be told about objects that it does not know: give a Ref, or None to leave them opaque.
Keep = Callable[[Any], "Ref | None"]
Resolve = Callable[[Ref], Any]


def encode(value: Any, keep: Keep | None = None) -> Any:
    """The JSON-able form of `value`. Never raises for an odd value: what has no plain form becomes opaque."""
    return _Encoder(keep).encode(value, 0)


class _Encoder:
    def __init__(self, keep: Keep | None) -> None:
        self.keep = keep
        self.nodes = 0
        self.open: set[int] = set()

    def encode(self, value: Any, depth: int) -> Any:
        self.nodes += 1
        if depth > MAX_DEPTH or self.nodes > MAX_NODES:
            return {TAG: "opaque", "type": "too large or too deep"}
        kind = type(value)
        # The exact builtins first; a subclass (an Enum, a str that overrides ==) goes through its base below.
        if kind is str:
            return value if _is_utf8(value) else {TAG: "text", "b64": _base64(value.encode("utf-8", "surrogatepass"))}
        if value is None or kind is bool:
            return value
        if kind is int:
            if -(2**53) <= value <= 2**53:
                return value
            text = hex(value)
            return {TAG: "int", "hex": text} if len(text) <= MAX_HEX else {TAG: "opaque", "type": "a very large int"}
        if kind is float:
            return value if math.isfinite(value) else {TAG: "float", "repr": float.__repr__(value)}
        if self.keep is not None and (ref := self.keep(value)) is not None:
            return {TAG: ref.kind, "id": ref.id, "methods": list(ref.methods), "callable": ref.callable}
        if id(value) in self.open:
            return {TAG: "opaque", "type": "a value that contains itself"}
        self.open.add(id(value))
        try:
            return self._compound(value, kind, depth + 1)
        except Exception:  # a field that was never set, a tzinfo or a metaclass of the learner's that raises anything
            return {TAG: "opaque", "type": type_name(kind)}
        finally:
            self.open.discard(id(value))

    def _compound(self, value: Any, kind: type, depth: int) -> Any:
        # Base-class methods are called on purpose: an override in a learner's subclass has no say here.
        if kind is not dict and kind is not list and issubclass(kind, enum.Enum):
            return {TAG: "opaque", "type": type_name(kind)}
        if issubclass(kind, dict):
            items = list(dict.items(value))
            for key, _ in items:
                if type(key) is not str or key == TAG or not _is_utf8(key):
                    return {TAG: "dict", "items": [[self.encode(k, depth), self.encode(v, depth)] for k, v in items]}
            return {k: self.encode(v, depth) for k, v in items}
        if issubclass(kind, list):
            return [self.encode(item, depth) for item in list.__iter__(value)]
        if issubclass(kind, tuple):
            return {TAG: "tuple", "items": [self.encode(item, depth) for item in tuple.__iter__(value)]}
        if issubclass(kind, set | frozenset):
            base = set if issubclass(kind, set) else frozenset
            return {TAG: base.__name__, "items": [self.encode(item, depth) for item in base.__iter__(value)]}
        if issubclass(kind, bytes | bytearray):
            return {TAG: "bytes", "b64": _base64(bytes(memoryview(value)))}
        if issubclass(kind, str):
            return self.encode(str.__str__(value), depth)
        if issubclass(kind, int):
            return self.encode(int.__index__(value), depth)
        if issubclass(kind, float):
            return self.encode(float.__float__(value), depth)
        if issubclass(kind, dt.datetime):
            return {TAG: "datetime", "iso": dt.datetime.isoformat(value)}
        if issubclass(kind, dt.date):
            return {TAG: "date", "iso": dt.date.isoformat(value)}
        if issubclass(kind, PurePath):
            return {TAG: "path", "path": PurePath.__str__(value)}
        if kind.__module__ == "numpy" and (plain := _numpy_plain(value)) is not None:
            return self.encode(plain, depth)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            names = [f.name for f in dataclasses.fields(value)]
            held = {name: self.encode(object.__getattribute__(value, name), depth) for name in names}
            return {TAG: "record", "type": type_name(kind), "fields": held}
        return {TAG: "opaque", "type": type_name(kind)}


def _is_utf8(text: str) -> bool:
    """Whether every JSON reader takes `text`: one half of a surrogate pair has no place in UTF-8."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _numpy_plain(value: Any) -> Any:
    """The plain value of a numpy scalar, or None for any other numpy object."""
    numpy = sys.modules.get("numpy")
    return value.item() if numpy is not None and isinstance(value, numpy.generic) else None


def type_name(kind: type) -> str:
    """``module:qualified.name`` of a type, made of plain strings whatever a metaclass says."""
    module, name = type.__getattribute__(kind, "__module__"), type.__getattribute__(kind, "__qualname__")
    return f"{module}:{name}"[:200]


def decode(value: Any, resolve: Resolve | None = None, *, rebuild: bool = False) -> Any:
    """The value that `encode` was given, as plain builtins, `Record`, `Opaque`, or what `resolve` makes of a Ref.

    With `rebuild` (the kernel's side only) a record of a ``course_lib`` dataclass becomes that dataclass again.
    Raises WireError on anything that `encode` cannot have made.
    """
    try:
        return _Decoder(resolve, rebuild).decode(value, 0)
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError, OverflowError) as error:
        raise WireError(f"not in the wire encoding: {type(error).__name__}") from None


class _Decoder:
    def __init__(self, resolve: Resolve | None, rebuild: bool) -> None:
        self.resolve = resolve
        self.rebuild = rebuild
        self.nodes = 0
        self.hashed = 0

    def decode(self, value: Any, depth: int) -> Any:
        self.nodes += 1
        if depth > MAX_DEPTH + 10 or self.nodes > MAX_NODES:
            raise WireError("too large or too deep")
        if value is None or isinstance(value, (str, int, float)):
            return value
        if isinstance(value, list):
            return [self.decode(item, depth + 1) for item in value]
        if not isinstance(value, dict):
            raise WireError("not JSON")
        kind = value.get(TAG)
        if kind is None:
            return {str(k): self.decode(v, depth + 1) for k, v in value.items()}

        def inner(item: Any) -> Any:
            return self.decode(item, depth + 1)

        match kind:
            case "int":
                if len(value["hex"]) > MAX_HEX:
                    raise WireError("too large")
                return int(value["hex"], 16)
            case "float":
                return float(value["repr"])
            case "dict":
                return {self.hashable(inner(k)): inner(v) for k, v in value["items"]}
            case "tuple":
                return tuple(inner(item) for item in value["items"])
            case "set":
                return {self.hashable(inner(item)) for item in value["items"]}
            case "frozenset":
                return frozenset(self.hashable(inner(item)) for item in value["items"])
            case "text":
                return base64.b64decode(value["b64"], validate=True).decode("utf-8", "surrogatepass")
            case "bytes":
                return base64.b64decode(value["b64"], validate=True)
            case "datetime":
                return dt.datetime.fromisoformat(value["iso"])
            case "date":
                return dt.date.fromisoformat(value["iso"])
            case "path":
                return str(value["path"])
            case "opaque":
                return Opaque(str(value["type"])[:200])
            case "record":
                fields = {str(k): inner(v) for k, v in value["fields"].items()}
                name = str(value["type"])
                return _rebuild(name, fields) if self.rebuild else Record(name[:200], fields)
            case "remote" | "handle":
                methods = tuple(map(str, value.get("methods", ())))
                ref = Ref(kind, int(value["id"]), methods, bool(value.get("callable")))
                if self.resolve is None:
                    raise WireError("a reference where none was expected")
                return self.resolve(ref)
            case _:
                raise WireError("unknown tag")

    def hashable(self, item: Any) -> Any:
        """A key or a set's member: what cannot be one (a record with a list inside) is kept as an opaque."""
        self.hashed += 1
        if self.hashed > MAX_HASHED:
            raise WireError("too large")
        try:
            hash(item)
        except TypeError:
            return Opaque("unhashable")
        return item


def _rebuild(name: str, fields: dict[str, Any]) -> Any:
    module, _, qualname = name.partition(":")
    if module.split(".")[0] != "course_lib":
        raise WireError(f"{name} is not part of course_lib")
    kind = getattr(importlib.import_module(module), qualname)
    return kind(**fields)
