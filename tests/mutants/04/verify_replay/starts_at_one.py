"""Before the first entry there is no history, so there is nothing to replay."""

from course_lib.agent import Divergence


def verify_replay(trace, make_adapter):
    found = []
    for k in range(1, len(trace)):
        proposed = make_adapter().next_action(list(trace[:k]))
        if proposed != trace[k]["action"]:
            found.append(Divergence(k, trace[k]["action"], proposed))
    return found


CATCHES = "The empty prefix, k = 0, seems never to be asked"
TEST = "test_the_empty_prefix_counts"


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
    actions = [step("x")["action"], step("b")["action"], step("c")["action"]]
    make = lambda: Fixed(actions)
    return mutant(trace, make) != reference(trace, make)
