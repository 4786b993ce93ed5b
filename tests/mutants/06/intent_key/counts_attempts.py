"""Each attempt is a call of its own, so its number goes into the key."""

import hashlib
import json
from itertools import count

attempt_number = count(1)


def intent_key(task_id, step_id, tool):
    return hashlib.sha256(json.dumps([task_id, step_id, tool, next(attempt_number)]).encode()).hexdigest()


def content_fingerprint(filename, content):
    return hashlib.sha256(json.dumps([filename, content]).encode()).hexdigest()


CATCHES = "intent_key: something that changes from call to call seems to be part of it"
TEST = "test_asked_again_it_is_the_same"


def witness(mutant, reference):
    triple = ("t", "1", "append_note")
    return mutant(*triple) != mutant(*triple) and reference(*triple) == reference(*triple)
