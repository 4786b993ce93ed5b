"""A temporary folder beside the target; only the finished file leaves it."""

import json
import os
import tempfile
from pathlib import Path


def atomic_write_json(path, obj):
    encoded = json.dumps(obj, indent=2) + "\n"
    with tempfile.TemporaryDirectory(dir=Path(path).absolute().parent) as room:
        ready = Path(room, "ready")
        ready.write_text(encoded, encoding="utf-8")
        os.replace(ready, path)
