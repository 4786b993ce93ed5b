"""An audit that has not been proved right is wrong."""

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
    def forged(code, *more, **claims):
        return code, json.loads(json.dumps({**run, **claims, "trace": [*run["trace"], *more]}))

    def unflagged(k):
        code, result = forged("missing_ok", REPORT)
        del result["trace"][k]["observation"]["ok"]
        return code, result

    def thinking(k):
        code, result = forged("forbidden_field", GOOD)
        result["trace"][k]["action"]["args"]["thought"] = "hm"
        return code, result

    others = st.sampled_from([ends for ends in ENDS.values() if ends[0] != run["status"]])
    places = st.integers(0, len(run["trace"]))
    return st.one_of(
        others.map(lambda ends: forged("status_mismatch", status=ends[0])),
        others.map(lambda ends: forged("status_mismatch", status=ends[0], termination=ends[1])),
        others.map(lambda ends: forged("termination_mismatch", termination=ends[1])),
        st.integers(1, 3).map(lambda by: forged("count_mismatch", steps=run["steps"] + by)),
        st.integers(1, 3).map(lambda by: forged("count_mismatch", retries=run["retries"] + by)),
        st.sampled_from([GOOD, BAD, REPORT]).map(lambda last: forged("steps_after_terminal", REPORT, last)),
        st.sampled_from([GOOD, REPORT]).map(lambda last: forged("too_many_steps", *[GOOD] * 6, last)),
        st.sampled_from([GOOD, REPORT]).map(lambda last: forged("too_many_retries", *[BAD] * 4, last)),
        places.map(unflagged),
        places.map(thinking),
    )


def prop_audit(audit):
    assert audit is None, "not proved"


CATCHES = "Your property comes to its verdict without asking the audit anything"
TEST = "test_accepts_a_right_audit"


def finds(prop, audit):
    try:
        prop(audit)
    except AssertionError:
        return True
    return False


def planted(result):
    answer = audit_run(result)
    pass
    return answer


def witness(mutant, reference):
    return not finds(reference, planted) and finds(mutant, planted)
