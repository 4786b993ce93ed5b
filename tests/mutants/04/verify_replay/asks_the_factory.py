"""make_adapter is the adapter."""

from course_lib.agent import Divergence


def verify_replay(trace, make_adapter):
    found = []
    for k in range(len(trace)):
        proposed = make_adapter.next_action(list(trace[:k]))
        if proposed != trace[k]["action"]:
            found.append(Divergence(k, trace[k]["action"], proposed))
    return found


CATCHES = "make_adapter was never called, and only calling it gives an adapter"
TEST = "test_own_adapter_replays_every_recording"


class Fixed:
    """Proposes the k-th of some actions after k entries."""

    def __init__(self, actions):
        self.actions = actions

    def next_action(self, history):
        return self.actions[len(history)]


def step(tool, **args):
    return {"action": {"tool": tool, "args": args}, "observation": {"ok": True}}


def witness(mutant, reference):
    trace = [step("a")]
    make = lambda: Fixed([step("a")["action"]])
    try:
        mutant(trace, make)
    except AttributeError:
        return reference(trace, make) == []
    return False
