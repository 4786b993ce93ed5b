"""A conflict is reported; what becomes of it is the reader's business."""

import json

from course_lib.state import Conflict


def reconcile(context, db, *, task_id, now):
    said, held = {}, {}
    for each in context:
        said.setdefault((each["subject"], each["predicate"]), set()).add(each["value"])
    for subject in {each["subject"] for each in context}:
        rows = db.execute("SELECT predicate, value FROM facts WHERE subject = ? AND superseded_by IS NULL", (subject,))
        for predicate, value in rows.fetchall():
            held.setdefault((subject, predicate), set()).add(value)
    found = []
    for question in sorted({*said, *held}):
        ours, theirs = sorted(said.get(question, set())), sorted(held.get(question, set()))
        if ours != theirs:
            found.append(Conflict(*question, ours, theirs, owe(db, task_id, now, question, ours, theirs)))
    db.commit()
    return found


def owe(db, task_id, now, question, ours, theirs):
    return 1


CATCHES = "The conflict is reported, but no obligation is opened for it"
TEST = "test_a_stale_value_becomes_an_obligation"


from course_lib.store import open_store


def record(*facts):
    """A record with these facts: (subject, predicate, value, observed, superseded_by)."""
    db = open_store(":memory:")
    db.execute("PRAGMA foreign_keys = OFF")  # links lead forward
    for subject, predicate, value, observed, later in facts:
        row = (subject, predicate, value, observed, later)
        db.execute(
            "INSERT INTO facts (subject, predicate, value, source, observed_at, recorded_at, superseded_by)"
            " VALUES (?, ?, ?, 's', ?, '1', ?)",
            row,
        )
    db.commit()
    return db


def said(subject, predicate, value, observed="1"):
    return {"subject": subject, "predicate": predicate, "value": value, "source": "s", "observed_at": observed}


def witness(mutant, reference):
    def after(function):
        db = record(("v", "p", "0", "1", None))
        for _ in range(1):
            found = function([said("v", "p", "1")], db, task_id="task", now="9")
        return (
            sorted(map(repr, found)),
            db.execute("SELECT value, superseded_by FROM facts").fetchall(),
            db.execute("SELECT count(*) FROM obligations").fetchall(),
        )

    return after(mutant) != after(reference)
