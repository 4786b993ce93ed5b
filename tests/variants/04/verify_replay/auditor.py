"""A class that holds trace and factory, and whose iterator yields the divergences lazily."""

from course_lib.agent import Divergence


class Auditor:
    def __init__(self, trace, make_adapter):
        self.trace = trace
        self.make_adapter = make_adapter

    def __iter__(self):
        for k in range(len(self.trace)):
            recorded, proposed = self.trace[k]["action"], self.proposal(k)
            if not recorded == proposed:
                yield Divergence(k, recorded, proposed)

    def proposal(self, k):
        return self.make_adapter().next_action(self.trace[:k])


def verify_replay(trace, make_adapter):
    return [*Auditor(trace, make_adapter)]
