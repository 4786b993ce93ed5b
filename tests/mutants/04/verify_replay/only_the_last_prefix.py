"""If the last action can be found again, everything before it must have been right."""

from course_lib.agent import Divergence


def verify_replay(trace, make_adapter):
    if not trace:
        return []
    k = len(trace) - 1
    proposed = make_adapter().next_action(list(trace[:k]))
    return [] if proposed == trace[k]["action"] else [Divergence(k, trace[k]["action"], proposed)]


CATCHES = "Some prefixes seem never to be asked"
TEST = "test_a_single_place_is_found"


class Fixed:
    """Proposes the k-th of some actions after k entries."""

    def __init__(self, actions):
        self.actions = actions

    def next_action(self, history):
        return self.actions[len(history)]


def step(tool, **args):
    return {"action": {"tool": tool, "args": args}, "observation": {"ok": True}}


def witness(mutant, reference):
    trace = [step("a"), step("b"), step("c")]
    actions = [step("a")["action"], step("x")["action"], step("c")["action"]]
    make = lambda: Fixed(actions)
    return mutant(trace, make) != reference(trace, make)
