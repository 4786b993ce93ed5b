"""Nobody gives two tools names that differ in case alone."""

import re

from course_lib.gates import GateDecision


class WhitelistGate:
    def __init__(self, allowed):
        self.allowed = set(allowed)

    def evaluate(self, call, ctx):
        return GateDecision(
            call.tool.lower() in {name.lower() for name in self.allowed}, f"about {call.tool}", "WhitelistGate"
        )


class RegexGate:
    def __init__(self, patterns):
        self.patterns = [re.compile(pattern) for pattern in patterns]

    def evaluate(self, call, ctx):
        values = [str(value) for value in call.args.values()]
        found = any(pattern.search(value) for pattern in self.patterns for value in values)
        return GateDecision(not found, "a pattern was found" if found else "clean", "RegexGate")


CATCHES = "The case of the letters is not taken into account"
TEST = "test_names_letter_for_letter"


def witness(mutant, reference):
    from course_lib.gates import ToolCall

    def allows(gate):
        return gate(["grep"]).evaluate(ToolCall("GREP", {}, 1), None).allow

    return allows(mutant) != allows(reference)
