"""Everything behind the first fresh observation is fresh."""

from course_lib.gates import GateDecision, TextObservation


def visible(observations, turn, window):
    for at, each in enumerate(observations):
        if turn - each.turn <= window:
            return observations[at:]
    return []


class RecencyGate:
    def __init__(self, window):
        self.window = window

    def evaluate(self, call, ctx):
        age = ctx.turn - call.turn
        return GateDecision(age <= self.window, f"{age} turns old", "RecencyGate")


CATCHES = "An old observation that stands behind a fresh one is visible"
TEST = "test_observations_that_came_in_late"


from course_lib.gates import GateContext, TextObservation, ToolCall


def past(*turns):
    return [TextObservation(ToolCall("grep", {}, turn), turn, "some text") for turn in turns]


def shown(gate, observations, turn, window):
    visible = gate.evaluate.__globals__["visible"]
    return [each.turn for each in visible(observations, turn, window)]


def witness(mutant, reference):
    return (shown(mutant, past(9, 2), 9, 3), shown(reference, past(9, 2), 9, 3)) == ([9, 2], [9])
