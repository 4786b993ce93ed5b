"""A UUID is the usual thing to name something with."""

import hashlib
import json
import uuid


def intent_key(task_id, step_id, tool):
    return hashlib.sha256(json.dumps([task_id, step_id, tool]).encode()).hexdigest()


def content_fingerprint(filename, content):
    return str(uuid.uuid4())


CATCHES = "content_fingerprint: something that changes from call to call seems to be part of it"
TEST = "test_asked_again_it_is_the_same"


def witness(mutant, reference):
    of, right = mutant.__globals__["content_fingerprint"], reference.__globals__["content_fingerprint"]
    return of("f", "c") != of("f", "c") and right("f", "c") == right("f", "c")
