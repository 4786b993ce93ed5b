"""A window of so many turns holds so many observations."""

from course_lib.gates import GateDecision, TextObservation


def visible(observations, turn, window):
    return observations[-window:] if window else []


class RecencyGate:
    def __init__(self, window):
        self.window = window

    def evaluate(self, call, ctx):
        age = ctx.turn - call.turn
        return GateDecision(age <= self.window, f"{age} turns old", "RecencyGate")


CATCHES = "The window seems to be counted in observations, not in turns"
TEST = "test_window_of_turns"


from course_lib.gates import GateContext, TextObservation, ToolCall


def past(*turns):
    return [TextObservation(ToolCall("grep", {}, turn), turn, "some text") for turn in turns]


def shown(gate, observations, turn, window):
    visible = gate.evaluate.__globals__["visible"]
    return [each.turn for each in visible(observations, turn, window)]


def witness(mutant, reference):
    return (shown(mutant, past(4, 4, 4), 4, 2), shown(reference, past(4, 4, 4), 4, 2)) == ([4, 4], [4, 4, 4])
