"""Hiding an observation means making its text unreadable."""

from course_lib.gates import GateDecision, TextObservation


def visible(observations, turn, window):
    return [
        each if turn - each.turn <= window else TextObservation(each.call, each.turn, "*" * len(each.text))
        for each in observations
    ]


class RecencyGate:
    def __init__(self, window):
        self.window = window

    def evaluate(self, call, ctx):
        age = ctx.turn - call.turn
        return GateDecision(age <= self.window, f"{age} turns old", "RecencyGate")


CATCHES = "Hidden observations are still there, with a text that costs what the old one cost"
TEST = "test_hidden_means_gone"


from course_lib.gates import GateContext, TextObservation, ToolCall


def past(*turns):
    return [TextObservation(ToolCall("grep", {}, turn), turn, "some text") for turn in turns]


def shown(gate, observations, turn, window):
    visible = gate.evaluate.__globals__["visible"]
    return [each.turn for each in visible(observations, turn, window)]


def witness(mutant, reference):
    return (shown(mutant, past(1, 9), 9, 3), shown(reference, past(1, 9), 9, 3)) == ([1, 9], [9])
