"""A slash between the parts keeps them apart."""

import hashlib
import json


def intent_key(task_id, step_id, tool):
    return "/".join([task_id, step_id, tool])


def content_fingerprint(filename, content):
    return hashlib.sha256(json.dumps([filename, content]).encode()).hexdigest()


CATCHES = "Two intents share a key: a text has moved over a border between the parts"
TEST = "test_parts_keep_their_borders"


def witness(mutant, reference):
    one, other = ("a/b", "c", "t"), ("a", "b/c", "t")
    return (mutant(*one) == mutant(*other)) and (reference(*one) != reference(*other))
