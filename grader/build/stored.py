"""Comparing what is on disk with what a build would write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def same_solved(path: Path, planned: dict[str, Any]) -> bool:
    """Whether the solved notebook at `path` was run from exactly the cells that are planned."""
    return first_difference(read_json(path), planned, solved=True) is None


def read_json(path: Path) -> Any:
    """What the file holds; None when it is missing or holds no JSON."""
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None


def first_difference(stored: Any, planned: dict[str, Any], *, solved: bool = False) -> str | None:
    """Where a stored notebook first parts from the planned one, in words; None when it does not.

    Of a solved notebook the outputs are left out of the comparison: they may hold measured numbers.
    """
    if not isinstance(stored, dict) or not isinstance(stored.get("cells"), list):
        return "it is not a notebook"
    if solved and _digest(stored) != _digest(planned):
        return "it was run from an older source, library or public test"
    there, wanted = stored["cells"], planned["cells"]
    for at, (old, new) in enumerate(zip(there, wanted, strict=False), 1):
        if solved and isinstance(old, dict):
            kept: dict[str, Any] = {"outputs": [], "execution_count": None} if new["cell_type"] == "code" else {}
            old = {**old, **kept}
        if old != new:
            return f"cell {at} differs"
    if len(there) != len(wanted):
        return f"it has {len(there)} cells, not {len(wanted)}"
    if {**stored, "cells": []} != {**planned, "cells": []}:
        return "its metadata differs"
    return None


def first_run(stored: Any) -> int | None:
    """Number, from 1, of the first cell of a stored notebook that somebody has run; None when there is none."""
    cells = stored.get("cells") if isinstance(stored, dict) else None
    for at, cell in enumerate(cells if isinstance(cells, list) else [], 1):
        if isinstance(cell, dict) and (cell.get("outputs") or cell.get("execution_count")):
            return at
    return None


def _digest(notebook: dict[str, Any]) -> object:
    try:
        return notebook["metadata"]["course"]["digest"]
    except (KeyError, TypeError):
        return None
