"""Keeps its entries in the order of turns from the start, with bisect, so that rows need no sorting."""

from bisect import bisect_right
from itertools import accumulate


class ObservationLedger:
    def __init__(self):
        self.turns, self.tools, self.tokens = [], [], []

    def record(self, observation):
        place = bisect_right(self.turns, observation.turn)
        self.turns.insert(place, observation.turn)
        self.tools.insert(place, observation.call.tool)
        self.tokens.insert(place, len(observation.text) // 4)

    def cumulative(self):
        return sum(self.tokens)

    def per_tool(self, tool):
        total = 0
        for name, tokens in zip(self.tools, self.tokens, strict=True):
            if name == tool:
                total += tokens
        return total

    def latest_turn(self):
        return self.turns[-1] if self.turns else 0

    def rows(self):
        columns = zip(self.turns, self.tools, self.tokens, accumulate(self.tokens), strict=True)
        return [dict(zip(("turn", "tool", "tokens", "cumulative"), row, strict=True)) for row in columns]
