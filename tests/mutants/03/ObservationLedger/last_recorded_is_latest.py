"""What was recorded last is the latest."""


class ObservationLedger:
    def __init__(self):
        self.entries = []

    def record(self, observation):
        tokens = len(observation.text) // 4
        self.entries.append((observation.turn, observation.call.tool, tokens))

    def cumulative(self):
        return sum(tokens for _, _, tokens in self.entries)

    def per_tool(self, tool):
        return sum(tokens for _, name, tokens in self.entries if name == tool)

    def latest_turn(self):
        return self.entries[-1][0] if self.entries else 0

    def rows(self):
        rows, total = [], 0
        for turn, tool, tokens in sorted(self.entries, key=lambda entry: entry[0]):
            total += tokens
            rows.append({"turn": turn, "tool": tool, "tokens": tokens, "cumulative": total})
        return rows


CATCHES = "The turn that was recorded last seems to count as the latest"
TEST = "test_latest_is_the_highest"


def witness(mutant, reference):
    from course_lib.gates import TextObservation, ToolCall

    found = []
    for make in (mutant, reference):
        ledger = make()
        for tool, turn, text in [("grep", 3, "x"), ("grep", 1, "x")]:
            ledger.record(TextObservation(ToolCall(tool, {"path": "p" * 40}, turn), turn, text))
        found.append(ledger.latest_turn())
    return found[0] != found[1]
