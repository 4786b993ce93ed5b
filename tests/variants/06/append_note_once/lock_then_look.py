"""Takes the lock before it looks, stores each note's place, and writes the file before it lets go."""


def append_note_once(db, root, filename, content, key):
    db.execute("BEGIN IMMEDIATE")
    try:
        db.execute("CREATE TABLE IF NOT EXISTS log_lines (file TEXT, place INTEGER, line TEXT, intent TEXT UNIQUE)")
        found = db.execute("SELECT file, line, place FROM log_lines WHERE intent = ?", [key]).fetchone()
        if found is None:
            taken = db.execute("SELECT coalesce(max(place), 0) FROM log_lines WHERE file = ?", [filename]).fetchone()[0]
            place = taken + 1
            db.execute("INSERT INTO log_lines VALUES (?, ?, ?, ?)", [filename, place, content, key])
        elif found[0] == filename and found[1] == content:
            place = found[2]
        else:
            raise ValueError(f"{key} stands for a note in {found[0]}")
        text = ""
        for (line,) in db.execute("SELECT line FROM log_lines WHERE file = ? ORDER BY place", [filename]):
            text += line + "\n"
        (Path(root) / filename).write_bytes(text.encode())
    except BaseException:
        db.rollback()
        raise
    db.commit()
    return place
