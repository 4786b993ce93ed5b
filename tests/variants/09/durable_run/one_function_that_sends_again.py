"""One function with a handler for each tool, a key for each tool; to a card that dedupes a broken line is sent again."""


def durable_run(db, adapter, tools, gates, card, task_id, max_tokens=200):
    prefix = f"{len(task_id)}:{task_id}"

    def query(sql, *values):
        return [*db.execute(sql, values)]

    def load():
        return [json.loads(e) for (e,) in query("SELECT entry FROM steps WHERE task_id = ? ORDER BY n", task_id)]

    def save(entry, effect=None, settled=None):
        """The entry, and what is true with it, unless the place is taken."""
        try:
            db.execute("INSERT INTO steps VALUES (?, ?, ?)", (task_id, len(trace), json.dumps(entry)))
            if effect:
                db.execute("INSERT INTO effects (key, payload) VALUES (?, ?)", effect)
        except sqlite3.IntegrityError:
            pass
        if settled:
            db.execute("UPDATE obligations SET state = 'done' WHERE key = ?", (settled,))
        db.commit()

    def facts(subject):
        rows = query("SELECT id, predicate, value, superseded_by FROM facts WHERE subject = ? ORDER BY id", subject)
        return [{"predicate": predicate, "value": value} for _, predicate, value, link in rows if link is None]

    def append_note(action, key):
        entry = {"action": action, "observation": {"ok": True, "key": key}}
        save(entry, effect=(key, action["args"]["text"]))

    def charge_card(action, key):
        amount = str(action["args"]["amount"])
        mine = False
        if not query("SELECT 1 FROM obligations WHERE key = ?", key):
            held = [fact["value"] for fact in facts(action["args"]["subject"]) if fact["predicate"] == "price"]
            if held not in ([], [amount]):
                return save({"action": action, "observation": {"ok": False, "error": "conflict", "held": held}})
            try:
                db.execute(
                    "INSERT INTO obligations (task_id, kind, key, state, created_at) VALUES (?, 'charge', ?, 'open', '')",
                    (task_id, key),
                )
                mine = True
            except sqlite3.IntegrityError:
                pass
            db.commit()
        done = query("SELECT 1 FROM obligations WHERE key = ? AND state = 'done'", key) != []
        left = 3 if card.dedupes else int(mine)
        while left and not done:
            left -= 1
            try:
                card.send(key, amount)
                done = True
            except ConnectionError:
                continue
        seen = {"ok": True, "key": key} if done else {"ok": False, "error": "in_doubt", "key": key}
        return save({"action": action, "observation": seen}, settled=key if done else None)

    def other(action, key):
        if action["tool"] == "state.read_facts":
            seen = {"ok": True, "facts": facts(action["args"]["subject"])}
        else:
            seen = _tool_call(tools, action)
        save({"action": action, "observation": seen})

    def ended():
        if trace and trace[-1]["action"]["tool"] == "write_report" and trace[-1]["observation"]["ok"]:
            return "completed", "goal_reached"
        if retries >= 3:
            return "failed", "tool_failure"
        if len(trace) >= 24:
            return "budget_exhausted", "step_budget"
        if query("SELECT 1 FROM episodes WHERE task_id = ? AND role = 'abstained'", task_id):
            return "abstained", "evidence_gate"
        if tokens_of(trace) >= max_tokens:
            return "refused", "observation_budget"
        return None

    handlers = {"append_note": append_note, "charge_card": charge_card}
    while True:
        trace = load()
        retries = [entry["observation"]["ok"] for entry in trace].count(False)
        end = ended()
        if end:
            break
        proposal = adapter.next_action([*trace])
        action = {"tool": proposal["tool"], "args": proposal["args"]}
        key = f"{prefix}/{len(trace)}/{action['tool']}"
        begun = query("SELECT 1 FROM obligations WHERE key = ?", key)
        if action["tool"] in EFFECTS and not begun:
            notes = [e["observation"] for e in trace if e["action"]["tool"] == "read_note"]
            if gates([note for note in notes if note["ok"]]) is not None:
                db.execute(
                    "INSERT INTO episodes (task_id, role, content_ref, created_at) VALUES (?, 'abstained', '', '')",
                    (task_id,),
                )
                db.commit()
                continue
        handlers.get(action["tool"], other)(action, key)
    run = {"task_id": task_id, "steps": len(trace), "retries": retries, "trace": trace}
    return {**run, "status": end[0], "termination": end[1]}
