"""After so many entries the plan's next step is due."""

PLAN = [
    {"tool": "list_notes", "args": {}},
    {"tool": "read_note", "args": {"name": "alpha.txt"}},
    {"tool": "read_note", "args": {"name": "beta.txt"}},
]


def replay(trace_prefix, adapter):
    if len(trace_prefix) < len(PLAN):
        return PLAN[len(trace_prefix)]
    return adapter.next_action(list(trace_prefix))


CATCHES = "The next action seems to be chosen by the length of the prefix"
TEST = "test_follows_the_history_after_a_fault"


class Echo:
    """Proposes a call whose argument is the history itself, as text."""

    def next_action(self, history):
        return {"tool": "echo", "args": {"history": repr(history)}}


OK = {"action": {"tool": "list_notes", "args": {}}, "observation": {"ok": True, "notes": []}}
FAILED = {"action": {"tool": "list_notes", "args": {}}, "observation": {"ok": False, "error": "tool_unavailable"}}


def witness(mutant, reference):
    return mutant([FAILED], Echo()) != reference([FAILED], Echo())
