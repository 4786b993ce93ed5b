"""The loop of course_lib, with an adapter that answers from the record first and tools that stay quiet meanwhile."""

import json
from pathlib import Path

from course_lib.agent import _tool_call


def resume_run(path, adapter, tools, rule, *, task_id="summarize-notes"):
    history, name = _recorded(Path(path), task_id)

    def snapshot():
        failures = [e for e in history if e["observation"]["ok"] is False]
        return {"task_id": name, "steps": len(history), "retries": len(failures), "trace": history}

    while True:
        verdict = rule(history)
        if verdict:
            status, termination = verdict
            return snapshot() | {"status": status, "termination": termination}
        action = adapter.next_action([dict(e) for e in history])
        seen = _tool_call(tools, action)
        history = history + [{"action": action, "observation": seen}]
        atomic_write_json(path, snapshot())


def _recorded(path, task_id):
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return [], task_id
    found = json.loads(raw)
    if type(found) is not dict or sorted(found) != ["retries", "steps", "task_id", "trace"]:
        raise ValueError("something else than a checkpoint")
    bad = sum(1 for e in found["trace"] if not e["observation"]["ok"])
    if found["steps"] != len(found["trace"]) or found["retries"] != bad:
        raise ValueError("it does not add up")
    return found["trace"], found["task_id"]
