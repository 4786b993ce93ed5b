"""`with db` commits or rolls back; a row count instead of a look; the claim names the service's kind by its state."""


def commit_local(db, key, payload):
    with db:
        changed = db.execute(
            "INSERT INTO obligations (task_id, kind, key, state, created_at) VALUES ('t', 'x', ?, 'done', 'now')"
            " ON CONFLICT (key) DO NOTHING",
            (key,),
        ).rowcount
        if changed:
            db.execute("INSERT INTO effects (key, payload) VALUES (?, ?)", (key, payload))
    return changed == 1


def commit_remote(db, service, key, payload):
    if state_of(db, key) == "done":
        return "done"
    if not service.dedupes:
        with db:
            mine = db.execute(
                "INSERT INTO obligations (task_id, kind, key, state, created_at) VALUES ('t', 'x', ?, 'claimed', 'now')"
                " ON CONFLICT (key) DO NOTHING",
                (key,),
            ).rowcount
        if not mine:
            return "in_doubt"
    try:
        service.send(key, payload)
    except ConnectionError:
        return "in_doubt"
    with db:
        set_state(db, key, "done")
    return "done"
