"""The effect comes first, and is marked afterwards if the token still fits."""

import json

from course_lib.state import Claim


def claim(db, id, worker, *, now, lease):
    with db:
        db.execute("BEGIN IMMEDIATE")
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
    text = json.dumps(result)
    with db:
        db.execute("INSERT INTO effects (key, payload) SELECT key, ? FROM obligations WHERE id = ?", (text, id))
        marked = db.execute(
            "UPDATE obligations SET state = 'done', result = ? WHERE id = ? AND state = 'claimed' AND token = ?",
            (text, id, token),
        )
    return marked.rowcount == 1


CATCHES = "The effect has happened twice"
TEST = "test_committed_once_and_observed"


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
        said.append(claim(db, 1, "a", now=0.0, lease=1.0))
        said.append(commit(db, 1, 1, {}))
        said.append(commit(db, 1, 1, {}))
        return said, left(db)

    return story(mutant) != story(reference)
