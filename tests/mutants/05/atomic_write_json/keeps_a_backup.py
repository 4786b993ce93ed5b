"""A copy of the old file beside the new one does no harm."""

import json
import os
import tempfile
from pathlib import Path


import shutil


def atomic_write_json(path, obj):
    text = json.dumps(obj)
    if Path(path).exists():
        shutil.copyfile(path, f"{path}.bak")
    handle, other = tempfile.mkstemp(dir=Path(path).resolve().parent)
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        stream.write(text)
    os.replace(other, path)


CATCHES = "Another file stayed behind in the folder"
TEST = "test_leaves_no_other_file"


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
        seen.append({path.name: path.read_text() for path in Path().iterdir()})
    return seen[0] != seen[1]
