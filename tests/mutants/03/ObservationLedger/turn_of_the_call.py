"""An observation belongs to the turn of its call."""


class ObservationLedger:
    def __init__(self):
        self.entries = []

    def record(self, observation):
        tokens = len(observation.text) // 4
        self.entries.append((observation.call.turn, observation.call.tool, tokens))

    def cumulative(self):
        return sum(tokens for _, _, tokens in self.entries)

    def per_tool(self, tool):
        return sum(tokens for _, name, tokens in self.entries if name == tool)

    def latest_turn(self):
        return max((turn for turn, _, _ in self.entries), default=0)

    def rows(self):
        rows, total = [], 0
        for turn, tool, tokens in sorted(self.entries, key=lambda entry: entry[0]):
            total += tokens
            rows.append({"turn": turn, "tool": tool, "tokens": tokens, "cumulative": total})
        return rows


CATCHES = "A row bears the turn of the call instead of the observation's own"
TEST = "test_rows_in_any_order_of_arrival"


def witness(mutant, reference):
    from course_lib.gates import TextObservation, ToolCall

    found = []
    for make in (mutant, reference):
        ledger = make()
        ledger.record(TextObservation(ToolCall("grep", {}, 1), 4, "yes"))
        found.append([row["turn"] for row in ledger.rows()])
    return found == [[1], [4]]
