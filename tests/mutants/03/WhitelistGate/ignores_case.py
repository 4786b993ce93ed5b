"""Whoever forbids rm forbids RM too."""

import re

from course_lib.gates import GateDecision


class WhitelistGate:
    def __init__(self, allowed):
        self.allowed = set(allowed)

    def evaluate(self, call, ctx):
        return GateDecision(call.tool in self.allowed, f"about {call.tool}", "WhitelistGate")


class RegexGate:
    def __init__(self, patterns):
        self.patterns = [re.compile(pattern, re.IGNORECASE) for pattern in patterns]

    def evaluate(self, call, ctx):
        values = [str(value) for value in call.args.values()]
        found = any(pattern.search(value) for pattern in self.patterns for value in values)
        return GateDecision(not found, "a pattern was found" if found else "clean", "RegexGate")


CATCHES = "A pattern seems to be looked for with a flag that is not written into it"
TEST = "test_patterns_as_they_are"


def witness(mutant, reference):
    from course_lib.gates import ToolCall

    def said(whitelist):
        gate = whitelist.evaluate.__globals__["RegexGate"](["rm"])
        calls = [ToolCall("sh", {"a": "RM"}, 1)]
        return [gate.evaluate(call, None).allow for call in calls]

    return said(mutant) != said(reference)
