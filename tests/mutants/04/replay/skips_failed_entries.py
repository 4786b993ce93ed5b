"""A failed call changed nothing, so it need not be replayed."""


def replay(trace_prefix, adapter):
    return adapter.next_action([entry for entry in trace_prefix if entry["observation"]["ok"]])


CATCHES = "Failed entries seem to be kept from the adapter"
TEST = "test_failed_entries_belong_to_it"


class Echo:
    """Proposes a call whose argument is the history itself, as text."""

    def next_action(self, history):
        return {"tool": "echo", "args": {"history": repr(history)}}


OK = {"action": {"tool": "list_notes", "args": {}}, "observation": {"ok": True, "notes": []}}
FAILED = {"action": {"tool": "list_notes", "args": {}}, "observation": {"ok": False, "error": "tool_unavailable"}}


def witness(mutant, reference):
    return mutant([FAILED], Echo()) != reference([FAILED], Echo())
