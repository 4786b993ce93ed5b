"""A thought would stand beside the action and the observation."""


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
        "missing_ok": any(type(flag) is not bool for flag in flags),
        "forbidden_field": any(key.lower() in FORBIDDEN for entry in trace for key in entry),
    }
    violations = [code for code, holds in wrong.items() if holds]
    return {
        "steps": steps,
        "retries": retries,
        "status": status,
        "termination": termination,
        "violations": violations,
    }


CATCHES = "A forbidden field is overlooked"
TEST = "test_forbidden_fields"


def make_entry(tool, ok=True):
    return {"action": {"tool": tool, "args": {}}, "observation": {"ok": ok}}


def run(*trace, **claims):
    true = {"steps": len(trace), "retries": 0, "status": "completed", "termination": "goal_reached"}
    return {"task_id": "t", **true, **claims, "trace": list(trace)}


def witness(mutant, reference):
    result = run(make_entry("write_report"))
    result["trace"][0]["observation"]["thought"] = "hm"
    return mutant(result) != reference(result)
