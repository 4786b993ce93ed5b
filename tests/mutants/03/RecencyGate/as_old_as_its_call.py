"""An observation is as old as the call that it answers."""

from course_lib.gates import GateDecision, TextObservation


def visible(observations, turn, window):
    return [each for each in observations if turn - each.call.turn <= window]


class RecencyGate:
    def __init__(self, window):
        self.window = window

    def evaluate(self, call, ctx):
        age = ctx.turn - call.turn
        return GateDecision(age <= self.window, f"{age} turns old", "RecencyGate")


CATCHES = "An observation seems to be as old as its call; its own turn counts"
TEST = "test_observations_that_came_in_late"


from course_lib.gates import GateContext, TextObservation, ToolCall


def past(*turns):
    return [TextObservation(ToolCall("grep", {}, turn), turn, "some text") for turn in turns]


def shown(gate, observations, turn, window):
    visible = gate.evaluate.__globals__["visible"]
    return [each.turn for each in visible(observations, turn, window)]


def witness(mutant, reference):
    late = [TextObservation(ToolCall("grep", {}, 1), 9, "some text")]
    return (shown(mutant, late, 9, 3), shown(reference, late, 9, 3)) == ([], [9])
