"""Writes the length in front of each part, and keeps the key readable; the fingerprint hashes twice."""

from hashlib import blake2b


def with_lengths(*parts):
    return "".join(f"{len(part)}:{part}," for part in parts)


def intent_key(task_id, step_id, tool):
    return with_lengths(task_id, step_id, tool)


def content_fingerprint(filename, content):
    name, text = (blake2b(part.encode(), digest_size=16).hexdigest() for part in (filename, content))
    return f"{name}-{text}"
