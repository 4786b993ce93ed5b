"""The old file has to go before the new one can take its name."""

import json
import os
import tempfile
from pathlib import Path


def atomic_write_json(path, obj):
    text = json.dumps(obj)
    handle, other = tempfile.mkstemp(dir=Path(path).resolve().parent)
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        stream.write(text)
    Path(path).unlink(missing_ok=True)
    os.rename(other, path)


CATCHES = "After some kill there is no file at all"
TEST = "test_old_or_new_inside_the_library_too"


def witness(mutant, reference):
    seen = []
    for write in (mutant, reference):
        Path("state.json").write_text("[1]")
        unlink, Path.unlink = Path.unlink, lambda path, missing_ok=False: seen.append(path.name)
        write("state.json", [2])
        Path.unlink = unlink
        seen.append("|")
    return seen != ["|", "|"]
