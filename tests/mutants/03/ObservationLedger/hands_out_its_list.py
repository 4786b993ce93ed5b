"""Whoever asks for the rows only wants to read them."""


class ObservationLedger:
    def __init__(self):
        self.entries = []

    def record(self, observation):
        row = {"turn": observation.turn, "tool": observation.call.tool, "tokens": len(observation.text) // 4}
        self.entries.append(row)

    def cumulative(self):
        return sum(row["tokens"] for row in self.entries)

    def per_tool(self, tool):
        return sum(row["tokens"] for row in self.entries if row["tool"] == tool)

    def latest_turn(self):
        return max((row["turn"] for row in self.entries), default=0)

    def rows(self):
        self.entries.sort(key=lambda row: row["turn"])
        total = 0
        for row in self.entries:
            total += row["tokens"]
            row["cumulative"] = total
        return self.entries


CATCHES = "The ledger hands out its own list: changing the rows changes it"
TEST = "test_rows_are_the_callers_own"


def witness(mutant, reference):
    from course_lib.gates import TextObservation, ToolCall

    found = []
    for make in (mutant, reference):
        ledger = make()
        ledger.record(TextObservation(ToolCall("grep", {}, 1), 1, "x" * 40))
        ledger.rows().clear()
        found.append(ledger.cumulative())
    return found == [0, 10]
