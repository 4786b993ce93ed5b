"""After k entries the answer is always the same, so it can be kept with the adapter."""


def replay(trace_prefix, adapter):
    kept = adapter.__dict__.setdefault("kept", {})
    if len(trace_prefix) not in kept:
        kept[len(trace_prefix)] = adapter.next_action(list(trace_prefix))
    return kept[len(trace_prefix)]


CATCHES = "The answer to another history of the same length seems to come back"
TEST = "test_nothing_is_remembered"


class Echo:
    """Proposes a call whose argument is the history itself, as text."""

    def next_action(self, history):
        return {"tool": "echo", "args": {"history": repr(history)}}


OK = {"action": {"tool": "list_notes", "args": {}}, "observation": {"ok": True, "notes": []}}
FAILED = {"action": {"tool": "list_notes", "args": {}}, "observation": {"ok": False, "error": "tool_unavailable"}}


def witness(mutant, reference):
    one, other = Echo(), Echo()
    mutant([OK], one), reference([OK], other)
    return mutant([FAILED], one) != reference([FAILED], other)
