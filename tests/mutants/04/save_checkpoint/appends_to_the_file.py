"""What is in a file must not get lost, so a checkpoint is added at its end."""

import json
from pathlib import Path


def save_checkpoint(result, path):
    trace = result["trace"]
    failed = len([entry for entry in trace if entry["observation"]["ok"] is False])
    checkpoint = {"task_id": result["task_id"], "steps": len(trace), "retries": failed, "trace": trace}
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps(checkpoint) + "\n")


def load_checkpoint(path):
    checkpoint = json.loads(Path(path).read_text(encoding="utf-8"))
    if type(checkpoint) is not dict or sorted(checkpoint) != ["retries", "steps", "task_id", "trace"]:
        raise ValueError("not a checkpoint")
    trace = checkpoint["trace"]
    failed = len([entry for entry in trace if entry["observation"]["ok"] is False])
    if (checkpoint["steps"], checkpoint["retries"]) != (len(trace), failed):
        raise ValueError("the counters do not fit the trace")
    return checkpoint


CATCHES = "What was in the file before seems to be in it still"
TEST = "test_an_existing_file_is_replaced"


def witness(mutant, reference):
    import tempfile

    lines = []
    for save in (mutant, reference):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "run.json")
            save({"task_id": "first", "trace": []}, path)
            save({"task_id": "second", "trace": []}, path)
            lines.append("first" in path.read_text())
    return lines == [True, False]
