"""The rest of one text is made up by that of the next."""


class ObservationLedger:
    def __init__(self):
        self.entries = []

    def record(self, observation):
        tokens = len(observation.text) / 4
        self.entries.append((observation.turn, observation.call.tool, tokens))

    def cumulative(self):
        return int(sum(tokens for _, _, tokens in self.entries))

    def per_tool(self, tool):
        return int(sum(tokens for _, name, tokens in self.entries if name == tool))

    def latest_turn(self):
        return max((turn for turn, _, _ in self.entries), default=0)

    def rows(self):
        rows, total = [], 0
        for turn, tool, tokens in sorted(self.entries, key=lambda entry: entry[0]):
            total += tokens
            rows.append({"turn": turn, "tool": tool, "tokens": int(tokens), "cumulative": int(total)})
        return rows


CATCHES = "The rounding seems to be done over all texts together"
TEST = "test_tokens_of_any_text"


def witness(mutant, reference):
    from course_lib.gates import TextObservation, ToolCall

    found = []
    for make in (mutant, reference):
        ledger = make()
        for tool, turn, text in [("grep", 1, "yes"), ("grep", 2, "yes")]:
            ledger.record(TextObservation(ToolCall(tool, {"path": "p" * 40}, turn), turn, text))
        found.append(ledger.cumulative())
    return found[0] != found[1]
