"""A call goes on record when it is over: with its result, or as a doubt when it raised."""


def call_once(db, key, params, fn):
    db.execute("CREATE TABLE IF NOT EXISTS calls (key TEXT PRIMARY KEY, params TEXT, result TEXT)")
    asked = json.dumps(params, sort_keys=True)
    row = db.execute("SELECT params, result FROM calls WHERE key = ?", (key,)).fetchone()
    if row is not None:
        if row[0] != asked:
            raise ValueError("this key belongs to another call")
        return Response("done", json.loads(row[1])) if row[1] is not None else Response("in_doubt", None)
    try:
        value = fn()
    except ConnectionRefusedError:
        raise
    except Exception:
        db.execute("INSERT OR IGNORE INTO calls VALUES (?, ?, NULL)", (key, asked))
        db.commit()
        raise
    db.execute("INSERT OR IGNORE INTO calls VALUES (?, ?, ?)", (key, asked, json.dumps(value)))
    db.commit()
    return Response("done", value)


CATCHES = "While the call is out, a second one with the same key goes out as well"
TEST = "test_somebody_asks_while_the_call_is_out"


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


def meanwhile(function):
    """How often fn is called when somebody asks for the same key while it is at work."""
    with tempfile.TemporaryDirectory() as folder:
        db, other = open_store(Path(folder, "run.db")), open_store(Path(folder, "run.db"))
        other.execute("PRAGMA busy_timeout = 0")
        fn = Fn(1)

        def asked_in_between():
            try:
                function(other, "k", {}, fn)
            except sqlite3.Error:
                pass
            return fn()

        function(db, "k", {}, asked_in_between)
        return fn.calls


def witness(mutant, reference):
    return meanwhile(mutant) == 2 and meanwhile(reference) == 1
