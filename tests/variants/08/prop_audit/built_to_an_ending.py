"""No second auditor: every run is built towards an ending that is known, and every forgery says what it changes."""

import json

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

DRAWN = settings(
    max_examples=2,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)
MISSING = object()


def entry(tool, ok=True):
    observation = {"ok": True, "note": "a thought"} if ok else {"ok": False, "error": "tool_unavailable"}
    return {"action": {"tool": tool, "args": {}}, "observation": observation}


def claim(trace, status, termination):
    failed = sum(not each["observation"]["ok"] for each in trace)
    declared = {"steps": len(trace), "retries": failed, "status": status, "termination": termination}
    return {"task_id": "built", **declared, "trace": trace}


def mixture(good, bad):
    """So many good and bad entries, in any order, none of which writes a report well."""
    made = [entry("list_notes" if k % 2 else "read_note") for k in range(good)]
    made += [entry("write_report" if k % 2 else "read_note", False) for k in range(bad)]
    return st.permutations(made)


# name -> (good and bad entries before the last, the last, status, termination)
ENDINGS = {
    "early report": ((2, 1), entry("write_report"), "completed", "goal_reached"),
    "report at once": ((0, 0), entry("write_report"), "completed", "goal_reached"),
    "late report": ((3, 2), entry("write_report"), "completed", "goal_reached"),
    "third failure": ((1, 2), entry("read_note", False), "failed", "tool_failure"),
    "three reports failed": ((0, 2), entry("write_report", False), "failed", "tool_failure"),
    "both at once": ((3, 2), entry("list_notes", False), "failed", "tool_failure"),
    "budget": ((5, 0), entry("read_note"), "budget_exhausted", "step_budget"),
    "budget with two failures": ((4, 1), entry("write_report", False), "budget_exhausted", "step_budget"),
    "not yet": ((2, 1), entry("write_report", False), "in_progress", None),
    "nearly": ((3, 1), entry("read_note", False), "in_progress", None),
}


def built(name):
    (good, bad), last, status, termination = ENDINGS[name]
    return mixture(good, bad).map(lambda before: copied(claim([*before, last], status, termination)))


BUILT = {}


def copied(value):
    return json.loads(json.dumps(value))


BUILT.update({name: built(name) for name in ENDINGS})


def other(value, choices):
    return st.sampled_from([each for each in choices if each != value])


def changed(run, **changes):
    return copied(run) | changes


def with_more(run, more):
    """The run with entries behind its end, counted; what was declared of its end is left."""
    forged = copied(run)
    forged["trace"] += copied(more)
    forged["steps"] = len(forged["trace"])
    forged["retries"] = sum(each["observation"].get("ok") is False for each in forged["trace"])
    return forged


def without_flag(run, place, flag):
    forged = copied(run)
    if not forged["trace"]:
        forged["trace"].append(entry("read_note"))
    observation = forged["trace"][place % len(forged["trace"])]["observation"]
    if flag is MISSING:
        observation.pop("ok", None)
    else:
        observation["ok"] = flag
    return forged


def with_field(run, place, name, deep):
    forged = copied(run)
    if not forged["trace"]:
        forged = with_more(forged, [entry("read_note")])
    into = forged["trace"][place % len(forged["trace"])]
    if deep == 0:
        into["action"]["args"][name] = "first look, then read"
    elif deep == 1:
        into["observation"]["more"] = [0, {"inside": [{name: None}]}]
    else:
        into[name] = 1
    return forged


def by_code(run):
    place = st.integers(0, 5)
    report, read = entry("write_report"), entry("read_note")
    fails = st.sampled_from(["read_note", "list_notes", "write_report"]).map(lambda tool: entry(tool, False))
    after = st.lists(st.sampled_from([read, report]), min_size=1, max_size=3)
    return {
        "status_mismatch": other(run["status"], ["completed", "failed", "budget_exhausted", "in_progress"]).map(
            lambda status: changed(run, status=status)
        ),
        "termination_mismatch": other(run["termination"], ["goal_reached", "tool_failure", "step_budget", None]).map(
            lambda termination: changed(run, termination=termination)
        ),
        "count_mismatch": st.tuples(st.sampled_from(["steps", "retries"]), st.sampled_from([-1, 1, 2])).map(
            lambda drawn: changed(run, **{drawn[0]: run[drawn[0]] + drawn[1]})
        ),
        "steps_after_terminal": after.map(
            lambda more: with_more(run, more if run["termination"] else [copied(report), *more])
        ),
        "too_many_steps": after.map(lambda more: with_more(run, [read] * max(0, 6 - len(run["trace"])) + more)),
        "too_many_retries": st.lists(fails, min_size=4, max_size=5).map(lambda more: with_more(run, more)),
        "missing_ok": st.tuples(place, st.sampled_from([MISSING, None, 0, 1, "yes"])).map(
            lambda drawn: without_flag(run, *drawn)
        ),
        "forbidden_field": st.tuples(place, st.sampled_from(["thought", "chain_of_thought", "THOUGHT"]), place).map(
            lambda drawn: with_field(run, drawn[0], drawn[1], drawn[2] % 3)
        ),
    }


def corruptions(run):
    kept = copied(run)
    return st.one_of([st.tuples(st.just(code), forged) for code, forged in by_code(kept).items()])


def asked(audit, run):
    before = json.dumps(run)
    answer = audit(run)
    assert json.dumps(run) == before, "the run was changed"
    assert answer.keys() == {"steps", "retries", "status", "termination", "violations"}
    assert len(answer["violations"]) == len(set(answer["violations"]))
    return answer


def prop_audit(audit):
    empty = claim([], "in_progress", None)
    assert asked(audit, empty) == {
        "steps": 0,
        "retries": 0,
        "status": "in_progress",
        "termination": None,
        "violations": [],
    }

    for name in ENDINGS:
        holds_for(audit, name)

    for flag in (MISSING, None, 1, "True"):
        erased = claim([entry("read_note"), entry("write_report")], "completed", "goal_reached")
        answer = asked(audit, without_flag(erased, 1, flag))
        assert (answer["status"], answer["termination"]) == ("in_progress", None)
        assert {"missing_ok", "status_mismatch", "termination_mismatch"} <= set(answer["violations"])


def holds_for(audit, name):
    @DRAWN
    @given(st.data())
    def holds(data):
        run = data.draw(BUILT[name])
        verdict = {key: run[key] for key in ("steps", "retries", "status", "termination")}
        assert asked(audit, run) == verdict | {"violations": []}

        for code, forgery in by_code(run).items():
            forged = data.draw(forgery)
            answer = asked(audit, forged)
            said = set(answer["violations"])
            assert code in said
            assert answer["steps"] == len(forged["trace"])
            if code in ("status_mismatch", "termination_mismatch", "count_mismatch", "forbidden_field"):
                assert said == {code}
            if code != "missing_ok":
                assert answer["retries"] == sum(each["observation"]["ok"] is False for each in forged["trace"])
                assert "missing_ok" not in said
                if run["termination"] or len(forged["trace"]) == len(run["trace"]):
                    assert (answer["status"], answer["termination"]) == (run["status"], run["termination"])

        for more in (entry("read_note", False), entry("write_report")) if run["termination"] else ():
            late = with_more(run, [more])
            wanted = {"steps_after_terminal"}
            wanted |= {"too_many_steps"} if late["steps"] > 6 else set()
            wanted |= {"too_many_retries"} if late["retries"] > 3 else set()
            answer = asked(audit, late)
            assert set(answer["violations"]) == wanted
            assert (answer["status"], answer["termination"]) == (run["status"], run["termination"])

        lied = changed(run, status="a lie", termination="another", steps=-1, retries=-1)
        answer = asked(audit, lied)
        assert {key: answer[key] for key in verdict} == verdict
        assert set(answer["violations"]) == {"status_mismatch", "termination_mismatch", "count_mismatch"}

    holds()
