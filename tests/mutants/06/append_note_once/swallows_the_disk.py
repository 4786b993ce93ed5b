"""The record has the note; a file that cannot be written now is written later."""


def append_note_once(db, root, filename, content, key):
    db.execute(
        "CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, key TEXT UNIQUE, filename TEXT, content TEXT)"
    )
    db.execute(
        "INSERT INTO notes (key, filename, content) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", (key, filename, content)
    )
    db.commit()
    number, file, text = db.execute("SELECT id, filename, content FROM notes WHERE key = ?", (key,)).fetchone()
    if (file, text) != (filename, content):
        raise ValueError("this key belongs to another note")
    rows = db.execute("SELECT id, content FROM notes WHERE filename = ? ORDER BY id", (filename,)).fetchall()
    try:
        with open(Path(root) / filename, "w", encoding="utf-8", newline="\n") as out:
            out.writelines(row[1] + "\n" for row in rows)
    except OSError:
        pass
    return [row[0] for row in rows].index(number) + 1


CATCHES = "A file that could not be written is passed over in silence"
TEST = "test_a_disk_that_refuses"


def witness(mutant, reference):
    def ends(function):
        with tempfile.TemporaryDirectory() as folder:
            try:
                return function(open_store(Path(folder, "run.db")), Path(folder, "none"), "log.txt", "A note", "k")
            except OSError:
                return "OSError"

    return ends(mutant) != ends(reference)
