"""Only what worked is progress, so only that is worth saving."""

import json
from pathlib import Path


def save_checkpoint(result, path):
    trace = [entry for entry in result["trace"] if entry["observation"]["ok"]]
    failed = len(result["trace"]) - len(trace)
    checkpoint = {"task_id": result["task_id"], "steps": len(trace), "retries": failed, "trace": trace}
    Path(path).write_text(json.dumps(checkpoint), encoding="utf-8")


def load_checkpoint(path):
    checkpoint = json.loads(Path(path).read_text(encoding="utf-8"))
    if type(checkpoint) is not dict or sorted(checkpoint) != ["retries", "steps", "task_id", "trace"]:
        raise ValueError("not a checkpoint")
    if checkpoint["steps"] != len(checkpoint["trace"]):
        raise ValueError("the steps do not fit the trace")
    return checkpoint


CATCHES = "Failed entries seem to be dropped from the trace"
TEST = "test_every_entry_survives"


def witness(mutant, reference):
    import tempfile
    from pathlib import Path

    import json

    failed = {
        "action": {"tool": "list_notes", "args": {}},
        "observation": {"ok": False, "error": "not_found"},
    }
    with tempfile.TemporaryDirectory() as folder:
        kept = []
        for n, save in enumerate((mutant, reference)):
            save({"task_id": "t", "trace": [failed]}, Path(folder, str(n)))
            kept.append(len(json.loads(Path(folder, str(n)).read_text())["trace"]))
        return kept == [0, 1]
