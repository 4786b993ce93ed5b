"""The next action follows from the actions before it."""


def replay(trace_prefix, adapter):
    return adapter.next_action([{"action": entry["action"], "observation": {"ok": True}} for entry in trace_prefix])


CATCHES = "Observations seem to be kept from the adapter"
TEST = "test_observations_belong_to_it"


class Echo:
    """Proposes a call whose argument is the history itself, as text."""

    def next_action(self, history):
        return {"tool": "echo", "args": {"history": repr(history)}}


OK = {"action": {"tool": "list_notes", "args": {}}, "observation": {"ok": True, "notes": []}}


def witness(mutant, reference):
    return mutant([OK], Echo()) != reference([OK], Echo())
