"""What has been inserted is in the database."""


def append_note_once(db, root, filename, content, key):
    db.execute(
        "CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, key TEXT UNIQUE, filename TEXT, content TEXT)"
    )
    db.execute(
        "INSERT INTO notes (key, filename, content) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", (key, filename, content)
    )
    number, file, text = db.execute("SELECT id, filename, content FROM notes WHERE key = ?", (key,)).fetchone()
    if (file, text) != (filename, content):
        raise ValueError("this key belongs to another note")
    rows = db.execute("SELECT id, content FROM notes WHERE filename = ? ORDER BY id", (filename,)).fetchall()
    with open(Path(root) / filename, "w", encoding="utf-8", newline="\n") as out:
        out.writelines(row[1] + "\n" for row in rows)
    return [row[0] for row in rows].index(number) + 1


CATCHES = "When the call has returned, its transaction still holds the record"
TEST = "test_another_connection_knows"


def witness(mutant, reference):
    def seen(function):
        with tempfile.TemporaryDirectory() as folder:
            db, other = open_store(Path(folder, "run.db")), open_store(Path(folder, "run.db"))
            function(db, folder, "log.txt", "A note", "k")
            return other.execute("SELECT count(*) FROM notes").fetchone()

    return seen(mutant) == (0,) and seen(reference) == (1,)
