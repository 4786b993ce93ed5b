"""Reads both tables whole and takes away what is kept back."""


def next_legal(db, task_id):
    rows = db.execute("SELECT id, task_id, state, created_at FROM obligations").fetchall()
    ended = {"causal": set(), "sequential": set()}
    for number, _, state, _ in rows:
        if state == "done":
            ended["causal"].add(number)
        if state in ("done", "failed"):
            ended["sequential"].add(number)
    blocked = set()
    for number, needs, kind in db.execute("SELECT obligation_id, needs_id, kind FROM requires"):
        if needs not in ended[kind]:
            blocked.add(number)
    candidates = {(row[3], row[0]) for row in rows if row[1] == task_id and row[2] == "open" and row[0] not in blocked}
    return [number for _, number in sorted(candidates)]
