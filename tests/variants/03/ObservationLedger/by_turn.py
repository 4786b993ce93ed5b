"""A dict of turns, each with the list of what came in; everything else is worked out from rows()."""


class ObservationLedger:
    def __init__(self):
        self._by_turn = {}

    def record(self, observation):
        entry = (observation.call.tool, divmod(len(observation.text), 4)[0])
        self._by_turn.setdefault(observation.turn, []).append(entry)

    def rows(self):
        rows, running = [], 0
        for turn in sorted(self._by_turn):
            for tool, tokens in self._by_turn[turn]:
                running += tokens
                rows.append({"turn": turn, "tool": tool, "tokens": tokens, "cumulative": running})
        return rows

    def cumulative(self):
        rows = self.rows()
        return rows[-1]["cumulative"] if rows else 0

    def per_tool(self, tool):
        return sum(row["tokens"] for row in self.rows() if row["tool"] == tool)

    def latest_turn(self):
        return max([0, *self._by_turn])
