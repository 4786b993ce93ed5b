"""Written one after the other, the three parts are the key."""

import hashlib
import json


def intent_key(task_id, step_id, tool):
    return hashlib.sha256((task_id + step_id + tool).encode()).hexdigest()


def content_fingerprint(filename, content):
    return hashlib.sha256(json.dumps([filename, content]).encode()).hexdigest()


CATCHES = "Two intents share a key: a text has moved over a border between the parts"
TEST = "test_parts_keep_their_borders"


def witness(mutant, reference):
    one, other = ("ab", "c", "t"), ("a", "bc", "t")
    return (mutant(*one) == mutant(*other)) and (reference(*one) != reference(*other))
