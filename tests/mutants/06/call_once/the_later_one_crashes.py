"""The primary key keeps a second start out, and that is enough."""


def call_once(db, key, params, fn):
    db.execute("CREATE TABLE IF NOT EXISTS calls (key TEXT PRIMARY KEY, params TEXT, result TEXT)")
    asked = json.dumps(params, sort_keys=True)
    row = db.execute("SELECT params, result FROM calls WHERE key = ?", (key,)).fetchone()
    new = row is None
    if new:
        row = (asked, None)
        db.execute("INSERT INTO calls VALUES (?, ?, NULL)", (key, asked))
    db.commit()
    if row[0] != asked:
        raise ValueError("this key belongs to another call")
    if not new and row[1] is None:
        return Response("in_doubt", None)
    if not new:
        return Response("done", json.loads(row[1]))
    try:
        value = fn()
    except ConnectionRefusedError:
        db.execute("DELETE FROM calls WHERE key = ?", (key,))
        db.commit()
        raise
    db.execute("UPDATE calls SET result = ? WHERE key = ?", (json.dumps(value), key))
    db.commit()
    return Response("done", value)


CATCHES = "With a rival in between, the call ends with an error"
TEST = "test_rivals_call_once_between_them"


def with_a_rival(function, at):
    """The answer with a rival before statement `at`, or what was raised, and how often fn was called."""
    with tempfile.TemporaryDirectory() as folder:
        db, other, called = open_store(Path(folder, "run.db")), open_store(Path(folder, "run.db")), []
        other.execute("PRAGMA busy_timeout = 0")

        def fn():
            called.append(1)
            return "answer"

        Rival(db, at, lambda: function(other, "k", {}, fn))
        try:
            return function(db, "k", {}, fn), len(called)
        except Exception as error:
            return type(error).__name__, len(called)


def witness(mutant, reference):
    right = (Response("done", "answer"), 1)
    return any(with_a_rival(mutant, at) != right for at in range(8)) and all(
        with_a_rival(reference, at) == right for at in range(8)
    )
