"""A worker that asks again for what it holds has it."""

import json

from course_lib.state import Claim


def claim(db, id, worker, *, now, lease):
    with db:
        db.execute("BEGIN IMMEDIATE")
        row = db.execute(
            "SELECT state, lease_until, token, result, worker FROM obligations WHERE id = ?", (id,)
        ).fetchone()
        if row is None:
            raise ValueError(id)
        state, until, token, result, holder = row
        if state == "done":
            return Claim("done", result=json.loads(result))
        if state == "claimed" and until > now and holder != worker:
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


CATCHES = "Two claims are won while one lease runs"
TEST = "test_one_wins_the_other_is_told"


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
    def story(function):
        claim, commit, db, said = function, function.__globals__["commit"], record(), []
        said.append(claim(db, 1, "a", now=0.0, lease=9.0))
        said.append(claim(db, 1, "a", now=2.0, lease=1.0))
        return said, left(db)

    return story(mutant) != story(reference)
