"""A file is damaged when entries are missing; more than enough is fine."""

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
    if checkpoint["steps"] > len(trace) or checkpoint["retries"] != failed:
        raise ValueError("the counters do not fit the trace")
    return checkpoint


CATCHES = "A trace with extra entries is accepted"
TEST = "test_contradictions_are_refused"


def witness(mutant, reference):
    import tempfile
    from pathlib import Path

    def refuses(save):
        entry = '{"action": {"tool": "list_notes", "args": {}}, "observation": {"ok": true, "notes": []}}'
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "run.json")
            path.write_text('{"task_id": "t", "steps": 0, "retries": 0, "trace": [%s]}' % entry)
            try:
                save.__globals__["load_checkpoint"](path)
            except ValueError:
                return True
            return False

    return refuses(reference) and not refuses(mutant)
