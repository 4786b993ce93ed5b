"""A line end separates filename and content: no filename has one."""

import hashlib
import json


def intent_key(task_id, step_id, tool):
    return hashlib.sha256(json.dumps([task_id, step_id, tool]).encode()).hexdigest()


def content_fingerprint(filename, content):
    return hashlib.sha256(f"{filename}\n{content}".encode()).hexdigest()


CATCHES = "Two contents share a fingerprint: a text has moved from the filename into the content"
TEST = "test_file_and_text_keep_their_border"


def witness(mutant, reference):
    of, right = mutant.__globals__["content_fingerprint"], reference.__globals__["content_fingerprint"]
    one, other = ("a\nb", "c"), ("a", "b\nc")
    return of(*one) == of(*other) and right(*one) != right(*other)
