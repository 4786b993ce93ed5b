"""The tool is the decision; its arguments are details."""

from course_lib.agent import Divergence


def verify_replay(trace, make_adapter):
    found = []
    for k in range(len(trace)):
        proposed = make_adapter().next_action(list(trace[:k]))
        if proposed["tool"] != trace[k]["action"]["tool"]:
            found.append(Divergence(k, trace[k]["action"], proposed))
    return found


CATCHES = "The values of the arguments seem not to be compared"
TEST = "test_arguments_count"


class Fixed:
    """Proposes the k-th of some actions after k entries."""

    def __init__(self, actions):
        self.actions = actions

    def next_action(self, history):
        return self.actions[len(history)]


def step(tool, **args):
    return {"action": {"tool": tool, "args": args}, "observation": {"ok": True}}


def witness(mutant, reference):
    trace = [step("read_note", name="alpha.txt")]
    actions = [step("read_note", name="beta.txt")["action"]]
    make = lambda: Fixed(actions)
    return mutant(trace, make) != reference(trace, make)
