"""Where a run parts from its recording is what matters, so the positions are enough."""


def verify_replay(trace, make_adapter):
    return [k for k in range(len(trace)) if make_adapter().next_action(list(trace[:k])) != trace[k]["action"]]


CATCHES = "The answer is not a list of Divergence(k, recorded, proposed)"
TEST = "test_another_adapter_diverges"


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
    make = lambda: Fixed([step("x")["action"]])
    return mutant(trace, make) == [0] and reference(trace, make) != [0]
