"""The temporary file is called like the file itself, with .tmp behind it; nobody else writes there."""

import json
import os
import tempfile
from pathlib import Path


def atomic_write_json(path, obj):
    json.dumps(obj)
    other = Path(f"{path}.tmp")
    with other.open("w", encoding="utf-8") as stream:
        json.dump(obj, stream)
    other.replace(path)


CATCHES = "Two writers seem to get in each other's way"
TEST = "test_two_writers_at_once"


def witness(mutant, reference):
    seen = []
    for write in (mutant, reference):
        Path("state.json.tmp").write_text("another writer is here")
        write("state.json", [2])
        seen.append(Path("state.json.tmp").exists())
    return seen[0] != seen[1]
