"""A call is dangerous when the patterns are found in it."""

import re

from course_lib.gates import GateDecision


class WhitelistGate:
    def __init__(self, allowed):
        self.allowed = set(allowed)

    def evaluate(self, call, ctx):
        return GateDecision(call.tool in self.allowed, f"about {call.tool}", "WhitelistGate")


class RegexGate:
    def __init__(self, patterns):
        self.patterns = [re.compile(pattern) for pattern in patterns]

    def evaluate(self, call, ctx):
        values = [str(value) for value in call.args.values()]
        found = all(any(pattern.search(value) for value in values) for pattern in self.patterns)
        return GateDecision(not found, "a pattern was found" if found else "clean", "RegexGate")


CATCHES = "One pattern alone is not enough"
TEST = "test_any_pattern_in_any_argument"


def witness(mutant, reference):
    from course_lib.gates import ToolCall

    def allows(gate):
        return (
            gate.evaluate.__globals__["RegexGate"](["rm", "curl"]).evaluate(ToolCall("x", {"a": "rm"}, 1), None).allow
        )

    return allows(mutant) != allows(reference)
