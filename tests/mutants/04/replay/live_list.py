"""The adapter only reads the history, so it may have the list itself."""


def replay(trace_prefix, adapter):
    return adapter.next_action(trace_prefix)


CATCHES = "The adapter received your own list, not a copy"
TEST = "test_the_prefix_is_yours"


OK = {"action": {"tool": "list_notes", "args": {}}, "observation": {"ok": True, "notes": []}}


def witness(mutant, reference):
    class Emptying:
        def next_action(self, history):
            history.clear()
            return {"tool": "list_notes", "args": {}}

    given = [[OK], [OK]]
    for replay, prefix in zip((mutant, reference), given):
        replay(prefix, Emptying())
    return given == [[], [OK]]
