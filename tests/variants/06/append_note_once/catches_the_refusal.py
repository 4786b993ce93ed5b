"""Inserts and catches the refusal of the constraint; a helper projects the file and finds the place by counting."""


def project(db, path):
    notes = [text for (text,) in db.execute("SELECT text FROM entries WHERE file = ? ORDER BY rowid", (path.name,))]
    with path.open("wb") as out:
        for text in notes:
            out.write(text.encode("utf-8") + b"\n")


def append_note_once(db, root, filename, content, key):
    with db:
        db.execute("CREATE TABLE IF NOT EXISTS entries (file TEXT NOT NULL, text TEXT NOT NULL, key TEXT PRIMARY KEY)")
    try:
        with db:
            db.execute(
                "INSERT INTO entries VALUES (:file, :text, :key)", {"file": filename, "text": content, "key": key}
            )
    except sqlite3.IntegrityError:
        query = "SELECT count(*) FROM entries WHERE key = ? AND file = ? AND text = ?"
        if db.execute(query, (key, filename, content)).fetchone() == (0,):
            raise ValueError("one key, two notes") from None
    project(db, Path(root).joinpath(filename))
    (place,) = db.execute(
        "SELECT count(*) FROM entries WHERE file = ? AND rowid <= (SELECT rowid FROM entries WHERE key = ?)",
        (filename, key),
    ).fetchone()
    return place
