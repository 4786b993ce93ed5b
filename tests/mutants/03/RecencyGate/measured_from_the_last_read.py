"""Old is what lies far behind the newest observation."""

from course_lib.gates import GateDecision, TextObservation


def visible(observations, turn, window):
    return [each for each in observations if observations[-1].turn - each.turn <= window]


class RecencyGate:
    def __init__(self, window):
        self.window = window

    def evaluate(self, call, ctx):
        age = ctx.turn - call.turn
        return GateDecision(age <= self.window, f"{age} turns old", "RecencyGate")


CATCHES = "An observation outside the window is visible after a gap"
TEST = "test_nothing_recent"


from course_lib.gates import GateContext, TextObservation, ToolCall


def past(*turns):
    return [TextObservation(ToolCall("grep", {}, turn), turn, "some text") for turn in turns]


def shown(gate, observations, turn, window):
    visible = gate.evaluate.__globals__["visible"]
    return [each.turn for each in visible(observations, turn, window)]


def witness(mutant, reference):
    return (shown(mutant, past(1, 2), 9, 3), shown(reference, past(1, 2), 9, 3)) == ([1, 2], [])
