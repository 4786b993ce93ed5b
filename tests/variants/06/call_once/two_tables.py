"""Starts in one table, results in another; the refusal of the primary key says who came second."""


def call_once(db, key, params, fn):
    db.execute("CREATE TABLE IF NOT EXISTS starts (key TEXT PRIMARY KEY, params TEXT NOT NULL)")
    db.execute("CREATE TABLE IF NOT EXISTS results (key TEXT PRIMARY KEY REFERENCES starts (key), value TEXT NOT NULL)")
    canonical = json.dumps(params, sort_keys=True)
    try:
        with db:
            db.execute("INSERT INTO starts VALUES (?, ?)", (key, canonical))
    except sqlite3.IntegrityError:
        return repeated(db, key, json.loads(canonical))
    sent = True
    try:
        value = fn()
    except ConnectionRefusedError:
        sent = False
        raise
    finally:
        if not sent:
            db.execute("DELETE FROM starts WHERE key = ?", (key,))
            db.commit()
    db.execute("INSERT INTO results VALUES (?, ?)", (key, json.dumps(value)))
    db.commit()
    return Response(status="done", value=value)


def repeated(db, key, params):
    query = "SELECT starts.params, results.value FROM starts LEFT JOIN results USING (key) WHERE key = ?"
    first, value = db.execute(query, (key,)).fetchone()
    if json.loads(first) != params:
        raise ValueError(f"{key}: called before with {first}")
    if value is None:
        return Response(status="in_doubt", value=None)
    return Response(status="done", value=json.loads(value))
