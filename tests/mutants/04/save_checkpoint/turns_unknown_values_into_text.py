"""Saving must not fail, so what JSON does not know is saved as text."""

import json
from pathlib import Path


def save_checkpoint(result, path):
    trace = result["trace"]
    failed = len([entry for entry in trace if entry["observation"]["ok"] is False])
    checkpoint = {"task_id": result["task_id"], "steps": len(trace), "retries": failed, "trace": trace}
    Path(path).write_text(json.dumps(checkpoint, default=str), encoding="utf-8")


def load_checkpoint(path):
    checkpoint = json.loads(Path(path).read_text(encoding="utf-8"))
    if type(checkpoint) is not dict or sorted(checkpoint) != ["retries", "steps", "task_id", "trace"]:
        raise ValueError("not a checkpoint")
    trace = checkpoint["trace"]
    failed = len([entry for entry in trace if entry["observation"]["ok"] is False])
    if (checkpoint["steps"], checkpoint["retries"]) != (len(trace), failed):
        raise ValueError("the counters do not fit the trace")
    return checkpoint


CATCHES = "A value that JSON cannot hold is saved as something else"
TEST = "test_what_json_cannot_hold_is_refused"


def witness(mutant, reference):
    import tempfile
    from pathlib import Path

    def refuses(save):
        odd = {"action": {"tool": "t", "args": {}}, "observation": {"ok": True, "text": {1}}}
        with tempfile.TemporaryDirectory() as folder:
            try:
                save({"task_id": "t", "trace": [odd]}, Path(folder, "run.json"))
            except TypeError:
                return True
            return False

    return refuses(reference) and not refuses(mutant)
