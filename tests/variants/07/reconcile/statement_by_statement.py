"""Collects the questions first and then asks each of them of both sides, with a look before each insert."""

from course_lib.state import Conflict


def reconcile(context, db, *, task_id, now):
    subjects = sorted({one["subject"] for one in context})
    questions = {(one["subject"], one["predicate"]) for one in context}
    for subject in subjects:
        query = "SELECT DISTINCT predicate FROM facts WHERE subject = ? AND superseded_by IS NULL"
        questions.update((subject, predicate) for (predicate,) in db.execute(query, [subject]).fetchall())
    conflicts = []
    for subject, predicate in questions:
        ours = {one["value"] for one in context if one["subject"] == subject and one["predicate"] == predicate}
        query = "SELECT value FROM facts WHERE subject = ? AND predicate = ? AND superseded_by IS NULL"
        theirs = {value for (value,) in db.execute(query, [subject, predicate])}
        if ours == theirs:
            continue
        key = repr((task_id, "conflict", subject, predicate, sorted(ours), sorted(theirs)))
        known = db.execute("SELECT id FROM obligations WHERE key = ?", [key]).fetchone()
        if known is None:
            values = [task_id, "reconcile", key, "open", now]
            insert = "INSERT INTO obligations (task_id, kind, key, state, created_at) VALUES (?, ?, ?, ?, ?)"
            known = [db.execute(insert, values).lastrowid]
            db.commit()
        conflicts.append(Conflict(subject, predicate, sorted(ours), sorted(theirs), known[0]))
    return conflicts
