"""A key is known or it is not; in which record it was seen does not matter."""

seen = set()


def append_note_once(db, root, filename, content, key):
    db.execute(
        "CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, key TEXT UNIQUE, filename TEXT, content TEXT)"
    )
    if key not in seen:
        seen.add(key)
        db.execute(
            "INSERT INTO notes (key, filename, content) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            (key, filename, content),
        )
        db.commit()
    own = db.execute("SELECT id, filename, content FROM notes WHERE key = ?", (key,)).fetchone()
    if own is None:
        return 1
    number, file, text = own
    if (file, text) != (filename, content):
        raise ValueError("this key belongs to another note")
    rows = db.execute("SELECT id, content FROM notes WHERE filename = ? ORDER BY id", (filename,)).fetchall()
    with open(Path(root) / filename, "w", encoding="utf-8", newline="\n") as out:
        out.writelines(row[1] + "\n" for row in rows)
    return [row[0] for row in rows].index(number) + 1


CATCHES = "A key of one record is known in another one"
TEST = "test_another_connection_knows"


def witness(mutant, reference):
    def lines(function):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("one", "two"):
                function(open_store(Path(folder, f"{name}.db")), folder, f"{name}.txt", name, "witness")
            return sorted(path.name for path in Path(folder).glob("*.txt"))

    return lines(mutant) != lines(reference)
