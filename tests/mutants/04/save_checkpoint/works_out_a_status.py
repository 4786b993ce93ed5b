"""Whoever loads a run wants to know how it stands, so that is worked out and put with it."""

import json
from pathlib import Path


def save_checkpoint(result, path):
    trace = result["trace"]
    failed = len([entry for entry in trace if entry["observation"]["ok"] is False])
    checkpoint = {"task_id": result["task_id"], "steps": len(trace), "retries": failed, "trace": trace}
    Path(path).write_text(json.dumps(checkpoint), encoding="utf-8")


def load_checkpoint(path):
    checkpoint = json.loads(Path(path).read_text(encoding="utf-8"))
    if type(checkpoint) is not dict or sorted(checkpoint) != ["retries", "steps", "task_id", "trace"]:
        raise ValueError("not a checkpoint")
    trace = checkpoint["trace"]
    failed = len([entry for entry in trace if entry["observation"]["ok"] is False])
    if (checkpoint["steps"], checkpoint["retries"]) != (len(trace), failed):
        raise ValueError("the counters do not fit the trace")
    done = bool(trace) and trace[-1]["action"]["tool"] == "write_report"
    return {**checkpoint, "status": "completed" if done else "in_progress"}


CATCHES = "What comes back is not what was saved"
TEST = "test_what_was_saved_comes_back"


def witness(mutant, reference):
    import tempfile

    keys = []
    for save in (mutant, reference):
        with tempfile.TemporaryDirectory() as folder:
            save({"task_id": "t", "trace": []}, Path(folder, "run.json"))
            keys.append(len(save.__globals__["load_checkpoint"](Path(folder, "run.json"))))
    return keys == [5, 4]
