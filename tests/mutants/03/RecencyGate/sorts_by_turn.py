"""What is shown to the model is shown in the order of turns."""

from course_lib.gates import GateDecision, TextObservation


def visible(observations, turn, window):
    fresh = [each for each in observations if turn - each.turn <= window]
    return sorted(fresh, key=lambda each: each.turn)


class RecencyGate:
    def __init__(self, window):
        self.window = window

    def evaluate(self, call, ctx):
        age = ctx.turn - call.turn
        return GateDecision(age <= self.window, f"{age} turns old", "RecencyGate")


CATCHES = "The visible observations come in another order"
TEST = "test_observations_that_came_in_late"


from course_lib.gates import GateContext, TextObservation, ToolCall


def past(*turns):
    return [TextObservation(ToolCall("grep", {}, turn), turn, "some text") for turn in turns]


def shown(gate, observations, turn, window):
    visible = gate.evaluate.__globals__["visible"]
    return [each.turn for each in visible(observations, turn, window)]


def witness(mutant, reference):
    return (shown(mutant, past(3, 2), 4, 3), shown(reference, past(3, 2), 4, 3)) == ([2, 3], [3, 2])
