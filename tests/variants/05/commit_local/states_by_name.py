"""Every situation has its name, and a table says what to do in it; the effect is one statement that looks by itself."""


def commit_local(db, key, payload):
    added = db.execute(
        "INSERT INTO effects (key, payload) SELECT ?, ? WHERE NOT EXISTS (SELECT 1 FROM effects WHERE key = ?)",
        (key, payload, key),
    ).rowcount
    set_state(db, key, "done")
    db.commit()
    return bool(added)


def commit_remote(db, service, key, payload):
    situation = (state_of(db, key) or "new", service.dedupes)
    plan = {
        ("new", True): "send",
        ("new", False): "note and send",
        ("claimed", True): "send",
        ("claimed", False): "stop",
        ("done", True): "over",
        ("done", False): "over",
    }[situation]
    if plan == "over":
        return "done"
    if plan == "stop":
        return "in_doubt"
    if plan == "note and send":
        set_state(db, key, "claimed")
        db.commit()
    answer = "in_doubt"
    try:
        service.send(key, payload)
        answer = "done"
    except ConnectionError:
        pass
    if answer == "done":
        set_state(db, key, "done")
        db.commit()
    return answer
