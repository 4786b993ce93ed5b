"""What is said when a learner's code meets a limit."""

from __future__ import annotations


class Trouble(Exception):
    """A call got no verdict. `reason` is one of the record's reason codes: time, killed, protocol, output."""

    def __init__(self, reason: str, sentence: str) -> None:
        super().__init__(sentence)
        self.reason = reason
        self.sentence = sentence
