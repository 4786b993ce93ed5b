"""An adapter is an adapter, so one of them is enough."""

from course_lib.agent import Divergence


def verify_replay(trace, make_adapter):
    adapter = make_adapter()
    found = []
    for k in range(len(trace)):
        proposed = adapter.next_action(list(trace[:k]))
        if proposed != trace[k]["action"]:
            found.append(Divergence(k, trace[k]["action"], proposed))
    return found


CATCHES = "One adapter seems to serve all prefixes, so that its memory hides the divergences"
TEST = "test_each_prefix_has_a_fresh_adapter"


def witness(mutant, reference):
    class Counting:
        calls = 0

        def next_action(self, history):
            self.calls += 1
            return {"tool": "abc"[self.calls - 1], "args": {}}

    trace = [{"action": {"tool": tool, "args": {}}, "observation": {"ok": True}} for tool in "abc"]
    return mutant(trace, Counting) == [] and len(reference(trace, Counting)) == 2
