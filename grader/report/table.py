"""``grades.csv``: a row for every submission, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from grader.record import GradeRecord

# A cell that begins with one of these is a formula to a spreadsheet, whoever wrote it.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def grades_csv(records: Iterable[GradeRecord], scope: list[str]) -> bytes:
    """The file's bytes: UTF-8 with a byte order mark, every cell quoted, rows by submission id.

    Columns: submission, status, score, max_score, the score of each notebook in `scope`, isolation, message.
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(["submission", "status", "score", "max_score", *scope, "isolation", "message"])
    for record in sorted(records, key=lambda record: record.submission.id):
        by_name = {notebook.name: f"{notebook.score:g}" for notebook in record.notebooks}
        writer.writerow(
            [
                safe(record.submission.id),
                record.status,
                f"{record.score:g}" if record.status == "graded" else "",
                f"{record.max_score:g}",
                *(by_name.get(name, "") if record.status == "graded" else "" for name in scope),
                record.isolation.level,
                safe(record.message),
            ]
        )
    # The mark is what tells Excel that names such as 李伟 are UTF-8.
    return out.getvalue().encode("utf-8-sig", "replace")


def safe(text: str) -> str:
    """`text` as a spreadsheet shows it and never runs it."""
    return f"'{text}" if text.startswith(FORMULA) else text
