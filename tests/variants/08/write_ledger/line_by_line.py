"""Writes each line as soon as it is made, from a generator that keeps the last digest; the file is opened once."""

import hashlib
import json


def _lines(results):
    prev = "0" * 64
    for result in results:
        audit = audit_run(result)
        line = {"task_id": result["task_id"], "prev": prev}
        for key in ("steps", "retries", "status", "termination"):
            line[key] = audit[key]
        line["violations"] = sorted(audit["violations"])
        text = json.dumps(line, sort_keys=True, separators=(",", ":"))
        prev = hashlib.sha256(text.encode("utf-8")).hexdigest()
        yield text


def write_ledger(results, path):
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        for text in _lines(results):
            print(text, file=file)
