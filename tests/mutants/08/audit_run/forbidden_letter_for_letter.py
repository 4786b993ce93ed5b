"""A name is forbidden as it is spelled in the project's settings, and a thought with a capital is another name."""


def audit_run(result):
    trace = result["trace"]
    flags = [entry["observation"].get("ok") for entry in trace]
    steps, retries = len(trace), sum(flag is False for flag in flags)
    status, termination = derive(trace)
    wrong = {
        "status_mismatch": status != result["status"],
        "termination_mismatch": termination != result["termination"],
        "count_mismatch": (steps, retries) != (result["steps"], result["retries"]),
        "steps_after_terminal": any(derive(trace[:size])[1] is not None for size in range(steps)),
        "too_many_steps": steps > 6,
        "too_many_retries": retries > 3,
        "missing_ok": any(type(flag) is not bool for flag in flags),
        "forbidden_field": any(key in FORBIDDEN for key in keys_in(trace)),
    }
    violations = [code for code, holds in wrong.items() if holds]
    return {
        "steps": steps,
        "retries": retries,
        "status": status,
        "termination": termination,
        "violations": violations,
    }


CATCHES = "A forbidden name in large letters is overlooked"
TEST = "test_forbidden_fields"


def make_entry(tool, ok=True):
    return {"action": {"tool": tool, "args": {}}, "observation": {"ok": ok}}


def run(*trace, **claims):
    true = {"steps": len(trace), "retries": 0, "status": "completed", "termination": "goal_reached"}
    return {"task_id": "t", **true, **claims, "trace": list(trace)}


def witness(mutant, reference):
    result = run(make_entry("write_report"))
    result["trace"][0]["observation"]["Thought"] = "hm"
    return mutant(result) != reference(result)
