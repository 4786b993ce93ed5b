"""Spaces at the ends say nothing; they are taken off first."""

import hashlib
import json


def intent_key(task_id, step_id, tool):
    return hashlib.sha256(json.dumps([part.rstrip(" ") for part in (task_id, step_id, tool)]).encode()).hexdigest()


def content_fingerprint(filename, content):
    return hashlib.sha256(json.dumps([filename, content]).encode()).hexdigest()


CATCHES = "Two intents share a key that differ in a space at the end"
TEST = "test_every_character_counts"


def witness(mutant, reference):
    one, other = ("t ", "1", "x"), ("t", "1", "x")
    return (mutant(*one) == mutant(*other)) and (reference(*one) != reference(*other))
