"""The condition stands in the UPDATE, and the number of rows that it hit decides."""

import json

from course_lib.state import Claim


def claim(db, id, worker, *, now, lease):
    cursor = db.cursor()
    cursor.execute(
        "UPDATE obligations SET state = 'claimed', worker = ?, lease_until = ?, token = token + 1"
        " WHERE id = ? AND (state = 'open' OR (state = 'claimed' AND lease_until <= ?))",
        (worker, now + lease, id, now),
    )
    hit = cursor.rowcount
    row = cursor.execute("SELECT state, token, result FROM obligations WHERE id = ?", (id,)).fetchone()
    db.commit()
    if hit:
        return Claim(outcome="won", token=row[1])
    if row is None:
        raise ValueError("no such obligation")
    if row[0] == "done":
        return Claim(outcome="done", result=json.loads(row[2]))
    return Claim(outcome="busy")


def commit(db, id, token, result):
    text = json.dumps(result)
    done = "UPDATE obligations SET state = 'done', result = ? WHERE id = ? AND state = 'claimed' AND token = ?"
    hit = db.execute(done, (text, id, token)).rowcount
    if hit == 0:
        db.rollback()
        return False
    (key,) = db.execute("SELECT key FROM obligations WHERE id = ?", (id,)).fetchone()
    db.execute("INSERT INTO effects (key, payload) VALUES (?, ?)", (key, text))
    db.commit()
    return True
