"""Quotes each part as for a URL, so that a slash can separate them, and hashes only the content."""

import hashlib
from urllib.parse import quote


def intent_key(task_id, step_id, tool):
    key = ""
    for part in [task_id, step_id, tool]:
        key = key + "/" + quote(part, safe="")
    return key


def content_fingerprint(filename, content):
    parts = quote(filename, safe=""), quote(content, safe="")
    return hashlib.sha512(b"/".join(part.encode("ascii") for part in parts)).hexdigest()
