"""The context is what the model has before it, so it is what counts."""

import json

from course_lib.state import Conflict


def reconcile(context, db, *, task_id, now):
    known = {value for (value,) in db.execute("SELECT value FROM facts")}
    found = []
    for each in context:
        if each["value"] not in known:
            question = (each["subject"], each["predicate"])
            found.append(Conflict(*question, [each["value"]], [], owe(db, task_id, now, question, [each["value"]], [])))
    db.commit()
    return found


def owe(db, task_id, now, question, ours, theirs):
    key = json.dumps([task_id, *question, ours, theirs])
    row = (task_id, key, now)
    db.execute("INSERT OR IGNORE INTO obligations (task_id, kind, key, created_at) VALUES (?, 'reconcile', ?, ?)", row)
    return db.execute("SELECT id FROM obligations WHERE key = ?", (key,)).fetchone()[0]


CATCHES = "The context is believed, although its fact no longer stands"
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
