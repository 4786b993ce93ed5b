"""The running total is known when a row comes in, so it is stored with it."""


class ObservationLedger:
    def __init__(self):
        self.entries = []

    def record(self, observation):
        tokens = len(observation.text) // 4
        total = self.cumulative() + tokens
        self.entries.append((observation.turn, observation.call.tool, tokens, total))

    def cumulative(self):
        return sum(tokens for _, _, tokens, _ in self.entries)

    def per_tool(self, tool):
        return sum(tokens for _, name, tokens, _ in self.entries if name == tool)

    def latest_turn(self):
        return max((turn for turn, _, _, _ in self.entries), default=0)

    def rows(self):
        rows = []
        for turn, tool, tokens, total in sorted(self.entries, key=lambda entry: entry[0]):
            rows.append({"turn": turn, "tool": tool, "tokens": tokens, "cumulative": total})
        return rows


CATCHES = "The totals of the rows do not add up; were they stored when the rows came in?"
TEST = "test_rows_in_any_order_of_arrival"


def witness(mutant, reference):
    from course_lib.gates import TextObservation, ToolCall

    found = []
    for make in (mutant, reference):
        ledger = make()
        for tool, turn, text in [("grep", 3, "x" * 40), ("grep", 1, "x" * 80)]:
            ledger.record(TextObservation(ToolCall(tool, {"path": "p" * 40}, turn), turn, text))
        found.append(ledger.rows())
    return found[0] != found[1]
