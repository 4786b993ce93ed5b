"""An entry that has been verified is done with, so it can be taken off the trace."""

from course_lib.agent import Divergence


def verify_replay(trace, make_adapter):
    found = []
    seen = []
    while trace:
        entry = trace.pop(0)
        proposed = make_adapter().next_action(list(seen))
        if proposed != entry["action"]:
            found.append(Divergence(len(seen), entry["action"], proposed))
        seen.append(entry)
    return found


CATCHES = "The trace that was given has been changed"
TEST = "test_all_places_are_found"


class Fixed:
    """Proposes the k-th of some actions after k entries."""

    def __init__(self, actions):
        self.actions = actions

    def next_action(self, history):
        return self.actions[len(history)]


def step(tool, **args):
    return {"action": {"tool": tool, "args": args}, "observation": {"ok": True}}


def witness(mutant, reference):
    make = lambda: Fixed([step("a")["action"]])
    given = [[step("a")], [step("a")]]
    for verify_replay, trace in zip((mutant, reference), given):
        verify_replay(trace, make)
    return given == [[], [step("a")]]
