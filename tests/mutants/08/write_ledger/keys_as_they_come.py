"""The order of keys means nothing in JSON, so it can be left as it is."""

import json
import hashlib
from pathlib import Path


def write_ledger(results, path):
    rows, prev = [], "0" * 64
    for result in results:
        audit = audit_run(result)
        audit["violations"] = sorted(audit["violations"])
        found = {"task_id": result["task_id"], **audit}
        line = {key: found[key] for key in result if key in found} | found | {"prev": prev}
        text = json.dumps(line, separators=(",", ":"))
        prev = hashlib.sha256(text.encode()).hexdigest()
        rows.append(text)
    Path(path).write_text("".join(row + "\n" for row in rows))


CATCHES = "The order of a result's keys changes the bytes"
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
    one = [run()]
    other = [dict(reversed(run().items()))]
    steady = bytes_of(reference, one) == bytes_of(reference, other)
    return steady and bytes_of(mutant, one) != bytes_of(mutant, other)
