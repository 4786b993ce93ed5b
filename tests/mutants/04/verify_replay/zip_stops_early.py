"""The proposals end with the report, and zip pairs them with the trace."""

from course_lib.agent import Divergence


def verify_replay(trace, make_adapter):
    proposals = []
    for k in range(len(trace)):
        proposals.append(make_adapter().next_action(list(trace[:k])))
        if proposals[-1]["tool"] == "write_report":
            break
    pairs = enumerate(zip(trace, proposals))
    return [Divergence(k, step["action"], proposed) for k, (step, proposed) in pairs if proposed != step["action"]]


CATCHES = "The comparison seems to end with the first report"
TEST = "test_goes_on_after_a_report"


class Fixed:
    """Proposes the k-th of some actions after k entries."""

    def __init__(self, actions):
        self.actions = actions

    def next_action(self, history):
        return self.actions[len(history)]


def step(tool, **args):
    return {"action": {"tool": tool, "args": args}, "observation": {"ok": True}}


def witness(mutant, reference):
    trace = [step("write_report"), step("b")]
    actions = [step("write_report")["action"], step("x")["action"]]
    make = lambda: Fixed(actions)
    return mutant(trace, make) != reference(trace, make)
