"""Both are budget gates, so both speak under that name when they deny."""

from course_lib.gates import GateDecision


class BudgetGate:
    def __init__(self, max_tokens):
        self.max_tokens = max_tokens

    def remaining(self, ctx):
        return max(0, self.max_tokens - ctx.ledger.cumulative())

    def evaluate(self, call, ctx):
        used = ctx.ledger.cumulative()
        return GateDecision(used < self.max_tokens, f"{used} of {self.max_tokens} tokens are read", "BudgetGate")


class PerToolBudgetGate:
    def __init__(self, limits):
        self.limits = limits

    def evaluate(self, call, ctx):
        limit = self.limits.get(call.tool)
        used = ctx.ledger.per_tool(call.tool)
        if limit is not None and used >= limit:
            return GateDecision(False, f"{used} of {limit} tokens are read", "BudgetGate")
        return GateDecision(True, f"{used} of {limit} tokens are read", "PerToolBudgetGate")


CATCHES = "gate_name is not the name of the gate's class"
TEST = "test_limits_of_single_tools"


from course_lib.gates import GateContext, ToolCall


class Books:
    def per_tool(self, tool):
        return 100


def witness(mutant, reference):
    def name(budget):
        gate = budget.evaluate.__globals__["PerToolBudgetGate"]({"grep": 100})
        return gate.evaluate(ToolCall("grep", {}, 2), GateContext(2, [], Books())).gate_name

    return name(mutant) != name(reference)
