"""Asking a kernel: one request, its callbacks, one reply, all over the kernel's stdin channel.

The code that is executed is the same constant each time; the request travels as the answer to an `input_request`,
and so does everything that comes back. What comes back is JSON of a bounded size, or it is nonsense.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import monotonic
from typing import Any

import msgspec

from grader.kernel.process import KernelProcess
from grader.kernel.trouble import Trouble

Callback = Callable[[dict[str, Any]], dict[str, Any]]

SERVE = "__import__('sys').modules['grader.kernel.inside'].serve()"
MAX_MESSAGE = 32_000_000
# How long an interrupted call may take to come back before its kernel is ended.
GRACE_SECONDS = 1.0
# What a call hears that asks a person for input: nobody sits there while grading, so `input()` raises EOFError.
END_OF_FILE = "\x04"


class KernelLost(Trouble):
    """The kernel is gone or cannot be used any more; it must be replaced."""


async def ask(
    kernel: KernelProcess, request: dict[str, Any], callback: Callback | None, seconds: float
) -> dict[str, Any]:
    """Send `request`, serve the callbacks that it causes, return the reply.

    Raises Trouble("time") when the call was interrupted and the kernel is still good, Trouble("protocol") when it
    answered nonsense, KernelLost when the kernel must be replaced.
    """
    message = kernel.client.execute(SERVE, silent=True, store_history=False, allow_stdin=True)
    talk = asyncio.ensure_future(_talk(kernel, message, request, callback))
    try:
        return await _within(talk, kernel, monotonic() + seconds)
    except TimeoutError:
        await kernel.interrupt()
    try:
        await _within(talk, kernel, monotonic() + GRACE_SECONDS)
    except TimeoutError:
        talk.cancel()
        raise KernelLost("time", f"It did not come back within {seconds:g} s and did not stop when asked to.") from None
    except KernelLost as lost:
        raise KernelLost("time", f"It did not come back within {seconds:g} s.") from lost
    except Trouble:
        pass
    raise Trouble("time", f"It did not come back within {seconds:g} s.")


async def _within(talk: asyncio.Future[dict[str, Any]], kernel: KernelProcess, deadline: float) -> dict[str, Any]:
    """The reply of `talk`, looking now and then whether the process is still there."""
    while True:
        left = deadline - monotonic()
        if left <= 0:
            raise TimeoutError
        done, _ = await asyncio.wait([talk], timeout=min(left, 0.25))
        if done:
            return talk.result()
        if not await kernel.alive():
            talk.cancel()
            raise KernelLost("killed", "The call ended the whole process it ran in.")


async def _talk(
    kernel: KernelProcess, message: str, request: dict[str, Any], callback: Callback | None
) -> dict[str, Any]:
    reply: Any = None
    shell = asyncio.ensure_future(_shell_reply(kernel, message))
    try:
        while True:
            prompt = asyncio.ensure_future(_prompt(kernel, message))
            await asyncio.wait([shell, prompt], return_when=asyncio.FIRST_COMPLETED)
            if not prompt.done():
                prompt.cancel()
                shell.result()
                if not isinstance(reply, dict):
                    raise Trouble("protocol", "The call's answer did not come through.")
                return reply
            content = prompt.result()
            answer = END_OF_FILE
            match content.get("t"):
                case "ready":
                    answer = msgspec.json.encode(request).decode()
                case "done":
                    reply, answer = content.get("reply"), "{}"
                case "callback" if callback is not None:
                    answer = msgspec.json.encode(callback(content)).decode()
            kernel.client.input(answer)
    finally:
        shell.cancel()


async def _message(channel: Any) -> dict[str, Any]:
    """The next message of a channel. The learner's code holds the other end and may send anything at all."""
    try:
        message: dict[str, Any] = await channel.get_msg(timeout=None)
        return message
    except Exception as error:
        raise KernelLost("protocol", "What the kernel said could not be read.") from error


def _answers(message: dict[str, Any], request: str) -> bool:
    parent = message["parent_header"]
    return isinstance(parent, dict) and parent.get("msg_id") == request


async def _shell_reply(kernel: KernelProcess, message: str) -> None:
    while True:
        if _answers(await _message(kernel.client.shell_channel), message):
            return


async def _prompt(kernel: KernelProcess, message: str) -> dict[str, Any]:
    """The next thing that the kernel asks on behalf of this request, as a JSON object."""
    while True:
        asked = await _message(kernel.client.stdin_channel)
        if not _answers(asked, message):
            continue
        text = asked["content"].get("prompt") if isinstance(asked["content"], dict) else None
        if not isinstance(text, str) or len(text) > MAX_MESSAGE:
            raise KernelLost("output", "The call gave back more than the grader takes.")
        try:
            content = msgspec.json.decode(text.encode("utf-8", "replace"))
        except (msgspec.DecodeError, RecursionError):
            content = None
        return content if isinstance(content, dict) else {}
