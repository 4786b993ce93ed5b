"""Two actions are equal when they have the same form: the same tool, and arguments of the same names."""

from course_lib.agent import Divergence


def verify_replay(trace, make_adapter):
    found = []
    for k in range(len(trace)):
        proposed = make_adapter().next_action(list(trace[:k]))
        recorded = trace[k]["action"]
        if (proposed["tool"], sorted(proposed["args"])) != (recorded["tool"], sorted(recorded["args"])):
            found.append(Divergence(k, recorded, proposed))
    return found


CATCHES = "The places are not the right ones"
TEST = "test_finds_set_order_in_another_process"


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
