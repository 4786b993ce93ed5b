"""One query that leaves out whatever has a requirement that does not allow it."""


def next_legal(db, task_id):
    query = """
        SELECT o.id FROM obligations o
        WHERE o.state = 'open' AND o.task_id = :task
          AND o.id NOT IN (SELECT r.obligation_id FROM requires r JOIN obligations n ON n.id = r.needs_id
                           WHERE n.state IN ('open', 'claimed') OR (n.state = 'failed' AND r.kind = 'causal'))
        ORDER BY o.created_at ASC, o.id ASC"""
    return [row[0] for row in db.execute(query, {"task": task_id}).fetchall()]
