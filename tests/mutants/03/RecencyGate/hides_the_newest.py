"""The first observations of a run are its foundation; what comes later is repetition."""

from course_lib.gates import GateDecision, TextObservation


def visible(observations, turn, window):
    return [each for each in observations if turn - each.turn >= window]


class RecencyGate:
    def __init__(self, window):
        self.window = window

    def evaluate(self, call, ctx):
        age = ctx.turn - call.turn
        return GateDecision(age <= self.window, f"{age} turns old", "RecencyGate")


CATCHES = "The newest observations seem to be hidden"
TEST = "test_window_of_turns"


from course_lib.gates import GateContext, TextObservation, ToolCall


def past(*turns):
    return [TextObservation(ToolCall("grep", {}, turn), turn, "some text") for turn in turns]


def shown(gate, observations, turn, window):
    visible = gate.evaluate.__globals__["visible"]
    return [each.turn for each in visible(observations, turn, window)]


def witness(mutant, reference):
    return (shown(mutant, past(1, 9), 9, 3), shown(reference, past(1, 9), 9, 3)) == ([1], [9])
