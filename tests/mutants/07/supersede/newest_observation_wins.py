"""Between two facts the one that was observed later stands, whoever was asked to replace whom."""

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
        (seen,) = db.execute("SELECT observed_at FROM facts WHERE id = ?", (old_id,)).fetchone()
        loser, winner = (old_id, made) if observed_at >= seen else (made, old_id)
        db.execute("UPDATE facts SET superseded_by = ? WHERE id = ?", (winner, loser))
    return made


def read_facts(db, subject, *, as_recorded=None):
    rows = db.execute(f"SELECT {COLUMNS} FROM facts WHERE subject = ? ORDER BY id", (subject,))
    facts = [Fact(*row) for row in rows]
    if as_recorded is not None:
        facts = [fact for fact in facts if fact.recorded_at <= as_recorded]
    there = {fact.id for fact in facts}
    return [fact for fact in facts if fact.superseded_by not in there]


CATCHES = "A late observation is itself superseded by what it should replace"
TEST = "test_a_late_observation_replaces_too"


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
    def after(function):
        db = record(ONE)
        function(db, 1, "0", "letter", "1", recorded_at="5")
        return rows(db)

    return after(mutant) != after(reference)
