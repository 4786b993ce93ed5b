"""A result may as well be given the values of its audit, since it is going to be written."""

import json
import hashlib
from pathlib import Path


def write_ledger(results, path):
    rows, prev = [], "0" * 64
    for result in results:
        audit = audit_run(result)
        audit["violations"] = sorted(audit["violations"])
        result.update(audit)
        line = {key: value for key, value in result.items() if key != "trace"} | {"prev": prev}
        text = json.dumps(line, sort_keys=True, separators=(",", ":"))
        prev = hashlib.sha256(text.encode()).hexdigest()
        rows.append(text)
    Path(path).write_text("".join(row + "\n" for row in rows), encoding="utf-8")


CATCHES = "The results are changed"
TEST = "test_the_audits_values_are_written"


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
    one, other = run(steps=7), run(steps=7)
    return bytes_of(mutant, [one]) == bytes_of(reference, [other]) and one != other
