"""Nothing is free, so a text of a few characters costs a token."""


class ObservationLedger:
    def __init__(self):
        self.entries = []

    def record(self, observation):
        tokens = max(1, len(observation.text) // 4) if observation.text else 0
        self.entries.append((observation.turn, observation.call.tool, tokens))

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


CATCHES = "A text of one to three characters seems to cost a token"
TEST = "test_tokens_of_any_text"


def witness(mutant, reference):
    from course_lib.gates import TextObservation, ToolCall

    found = []
    for make in (mutant, reference):
        ledger = make()
        for tool, turn, text in [("grep", 1, "yes")]:
            ledger.record(TextObservation(ToolCall(tool, {"path": "p" * 40}, turn), turn, text))
        found.append(ledger.cumulative())
    return found[0] != found[1]
