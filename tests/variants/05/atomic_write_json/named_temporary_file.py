"""NamedTemporaryFile keeps the file, and a folder of its own inside the target's holds it."""

import json
import os
import tempfile


def atomic_write_json(path, obj):
    content = json.dumps(obj)
    folder = os.path.dirname(os.path.abspath(path))
    with tempfile.NamedTemporaryFile("w", dir=folder, delete=False, suffix=".part", encoding="utf-8") as part:
        part.write(content)
    os.replace(part.name, path)
