"""The result knows its own steps and retries, and so does the file."""

import json
from pathlib import Path


def save_checkpoint(result, path):
    checkpoint = {key: result[key] for key in ("task_id", "steps", "retries", "trace")}
    Path(path).write_text(json.dumps(checkpoint), encoding="utf-8")


def load_checkpoint(path):
    checkpoint = json.loads(Path(path).read_text(encoding="utf-8"))
    return {key: checkpoint[key] for key in ("task_id", "steps", "retries", "trace")}


CATCHES = "The steps are copied from the result, not counted"
TEST = "test_counters_are_counted"


def witness(mutant, reference):
    import tempfile
    from pathlib import Path

    import json

    with tempfile.TemporaryDirectory() as folder:
        saved = []
        for n, save in enumerate((mutant, reference)):
            save({"task_id": "t", "steps": 7, "retries": 7, "trace": []}, Path(folder, str(n)))
            saved.append(json.loads(Path(folder, str(n)).read_text())["steps"])
        return saved == [7, 0]
