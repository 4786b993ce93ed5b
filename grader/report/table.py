"""``grades.csv``: a row for every submission, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from grader.record import GradeRecord, NotebookRecord

# A cell that begins with one of these, or with one in East Asian full width, is a formula to some spreadsheet.
FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def grades_csv(records: Iterable[GradeRecord], scope: list[str]) -> bytes:
    """The file's bytes: UTF-8 with a byte order mark, every cell quoted, rows by submission id.

    Columns: submission, status, score, max_score, the score of each notebook in `scope`, isolation, message. A score
    is empty where nothing could be graded; the message says why.
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(["submission", "status", "score", "max_score", *scope, "isolation", "message"])
    for record in sorted(records, key=lambda record: record.submission.id):
        graded = record.status == "graded"
        by_name = {n.name: _points(n.score) for n in record.notebooks if graded and n.status == "graded"}
        writer.writerow(
            [
                safe(record.submission.id),
                record.status,
                _points(record.score) if graded else "",
                _points(record.max_score),
                *(by_name.get(name, "") for name in scope),
                record.isolation.level,
                safe(_message(record)),
            ]
        )
    # The mark is what tells Excel that names such as 李伟 are UTF-8.
    return out.getvalue().encode("utf-8-sig", "replace")


def safe(text: str) -> str:
    """`text` as a spreadsheet shows it and never runs it."""
    return f"'{text}" if text[:1].isspace() or text.startswith(FORMULA) else text


def _points(points: float) -> str:
    return f"{points:.10g}"


def _message(record: GradeRecord) -> str:
    """Why there is no score or none to speak of, for the whole or for single notebooks."""
    return record.message or "; ".join(filter(None, map(_absence, record.notebooks)))


def _absence(notebook: NotebookRecord) -> str:
    if notebook.status == "not_submitted":
        return f"{notebook.name}: not handed in"
    if notebook.status == "graded" and all(exercise.status == "missing" for exercise in notebook.exercises):
        return f"{notebook.name}: defines none of its exercises"
    return notebook.message
