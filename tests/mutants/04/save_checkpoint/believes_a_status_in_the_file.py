"""A key that is not needed does no harm, so it may stay."""

import json
from pathlib import Path


def save_checkpoint(result, path):
    trace = result["trace"]
    failed = len([entry for entry in trace if entry["observation"]["ok"] is False])
    checkpoint = {"task_id": result["task_id"], "steps": len(trace), "retries": failed, "trace": trace}
    Path(path).write_text(json.dumps(checkpoint), encoding="utf-8")


def load_checkpoint(path):
    checkpoint = json.loads(Path(path).read_text(encoding="utf-8"))
    try:
        trace = checkpoint["trace"]
        failed = len([entry for entry in trace if entry["observation"]["ok"] is False])
        if (checkpoint["steps"], checkpoint["retries"]) != (len(trace), failed):
            raise ValueError("the counters do not fit the trace")
        str(checkpoint["task_id"])
    except (KeyError, TypeError):
        raise ValueError("not a checkpoint") from None
    return checkpoint


CATCHES = "A status in the file is accepted"
TEST = "test_other_files_are_refused"


def witness(mutant, reference):
    import tempfile
    from pathlib import Path

    def refuses(save):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "run.json")
            path.write_text('{"task_id": "t", "steps": 0, "retries": 0, "trace": [], "status": "completed"}')
            try:
                save.__globals__["load_checkpoint"](path)
            except ValueError:
                return True
            return False

    return refuses(reference) and not refuses(mutant)
