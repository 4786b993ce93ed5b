"""A table of its own has one row for each token: whoever gets the row in has won."""

import json

from course_lib.state import Claim

TABLE = "CREATE TABLE IF NOT EXISTS claims (obligation_id INTEGER, token INTEGER, PRIMARY KEY (obligation_id, token))"


def claim(db, id, worker, *, now, lease):
    db.execute(TABLE)
    while True:
        look = "SELECT state, lease_until, token, result FROM obligations WHERE id = ?"
        row = db.execute(look, (id,)).fetchone()
        if row is None:
            raise ValueError(f"there is no {id}")
        state, until, token, result = row
        if state == "done":
            return Claim("done", result=json.loads(result))
        if state == "claimed" and now < until:
            return Claim("busy")
        with db:
            mine = db.execute("INSERT OR IGNORE INTO claims VALUES (?, ?)", (id, token + 1)).rowcount
            if mine:
                fields = (worker, now + lease, token + 1, id)
                take = "UPDATE obligations SET state = 'claimed', worker = ?, lease_until = ?, token = ? WHERE id = ?"
                db.execute(take, fields)
        if mine:
            return Claim("won", token + 1)


def commit(db, id, token, result):
    db.execute(
        "CREATE TABLE IF NOT EXISTS finished (obligation_id INTEGER PRIMARY KEY, token INTEGER)",
    )
    text = json.dumps(result)
    with db:
        db.execute(
            "INSERT OR IGNORE INTO finished SELECT id, token FROM obligations WHERE id = ? AND token = ?"
            " AND state = 'claimed'",
            (id, token),
        )
        if db.execute("SELECT changes()").fetchone() != (1,):
            return False
        db.execute("UPDATE obligations SET state = 'done', result = ? WHERE id = ?", (text, id))
        db.execute("INSERT INTO effects (key, payload) SELECT key, result FROM obligations WHERE id = ?", (id,))
    return True
