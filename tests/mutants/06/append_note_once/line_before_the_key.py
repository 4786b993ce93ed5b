"""The line is appended first and its key recorded afterwards, so that nothing is lost."""


def append_note_once(db, root, filename, content, key):
    db.execute("CREATE TABLE IF NOT EXISTS notes (key TEXT PRIMARY KEY, filename TEXT, content TEXT, place INTEGER)")
    path = Path(root) / filename
    known = db.execute("SELECT filename, content, place FROM notes WHERE key = ?", (key,)).fetchone()
    if known is not None:
        if known[:2] != (filename, content):
            raise ValueError("this key belongs to another note")
        return known[2]
    place = db.execute("SELECT count(*) FROM notes WHERE filename = ?", (filename,)).fetchone()[0] + 1
    with path.open("a", encoding="utf-8", newline="\n") as out:
        out.write(f"{content}\n")
    db.execute("INSERT INTO notes VALUES (?, ?, ?, ?)", (key, filename, content, place))
    db.commit()
    return place


CATCHES = "What had become of the file stays in it, or is missing"
TEST = "test_the_file_follows_the_record"


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
    calls = [("log.txt", "A note", "k")] * 2
    return outcome(mutant, *calls, between=lose) != outcome(reference, *calls, between=lose)


def lose(folder):
    (folder / "log.txt").unlink(missing_ok=True)
