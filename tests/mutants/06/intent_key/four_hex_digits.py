"""Four hex digits are short, readable, and enough."""

import hashlib
import json


def intent_key(task_id, step_id, tool):
    return hashlib.sha256(json.dumps([task_id, step_id, tool]).encode()).hexdigest()[:4]


def content_fingerprint(filename, content):
    return hashlib.sha256(json.dumps([filename, content]).encode()).hexdigest()


CATCHES = "Among thousands of intents, two share a key: it seems to be too short"
TEST = "test_thousands_of_intents"


def witness(mutant, reference):
    triples = [("t", str(n), "append_note") for n in range(3000)]
    return len({mutant(*t) for t in triples}) < 3000 == len({reference(*t) for t in triples})
