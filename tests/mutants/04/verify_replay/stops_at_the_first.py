"""After one divergence the rest of the replay means nothing."""

from course_lib.agent import Divergence


def verify_replay(trace, make_adapter):
    for k in range(len(trace)):
        proposed = make_adapter().next_action(list(trace[:k]))
        if proposed != trace[k]["action"]:
            return [Divergence(k, trace[k]["action"], proposed)]
    return []


CATCHES = "The search seems to stop at the first divergence"
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
    trace = [step("a"), step("b")]
    actions = [step("x")["action"], step("y")["action"]]
    make = lambda: Fixed(actions)
    return mutant(trace, make) != reference(trace, make)
