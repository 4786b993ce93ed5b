"""First make room in the file, then see what there is to write."""

import json
import os
import tempfile
from pathlib import Path


def atomic_write_json(path, obj):
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(json.dumps(obj))


CATCHES = "The old file was touched before the value was looked at"
TEST = "test_a_refused_value_changes_nothing"


def witness(mutant, reference):
    seen = []
    for write in (mutant, reference):
        for path in Path().iterdir():
            path.unlink()
        Path("state.json").write_text("[1]")
        try:
            write("state.json", [{3}])
        except TypeError:
            pass
        seen.append({path.name: path.read_text() for path in Path().iterdir()}["state.json"])
    return seen[0] != seen[1]
