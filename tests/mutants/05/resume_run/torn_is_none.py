"""A file that cannot be read is no checkpoint, so the run begins anew."""

import json
from pathlib import Path

from course_lib.agent import _tool_call


def tally(trace):
    return len(trace), sum(not seen["observation"]["ok"] for seen in trace)


def resume_run(path, adapter, tools, rule, *, task_id="summarize-notes"):
    run = {"task_id": task_id, "steps": 0, "retries": 0, "trace": []}
    try:
        found = json.loads(Path(path).read_text("utf-8"))
        if isinstance(found, dict) and set(found) == {"task_id", "steps", "retries", "trace"}:
            if (found["steps"], found["retries"]) == tally(found["trace"]):
                run = found
    except (OSError, ValueError):
        pass
    trace = run["trace"]
    end = rule(trace)
    while end is None:
        proposal = adapter.next_action(list(trace))
        trace.append({"action": proposal, "observation": _tool_call(tools, proposal)})
        run["steps"], run["retries"] = tally(trace)
        atomic_write_json(path, run)
        end = rule(trace)
    return {**run, "status": end[0], "termination": end[1]}


CATCHES = "A tool was called although the file is no whole checkpoint"
TEST = "test_no_silent_new_beginning"


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
    return told(mutant, "{") != told(reference, "{")
