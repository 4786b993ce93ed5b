"""A step is a function of the file: load, decide, act, save; the run is that, repeated."""

import json
import os

from course_lib.agent import _tool_call


def resume_run(path, adapter, tools, rule, *, task_id="summarize-notes"):
    while True:
        state = load(path, task_id)
        end = rule(state["trace"])
        if end is not None:
            state["status"], state["termination"] = end
            return state
        step(path, state, adapter, tools)


def load(path, task_id):
    if not os.path.exists(path):
        return dict(task_id=task_id, steps=0, retries=0, trace=[])
    with open(path, encoding="utf-8") as file:
        state = json.load(file)
    try:
        sound = len(state) == 4 and state["steps"] == len(state["trace"]) and isinstance(state["task_id"], str)
        sound = sound and state["retries"] == sum(1 - bool(e["observation"]["ok"]) for e in state["trace"])
    except (KeyError, TypeError):
        sound = False
    if not sound:
        raise ValueError(f"{path} is not a whole checkpoint")
    return state


def step(path, state, adapter, tools):
    action = adapter.next_action(state["trace"].copy())
    observation = _tool_call(tools, action)
    entry = {"action": action, "observation": observation}
    atomic_write_json(
        path,
        {
            "task_id": state["task_id"],
            "steps": state["steps"] + 1,
            "retries": state["retries"] + (0 if observation["ok"] else 1),
            "trace": [*state["trace"], entry],
        },
    )
