"""Draws nothing in the property: goes through every short trace of a small alphabet, against a slow auditor of its own."""

import itertools
import json

from hypothesis import strategies as st

LETTERS = {
    "r": ("read_note", True),
    "x": ("read_note", False),
    "w": ("write_report", True),
    "f": ("write_report", False),
}
TEXTS = ["", *(a + b for a in "rxwf" for b in ("", *"rxwf"))]
TEXTS += ["xx" + c for c in "rxwf"] + ["rrrrr" + c for c in "rxwf"] + ["xrxrr" + c for c in "rxwf"]
TEXTS += ["fff", "fff" + "w", "xrfrx", "rrrrrrr", "rrrrrrw", "xxxx", "xrxrxrx", "rrwrrrr", "rrrrwxx", "rwxxxx", "fxfx"]
NAMES = ("thought", "chain_of_thought")
STATES = {"w": ("completed", "goal_reached"), "x": ("failed", "tool_failure"), "b": ("budget_exhausted", "step_budget")}


def spelled(text):
    """A trace from its letters."""
    made = []
    for letter in text:
        tool, ok = LETTERS[letter]
        made.append({"action": {"tool": tool, "args": {"why": "thought"}}, "observation": {"ok": ok}})
    return made


def letters_of(trace):
    """The letters of a trace; "?" where an ok is no flag."""
    back = {value: key for key, value in LETTERS.items()}
    tool_and_ok = [(e["action"]["tool"], e["observation"].get("ok")) for e in trace]
    return "".join(
        back["write_report" if tool == "write_report" else "read_note", ok] if type(ok) is bool else "?"
        for tool, ok in tool_and_ok
    )


def end_of(text):
    """Where a text of letters ends, and how."""
    for size in range(1, len(text) + 1):
        head = text[:size]
        if head.endswith("w"):
            return size, STATES["w"]
        if head.count("x") + head.count("f") == 3:
            return size, STATES["x"]
        if size == 6:
            return size, STATES["b"]
    return None, ("in_progress", None)


def result_of(trace):
    text = letters_of(trace)
    status, termination = end_of(text)[1]
    failed = text.count("x") + text.count("f")
    return dict(task_id="spelled", steps=len(text), retries=failed, status=status, termination=termination, trace=trace)


def expected(result):
    """What a right audit says, if every ok is a flag."""
    text = letters_of(result["trace"])
    size, (status, termination) = end_of(text)
    failed = text.count("x") + text.count("f")
    claimed = result["steps"], result["retries"]
    codes = {
        "status_mismatch": result["status"] != status,
        "termination_mismatch": result["termination"] != termination,
        "count_mismatch": claimed != (len(text), failed),
        "steps_after_terminal": size is not None and size < len(text),
        "too_many_steps": len(text) > 6,
        "too_many_retries": failed > 3,
    }
    wanted = {code for code, holds in codes.items() if holds}
    return {"steps": len(text), "retries": failed, "status": status, "termination": termination}, wanted


def right(audit, result, extra=(), open_retries=False):
    before = json.dumps(result)
    answer = audit(result)
    assert json.dumps(result) == before
    assert sorted(answer) == ["retries", "status", "steps", "termination", "violations"]
    said = answer["violations"]
    assert isinstance(said, list)
    assert sorted(set(said)) == sorted(said)
    values, wanted = expected(result)
    for key, value in values.items():
        if key != "retries" or not open_retries:
            assert answer[key] == value
    ignored = {"count_mismatch"} if open_retries else set()
    assert set(said) - ignored == (wanted | set(extra)) - ignored


def marked(trace, place, name, how):
    spot = trace[place]
    if how == 0:
        spot["action"]["args"][name] = 1
    elif how == 1:
        spot["observation"]["list"] = [[{"a": {name: "b"}}]]
    else:
        spot[name] = {}


def prop_audit(audit):
    for number, text in enumerate(TEXTS):
        run = result_of(spelled(text))
        right(audit, run)
        right(audit, run | {"status": "completed" if number % 2 else "failed"})
        right(audit, run | {"termination": "goal_reached" if number % 2 else None})
        right(audit, run | {"steps": run["steps"] + 1})
        right(audit, run | {"retries": run["retries"] - 1})
        right(audit, run | {"status": "?", "termination": "?", "steps": None, "retries": "many"})
        if text:
            forged = result_of(spelled(text))
            marked(forged["trace"], number % len(text), NAMES[number % 2], number % 3)
            right(audit, forged, ["forbidden_field"])
            right(audit, forged | {"status": "?"}, ["forbidden_field"])
    for flaw, place in itertools.product(["erase", None, 1, 0, "True"], range(3)):
        trace = spelled("rrw")
        del trace[place]["observation"]["ok"]
        if flaw != "erase":
            trace[place]["observation"]["ok"] = flaw
        run = result_of(trace)
        right(audit, run, ["missing_ok"], open_retries=True)
        right(audit, run | {"status": "failed"}, ["missing_ok"], open_retries=True)


@st.composite
def corruptions(draw, run):
    forged = json.loads(json.dumps(run))
    trace = forged["trace"]
    code = draw(
        st.sampled_from(
            [
                "status_mismatch",
                "termination_mismatch",
                "count_mismatch",
                "steps_after_terminal",
                "too_many_steps",
                "too_many_retries",
                "missing_ok",
                "forbidden_field",
            ]
        )
    )
    if code == "status_mismatch":
        forged["status"] = draw(st.sampled_from(["", "done", None, 0, ["completed"]]))
    elif code == "termination_mismatch":
        forged["termination"] = draw(st.sampled_from(["", "done", False, 0, {}]))
    elif code == "count_mismatch":
        forged[draw(st.sampled_from(["steps", "retries"]))] = -draw(st.integers(1, 9))
    elif code == "too_many_retries":
        trace += spelled("xfxx")
    elif code == "too_many_steps":
        trace += spelled(draw(st.sampled_from(["rrrrrrr", "rxrxrxr", "rrrrrrrx"])))
    elif code == "steps_after_terminal":
        trace += spelled("w" + draw(st.sampled_from(["r", "x", "w", "f", "xr"])))
    else:
        trace += spelled(draw(st.sampled_from("rxwf"))) if not trace else []
        place = draw(st.integers(0, len(trace) - 1))
        if code == "missing_ok":
            trace[place]["observation"]["ok"] = draw(st.sampled_from([None, 0, 1, "no"]))
        else:
            marked(trace, place, draw(st.sampled_from(NAMES)), draw(st.integers(0, 2)))
    return code, forged
