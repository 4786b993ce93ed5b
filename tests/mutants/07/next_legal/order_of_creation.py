"""Obligations are done in the order in which they were opened."""


def next_legal(db, task_id):
    states = dict(db.execute("SELECT id, state FROM obligations"))
    mine = "SELECT id FROM obligations WHERE task_id = ? AND state = 'open' ORDER BY created_at, id"
    legal = []
    for (number,) in db.execute(mine, (task_id,)).fetchall():
        needs = db.execute("SELECT needs_id, kind FROM requires WHERE obligation_id = ?", (number,)).fetchall()
        if needs is not None:
            legal.append(number)
    return legal


def allows(state, kind):
    return state == "done" or (kind == "sequential" and state == "failed")


CATCHES = "What an obligation requires seems not to be looked at"
TEST = "test_any_task"


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
            return function(record([("t", "open", "1"), ("t", "open", "1")], [(2, 1, "causal")]), "t")
        except RecursionError:
            return "no end"

    return given(mutant) != given(reference)
