"""Both gates are the same comparison in a base class, with an endless ceiling for a tool that has none."""

import math

from course_lib.gates import GateDecision


class _Ceiling:
    def left(self, call, ctx):
        raise NotImplementedError

    def evaluate(self, call, ctx):
        left = self.left(call, ctx)
        return GateDecision(left > 0, f"{max(left, 0)} tokens are left", type(self).__name__)


class BudgetGate(_Ceiling):
    def __init__(self, max_tokens):
        self.ceiling = max_tokens

    def left(self, call, ctx):
        return self.ceiling - ctx.ledger.cumulative()

    def remaining(self, ctx):
        left = self.left(None, ctx)
        return left if left > 0 else 0


class PerToolBudgetGate(_Ceiling):
    def __init__(self, limits):
        self.ceilings = dict(limits)

    def left(self, call, ctx):
        return self.ceilings.get(call.tool, math.inf) - ctx.ledger.per_tool(call.tool)
