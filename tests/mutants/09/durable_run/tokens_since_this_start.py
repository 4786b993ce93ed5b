"""A new process has read nothing yet, so its budget is whole."""


def durable_run(db, adapter, tools, gates, card, task_id, max_tokens=200):
    read_before = tokens_of(steps_of(db, task_id))
    while True:
        past = steps_of(db, task_id)
        done = list(map(unpack, past))
        failed = len([said for _, said in done if said["ok"] is False])
        over = end_of(db, task_id, done, failed, tokens_of(past) - read_before >= max_tokens)
        if over:
            counted = {"task_id": task_id, "steps": len(past), "retries": failed, "trace": past}
            return {**counted, "status": over[0], "termination": over[1]}
        offer = adapter.next_action(past)
        act = {"args": offer["args"], "tool": offer["tool"]}
        key = f"{task_id}/{len(past)}"
        if act["tool"] in EFFECTS and not look(db, OWED, key):
            notes = [said for earlier, said in done if said["ok"] and earlier["tool"] == "read_note"]
            if gates(notes) is not None:
                with db:
                    owe(db, task_id, "stop", f"{task_id}/abstained")
                continue
        said = carry_out(db, tools, card, task_id, act, key)
        # One transaction for the entry and what becomes true together with it; of two workers one gets through.
        with db:
            line = json.dumps(obj={"observation": said, "action": act})
            kept = db.execute("INSERT OR IGNORE INTO steps VALUES (?, ?, ?)", [task_id, len(past), line])
            if act["tool"] == "append_note" and kept.rowcount == 1:
                db.execute("INSERT INTO effects VALUES (NULL, ?, ?)", [key, act["args"]["text"]])
            if said["ok"] and act["tool"] == "charge_card":
                db.execute("UPDATE obligations SET state='done' WHERE key=?", [key])


OWED = "SELECT state FROM obligations WHERE key=?"
STANDING = "SELECT predicate, value FROM facts WHERE subject=? AND superseded_by IS NULL ORDER BY id"


def look(db, sql, *given):
    rows = db.execute(sql, given)
    return rows.fetchall()


def answer(ok, **more):
    told = {"ok": ok}
    return told | more


def owe(db, task_id, kind, key):
    """True for the one who is first."""
    columns = "(task_id, kind, key, state, created_at)"
    sql = f"INSERT OR IGNORE INTO obligations {columns} VALUES (?, ?, ?, 'claimed', date())"
    return db.execute(sql, [task_id, kind, key]).rowcount == 1


def steps_of(db, task_id):
    rows = look(db, "SELECT entry FROM steps WHERE task_id=? ORDER BY n", task_id)
    return [*map(json.loads, (line for (line,) in rows))]


def end_of(db, task_id, done, failed, read_enough):
    if [said["ok"] for act, said in done[-1:] if act["tool"] == "write_report"] == [True]:
        return "completed", "goal_reached"
    if failed > 2:
        return "failed", "tool_failure"
    if len(done) > 23:
        return "budget_exhausted", "step_budget"
    if look(db, OWED, f"{task_id}/abstained"):
        return "abstained", "evidence_gate"
    if read_enough:
        return "refused", "observation_budget"
    return None


def carry_out(db, tools, card, task_id, act, key):
    match act["tool"]:
        case "append_note":
            return answer(True, key=key)
        case "charge_card":
            return charge(db, card, task_id, key, act["args"]["subject"], str(act["args"]["amount"]))
        case "state.read_facts":
            rows = look(db, STANDING, act["args"]["subject"])
            return answer(True, facts=[{"predicate": about, "value": held} for about, held in rows])
    return _tool_call(tools, act)


def charge(db, card, task_id, key, subject, amount):
    prices = [held for about, held in look(db, STANDING, subject) if about == "price"]
    if not look(db, OWED, key) and prices and prices != [amount]:
        return answer(False, error="conflict", held=prices)
    with db:
        first = owe(db, task_id, "charge", key)
    settled = look(db, OWED, key) == [("done",)]
    if not settled and (first or card.dedupes):
        try:
            card.send(key, amount)
        except ConnectionError:  # it may have arrived
            return answer(False, error="in_doubt", key=key)
        settled = True
    return answer(True, key=key) if settled else answer(False, error="in_doubt", key=key)


CATCHES = "Tokens seem to be counted from the crash on, or not at all"
TEST = "test_both_budgets"


import contextlib
import tempfile
from pathlib import Path

from course_lib.durable import BillingAdapter, make_world, price_facts, recorded
from course_lib.store import open_store
from course_lib.trials import Chatty, Gone, Leaves


def witness(mutant, reference):
    def story(run):
        with tempfile.TemporaryDirectory() as folder:
            world = make_world(Path(folder), dedupes=True, adapter=None)
            db = open_store(Path(folder) / "record.db")
            price_facts(db, 95)
            world.adapter = Leaves(world.adapter, "read_note")
            with contextlib.suppress(Gone):
                run(*world.args(db, "t", 30))
            got = run(*world.args(db, "t", 30))
            return got, len(world.calls), world.card.effects, recorded(db, "t")

    return story(mutant) != story(reference)
