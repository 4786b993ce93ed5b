"""hash() is made for giving a number to a value."""

import hashlib
import json


def intent_key(task_id, step_id, tool):
    return str(hash((task_id, step_id, tool)))


def content_fingerprint(filename, content):
    return hashlib.sha256(json.dumps([filename, content]).encode()).hexdigest()


CATCHES = "intent_key: another process arrives at something else, as Python's hash() does"
TEST = "test_another_process_agrees"


def witness(mutant, reference):
    import subprocess
    import sys

    def elsewhere(seed):
        command = [sys.executable, "-c", "print(hash(('t', '1', 'append_note')))"]
        return subprocess.run(command, env={"PYTHONHASHSEED": seed}, capture_output=True, text=True).stdout

    number = str(hash(("t", "1", "append_note")))
    changes = elsewhere("1") != elsewhere("2")
    return changes and mutant("t", "1", "append_note") == number != reference("t", "1", "append_note")
