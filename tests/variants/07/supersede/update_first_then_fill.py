"""Asks for the right to write with an UPDATE that claims the old fact, then inserts; reads with a join."""

from course_lib.state import Fact


def supersede(db, old_id, value, source, observed_at, *, recorded_at):
    try:
        held = db.execute("UPDATE facts SET superseded_by = id WHERE id = ? AND superseded_by IS NULL", (old_id,))
        if held.rowcount != 1:
            raise ValueError("does not stand")
        cursor = db.cursor()
        cursor.execute(
            "INSERT INTO facts (task_id, subject, predicate, value, source, observed_at, recorded_at)"
            " SELECT task_id, subject, predicate, ?, ?, ?, ? FROM facts WHERE id = ?",
            (value, source, observed_at, recorded_at, old_id),
        )
        new = cursor.lastrowid
        db.execute("UPDATE facts SET superseded_by = ? WHERE id = ?", (new, old_id))
    except BaseException:
        db.rollback()
        raise
    db.commit()
    return new


def read_facts(db, subject, *, as_recorded=None):
    names = ["id", "subject", "predicate", "value", "source", "observed_at", "recorded_at", "superseded_by"]
    query = "SELECT " + ", ".join("one." + name for name in names)
    query += " FROM facts AS one LEFT JOIN facts AS later ON later.id = one.superseded_by WHERE one.subject = :subject"
    if as_recorded is None:
        query += " AND later.id IS NULL"
    else:
        query += " AND one.recorded_at <= :at AND (later.id IS NULL OR later.recorded_at > :at)"
    found = []
    for row in db.execute(query + " ORDER BY one.id", {"subject": subject, "at": as_recorded}):
        found.append(Fact(**dict(zip(names, row))))
    return found
