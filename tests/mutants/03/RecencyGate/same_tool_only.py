"""An observation is out of date when the same tool has been called since."""

from course_lib.gates import GateDecision, TextObservation


def visible(observations, turn, window):
    return [each for each in observations if turn - each.turn <= window or each.call.tool != observations[-1].call.tool]


class RecencyGate:
    def __init__(self, window):
        self.window = window

    def evaluate(self, call, ctx):
        age = ctx.turn - call.turn
        return GateDecision(age <= self.window, f"{age} turns old", "RecencyGate")


CATCHES = "Old observations of some tools are still visible"
TEST = "test_hidden_means_gone"


from course_lib.gates import GateContext, TextObservation, ToolCall


def past(*turns):
    return [TextObservation(ToolCall("grep", {}, turn), turn, "some text") for turn in turns]


def shown(gate, observations, turn, window):
    visible = gate.evaluate.__globals__["visible"]
    return [each.turn for each in visible(observations, turn, window)]


def witness(mutant, reference):
    two = [TextObservation(ToolCall(tool, {}, turn), turn, "text") for turn, tool in [(1, "grep"), (9, "read_file")]]
    return (shown(mutant, two, 9, 3), shown(reference, two, 9, 3)) == ([1, 9], [9])
