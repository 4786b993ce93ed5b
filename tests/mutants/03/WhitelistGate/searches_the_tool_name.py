"""The patterns say which tools are dangerous."""

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
        found = any(pattern.search(call.tool) for pattern in self.patterns)
        return GateDecision(not found, "a pattern was found" if found else "clean", "RegexGate")


CATCHES = "The tool's name seems to be searched instead of the arguments, or as well"
TEST = "test_only_the_values_are_searched"


def witness(mutant, reference):
    from course_lib.gates import ToolCall

    def allows(gate):
        return gate.evaluate.__globals__["RegexGate"](["shell"]).evaluate(ToolCall("shell", {"a": "ls"}, 1), None).allow

    return allows(mutant) != allows(reference)
