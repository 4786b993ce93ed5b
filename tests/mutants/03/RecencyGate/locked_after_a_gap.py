"""When nothing was read for too long, the model no longer knows what it does."""

from course_lib.gates import GateDecision, TextObservation


def visible(observations, turn, window):
    return [each for each in observations if turn - each.turn <= window]


class RecencyGate:
    def __init__(self, window):
        self.window = window

    def evaluate(self, call, ctx):
        age = ctx.turn - min([call.turn, *(each.turn for each in ctx.history[-1:])])
        return GateDecision(age <= self.window, f"{age} turns old", "RecencyGate")


CATCHES = "After a gap every call is denied, and so is the read that would end the gap"
TEST = "test_there_is_a_way_back"


from course_lib.gates import GateContext, TextObservation, ToolCall


def past(*turns):
    return [TextObservation(ToolCall("grep", {}, turn), turn, "some text") for turn in turns]


def shown(gate, observations, turn, window):
    visible = gate.evaluate.__globals__["visible"]
    return [each.turn for each in visible(observations, turn, window)]


def witness(mutant, reference):
    ctx = GateContext(9, past(4), None)
    fresh = ToolCall("grep", {}, 9)
    return (mutant(3).evaluate(fresh, ctx).allow, reference(3).evaluate(fresh, ctx).allow) == (False, True)
