"""Takes the lock before it looks, keeps a state in a column of its own, and sorts the params out with a helper."""


def look_up_or_start(db, key, text):
    """The row of the key, or None when this call has just made it."""
    db.execute("BEGIN IMMEDIATE")
    try:
        db.execute("CREATE TABLE IF NOT EXISTS ledger (key TEXT, params TEXT, state TEXT, value TEXT)")
        rows = db.execute("SELECT params, state, value FROM ledger WHERE key = ?", (key,)).fetchall()
        if not rows:
            db.execute("INSERT INTO ledger VALUES (?, ?, 'started', NULL)", (key, text))
    finally:
        db.commit()
    return rows[0] if rows else None


def call_once(db, key, params, fn):
    text = json.dumps(params, sort_keys=True, separators=(",", ":"))
    row = look_up_or_start(db, key, text)
    if row is not None:
        known, state, value = row
        if known != text:
            raise ValueError("the key is taken")
        return Response("done", json.loads(value)) if state == "finished" else Response("in_doubt")
    try:
        value = fn()
    except Exception as error:
        if isinstance(error, ConnectionRefusedError):
            with db:
                db.execute("DELETE FROM ledger WHERE key = ?", (key,))
        raise
    with db:
        db.execute("UPDATE ledger SET state = 'finished', value = ? WHERE key = ?", (json.dumps(value), key))
    return Response("done", value)
