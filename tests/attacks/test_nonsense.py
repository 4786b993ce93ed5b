"""Programs that gain nothing and mean to break the grader: it answers all the same, and calls none of it a fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course import Course
from tests.attacks import toy
from tests.attacks.test_attacks import answers, course, graded, hand_in

__all__ = ["course"]

ODD_VALUES = """
import sys

sys.setrecursionlimit(100_000)
itself = []
itself.append(itself)
deep = []
for _ in range(50_000):
    deep = [deep]


class Broken:
    def __getattribute__(self, name):
        raise SystemExit("no")


class Long:
    __repr__ = __str__ = lambda self: "x" * 10**8


class Message(Exception):
    def __str__(self):
        raise KeyboardInterrupt


Message.__name__ = Message.__qualname__ = chr(27) + "[2J" + "x" * 10_000
turns = iter([itself, Broken(), [Long(), type(Broken()), 1 << 200_000, -(1 << 40_000)], "x" * 10_000_000])
colliding = {n * (2**61 - 1) for n in range(6_000)}
small = [deep, float("nan"), chr(0xD800), {chr(0xD800): 1}, {"$": "remote", "id": 0}, lambda: 0, sys, Ellipsis]


def answer(name, *args, **kwargs):
    print("x" * 10**6)
    if name == "toll":
        return next(turns, small)
    if name == "cheapest":
        raise Message
    return colliding
"""

# `send` speaks on the kernel's own sockets, in its own name; `line` is the one that goes to the grader.
SOCKETS = """
import contextlib
import gc

from IPython import get_ipython

kernel = get_ipython().kernel
line = next(thing for thing in gc.get_objects() if type(thing).__name__ == "_Grader").line


def send(kind, content, **header):
    kernel.session.send(kernel.iopub_socket, kind, content, parent=kernel.get_parent(), ident=b"x")


def garbage(*parts):
    with contextlib.suppress(Exception):
        kernel.iopub_thread.socket.send_multipart(list(parts))


def everything():
    kinds = "display_data error stream status execute_input execute_result update_display_data clear_output"
    for kind in (kinds + " comm_open comm_msg comm_close execute_reply input_request").split():
        for content in ({}, {"data": 1}, {"execution_state": 5}, {"ename": 1, "evalue": [], "traceback": 3}, [], "x"):
            with contextlib.suppress(Exception):
                send(kind, content)
    garbage(b"")
    garbage(b"x", b"<IDS|MSG>", b"not a signature", b"{}", b"{}", b"{}", b"{}")
    garbage(b"<IDS|MSG>", b"", b"[", b"5", b"null", bytes([255, 254]))


def answer(name, *args, **kwargs):
    everything()
    for said in ("", "[]", "null", "{", '{"t": []}', '{"t": "callback"}', '{"t": "callback", "id": 1e9}', "x" * 100):
        line.put(said.encode())
    for number in ("1e99", "-1", '"1"', "[[]]", "9" * 400, "9" * 5000, "true"):
        line.put(b'{"t": "callback", "id": 0, "n": ' + number.encode() + b"}")
    line.put(bytes([255, 254, 0]) + b"[" * 100_000)
    for prompt in (5, None, {}, b"x"):
        with contextlib.suppress(Exception):
            kernel._input_request(prompt, kernel._parent_ident["shell"], kernel.get_parent("shell"))
    return 0
"""

# What a call does with the line to the grader.
THE_LINE = """
import gc
import time

line = next(thing for thing in gc.get_objects() if type(thing).__name__ == "_Grader").line


def answer(name, *args, **kwargs):
    if name == "toll":
        {does}
        time.sleep(9)


# %%
"""
ON_THE_LINE = {
    "hung up": "line.end.close()",
    "half a message": "line.end.sendall(b'{')",
    "many messages": "while True: line.put(b'{}')",
    "questions and no ear": """while True: line.put(b'{"t": "callback"}')""",
    "one that never ends": "while True: line.end.sendall(b'x' * 100_000)",
}

ODD_REPLIES = """
import sys

inside = sys.modules["grader.kernel.inside"]
was = inside.perform
turns = iter([5, [], {{}}, {{"outcomes": 5}}, {{"outcomes": [5]}}, {{"outcomes": [{{"error": "x"}}]}}])


def perform(desk, request, ask):
    if request["op"] == "calls":
        return next(turns, None)
    return {noted} if request["op"] == "noted" else was(desk, request, ask)


inside.perform = perform


def answer(name, *args, **kwargs):
    return 0
"""

LATE_DEATH = """
import os
import threading

threading.Timer(0.05, os._exit, (0,)).start()


def answer(name, *args, **kwargs):
    return 0
"""

HELD_FOLDERS = """
import os
import shutil
from pathlib import Path


def answer(name, *args, **kwargs):
    here = Path.cwd()
    if name == "turn":
        for file in ("out.txt", "again.txt", "in.txt"):
            shutil.rmtree(here / file, ignore_errors=True)
            (here / file).unlink(missing_ok=True)
            (here / file).mkdir()
        return
    for entry in here.parent.iterdir():
        if entry.name != "tmp":
            shutil.rmtree(entry, ignore_errors=True)
    os.chmod(here.parent, 0)
"""

PROGRAMS = {
    "odd values": ODD_VALUES,
    "its own sockets": SOCKETS,
    "its own sockets from the start": SOCKETS + "\n# %%\neverything()",
    **{name: THE_LINE.format(does=does) for name, does in ON_THE_LINE.items()},
    "odd replies": ODD_REPLIES.format(noted="was(desk, request, ask)"),
    "nothing noted": ODD_REPLIES.format(noted='{"noted": 7}'),
    "cells that are not there": ODD_REPLIES.format(noted='{"noted": {"toll": [[99, True], [-1, True]], "turn": 3}}'),
    "a late death": LATE_DEATH,
    "held folders": HELD_FOLDERS,
}


@pytest.mark.parametrize("program", list(PROGRAMS))
def test_the_grader_goes_on(program: str, course: Course, tmp_path: Path) -> None:
    hand_in(tmp_path / "00_trial.ipynb", [*PROGRAMS[program].split("# %%"), answers(toy.NAMES)])
    record, faults = graded(course, tmp_path / "00_trial.ipynb")
    assert not faults
    assert record.score == 0
    assert record.max_score > 0
    for test in (test for exercise in record.notebooks[0].exercises for test in exercise.tests):
        assert test.sentence.isprintable()
        assert len(test.sentence) < 1_000
