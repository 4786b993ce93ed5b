"""An assert refuses as well as an exception of one's own choice."""

import json
from pathlib import Path


def save_checkpoint(result, path):
    trace = result["trace"]
    failed = len([entry for entry in trace if entry["observation"]["ok"] is False])
    checkpoint = {"task_id": result["task_id"], "steps": len(trace), "retries": failed, "trace": trace}
    Path(path).write_text(json.dumps(checkpoint), encoding="utf-8")


def load_checkpoint(path):
    checkpoint = json.loads(Path(path).read_text(encoding="utf-8"))
    assert sorted(checkpoint) == ["retries", "steps", "task_id", "trace"]
    trace = checkpoint["trace"]
    assert checkpoint["steps"] == len(trace)
    assert checkpoint["retries"] == len([entry for entry in trace if entry["observation"]["ok"] is False])
    return checkpoint


CATCHES = "It raised another exception than ValueError"
TEST = "test_contradiction_is_refused"


def witness(mutant, reference):
    import tempfile

    def refuses(save):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "forged.json")
            path.write_text('{"task_id": "t", "steps": 7, "retries": 0, "trace": []}')
            try:
                save.__globals__["load_checkpoint"](path)
            except ValueError:
                return True
            except Exception:
                return False
            return False

    return refuses(reference) and not refuses(mutant)
