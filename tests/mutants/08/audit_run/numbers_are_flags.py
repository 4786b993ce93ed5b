"""A flag is True or False, and 1 and 0 are equal to them."""


def audit_run(result):
    trace = result["trace"]
    flags = [entry["observation"].get("ok") for entry in trace]
    steps, retries = len(trace), sum(flag is False for flag in flags)
    status, termination = derive(trace)
    wrong = {
        "status_mismatch": status != result["status"],
        "termination_mismatch": termination != result["termination"],
        "count_mismatch": (steps, retries) != (result["steps"], result["retries"]),
        "steps_after_terminal": derive(trace[:-1])[1] is not None,
        "too_many_steps": steps > 6,
        "too_many_retries": retries > 3,
        "missing_ok": any(flag not in (True, False) for flag in flags),
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


CATCHES = "An observation without a proper ok goes unreported"
TEST = "test_an_erased_flag"


def make_entry(tool, ok=True):
    return {"action": {"tool": tool, "args": {}}, "observation": {"ok": ok}}


def run(*trace, **claims):
    true = {"steps": len(trace), "retries": 0, "status": "completed", "termination": "goal_reached"}
    return {"task_id": "t", **true, **claims, "trace": list(trace)}


def witness(mutant, reference):
    result = run(make_entry("read_note", 1), status="in_progress", termination=None)
    return mutant(result) != reference(result)
