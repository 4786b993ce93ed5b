"""A gate without a pattern has nothing to go by, and denies."""

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
        found = any(pattern.search(value) for pattern in self.patterns for value in values)
        found = found or not self.patterns
        return GateDecision(not found, "a pattern was found" if found else "clean", "RegexGate")


CATCHES = "Without a single pattern a call is denied"
TEST = "test_patterns_as_they_are"


def witness(mutant, reference):
    from course_lib.gates import ToolCall

    def said(whitelist):
        gate = whitelist.evaluate.__globals__["RegexGate"]([])
        calls = [ToolCall("sh", {"a": "ls"}, 1)]
        return [gate.evaluate(call, None).allow for call in calls]

    return said(mutant) != said(reference)
