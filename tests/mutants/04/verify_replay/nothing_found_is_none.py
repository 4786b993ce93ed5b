"""When there is nothing to report, nothing is returned."""

from course_lib.agent import Divergence


def verify_replay(trace, make_adapter):
    found = []
    for k in range(len(trace)):
        proposed = make_adapter().next_action(list(trace[:k]))
        if proposed != trace[k]["action"]:
            found.append(Divergence(k, trace[k]["action"], proposed))
    if found:
        return found


CATCHES = "The answer is not a list of Divergence(k, recorded, proposed)"
TEST = "test_a_pure_adapter_agrees"


def witness(mutant, reference):
    return mutant([], object) is None and reference([], object) == []
