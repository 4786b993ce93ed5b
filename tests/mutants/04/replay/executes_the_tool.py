"""To replay a step is to do it again."""

from pathlib import Path

from course_lib.agent import _tool_call
from course_lib.tools import notes_tools


def replay(trace_prefix, adapter):
    action = adapter.next_action(list(trace_prefix))
    _tool_call(notes_tools(Path(".")), action)
    return action


CATCHES = "A tool seems to have run: there is a file that was not there before"
TEST = "test_nothing_happens_outside"


def witness(mutant, reference):
    import os
    import tempfile

    class Writing:
        def next_action(self, history):
            return {"tool": "write_report", "args": {"content": "x"}}

    left = []
    for replay in (mutant, reference):
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            replay([], Writing())
            left.append(os.listdir("."))
            os.chdir(before)
    return left == [["report.txt"], []]
