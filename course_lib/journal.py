"""The prediction journal: lines are only ever added, and each holds the digest of the one before.

A line is one JSON object with the fields `seq, id, kind, value, confidence, at, notebook, prev`. `prev`
is the sha256 of the bytes of the line before, without its line end. The chain shows that a line was
edited, dropped or moved. It cannot show that lines are missing at the end, nor that somebody wrote the
whole chain anew.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, NoReturn, TypeGuard

from course_lib.values import Plain, agrees, same, text, to_plain

__all__ = [
    "MIME",
    "Line",
    "Problem",
    "agrees",
    "append",
    "carried",
    "encode",
    "gather",
    "journal_path",
    "read",
    "same",
    "standing",
]

Kind = Literal["prediction", "observation"]
Damage = Literal["unreadable", "edited", "dropped", "reordered", "clock"]

ID = re.compile(r"P\d\d\.\d+", re.ASCII)
START = "0" * 64
"""`prev` of the first line."""

MIME = "application/vnd.accountable-agents.journal+json"
"""Under this type an output holds {"lines": [...]}: the journal's lines up to its own, as text.

As text, since a notebook that a browser saves writes 1.0 as 1, and the digests would no longer fit.
"""

LONGEST = 16_000
"""Bytes in a line. An answer is short, and notebooks carry these lines in their outputs."""

_FIELDS = ("seq", "id", "kind", "value", "confidence", "at", "notebook", "prev")
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)


@dataclass(frozen=True)
class Line:
    """One line of a journal.

    seq          1, 2, 3, ... over the whole file
    id           "P04.2"
    kind         "prediction" | "observation"
    value        a plain JSON value, see `values.to_plain`
    confidence   0 to 1 for a prediction, None for an observation
    at           UTC, "2026-11-30T09:15:00Z"
    notebook     name of the notebook, without ".ipynb"
    prev         sha256 of the line before, hex
    intact       False when reading showed that this line cannot be relied on; not written
    """

    seq: int
    id: str
    kind: Kind
    value: Plain
    confidence: float | None
    at: str
    notebook: str
    prev: str
    intact: bool = True


@dataclass(frozen=True)
class Problem:
    """Something wrong with a journal.

    line      its place in the file, from 1
    kind      "clock" is told but spoils nothing; the others spoil what the message says
    message   one line for the learner
    """

    line: int
    kind: Damage
    message: str


def journal_path(id: str) -> Path:
    """The journal of a prediction: 04.jsonl for "P04.2", in the folder $COURSE_JOURNAL or ./predictions."""
    return Path(os.environ.get("COURSE_JOURNAL") or "predictions") / f"{id[1:3]}.jsonl"


def encode(line: Line) -> bytes:
    """The bytes of a line, without a line end. Raises TypeError or ValueError for an unfit value."""
    fields = {name: getattr(line, name) for name in _FIELDS}
    fields["value"] = to_plain(line.value)
    return text(fields).encode("ascii")


def fits(plain: Plain) -> bool:
    """True when a plain value is short enough for a line. The rest of a line has 1000 bytes to itself."""
    return len(text(plain)) <= LONGEST - 1000


def append(
    path: Path,
    *,
    id: str,
    kind: Kind,
    value: object,
    confidence: float | None = None,
    notebook: str = "",
) -> Line:
    """Add a line to the journal at `path`, or find it there; returns the line that is on record.

    Nothing is added when the last line of this id and kind already holds this value and confidence.
    Processes that append at the same time wait for each other, at most ten seconds. Raises TypeError or
    ValueError when `value` cannot be written as JSON, OSError when the file cannot be written,
    filelock.Timeout when another process keeps the lock.
    """
    from filelock import FileLock  # here, so that reading a journal needs the standard library only

    plain = to_plain(value)
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(path.with_name(f".{path.name}.lock"), timeout=10):
        content = path.read_bytes() if path.exists() else b""
        lines, _ = read(content)
        for line in reversed(lines):
            if line.id == id and line.kind == kind:
                if text([line.value, line.confidence]) == text([plain, confidence]):
                    return line
                break
        added = Line(
            seq=max((line.seq for line in lines), default=0) + 1,
            id=id,
            kind=kind,
            value=plain,
            confidence=confidence,
            at=_now(),
            notebook=notebook,
            prev=_last_digest(content),
        )
        if len(encode(added)) > LONGEST:
            raise ValueError(f"the value is too long for the journal ({LONGEST} bytes a line)")
        # A process that was killed while writing may have left half a line: it stays, on a line of its own.
        gap = b"\n" if content and not content.endswith(b"\n") else b""
        with path.open("ab") as file:
            file.write(gap + encode(added) + b"\n")
            file.flush()
            os.fsync(file.fileno())
    return added


def read(content: bytes) -> tuple[list[Line], list[Problem]]:
    """The lines of a journal and what is wrong with it. Never raises, whatever the bytes.

    Lines come in file order; what cannot be relied on has `intact=False`, and what is no journal line at
    all is only in the problems. A line that was edited spoils itself alone. Where a line is missing or out
    of order, it and all after it are spoiled, since what stood between is unknown. Line ends may be those
    of Unix or Windows; blank lines do not count.
    """
    parsed = [(number, raw, _parse(raw)) for number, raw in _split(content)]
    later = [line.seq for _, _, line in parsed if line]
    lines: list[Line] = []
    problems: list[Problem] = []
    unreadable = 0  # since the last line that could be read; an edit may have made them so
    before: tuple[int, bytes] | None = None  # place and bytes of the last readable line
    broken = False
    for number, raw, line in parsed:
        if line is None:
            unreadable += 1
            problems.append(Problem(number, "unreadable", f"line {number} is not a line of a journal"))
            continue
        last_seq = lines[-1].seq if lines else 0
        missing = line.seq - last_seq - 1
        if not broken and not 0 <= missing <= unreadable:
            broken = True
            problems.append(_gap(number, last_seq, line.seq, later[len(lines) :]))
        if not broken and missing == 0 and line.prev != (_digest(before[1]) if before else START):
            # The digest in this line was right when it was written, so it is the line before that changed.
            edited = before[0] if before else number
            if before:
                lines[-1] = replace(lines[-1], intact=False)
            else:
                line = replace(line, intact=False)
            problems.append(_edited(edited))
        if not _is_canonical(line, raw):
            line = replace(line, intact=False)
            problems.append(_edited(number))
        if lines and line.at < lines[-1].at:
            message = f"line {number} is dated earlier than the line before; this changes no marks"
            problems.append(Problem(number, "clock", message))
        lines.append(replace(line, intact=line.intact and not broken))
        before, unreadable = (number, raw), 0
    return lines, sorted(set(problems), key=lambda problem: (problem.line, problem.kind))


def standing(lines: Sequence[Line], id: str) -> tuple[Line | None, Line | None]:
    """The prediction and the observation that count for `id`, each None when there is none.

    The observation is the first one. The prediction is the last one before it; when every prediction came
    after the observation, the first of them. Order is by `seq`.
    """
    own = sorted((line for line in lines if line.id == id), key=lambda line: line.seq)
    observed = next((line for line in own if line.kind == "observation"), None)
    predicted = [line for line in own if line.kind == "prediction"]
    early = [line for line in predicted if observed is None or line.seq < observed.seq]
    return (early[-1] if early else predicted[0] if predicted else None), observed


def texts(content: bytes, upto: int) -> list[str]:
    """The lines of a journal as text, in file order, up to the one whose `seq` is `upto`. Never raises."""
    found: list[str] = []
    for _, raw in _split(content):
        found.append(raw.decode("utf-8", "replace"))
        line = _parse(raw)
        if line and line.seq == upto:
            break
    return found


def carried(payload: object) -> list[str]:
    """The lines in what an output holds under MIME; [] for anything else. Never raises."""
    lines = payload.get("lines") if isinstance(payload, dict) else None
    return [line for line in lines if isinstance(line, str)] if isinstance(lines, list) else []


def gather(texts: Iterable[str]) -> bytes:
    """One journal from the lines in a notebook's outputs: each once, in the order of `seq`. Never raises."""
    unique = dict.fromkeys(item.encode("utf-8", "replace") for item in texts)
    parsed = ((raw, _parse(raw)) for raw in unique)
    ordered = sorted(parsed, key=lambda pair: pair[1].seq if pair[1] else 0)
    return b"".join(raw + b"\n" for raw, _ in ordered)


def _now() -> str:
    fixed = os.environ.get("COURSE_CLOCK")
    instant = datetime.fromisoformat(fixed) if fixed else datetime.now(UTC)
    if instant.tzinfo is None:
        instant = instant.replace(tzinfo=UTC)
    return instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _split(content: bytes) -> list[tuple[int, bytes]]:
    """Place and bytes of every line that is not blank, without line ends or a byte order mark."""
    pieces = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    stripped = ((number, piece.removesuffix(b"\r")) for number, piece in enumerate(pieces, start=1))
    return [(number, raw) for number, raw in stripped if raw.strip()]


def _parse(raw: bytes) -> Line | None:
    if len(raw) > LONGEST:
        return None
    try:
        fields = json.loads(raw.decode("utf-8"), parse_constant=_refuse)
        if not _is_fields(fields):
            return None
        return Line(**fields)
    except (ValueError, RecursionError):
        return None


def _is_fields(fields: object) -> TypeGuard[dict[str, Any]]:
    if not isinstance(fields, dict) or fields.keys() != set(_FIELDS):
        return False
    texts = all(isinstance(fields[name], str) for name in ("id", "at", "notebook", "prev"))
    confidence = fields["confidence"]
    return (
        texts
        and type(fields["seq"]) is int
        and fields["seq"] > 0
        and ID.fullmatch(fields["id"]) is not None
        and fields["kind"] in ("prediction", "observation")
        and (confidence is None or type(confidence) in (int, float))
        and _INSTANT.fullmatch(fields["at"]) is not None
    )


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _is_canonical(line: Line, raw: bytes) -> bool:
    try:
        return encode(line) == raw
    except (TypeError, ValueError, RecursionError):
        return False


def _digest(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


def _last_digest(content: bytes) -> str:
    readable = [raw for _, raw in _split(content) if _parse(raw)]
    return _digest(readable[-1]) if readable else START


def _edited(number: int) -> Problem:
    return Problem(number, "edited", f"line {number} was edited after it was written; it does not count")


def _gap(number: int, last_seq: int, seq: int, still_to_come: Sequence[int]) -> Problem:
    tail = f"nothing from line {number} on counts"
    expected = last_seq + 1
    if seq < expected or expected in still_to_come:
        message = f"line {number} is out of order (entry {seq} where {expected} belongs); {tail}"
        return Problem(number, "reordered", message)
    return Problem(number, "dropped", f"entry {expected} is missing before line {number}; {tail}")
