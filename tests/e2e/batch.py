"""Running `grader batch` from the outside and reading what it made."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from grader.batch.run import record_name
from grader.course import Course
from tests.e2e.toy import REPO, answered, notebook

SOLVED = notebook(answered())
COMMAND = [sys.executable, "-m", "grader.cli"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(REPO), "COLUMNS": "80"}


def arguments(course: Course, submissions: Path, results: Path, *more: str) -> list[str]:
    folders = ["batch", str(submissions), "--out", str(results)]
    return [*COMMAND, "--course", str(course.root), *folders, "--trust-submissions", *more]


def batch(course: Course, submissions: Path, results: Path, *more: str) -> subprocess.CompletedProcess[str]:
    env = {**ENVIRONMENT, "TMPDIR": os.environ["TMPDIR"]}
    command = arguments(course, submissions, results, *more)
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=400)


def records(results: Path) -> dict[str, dict[str, Any]]:
    """The records by the submission's id; the file's name is checked on the way."""
    found = [json.loads(path.read_bytes()) for path in (results / "records").iterdir()]
    assert sorted(path.name for path in (results / "records").iterdir()) == sorted(
        record_name(record["submission"]["id"]) for record in found
    )
    return {record["submission"]["id"]: record for record in found}


def table(results: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO((results / "grades.csv").read_text("utf-8-sig"), newline="")))


def timeless(record: dict[str, Any]) -> dict[str, Any]:
    """The record without what differs between two runs of the same."""
    notebooks = [{k: v for k, v in n.items() if k != "seconds"} for n in record["notebooks"]]
    return {k: v for k, v in record.items() if k not in ("started", "seconds")} | {"notebooks": notebooks}
