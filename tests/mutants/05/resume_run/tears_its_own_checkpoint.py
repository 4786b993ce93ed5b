"""A checkpoint is a file like any other, and is written like any other."""

import json
from pathlib import Path

from course_lib.agent import _tool_call


def tally(trace):
    return len(trace), sum(not seen["observation"]["ok"] for seen in trace)


def resume_run(path, adapter, tools, rule, *, task_id="summarize-notes"):
    run = {"task_id": task_id, "steps": 0, "retries": 0, "trace": []}
    if Path(path).exists():
        run = json.loads(Path(path).read_text("utf-8"))
        if not isinstance(run, dict) or set(run) != {"task_id", "steps", "retries", "trace"}:
            raise ValueError("no checkpoint")
        if (run["steps"], run["retries"]) != tally(run["trace"]):
            raise ValueError("contradiction")
    trace = run["trace"]
    end = rule(trace)
    while end is None:
        proposal = adapter.next_action(list(trace))
        trace.append({"action": proposal, "observation": _tool_call(tools, proposal)})
        run["steps"], run["retries"] = tally(trace)
        with open(path, "w", encoding="utf-8") as stream:
            for part in json.JSONEncoder().iterencode(run):
                stream.write(part)
        end = rule(trace)
    return {**run, "status": end[0], "termination": end[1]}


CATCHES = "raises"
TEST = "test_killed_at_its_instructions"


class Adapter:
    def __init__(self):
        self.asked = 0

    def next_action(self, history):
        self.asked += 1
        return {"tool": "look", "args": {"n": len(history)}}


def entry(n, ok=True):
    return {"action": {"tool": "look", "args": {"n": n}}, "observation": {"ok": ok}}


def told(resume, checkpoint, size=3, task="other"):
    """What comes back, what was called, and what is in the file."""
    calls, path = [], Path("run.json")
    path.unlink(missing_ok=True)
    if checkpoint is not None:
        path.write_text(checkpoint if isinstance(checkpoint, str) else json.dumps(checkpoint))

    def look(args):
        calls.append((args["n"], path.read_text() if path.exists() else ""))
        return {"ok": True}

    def rule(trace):
        return ("completed", "goal_reached") if len(trace) >= size else None

    adapter = Adapter()
    try:
        got = resume(path, adapter, {"look": look}, rule, task_id=task)
    except ValueError:
        got = "ValueError"
    return got, [n for n, _ in calls], adapter.asked, [len(text) for _, text in calls]


BEGUN = {"task_id": "one", "steps": 2, "retries": 1, "trace": [entry(0, False), entry(1)]}


def witness(mutant, reference):
    kept = []
    for resume in (mutant, reference):
        Path("run.json").write_text(json.dumps(BEGUN))
        with open("run.json") as old:  # whoever has the old file open keeps it when the name is replaced
            resume(
                "run.json", Adapter(), {"look": lambda args: {"ok": True}}, lambda t: ("a", "b") if len(t) > 2 else None
            )
            kept.append(old.read())
    return kept[0] != kept[1]
