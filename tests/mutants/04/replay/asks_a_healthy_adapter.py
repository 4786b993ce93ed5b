"""What comes next is what a healthy adapter would do."""

from course_lib.agent import DeterministicModelAdapter


def replay(trace_prefix, adapter):
    return DeterministicModelAdapter().next_action(list(trace_prefix))


CATCHES = "Another adapter than the one that was given seems to be asked"
TEST = "test_follows_the_history_after_a_fault"


class Echo:
    """Proposes a call whose argument is the history itself, as text."""

    def next_action(self, history):
        return {"tool": "echo", "args": {"history": repr(history)}}


def witness(mutant, reference):
    return mutant([], Echo()) != reference([], Echo())
