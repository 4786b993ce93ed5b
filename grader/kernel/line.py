"""The line between the grader and one kernel: messages in JSON, one a line, over a pair of sockets made for the two.

A round trip takes a tenth of a millisecond. The same over Jupyter's channels takes five: each message is signed,
copied through three event loops and answered with two notices, so only cells go that way. The kernel inherits its
end; no other process has a way to it.
"""

from __future__ import annotations

import socket
from collections.abc import Callable

PIECE = 1 << 18


class Line:
    """One end of the line. JSON writes a line break inside a text as an escape, so a line is one message."""

    def __init__(self, end: socket.socket) -> None:
        self.end = end
        self._rest = b""

    def put(self, message: bytes) -> None:
        """Send one message; raises OSError when the other end is closed or `end` has a timeout that runs out."""
        self.end.sendall(message + b"\n")

    def take(self, piece: Callable[[], bytes]) -> bytes:
        """The next message that came; `piece` is asked for more bytes of the socket as long as it is not whole."""
        pieces = [self._rest]
        while b"\n" not in pieces[-1]:
            pieces.append(piece())
        message, _, self._rest = b"".join(pieces).partition(b"\n")
        return message
