"""Patterns are searched for in two nested loops with an early return; the names are compared one by one."""

import re

from course_lib.gates import GateDecision


class WhitelistGate:
    def __init__(self, allowed):
        self.names = list(allowed)

    def evaluate(self, call, ctx):
        for name in self.names:
            if name == call.tool:
                return GateDecision(True, f"{name} may be called", "WhitelistGate")
        return GateDecision(False, f"only {self.names} may be called", "WhitelistGate")


class RegexGate:
    def __init__(self, patterns):
        self.patterns = list(patterns)

    def evaluate(self, call, ctx):
        for argument in call.args:
            text = str(call.args[argument])
            for pattern in self.patterns:
                if re.search(pattern, text) is not None:
                    return GateDecision(False, f"{pattern} is found in {argument}", "RegexGate")
        return GateDecision(True, "nothing is found", "RegexGate")
