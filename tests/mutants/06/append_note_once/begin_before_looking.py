"""Between BEGIN and COMMIT nobody else gets in, so it is safe to look there."""


def append_note_once(db, root, filename, content, key):
    db.execute(
        "CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, key TEXT UNIQUE, filename TEXT, content TEXT)"
    )
    db.execute("BEGIN")
    if db.execute("SELECT id FROM notes WHERE key = ?", (key,)).fetchone() is None:
        db.execute("INSERT INTO notes (key, filename, content) VALUES (?, ?, ?)", (key, filename, content))
    db.commit()
    number, file, text = db.execute("SELECT id, filename, content FROM notes WHERE key = ?", (key,)).fetchone()
    if (file, text) != (filename, content):
        raise ValueError("this key belongs to another note")
    rows = db.execute("SELECT id, content FROM notes WHERE filename = ? ORDER BY id", (filename,)).fetchall()
    with open(Path(root) / filename, "w", encoding="utf-8", newline="\n") as out:
        out.writelines(row[1] + "\n" for row in rows)
    return [row[0] for row in rows].index(number) + 1


CATCHES = "With a rival in between, the call ends with an error"
TEST = "test_rivals_with_any_note"


def with_a_rival(function, at):
    """What comes of a call with a rival before statement `at`: the answer, or what was raised, and the lines."""
    with tempfile.TemporaryDirectory() as folder:
        db, other = open_store(Path(folder, "run.db")), open_store(Path(folder, "run.db"))
        other.execute("PRAGMA busy_timeout = 0")
        Rival(db, at, lambda: function(other, folder, "log.txt", "A note", "k"))
        try:
            answer = function(db, folder, "log.txt", "A note", "k")
        except Exception as error:
            answer = type(error).__name__
        return answer, Path(folder, "log.txt").read_text().count("\n")


def witness(mutant, reference):
    return any(with_a_rival(mutant, at) != (1, 1) for at in range(6)) and all(
        with_a_rival(reference, at) == (1, 1) for at in range(6)
    )
