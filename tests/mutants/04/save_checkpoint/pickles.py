"""A checkpoint is for Python, so Python's own format will do."""

import pickle
from pathlib import Path


def save_checkpoint(result, path):
    trace = result["trace"]
    failed = len([entry for entry in trace if entry["observation"]["ok"] is False])
    checkpoint = {"task_id": result["task_id"], "steps": len(trace), "retries": failed, "trace": trace}
    Path(path).write_bytes(pickle.dumps(checkpoint))


def load_checkpoint(path):
    return pickle.loads(Path(path).read_bytes())


CATCHES = "The file is not a JSON object in UTF-8"
TEST = "test_file_is_plain_json"


def witness(mutant, reference):
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        first, second = Path(folder, "first"), Path(folder, "second")
        for save, path in ((mutant, first), (reference, second)):
            save({"task_id": "t", "trace": []}, path)
        return first.read_bytes()[:1] != b"{" and second.read_bytes()[:1] == b"{"
