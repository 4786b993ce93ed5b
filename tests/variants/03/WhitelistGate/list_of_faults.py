"""Collects everything that speaks against a call, and allows when the collection is empty; finditer, set difference."""

import re
from itertools import product

from course_lib.gates import GateDecision


class WhitelistGate:
    def __init__(self, allowed):
        self.allowed = {*allowed}

    def evaluate(self, call, ctx):
        unknown = {call.tool} - self.allowed
        return GateDecision(not unknown, f"not on the list: {unknown or 'nothing'}", "WhitelistGate")


class RegexGate:
    def __init__(self, patterns):
        self.compiled = tuple(map(re.compile, patterns))

    def evaluate(self, call, ctx):
        pairs = product(self.compiled, map(str, call.args.values()))
        found = {pattern.pattern for pattern, text in pairs for _ in pattern.finditer(text)}
        return GateDecision(len(found) == 0, f"{len(found)} patterns are found", "RegexGate")
