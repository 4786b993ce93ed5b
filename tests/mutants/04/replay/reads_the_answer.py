"""The run is on record, so the next action can be looked up there."""

from course_lib.recordings import recorded_names, recording


def replay(trace_prefix, adapter):
    for name in recorded_names():
        trace = recording(name)["trace"]
        k = len(trace_prefix)
        if k < len(trace) and trace[:k] == trace_prefix:
            return trace[k]["action"]
    return adapter.next_action(list(trace_prefix))


CATCHES = "The recorded action comes back, whatever the adapter says"
TEST = "test_the_adapter_decides_not_the_record"


class Echo:
    """Proposes a call whose argument is the history itself, as text."""

    def next_action(self, history):
        return {"tool": "echo", "args": {"history": repr(history)}}


def witness(mutant, reference):
    return mutant([], Echo()) != reference([], Echo())
