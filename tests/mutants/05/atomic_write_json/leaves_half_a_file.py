"""A file that could not be finished lies beside the real one and bothers nobody."""

import json
import os
import tempfile
from pathlib import Path


def atomic_write_json(path, obj):
    handle, other = tempfile.mkstemp(dir=Path(path).resolve().parent)
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        json.dump(obj, stream)
    os.replace(other, path)


CATCHES = "A half-written file stayed behind in the folder"
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
        seen.append({path.name: path.read_text() for path in Path().iterdir()}.keys())
    return seen[0] != seen[1]
