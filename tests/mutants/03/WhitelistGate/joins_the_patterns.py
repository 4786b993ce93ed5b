"""Several patterns are one pattern with bars between them."""

import re

from course_lib.gates import GateDecision


class WhitelistGate:
    def __init__(self, allowed):
        self.allowed = set(allowed)

    def evaluate(self, call, ctx):
        return GateDecision(call.tool in self.allowed, f"about {call.tool}", "WhitelistGate")


class RegexGate:
    def __init__(self, patterns):
        patterns = list(patterns)
        self.pattern = re.compile("|".join(patterns)) if patterns else None

    def evaluate(self, call, ctx):
        values = [str(value) for value in call.args.values()]
        found = self.pattern is not None and any(self.pattern.search(value) for value in values)
        return GateDecision(not found, "a pattern was found" if found else "clean", "RegexGate")


CATCHES = "The patterns seem to be joined into one"
TEST = "test_patterns_as_they_are"


def witness(mutant, reference):
    from course_lib.gates import ToolCall

    def said(whitelist):
        gate = whitelist.evaluate.__globals__["RegexGate"](["(rm|mv) -f", r"(\w)\1"])
        calls = [ToolCall("sh", {"a": "aa"}, 1)]
        return [gate.evaluate(call, None).allow for call in calls]

    return said(mutant) != said(reference)
