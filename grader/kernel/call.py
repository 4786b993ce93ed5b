"""Asking a kernel: one request, its callbacks, one reply, all of it over the line that the two share.

What comes back is JSON of a bounded size that comes in time, or it is nonsense: the learner's code holds the other
end and may send anything at all.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any

import msgspec

from grader.kernel.line import PIECE
from grader.kernel.process import KernelProcess
from grader.kernel.trouble import Trouble

Callback = Callable[[dict[str, Any]], dict[str, Any]]

MAX_MESSAGE = 32_000_000
# How long an interrupted call may take to come back before its kernel is ended.
GRACE_SECONDS = 1.0
# How often to look whether the process is there. Its end closes the line, unless a child of it holds that open.
LOOK_SECONDS = 0.25


class KernelLost(Trouble):
    """The kernel is gone or cannot be used any more; it must be replaced."""


def ask(kernel: KernelProcess, request: dict[str, Any], callback: Callback | None, seconds: float) -> dict[str, Any]:
    """Send `request`, serve the callbacks that it causes, return the reply.

    Raises Trouble("time") when the call was interrupted and the kernel is still good, Trouble("protocol") when it
    answered nonsense, KernelLost when the kernel must be replaced.
    """
    late = f"It did not come back within {seconds:g} s"
    deadline = monotonic() + seconds
    try:
        _put(kernel, request, deadline)
        return _reply(kernel, callback, deadline)
    except TimeoutError:
        kernel.interrupt()
    try:
        _reply(kernel, callback, monotonic() + GRACE_SECONDS)
    except TimeoutError:
        raise KernelLost("time", f"{late} and did not stop when asked to.") from None
    except KernelLost as lost:
        raise KernelLost("time", f"{late}.") from lost
    except Trouble:
        pass
    raise Trouble("time", f"{late}.")


def _reply(kernel: KernelProcess, callback: Callback | None, deadline: float) -> dict[str, Any]:
    """The reply to the request that was sent, with every callback before it answered. Anything else is passed over."""
    while monotonic() < deadline:  # however many messages have come by then
        said = _message(_take(kernel, deadline))
        match said.get("t"):
            case "done":
                reply = said.get("reply")
                if not isinstance(reply, dict):
                    raise Trouble("protocol", "The call's answer did not come through.")
                return reply
            case "callback" if callback is not None:
                number = said.get("n")
                plain = type(number) is int and abs(number) < 2**53
                _put(kernel, {**callback(said), "n": number if plain else 0}, deadline)
    raise TimeoutError


def _message(line: bytes) -> dict[str, Any]:
    try:
        message = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def _put(kernel: KernelProcess, message: dict[str, Any], deadline: float) -> None:
    """Raises TimeoutError when the kernel does not take the message in time."""
    kernel.line.end.settimeout(max(deadline - monotonic(), 0.001))
    try:
        kernel.line.put(msgspec.json.encode(message))
    except TimeoutError:
        raise
    except OSError:
        raise _gone(kernel) from None


def _take(kernel: KernelProcess, deadline: float) -> bytes:
    """The next line from the kernel. Raises TimeoutError at the deadline, KernelLost when there will be none."""
    size = 0

    def piece() -> bytes:
        nonlocal size
        while (left := deadline - monotonic()) > 0:
            kernel.line.end.settimeout(min(left, LOOK_SECONDS))
            try:
                got = kernel.line.end.recv(PIECE)
            except TimeoutError:
                if not kernel.alive():
                    raise _gone(kernel) from None
                continue
            except OSError:
                got = b""
            if not got:
                raise _gone(kernel)
            size += len(got)
            if size > MAX_MESSAGE:
                raise KernelLost("output", "The call gave back more than the grader takes.")
            return got
        raise TimeoutError

    return kernel.line.take(piece)


def _gone(kernel: KernelProcess) -> KernelLost:
    """Why nothing more comes: the process has ended (its files are closed a moment before that), or it hung up."""
    if kernel.ended(GRACE_SECONDS):
        return KernelLost("killed", "The call ended the whole process it ran in.")
    return KernelLost("protocol", "The call closed the line to the grader.")
