"""What was written is in the file as soon as write returns; closing is tidying up."""

import json
import os
import tempfile
from pathlib import Path


def atomic_write_json(path, obj):
    text = json.dumps(obj)
    handle, other = tempfile.mkstemp(dir=Path(path).resolve().parent)
    stream = os.fdopen(handle, "w", encoding="utf-8")
    stream.write(text)
    os.replace(other, path)
    stream.close()


CATCHES = "After some kill a reader finds half a file, or one text behind another"
TEST = "test_old_or_new_inside_the_library_too"


def witness(mutant, reference):
    seen, replace = [], os.replace

    def looking(source, target):
        seen.append(Path(source).read_text())
        replace(source, target)

    os.replace = looking
    for write in (mutant, reference):
        write("state.json", [2])
    return seen[0] != seen[1]
