"""Patterns are compiled when they are needed, at each call."""

import re

from course_lib.gates import GateDecision


class WhitelistGate:
    def __init__(self, allowed):
        self.allowed = set(allowed)

    def evaluate(self, call, ctx):
        return GateDecision(call.tool in self.allowed, f"about {call.tool}", "WhitelistGate")


class RegexGate:
    def __init__(self, patterns):
        self.patterns = map(re.compile, patterns)

    def evaluate(self, call, ctx):
        values = [str(value) for value in call.args.values()]
        found = any(pattern.search(value) for pattern in self.patterns for value in values)
        return GateDecision(not found, "a pattern was found" if found else "clean", "RegexGate")


CATCHES = "The patterns seem to be used up by the first calls"
TEST = "test_names_and_patterns_from_an_iterator"


def witness(mutant, reference):
    from course_lib.gates import ToolCall

    def said(whitelist):
        gate = whitelist.evaluate.__globals__["RegexGate"](["rm", "curl"])
        calls = [ToolCall("sh", {"a": "curl"}, 1), ToolCall("sh", {"a": "rm"}, 1)]
        return [gate.evaluate(call, None).allow for call in calls]

    return said(mutant) != said(reference)
