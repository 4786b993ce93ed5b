"""The first hundred characters tell two notes apart."""

import hashlib
import json


def intent_key(task_id, step_id, tool):
    return hashlib.sha256(json.dumps([task_id, step_id, tool]).encode()).hexdigest()


def content_fingerprint(filename, content):
    return hashlib.sha256(json.dumps([filename, content[:100]]).encode()).hexdigest()


CATCHES = "Two long contents that differ at the end share a fingerprint"
TEST = "test_every_character_counts"


def witness(mutant, reference):
    of, right = mutant.__globals__["content_fingerprint"], reference.__globals__["content_fingerprint"]
    one, other = ("f", "x" * 200 + "a"), ("f", "x" * 200 + "b")
    return of(*one) == of(*other) and right(*one) != right(*other)
