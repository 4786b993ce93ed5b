"""Two actions are equal when they look the same in print."""

from course_lib.agent import Divergence


def verify_replay(trace, make_adapter):
    found = []
    for k in range(len(trace)):
        proposed = make_adapter().next_action(list(trace[:k]))
        if str(proposed) != str(trace[k]["action"]):
            found.append(Divergence(k, trace[k]["action"], proposed))
    return found


CATCHES = "Equal actions count as different when their keys stand in another order"
TEST = "test_order_of_keys_does_not_count"


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
    actions = [{"args": {}, "tool": "a"}]
    make = lambda: Fixed(actions)
    return mutant(trace, make) != reference(trace, make)
