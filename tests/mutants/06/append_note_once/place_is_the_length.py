"""After the call the note is the last line of the file."""


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
    with open(Path(root) / filename, "w", encoding="utf-8", newline="\n") as out:
        out.writelines(row[1] + "\n" for row in rows)
    return len(rows)


CATCHES = "The answer is not the note's place in its file, counted from 1"
TEST = "test_keys_decide_and_nothing_else"


def outcome(function, *calls, between=None):
    """The answers to calls of (filename, content, key), the name of what was raised, and the files in the end."""
    with tempfile.TemporaryDirectory() as folder:
        db, answers = open_store(Path(folder, "run.db")), []
        for number, call in enumerate(calls):
            if number and between:
                between(Path(folder))
            try:
                answers.append(function(db, folder, *call))
            except Exception as error:
                answers.append(type(error).__name__)
        db.close()
        return answers, {path.name: path.read_text() for path in sorted(Path(folder).glob("*.txt"))}


def witness(mutant, reference):
    calls = [("log.txt", "One", "k1"), ("log.txt", "Two", "k2"), ("log.txt", "One", "k1")]
    return outcome(mutant, *calls) != outcome(reference, *calls)
