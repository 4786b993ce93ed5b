"""The content itself is the best fingerprint: nothing is lost."""

import hashlib
import json


def intent_key(task_id, step_id, tool):
    return hashlib.sha256(json.dumps([task_id, step_id, tool]).encode()).hexdigest()


def content_fingerprint(filename, content):
    return json.dumps([filename, content])


CATCHES = "The fingerprint of a long content has more than 200 characters"
TEST = "test_every_character_counts"


def witness(mutant, reference):
    of, right = mutant.__globals__["content_fingerprint"], reference.__globals__["content_fingerprint"]
    return len(of("f", "x" * 5000)) > 200 >= len(right("f", "x" * 5000))
