"""Any trouble with the connection means that the request did not arrive."""


def call_once(db, key, params, fn):
    db.execute("CREATE TABLE IF NOT EXISTS calls (key TEXT PRIMARY KEY, params TEXT, result TEXT)")
    asked = json.dumps(params, sort_keys=True)
    new = db.execute("INSERT OR IGNORE INTO calls VALUES (?, ?, NULL)", (key, asked)).rowcount == 1
    row = db.execute("SELECT params, result FROM calls WHERE key = ?", (key,)).fetchone()
    db.commit()
    if row[0] != asked:
        raise ValueError("this key belongs to another call")
    if not new and row[1] is None:
        return Response("in_doubt", None)
    if not new:
        return Response("done", json.loads(row[1]))
    try:
        value = fn()
    except ConnectionError:
        db.execute("DELETE FROM calls WHERE key = ?", (key,))
        db.commit()
        raise
    db.execute("UPDATE calls SET result = ? WHERE key = ?", (json.dumps(value), key))
    db.commit()
    return Response("done", value)


CATCHES = "After an exception that leaves it open whether the call arrived, it goes out again"
TEST = "test_any_other_error_is_a_doubt"


class Fn:
    """Answers the n-th call with the n-th of the given answers, the last one over and over."""

    def __init__(self, *answers):
        self.answers, self.calls = answers, 0

    def __call__(self):
        self.calls += 1
        answer = self.answers[min(self.calls, len(self.answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer


def outcome(function, calls, *answers, anew=False):
    """What comes of calls of (key, params): answers or the names of what was raised, and how often fn was called."""
    with tempfile.TemporaryDirectory() as folder:
        db, fn, got = open_store(Path(folder, "run.db")), Fn(*answers), []
        for key, params in calls:
            try:
                got.append(function(db, key, params, fn))
            except Exception as error:
                got.append(type(error).__name__)
            if anew:
                db.close()
                db = open_store(Path(folder, "run.db"))
        return got, fn.calls


def witness(mutant, reference):
    calls = [("k", {"a": 1})] * 2
    return outcome(mutant, calls, ConnectionResetError(), 1) != outcome(reference, calls, ConnectionResetError(), 1)
