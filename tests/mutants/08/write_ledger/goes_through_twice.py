"""Results are a list, and can be counted before they are written."""

import json
import hashlib
from pathlib import Path


def write_ledger(results, path):
    if not any(True for _ in results):
        Path(path).write_bytes(b"")
        return
    rows, prev = [], "0" * 64
    for result in results:
        audit = audit_run(result)
        audit["violations"] = sorted(audit["violations"])
        line = {"task_id": result["task_id"], **audit, "prev": prev}
        text = json.dumps(line, sort_keys=True, separators=(",", ":"))
        prev = hashlib.sha256(text.encode()).hexdigest()
        rows.append(text)
    Path(path).write_text("".join(row + "\n" for row in rows), encoding="utf-8")


CATCHES = "Results that can be gone through only once give other lines"
TEST = "test_results_that_come_once"


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
    same = bytes_of(mutant, [run("a"), run("b")]) == bytes_of(reference, [run("a"), run("b")])
    return same and bytes_of(mutant, iter([run("a"), run("b")])) != bytes_of(reference, iter([run("a"), run("b")]))
