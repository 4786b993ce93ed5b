"""A card service in a process of its own: what it has booked stays booked, whatever becomes of the caller.

    with CardService(root / "ledger.jsonl") as card:
        card.charge("4711", 500)       -> {"ok": True, "receipt": 1}
        card.charges()                 -> [{"receipt": 1, "card": "4711", "amount": 500, "key": None}]

The ledger is a file with one JSON object a line, which the service alone writes. There are two kinds of service: one
books whatever comes in; with `dedupes=True` it books each key once and answers a repeat with the first receipt.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Literal

Booking = dict[str, Any]


class CardService:
    """The caller's end of the service. Starts its process; `close` (or the end of a `with`) ends it."""

    def __init__(self, ledger: str | Path, *, dedupes: bool = False) -> None:
        self.ledger = Path(ledger)
        library = str(Path(__file__).parents[1])
        self._process = subprocess.Popen(
            [sys.executable, "-m", "course_lib.card", str(self.ledger), *(["dedupes"] if dedupes else [])],
            env={**os.environ, "PYTHONPATH": library},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def charge(
        self, card: str, amount: int, key: str | None = None, *, lose: Literal["request", "answer"] | None = None
    ) -> dict[str, Any]:
        """Charge `amount` cents to `card`; the answer is {"ok": True, "receipt": number}.

        A card whose number ends in 0 is refused, {"ok": False, "error": "card_declined"}, and nothing is booked.
        `lose` makes the line fail: with "request" the service never hears of it, ConnectionRefusedError; with "answer"
        it has done its work and only its answer is lost, TimeoutError.
        """
        if lose == "request":
            raise ConnectionRefusedError("the card service could not be reached")
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"card": card, "amount": amount, "key": key}) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        if lose == "answer":
            raise TimeoutError("no answer came from the card service")
        return answer

    def charges(self) -> list[Booking]:
        """What is in the ledger, oldest first."""
        return booked(self.ledger)

    def close(self) -> None:
        """End the process. The ledger stays."""
        self._process.communicate()

    def __enter__(self) -> CardService:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def booked(ledger: Path) -> list[Booking]:
    """The bookings in a ledger file, oldest first; none when there is no file yet."""
    if not ledger.exists():
        return []
    return [json.loads(line) for line in ledger.read_text(encoding="utf-8").splitlines()]


def serve(ledger: Path, requests: IO[str], answers: IO[str], *, dedupes: bool) -> None:
    """What the process does: one answer for each request, each booking on disk before its answer goes out."""
    for line in requests:
        request = json.loads(line)
        answers.write(json.dumps(_answer(ledger, request, dedupes)) + "\n")
        answers.flush()


def _answer(ledger: Path, request: dict[str, Any], dedupes: bool) -> dict[str, Any]:
    so_far = booked(ledger)
    if dedupes and request["key"] is not None:
        for booking in so_far:
            if booking["key"] == request["key"]:
                return {"ok": True, "receipt": booking["receipt"]}
    if request["card"].endswith("0"):
        return {"ok": False, "error": "card_declined"}
    with ledger.open("a", newline="\n", encoding="utf-8") as file:
        file.write(json.dumps({"receipt": len(so_far) + 1, **request}) + "\n")
    return {"ok": True, "receipt": len(so_far) + 1}


if __name__ == "__main__":
    serve(Path(sys.argv[1]), sys.stdin, sys.stdout, dedupes="dedupes" in sys.argv[2:])
