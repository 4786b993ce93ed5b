"""write_text writes the whole text at once, so it is all or nothing."""

import json
import os
import tempfile
from pathlib import Path


def atomic_write_json(path, obj):
    text = json.dumps(obj)
    Path(path).write_text(text, encoding="utf-8")


CATCHES = "After some kill a reader finds half a file, or one text behind another"
TEST = "test_old_or_new_inside_the_library_too"


def witness(mutant, reference):
    seen = []
    for write in (mutant, reference):
        Path("state.json").write_text("[1]")
        with open("state.json") as old:  # whoever has the old file open keeps it when the name is replaced
            write("state.json", [2])
            seen.append(old.read())
    return seen[0] != seen[1]
