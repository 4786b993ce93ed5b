"""Where a key is missing, Python raises an exception by itself."""

import json
from pathlib import Path


def save_checkpoint(result, path):
    trace = result["trace"]
    failed = len([entry for entry in trace if entry["observation"]["ok"] is False])
    checkpoint = {"task_id": result["task_id"], "steps": len(trace), "retries": failed, "trace": trace}
    Path(path).write_text(json.dumps(checkpoint), encoding="utf-8")


def load_checkpoint(path):
    checkpoint = json.loads(Path(path).read_text(encoding="utf-8"))
    trace = checkpoint["trace"]
    failed = len([entry for entry in trace if entry["observation"]["ok"] is False])
    if (checkpoint["steps"], checkpoint["retries"]) != (len(trace), failed):
        raise ValueError("the counters do not fit the trace")
    if len(checkpoint) != 4:
        raise ValueError("not a checkpoint")
    return {key: checkpoint[key] for key in ("task_id", "steps", "retries", "trace")}


CATCHES = "It raised another exception than ValueError"
TEST = "test_other_files_are_refused"


def witness(mutant, reference):
    import tempfile

    def refuses(save):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "forged.json")
            path.write_text('{"task_id": "t", "retries": 0, "trace": []}')
            try:
                save.__globals__["load_checkpoint"](path)
            except ValueError:
                return True
            except Exception:
                return False
            return False

    return refuses(reference) and not refuses(mutant)
