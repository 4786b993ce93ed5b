"""Whoever wants the divergences goes through them anyway, so they can come one by one."""

from course_lib.agent import Divergence


def verify_replay(trace, make_adapter):
    for k in range(len(trace)):
        proposed = make_adapter().next_action(list(trace[:k]))
        if proposed != trace[k]["action"]:
            yield Divergence(k, trace[k]["action"], proposed)


CATCHES = "The answer is not a list of Divergence(k, recorded, proposed)"
TEST = "test_own_adapter_replays_every_recording"


def witness(mutant, reference):
    return mutant([], object) != [] and reference([], object) == []
