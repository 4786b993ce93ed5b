"""Compares two sets of triples, and asks further only where one is in one of them alone."""

import hashlib
import json

from course_lib.state import Conflict


def reconcile(context, db, *, task_id, now):
    names = {row["subject"] for row in context}
    context_side = {(row["subject"], row["predicate"], row["value"]) for row in context}
    rows = db.execute("SELECT subject, predicate, value FROM facts WHERE superseded_by IS NULL").fetchall()
    record_side = {row for row in rows if row[0] in names}
    open_questions = sorted({(s, p) for s, p, _ in context_side ^ record_side})

    def values(side, question):
        return sorted(value for *q, value in side if tuple(q) == question)

    def settled(question):
        said, held = values(context_side, question), values(record_side, question)
        digest = hashlib.sha256(json.dumps([task_id, question, said, held]).encode()).hexdigest()
        with db:
            db.execute(
                "INSERT INTO obligations (task_id, kind, key, created_at) VALUES (?, 'reconcile', ?, ?)"
                " ON CONFLICT (key) DO NOTHING",
                (task_id, f"reconcile/{digest}", now),
            )
        (number,) = db.execute("SELECT id FROM obligations WHERE key = ?", (f"reconcile/{digest}",)).fetchone()
        return Conflict(*question, said, held, number)

    return [settled(question) for question in open_questions]
