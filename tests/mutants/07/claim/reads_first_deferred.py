"""A transaction around both makes them one."""

import json

from course_lib.state import Claim


def claim(db, id, worker, *, now, lease):
    with db:
        db.execute("BEGIN")
        row = db.execute("SELECT state, lease_until, token, result FROM obligations WHERE id = ?", (id,)).fetchone()
        if row is None:
            raise ValueError(id)
        state, until, token, result = row
        if state == "done":
            return Claim("done", result=json.loads(result))
        if state == "claimed" and until > now:
            return Claim("busy")
        db.execute(
            "UPDATE obligations SET state = 'claimed', worker = ?, lease_until = ?, token = ? WHERE id = ?",
            (worker, now + lease, token + 1, id),
        )
    return Claim("won", token + 1)


def commit(db, id, token, result):
    with db:
        db.execute("BEGIN IMMEDIATE")
        row = db.execute("SELECT state, token, key FROM obligations WHERE id = ?", (id,)).fetchone()
        if row is None or row[0] != "claimed" or row[1] != token:
            return False
        text = json.dumps(result)
        db.execute("UPDATE obligations SET state = 'done', result = ? WHERE id = ?", (text, id))
        db.execute("INSERT INTO effects (key, payload) VALUES (?, ?)", (row[2], text))
    return True


CATCHES = "In some order of their statements a worker gets an exception instead of an answer"
TEST = "test_every_order_of_two_claims"


import sqlite3
import tempfile

from course_lib.store import open_store


def record(count=1, path=":memory:"):
    """A record with so many open obligations."""
    db = open_store(path)
    for number in range(1, count + 1):
        row = ("task", "charge", f"key {number}", "2026-01-01")
        db.execute("INSERT INTO obligations (task_id, kind, key, created_at) VALUES (?, ?, ?, ?)", row)
    db.commit()
    return db


def left(db):
    return db.execute("SELECT * FROM obligations").fetchall(), db.execute("SELECT key, payload FROM effects").fetchall()


def witness(mutant, reference):
    def both(function):
        """What two workers are told, when the second one asks just before the first one writes."""
        said = []
        with tempfile.TemporaryDirectory() as folder:
            first, second = record(path=f"{folder}/record.db"), open_store(f"{folder}/record.db")

            def overtake(statement):
                if statement.lstrip().upper().startswith("UPDATE") and not said:
                    said.append(reference(second, 1, "bert", now=0.0, lease=9.0).outcome)

            first.set_trace_callback(overtake)
            try:
                said.append(function(first, 1, "anna", now=0.0, lease=9.0).outcome)
            except sqlite3.OperationalError:
                said.append("crash")
            first.set_trace_callback(None)
            first.close()
            second.close()
        return said

    return both(mutant) != both(reference)
