"""A name drawn at random instead of mkstemp, bytes instead of text, and the folder synced too."""

import json
import os
import uuid
from pathlib import Path


def atomic_write_json(path, obj):
    target = Path(path)
    data = json.dumps(obj, ensure_ascii=False, sort_keys=False).encode()
    draft = target.parent / f".{uuid.uuid4().hex}"
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    draft.rename(target)
    folder = os.open(target.parent, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)
