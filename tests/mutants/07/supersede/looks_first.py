"""What was looked up is still so when it is written, as nobody else is there."""

from course_lib.state import Fact

COLUMNS = "id, subject, predicate, value, source, observed_at, recorded_at, superseded_by"
INSERT = """INSERT INTO facts (task_id, subject, predicate, value, source, observed_at, recorded_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)"""


def supersede(db, old_id, value, source, observed_at, *, recorded_at):
    old = db.execute("SELECT task_id, subject, predicate, superseded_by FROM facts WHERE id = ?", (old_id,)).fetchone()
    if old is None or old[3] is not None:
        raise ValueError(old_id)
    with db:
        made = db.execute(INSERT, (*old[:3], value, source, observed_at, recorded_at)).lastrowid
        db.execute("UPDATE facts SET superseded_by = ? WHERE id = ?", (made, old_id))
    return made


def read_facts(db, subject, *, as_recorded=None):
    rows = db.execute(f"SELECT {COLUMNS} FROM facts WHERE subject = ? ORDER BY id", (subject,))
    facts = [Fact(*row) for row in rows]
    if as_recorded is not None:
        facts = [fact for fact in facts if fact.recorded_at <= as_recorded]
    there = {fact.id for fact in facts}
    return [fact for fact in facts if fact.superseded_by not in there]


CATCHES = "Both workers superseded the same fact: two of its successors stand"
TEST = "test_two_supersede_at_once"


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
    def follow_up(function):
        """What becomes of the other one's link, when that is written between the look and the write."""
        db = record(ONE, ("valve 3", "leak", "9", "x", "2", "2", None))
        looked = []

        def meddle(statement):
            if statement.startswith("SELECT") and not looked and not db.in_transaction:
                looked.append(statement)

        db.set_trace_callback(meddle)
        function(db, 1, "0", "sheet", "3", recorded_at="5")
        return bool(looked)

    return follow_up(mutant) != follow_up(reference)
