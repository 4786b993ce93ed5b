"""A dataclass derives the whole file from task_id and trace; loading derives it again and compares it once."""

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Checkpoint:
    task_id: str
    trace: list

    def content(self):
        failed = [entry for entry in self.trace if not entry["observation"]["ok"]]
        return {"task_id": self.task_id, "steps": len(self.trace), "retries": len(failed), "trace": self.trace}


def save_checkpoint(result, path):
    content = Checkpoint(result["task_id"], result["trace"]).content()
    Path(path).write_text(json.dumps(content, separators=(",", ":")), encoding="utf-8")


def load_checkpoint(path):
    found = json.loads(Path(path).read_text(encoding="utf-8"))
    try:
        promised = Checkpoint(found["task_id"], found["trace"]).content()
    except (KeyError, TypeError) as problem:
        raise ValueError("this is no checkpoint") from problem
    if found != promised:
        raise ValueError("keys or counters do not fit the trace")
    return promised
