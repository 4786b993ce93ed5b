"""Look whether the key has a result, call if it has none, and record the result."""


def call_once(db, key, params, fn):
    db.execute("CREATE TABLE IF NOT EXISTS calls (key TEXT PRIMARY KEY, params TEXT, result TEXT)")
    asked = json.dumps(params, sort_keys=True)
    row = db.execute("SELECT params, result FROM calls WHERE key = ?", (key,)).fetchone()
    if row is not None:
        if row[0] != asked:
            raise ValueError("this key belongs to another call")
        return Response("done", json.loads(row[1])) if row[1] is not None else Response("in_doubt", None)
    value = fn()
    db.execute("INSERT OR IGNORE INTO calls VALUES (?, ?, ?)", (key, asked, json.dumps(value)))
    db.commit()
    return Response("done", value)


CATCHES = "The start seems not to be committed before the call: it goes out again"
TEST = "test_a_stop_while_the_call_is_out"


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
    return outcome(mutant, calls, TimeoutError(), 1) != outcome(reference, calls, TimeoutError(), 1)
