"""BEGIN IMMEDIATE first, then look and decide in Python."""

import json

from course_lib.state import Claim


def claim(db, id, worker, *, now, lease):
    db.execute("BEGIN IMMEDIATE")
    try:
        return decided(db, id, worker, now, lease)
    finally:
        db.commit()


def decided(db, id, worker, now, lease):
    found = db.execute("SELECT state, lease_until, token, result FROM obligations WHERE id = ?", (id,)).fetchall()
    if not found:
        raise ValueError("unknown obligation")
    [(state, until, token, result)] = found
    free = state == "open" or (state == "claimed" and until <= now)
    if free:
        db.execute("UPDATE obligations SET state = 'claimed', token = token + 1 WHERE id = ?", (id,))
        db.execute("UPDATE obligations SET worker = ?, lease_until = ? WHERE id = ?", (worker, now + lease, id))
        return Claim("won", token=token + 1)
    return Claim("busy") if result is None else Claim("done", result=json.loads(result))


def commit(db, id, token, result):
    db.execute("BEGIN IMMEDIATE")
    newest = db.execute(
        "SELECT key FROM obligations WHERE (id, token, state) = (?, ?, 'claimed')", (id, token)
    ).fetchone()
    if newest is not None:
        text = json.dumps(result)
        db.execute("INSERT INTO effects (key, payload) VALUES (?, ?)", (newest[0], text))
        db.execute("UPDATE obligations SET state = 'done', result = ? WHERE id = ?", (text, id))
    db.commit()
    return newest is not None
