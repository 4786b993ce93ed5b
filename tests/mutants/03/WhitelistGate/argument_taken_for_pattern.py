"""It does not matter which of the two is searched for in the other."""

import re

from course_lib.gates import GateDecision


class WhitelistGate:
    def __init__(self, allowed):
        self.allowed = set(allowed)

    def evaluate(self, call, ctx):
        return GateDecision(call.tool in self.allowed, f"about {call.tool}", "WhitelistGate")


class RegexGate:
    def __init__(self, patterns):
        self.patterns = list(patterns)

    def evaluate(self, call, ctx):
        values = [str(value) for value in call.args.values()]
        found = any(
            re.search(pattern, value) or re.search(value, pattern) for pattern in self.patterns for value in values
        )
        return GateDecision(not found, "a pattern was found" if found else "clean", "RegexGate")


CATCHES = "An argument's value seems to be taken for a pattern"
TEST = "test_arguments_are_no_patterns"


def witness(mutant, reference):
    from course_lib.gates import ToolCall

    def allows(gate):
        return gate.evaluate.__globals__["RegexGate"](["rm -rf"]).evaluate(ToolCall("x", {"a": "."}, 1), None).allow

    return allows(mutant) != allows(reference)
