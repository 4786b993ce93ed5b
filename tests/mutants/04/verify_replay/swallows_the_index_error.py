"""An IndexError only says that the end of the trace has been reached."""

from course_lib.agent import Divergence


def verify_replay(trace, make_adapter):
    found = []
    try:
        for k in range(len(trace) + 1):
            proposed = make_adapter().next_action(list(trace[:k]))
            if proposed != trace[k]["action"]:
                found.append(Divergence(k, trace[k]["action"], proposed))
    except IndexError:
        pass
    return found


CATCHES = "An exception of the adapter seems to be swallowed"
TEST = "test_exceptions_pass_through"


class Fixed:
    """Proposes the k-th of some actions after k entries."""

    def __init__(self, actions):
        self.actions = actions

    def next_action(self, history):
        return self.actions[len(history)]


def step(tool, **args):
    return {"action": {"tool": tool, "args": args}, "observation": {"ok": True}}


def witness(mutant, reference):
    trace = [step("a"), step("b")]
    make = lambda: Fixed([step("a")["action"]])
    try:
        reference(trace, make)
    except IndexError:
        return mutant(trace, make) == []
    return False
