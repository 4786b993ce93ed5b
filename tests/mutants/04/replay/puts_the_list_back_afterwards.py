"""The adapter may have the list itself, as long as it is put back in order afterwards."""


def replay(trace_prefix, adapter):
    entries = list(trace_prefix)
    action = adapter.next_action(trace_prefix)
    trace_prefix[:] = entries
    return action


CATCHES = "The adapter received your own list, not a copy"
TEST = "test_the_prefix_is_yours"


OK = {"action": {"tool": "list_notes", "args": {}}, "observation": {"ok": True, "notes": []}}


def witness(mutant, reference):
    class GivingUp:
        def next_action(self, history):
            history.clear()
            raise RuntimeError("no idea")

    given = [[OK], [OK]]
    for replay, prefix in zip((mutant, reference), given):
        try:
            replay(prefix, GivingUp())
        except RuntimeError:
            pass
    return given == [[], [OK]]
