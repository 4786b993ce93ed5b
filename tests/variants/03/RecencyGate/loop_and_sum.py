"""Picks with a loop that skips, and compares the sum of turn and window with the present turn."""

from course_lib.gates import GateDecision


def visible(observations, turn, window):
    seen = []
    for observation in observations:
        if observation.turn + window < turn:
            continue
        seen.append(observation)
    return seen


class RecencyGate:
    def __init__(self, window):
        self.window = window

    def evaluate(self, call, ctx):
        if call.turn + self.window < ctx.turn:
            return GateDecision(False, f"decided on in turn {call.turn}, too long ago", "RecencyGate")
        return GateDecision(True, f"decided on in turn {call.turn}", "RecencyGate")
