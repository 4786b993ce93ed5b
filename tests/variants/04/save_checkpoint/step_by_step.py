"""Loops and helpers: counts entry by entry, writes and reads bytes, and checks one key after the other."""

import json

KEYS = ["task_id", "steps", "retries", "trace"]


def count(trace):
    steps = 0
    retries = 0
    for entry in trace:
        steps += 1
        if not entry["observation"]["ok"]:
            retries += 1
    return steps, retries


def save_checkpoint(result, path):
    steps, retries = count(result["trace"])
    checkpoint = {}
    checkpoint["task_id"] = result["task_id"]
    checkpoint["steps"] = steps
    checkpoint["retries"] = retries
    checkpoint["trace"] = result["trace"]
    text = json.dumps(checkpoint, indent=2, ensure_ascii=False)
    with open(path, "wb") as file:
        file.write(text.encode("utf-8"))


def load_checkpoint(path):
    with open(path, "rb") as file:
        content = json.loads(file.read().decode("utf-8"))
    if not isinstance(content, dict):
        raise ValueError("not a JSON object")
    for key in KEYS:
        if key not in content:
            raise ValueError(f"{key} is missing")
    for key in content:
        if key not in KEYS:
            raise ValueError(f"{key} does not belong here")
    steps, retries = count(content["trace"])
    if content["steps"] != steps:
        raise ValueError(f"steps says {content['steps']}, the trace has {steps}")
    if content["retries"] != retries:
        raise ValueError(f"retries says {content['retries']}, the trace has {retries}")
    return content
