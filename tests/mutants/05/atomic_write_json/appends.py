"""The newest text stands at the end of the file."""

import json
import os
import tempfile
from pathlib import Path


def atomic_write_json(path, obj):
    text = json.dumps(obj)
    with open(path, "a", encoding="utf-8") as stream:
        stream.write(text)


CATCHES = "The file does not hold what was written last"
TEST = "test_writes_what_it_is_given"


def witness(mutant, reference):
    seen = []
    for write in (mutant, reference):
        for path in Path().iterdir():
            path.unlink()
        Path("state.json").write_text("[1]")
        try:
            write("state.json", [2])
        except TypeError:
            pass
        seen.append({path.name: path.read_text() for path in Path().iterdir()}["state.json"])
    return seen[0] != seen[1]
