"""Causal means that one thing comes after the other; sequential, that it follows from it."""


def next_legal(db, task_id):
    states = dict(db.execute("SELECT id, state FROM obligations"))
    mine = "SELECT id FROM obligations WHERE task_id = ? AND state = 'open' ORDER BY created_at, id"
    legal = []
    for (number,) in db.execute(mine, (task_id,)).fetchall():
        needs = db.execute("SELECT needs_id, kind FROM requires WHERE obligation_id = ?", (number,)).fetchall()
        if all(allows(states[other], kind) for other, kind in needs):
            legal.append(number)
    return legal


def allows(state, kind):
    return state == "done" or (kind == "causal" and state == "failed")


CATCHES = "Causal and sequential seem to be taken for each other"
TEST = "test_causal_and_sequential"


from course_lib.store import open_store


def record(obligations, requires=()):
    """A record with these obligations, as (task, state, created_at), and requirements."""
    db = open_store(":memory:")
    for number, (task, state, created) in enumerate(obligations, 1):
        row = (task, f"key {number}", state, created)
        db.execute("INSERT INTO obligations (task_id, kind, key, state, created_at) VALUES (?, 'k', ?, ?, ?)", row)
    db.executemany("INSERT INTO requires VALUES (?, ?, ?)", requires)
    db.commit()
    return db


def witness(mutant, reference):
    def given(function):
        try:
            return function(
                record(
                    [("t", "failed", "1"), ("t", "open", "1"), ("t", "open", "1")],
                    [(2, 1, "causal"), (3, 1, "sequential")],
                ),
                "t",
            )
        except RecursionError:
            return "no end"

    return given(mutant) != given(reference)
