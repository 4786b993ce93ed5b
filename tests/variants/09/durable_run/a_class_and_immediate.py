"""A class, transactions that begin with IMMEDIATE and look before they write, hashed keys, the end kept as JSON."""

import hashlib
from contextlib import contextmanager


class Books:
    def __init__(self, db, task_id, max_tokens):
        self.db, self.task_id, self.max_tokens = db, task_id, max_tokens

    @contextmanager
    def transaction(self):
        self.db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.db.rollback()
            raise
        self.db.commit()

    def one(self, sql, *values):
        found = self.db.execute(sql, values).fetchone()
        return found[0] if found else None

    def trace(self):
        found = self.db.execute("SELECT n, entry FROM steps WHERE task_id = ?", (self.task_id,)).fetchall()
        return [json.loads(entry) for _, entry in sorted(found)]

    def key(self, n):
        return hashlib.sha256(json.dumps([self.task_id, n]).encode()).hexdigest()

    def add(self, n, action, observation):
        """Inside a transaction: False when somebody else has been here."""
        if self.one("SELECT count(*) FROM steps WHERE task_id = ?", self.task_id) != n:
            return False
        text = json.dumps({"action": action, "observation": observation})
        self.db.execute("INSERT INTO steps (task_id, n, entry) VALUES (?, ?, ?)", (self.task_id, n, text))
        return True

    def state(self, key):
        return self.one("SELECT state FROM obligations WHERE key = ?", key)

    def owe(self, kind, key, state, result=None):
        self.db.execute(
            "INSERT INTO obligations (task_id, kind, key, state, created_at, result) VALUES (?, ?, ?, ?, 'now', ?)",
            (self.task_id, kind, key, state, result),
        )

    def end(self, trace):
        stored = self.one("SELECT result FROM obligations WHERE task_id = ? AND kind = 'end'", self.task_id)
        if stored:
            return json.loads(stored)
        if trace:
            last = trace[-1]
            if last["action"]["tool"] == "write_report" and last["observation"]["ok"]:
                return ["completed", "goal_reached"]
        if retries_of(trace) == 3:
            return ["failed", "tool_failure"]
        if len(trace) == 24:
            return ["budget_exhausted", "step_budget"]
        return ["refused", "observation_budget"] if tokens_of(trace) >= self.max_tokens else None

    def standing(self, subject):
        sql = "SELECT predicate, value FROM facts WHERE subject = ? AND superseded_by IS NULL ORDER BY id"
        return [{"predicate": p, "value": v} for p, v in self.db.execute(sql, (subject,))]


def retries_of(trace):
    return sum(1 for entry in trace if not entry["observation"]["ok"])


def durable_run(db, adapter, tools, gates, card, task_id, max_tokens=200):
    books = Books(db, task_id, max_tokens)
    trace = books.trace()
    while (end := books.end(trace)) is None:
        proposal = adapter.next_action(trace)
        action = {name: proposal[name] for name in ("tool", "args")}
        tool, args, n = action["tool"], action["args"], len(trace)
        key = books.key(n)
        if tool in EFFECTS and books.state(key) is None:
            notes = [e["observation"] for e in trace if e["action"]["tool"] == "read_note" and e["observation"]["ok"]]
            if gates(notes):
                with books.transaction():
                    if books.state(f"end {key}") is None:
                        books.owe("end", f"end {key}", "failed", json.dumps(["abstained", "evidence_gate"]))
                continue
        if tool == "append_note":
            with books.transaction():
                if books.add(n, action, {"ok": True, "key": key}):
                    db.execute("INSERT INTO effects (key, payload) VALUES (?, ?)", (key, args["text"]))
        elif tool == "charge_card":
            pay(books, card, n, action, key)
        else:
            if tool == "state.read_facts":
                seen = {"ok": True, "facts": books.standing(args["subject"])}
            else:
                seen = _tool_call(tools, action)
            with books.transaction():
                books.add(n, action, seen)
        trace = books.trace()
    return {
        "task_id": task_id,
        "steps": len(trace),
        "retries": retries_of(trace),
        "status": end[0],
        "termination": end[1],
        "trace": trace,
    }


def pay(books, card, n, action, key):
    amount = str(action["args"]["amount"])
    held = [f["value"] for f in books.standing(action["args"]["subject"]) if f["predicate"] == "price"]
    with books.transaction():
        before = books.state(key)
        if before is None:
            if held and held != [amount]:
                books.add(n, action, {"ok": False, "error": "conflict", "held": held})
                return
            books.owe("charge", key, "open")
    known = before == "done"
    if not known and (before is None or card.dedupes):
        try:
            card.send(key, amount)
            known = True
        except ConnectionError:
            known = False
    with books.transaction():
        if known:
            books.db.execute("UPDATE obligations SET state = 'done' WHERE key = ?", (key,))
            books.add(n, action, {"ok": True, "key": key})
        else:
            books.add(n, action, {"ok": False, "error": "in_doubt", "key": key})
