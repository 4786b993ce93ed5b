"""There is a prefix for each entry, and the last one is the whole trace."""

from course_lib.agent import Divergence


def verify_replay(trace, make_adapter):
    found = []
    for k in range(len(trace) + 1):
        proposed = make_adapter().next_action(list(trace[:k]))
        if k < len(trace) and proposed != trace[k]["action"]:
            found.append(Divergence(k, trace[k]["action"], proposed))
    return found


CATCHES = "The whole trace is asked about too, though no recorded action follows it"
TEST = "test_asks_nothing_after_the_last_action"


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
    except IndexError:
        return reference(trace, make) == []
    return False
