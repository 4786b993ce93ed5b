"""A digest is bytes."""

import hashlib
import json


def intent_key(task_id, step_id, tool):
    return hashlib.sha256(json.dumps([task_id, step_id, tool]).encode()).digest()


def content_fingerprint(filename, content):
    return hashlib.sha256(json.dumps([filename, content]).encode()).hexdigest()


CATCHES = "The key is not a str"
TEST = "test_the_same_intent_has_the_same_key"


def witness(mutant, reference):
    return type(mutant("t", "1", "x")) is not type(reference("t", "1", "x"))
