"""An earlier report completes the run, and what follows does no harm."""


def audit_run(result):
    trace = result["trace"]
    flags = [entry["observation"].get("ok") for entry in trace]
    steps, retries = len(trace), sum(flag is False for flag in flags)
    status, termination = derive(trace)
    wrong = {
        "status_mismatch": status != result["status"],
        "termination_mismatch": termination != result["termination"],
        "count_mismatch": (steps, retries) != (result["steps"], result["retries"]),
        "steps_after_terminal": False,
        "too_many_steps": steps > 6,
        "too_many_retries": retries > 3,
        "missing_ok": any(type(flag) is not bool for flag in flags),
        "forbidden_field": any(key.lower() in FORBIDDEN for key in keys_in(trace)),
    }
    violations = [code for code, holds in wrong.items() if holds]
    return {
        "steps": steps,
        "retries": retries,
        "status": status,
        "termination": termination,
        "violations": violations,
    }


CATCHES = "Entries after the end go unreported"
TEST = "test_entries_after_the_end"


def make_entry(tool, ok=True):
    return {"action": {"tool": tool, "args": {}}, "observation": {"ok": ok}}


def run(*trace, **claims):
    true = {"steps": len(trace), "retries": 0, "status": "completed", "termination": "goal_reached"}
    return {"task_id": "t", **true, **claims, "trace": list(trace)}


def witness(mutant, reference):
    result = run(make_entry("write_report"), make_entry("read_note"))
    return mutant(result) != reference(result)
