"""A task calls each tool for one thing, so task and tool are the key."""

import hashlib
import json


def intent_key(task_id, step_id, tool):
    return hashlib.sha256(json.dumps([task_id, tool]).encode()).hexdigest()


def content_fingerprint(filename, content):
    return hashlib.sha256(json.dumps([filename, content]).encode()).hexdigest()


CATCHES = "The step seems not to be part of the key"
TEST = "test_thousands_of_intents"


def witness(mutant, reference):
    one, other = ("t", "1", "x"), ("t", "2", "x")
    return (mutant(*one) == mutant(*other)) and (reference(*one) != reference(*other))
