"""One class for the window, with a method that both the filter and the gate ask."""

from course_lib.gates import GateDecision


class _Window:
    def __init__(self, now, width):
        self.oldest = now - width

    def is_open(self, thing):
        return thing.turn >= self.oldest


def visible(observations, turn, window):
    return list(filter(_Window(turn, window).is_open, observations))


class RecencyGate:
    def __init__(self, window):
        self.width = window

    def evaluate(self, call, ctx):
        opened = _Window(ctx.turn, self.width)
        return GateDecision(
            opened.is_open(call), f"what was decided before turn {opened.oldest} is stale", "RecencyGate"
        )
