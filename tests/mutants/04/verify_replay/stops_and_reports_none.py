"""At the first divergence the replay is over, and what was found up to there is the answer."""

from course_lib.agent import Divergence


def verify_replay(trace, make_adapter):
    found = []
    for k in range(len(trace)):
        proposed = make_adapter().next_action(list(trace[:k]))
        if proposed != trace[k]["action"]:
            return found
    return found


CATCHES = "Divergences are found and then not reported"
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
    trace = [step("a")]
    actions = [step("x")["action"]]
    make = lambda: Fixed(actions)
    return mutant(trace, make) != reference(trace, make)
