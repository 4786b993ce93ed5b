"""A temporary file belongs into the folder for temporary files."""

import json
import os
import tempfile
from pathlib import Path


def atomic_write_json(path, obj):
    text = json.dumps(obj)
    handle, other = tempfile.mkstemp()
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        stream.write(text)
    os.replace(other, path)


CATCHES = "raises"
TEST = "test_a_kill_leaves_one_of_the_two"


def witness(mutant, reference):
    import shutil

    tried = []
    tempfile.tempdir = "/tmp"
    folder = tempfile.mkdtemp(dir="/dev/shm")
    for write in (mutant, reference):
        try:
            write(f"{folder}/state.json", [2])
            tried.append("written")
        except OSError:
            tried.append("refused")
    shutil.rmtree(folder)
    return tried[0] != tried[1]
