"""Steps are numbered, so the number of the step and the tool are the key."""

import hashlib
import json


def intent_key(task_id, step_id, tool):
    return hashlib.sha256(json.dumps([step_id, tool]).encode()).hexdigest()


def content_fingerprint(filename, content):
    return hashlib.sha256(json.dumps([filename, content]).encode()).hexdigest()


CATCHES = "The task seems not to be part of the key"
TEST = "test_thousands_of_intents"


def witness(mutant, reference):
    one, other = ("monday", "1", "x"), ("tuesday", "1", "x")
    return (mutant(*one) == mutant(*other)) and (reference(*one) != reference(*other))
