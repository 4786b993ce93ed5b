"""Takes its numbers out of the ledger's rows, and denies with early returns; asks neither total of the ledger."""

from course_lib.gates import GateDecision


class BudgetGate:
    def __init__(self, max_tokens):
        self.max_tokens = max_tokens

    def remaining(self, ctx):
        left = self.max_tokens
        for row in ctx.ledger.rows():
            left -= row["tokens"]
            if left <= 0:
                return 0
        return left

    def evaluate(self, call, ctx):
        if not self.remaining(ctx):
            return GateDecision(allow=False, reason="the budget is used up", gate_name="BudgetGate")
        return GateDecision(allow=True, reason="there is something left", gate_name="BudgetGate")


class PerToolBudgetGate:
    def __init__(self, limits):
        self.limits = limits

    def evaluate(self, call, ctx):
        if call.tool in self.limits:
            brought_in = [row["tokens"] for row in ctx.ledger.rows() if row["tool"] == call.tool]
            if sum(brought_in) >= self.limits[call.tool]:
                return GateDecision(False, f"{call.tool} has had its share", "PerToolBudgetGate")
        return GateDecision(True, f"{call.tool} may go on", "PerToolBudgetGate")
