"""A call that has waited for the whole window is too old."""

from course_lib.gates import GateDecision, TextObservation


def visible(observations, turn, window):
    return [each for each in observations if turn - each.turn <= window]


class RecencyGate:
    def __init__(self, window):
        self.window = window

    def evaluate(self, call, ctx):
        age = ctx.turn - call.turn
        return GateDecision(age < self.window, f"{age} turns old", "RecencyGate")


CATCHES = "A call exactly as old as the window is denied"
TEST = "test_stale_calls"


from course_lib.gates import GateContext, TextObservation, ToolCall


def past(*turns):
    return [TextObservation(ToolCall("grep", {}, turn), turn, "some text") for turn in turns]


def shown(gate, observations, turn, window):
    visible = gate.evaluate.__globals__["visible"]
    return [each.turn for each in visible(observations, turn, window)]


def witness(mutant, reference):
    ctx = GateContext(4, [], None)
    return (
        mutant(3).evaluate(ToolCall("grep", {}, 1), ctx).allow
        != reference(3).evaluate(ToolCall("grep", {}, 1), ctx).allow
    )
