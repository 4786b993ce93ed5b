"""The status is what people lie about."""

import json

from hypothesis import given
from hypothesis import strategies as st

ENDS = {
    "write": ("completed", "goal_reached"),
    "fail": ("failed", "tool_failure"),
    "six": ("budget_exhausted", "step_budget"),
    "open": ("in_progress", None),
}
GOOD, BAD, REPORT = make_entry("read_note"), make_entry("read_note", False), make_entry("write_report")


def built(failures, successes, ending):
    """An honest run with such a middle, brought to this ending."""
    failures = 2 if ending == "fail" else failures
    successes = 5 - failures if ending == "six" else min(successes, 5 - failures)
    last = {"write": [REPORT], "fail": [BAD], "six": [GOOD], "open": []}[ending]
    trace = [BAD] * failures + [GOOD] * successes + last
    claims = dict(zip(("status", "termination"), ENDS[ending], strict=True))
    retries = failures + (ending == "fail")
    run = {"task_id": "t", "steps": len(trace), "retries": retries, **claims, "trace": trace}
    return json.loads(json.dumps(run))


runs = st.builds(built, st.integers(0, 2), st.integers(0, 5), st.sampled_from(list(ENDS)))


def corruptions(run):
    others = [ends[0] for ends in ENDS.values() if ends[0] != run["status"]]
    return st.sampled_from(others).map(lambda status: ("status_mismatch", {**run, "status": status}))


def prop_audit(audit):
    @settings(QUICK, max_examples=12)
    @given(runs, st.data())
    def holds(run, data):
        answer = audit(run)
        for key in ("steps", "retries", "status", "termination"):
            assert answer[key] == run[key]
        assert answer["violations"] == []
        for code, forged in data.draw(st.lists(corruptions(run), min_size=2, max_size=2)):
            assert code in audit(forged)["violations"]

    holds()


CATCHES = "Some codes seem never to be drawn"
TEST = "test_forgeries_of_every_kind"


def finds(prop, audit):
    try:
        prop(audit)
    except AssertionError:
        return True
    return False


def planted(result):
    answer = audit_run(result)
    answer["violations"] = [code for code in answer["violations"] if code != "count_mismatch"]
    return answer


def witness(mutant, reference):
    return finds(reference, planted) and not finds(mutant, planted)
