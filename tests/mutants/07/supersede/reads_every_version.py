"""All that is on record about a subject are its facts."""

from course_lib.state import Fact

COLUMNS = "id, subject, predicate, value, source, observed_at, recorded_at, superseded_by"
INSERT = """INSERT INTO facts (task_id, subject, predicate, value, source, observed_at, recorded_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)"""


def supersede(db, old_id, value, source, observed_at, *, recorded_at):
    with db:
        db.execute("BEGIN IMMEDIATE")
        old = db.execute(
            "SELECT task_id, subject, predicate, superseded_by FROM facts WHERE id = ?", (old_id,)
        ).fetchone()
        if old is None or old[3] is not None:
            raise ValueError(old_id)
        made = db.execute(INSERT, (*old[:3], value, source, observed_at, recorded_at)).lastrowid
        db.execute("UPDATE facts SET superseded_by = ? WHERE id = ?", (made, old_id))
    return made


def read_facts(db, subject, *, as_recorded=None):
    rows = db.execute(f"SELECT {COLUMNS} FROM facts WHERE subject = ? ORDER BY id", (subject,))
    return [fact for fact in (Fact(*row) for row in rows) if as_recorded is None or fact.recorded_at <= as_recorded]


CATCHES = "Other facts than the one that stands are read"
TEST = "test_what_stands_is_read"


from course_lib.store import open_store


def record(*facts):
    """A record with these facts: (subject, predicate, value, source, observed, recorded, superseded_by)."""
    db = open_store(":memory:")
    db.execute("PRAGMA foreign_keys = OFF")  # links lead forward
    for fact in facts:
        db.execute(
            "INSERT INTO facts (subject, predicate, value, source, observed_at, recorded_at, superseded_by)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            fact,
        )
    db.commit()
    return db


def rows(db):
    return db.execute("SELECT * FROM facts ORDER BY id").fetchall()


ONE = ("valve 3", "leak", "1", "beta.txt", "2", "2", None)


def witness(mutant, reference):
    def read(function):
        return function.__globals__["read_facts"](
            record(("valve 3", "leak", "1", "a", "2", "2", 2), ("valve 3", "leak", "0", "b", "3", "4", None)), "valve 3"
        )

    return read(mutant) != read(reference)
