"""The history grows by one entry at a time, so one list can be handed from adapter to adapter."""

from course_lib.agent import Divergence


def verify_replay(trace, make_adapter):
    found = []
    seen = []
    for k, entry in enumerate(trace):
        proposed = make_adapter().next_action(seen)
        if proposed != entry["action"]:
            found.append(Divergence(k, entry["action"], proposed))
        seen.append(entry)
    return found


CATCHES = "What an adapter does to its history seems to reach the ones after it"
TEST = "test_one_adapter_cannot_spoil_the_next"


def witness(mutant, reference):
    class Emptying:
        def next_action(self, history):
            action = {"tool": "abc"[len(history)], "args": {}}
            history.clear()
            return action

    trace = [{"action": {"tool": tool, "args": {}}, "observation": {"ok": True}} for tool in "abc"]
    return mutant(trace, Emptying) != [] and reference(trace, Emptying) == []
