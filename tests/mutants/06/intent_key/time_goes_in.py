"""A key has to be unique, and nothing is as unique as the time."""

import hashlib
import json
import time


def intent_key(task_id, step_id, tool):
    return f"{json.dumps([task_id, step_id, tool])} {time.time_ns()}"


def content_fingerprint(filename, content):
    return hashlib.sha256(json.dumps([filename, content]).encode()).hexdigest()


CATCHES = "intent_key: something that changes from call to call seems to be part of it"
TEST = "test_asked_again_it_is_the_same"


def witness(mutant, reference):
    triple = ("t", "1", "append_note")
    return len({mutant(*triple) for _ in range(100)}) > 1 and len({reference(*triple) for _ in range(100)}) == 1
