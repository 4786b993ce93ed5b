"""A ceiling of 0 means that there is none, as long as nothing was read."""

from course_lib.gates import GateDecision


class BudgetGate:
    def __init__(self, max_tokens):
        self.max_tokens = max_tokens

    def remaining(self, ctx):
        return max(0, self.max_tokens - ctx.ledger.cumulative())

    def evaluate(self, call, ctx):
        used = ctx.ledger.cumulative()
        return GateDecision(
            used == 0 or used < self.max_tokens, f"{used} of {self.max_tokens} tokens are read", "BudgetGate"
        )


class PerToolBudgetGate:
    def __init__(self, limits):
        self.limits = limits

    def evaluate(self, call, ctx):
        limit = self.limits.get(call.tool)
        used = ctx.ledger.per_tool(call.tool)
        return GateDecision(limit is None or used < limit, f"{used} of {limit} tokens are read", "PerToolBudgetGate")


CATCHES = "A ceiling of 0 allows a call; it is reached before anything is read"
TEST = "test_at_any_ceiling"


from course_lib.gates import GateContext, TextObservation, ToolCall


class Books:
    def __init__(self, observations):
        self.observations = observations

    def cumulative(self):
        return sum(len(each.text) // 4 for each in self.observations)

    def per_tool(self, tool):
        return sum(len(each.text) // 4 for each in self.observations if each.call.tool == tool)


def context(turn, *read):
    """After reads of so many tokens, each given as (turn, tool, tokens)."""
    past = [TextObservation(ToolCall(tool, {}, at), at, "x" * 4 * tokens) for at, tool, tokens in read]
    return GateContext(turn, past, Books(past))


def witness(mutant, reference):
    return [make(0).evaluate(ToolCall("grep", {}, 1), context(1)).allow for make in (mutant, reference)] == [
        True,
        False,
    ]
