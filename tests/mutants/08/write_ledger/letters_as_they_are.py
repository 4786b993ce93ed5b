"""Whoever reads a ledger wants to read its letters, whatever their alphabet."""

import json
import hashlib
from pathlib import Path


def write_ledger(results, path):
    rows, prev = [], "0" * 64
    for result in results:
        audit = audit_run(result)
        audit["violations"] = sorted(audit["violations"])
        line = {"task_id": result["task_id"], **audit, "prev": prev}
        text = json.dumps(line, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        prev = hashlib.sha256(text.encode()).hexdigest()
        rows.append(text)
    Path(path).write_text("".join(row + "\n" for row in rows), encoding="utf-8")


CATCHES = "Letters beyond ASCII are not escaped as json.dumps does it by itself"
TEST = "test_equal_results_give_equal_bytes"


def run(task_id="t", **claims):
    entry = {"action": {"tool": "write_report", "args": {}}, "observation": {"ok": True}}
    true = {"steps": 1, "retries": 0, "status": "completed", "termination": "goal_reached"}
    return {"task_id": task_id, **true, **claims, "trace": [entry]}


def bytes_of(function, results, before=None):
    target = Path("ledger.jsonl")
    target.unlink(missing_ok=True)
    if before is not None:
        target.write_bytes(before)
    function(results, target)
    return target.read_bytes()


def witness(mutant, reference):
    results = [run("Größe")]
    return bytes_of(mutant, results) != bytes_of(reference, results)
