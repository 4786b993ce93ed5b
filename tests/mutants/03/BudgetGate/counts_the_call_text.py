"""The call that is about to run costs something too."""

from course_lib.gates import GateDecision


class BudgetGate:
    def __init__(self, max_tokens):
        self.max_tokens = max_tokens

    def remaining(self, ctx):
        return max(0, self.max_tokens - ctx.ledger.cumulative())

    def evaluate(self, call, ctx):
        used = ctx.ledger.cumulative() + len(str(call.args)) // 4
        return GateDecision(used < self.max_tokens, f"{used} of {self.max_tokens} tokens are read", "BudgetGate")


class PerToolBudgetGate:
    def __init__(self, limits):
        self.limits = limits

    def evaluate(self, call, ctx):
        limit = self.limits.get(call.tool)
        used = ctx.ledger.per_tool(call.tool)
        return GateDecision(limit is None or used < limit, f"{used} of {limit} tokens are read", "PerToolBudgetGate")


CATCHES = "The text of the call seems to count as if it had been read"
TEST = "test_call_itself_is_free"


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
    def answer(make):
        gate = make(100)
        return gate.evaluate(ToolCall("grep", {"pattern": "p" * 400}, 2), context(2, (1, "grep", 90))).allow

    return answer(mutant) != answer(reference)
