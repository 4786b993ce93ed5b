"""Task and step say it all; a step calls one tool anyhow."""

import hashlib
import json


def intent_key(task_id, step_id, tool):
    return hashlib.sha256(json.dumps([task_id, step_id]).encode()).hexdigest()


def content_fingerprint(filename, content):
    return hashlib.sha256(json.dumps([filename, content]).encode()).hexdigest()


CATCHES = "The tool seems not to be part of the key"
TEST = "test_thousands_of_intents"


def witness(mutant, reference):
    one, other = ("t", "1", "append_note"), ("t", "1", "charge_card")
    return (mutant(*one) == mutant(*other)) and (reference(*one) != reference(*other))
