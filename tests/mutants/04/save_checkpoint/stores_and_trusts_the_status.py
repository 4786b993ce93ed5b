"""How the run ended belongs into the file, and whoever loads it can go by that."""

import json
from pathlib import Path


def save_checkpoint(result, path):
    trace = result["trace"]
    failed = len([entry for entry in trace if entry["observation"]["ok"] is False])
    checkpoint = {"task_id": result["task_id"], "steps": len(trace), "retries": failed, "trace": trace}
    if "status" in result:
        checkpoint["status"] = result["status"]
    Path(path).write_text(json.dumps(checkpoint), encoding="utf-8")


def load_checkpoint(path):
    checkpoint = json.loads(Path(path).read_text(encoding="utf-8"))
    if checkpoint["steps"] != len(checkpoint["trace"]):
        raise ValueError("the steps do not fit the trace")
    return checkpoint


CATCHES = "The file has other keys than the four"
TEST = "test_file_is_plain_json"


def witness(mutant, reference):
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        first, second = Path(folder, "first"), Path(folder, "second")
        for save, path in ((mutant, first), (reference, second)):
            save({"task_id": "t", "status": "completed", "trace": []}, path)
        return "completed" in first.read_text() and "completed" not in second.read_text()
