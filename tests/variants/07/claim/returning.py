"""UPDATE ... RETURNING hands back the token when it hit, and nothing when it did not."""

import json

from course_lib.state import Claim


def claim(db, id, worker, *, now, lease):
    sql = """UPDATE obligations SET state = 'claimed', worker = :worker, lease_until = :until, token = token + 1
             WHERE id = :id AND state IN ('open', 'claimed') AND coalesce(lease_until, :now) <= :now RETURNING token"""
    given = {"worker": worker, "until": now + lease, "id": id, "now": now}
    with db:
        tokens = [token for (token,) in db.execute(sql, given).fetchall()]
    if tokens:
        return Claim("won", tokens[0])
    for state, result in db.execute("SELECT state, result FROM obligations WHERE id = ?", (id,)).fetchall():
        return Claim("done", None, json.loads(result)) if state == "done" else Claim("busy")
    raise ValueError(f"obligation {id} does not exist")


def commit(db, id, token, result):
    sql = """UPDATE obligations SET state = 'done', result = ?
             WHERE id = ? AND token = ? AND state = 'claimed' RETURNING key, result"""
    with db:
        rows = db.execute(sql, (json.dumps(result), id, token)).fetchall()
        db.executemany("INSERT INTO effects (key, payload) VALUES (?, ?)", rows)
    return bool(rows)
