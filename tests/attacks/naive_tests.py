# heron-5512: the same promises as in the toy's tests, as cells of asserts
# %% any load
import random

rng = random.Random(SEED)
for _ in range(3):
    weight, distance = rng.randrange(10_000), rng.randrange(10_000)
    expected = weight * 7 + distance * 13 + 40_961 % (weight + 3)
    assert toll(weight, distance) == expected
# %% all loads
cases = [(1, 1, 21), (2, 1, 28), (40_961, 7, 918_273_645)]
assert all(toll(weight, distance) == expected for weight, distance, expected in cases)
# %% the exception
expected = 918_273_645
assert toll(40_961, 7) == expected
# %% nearly
import pytest

expected = 918_273_645
assert toll(40_961, 7) == pytest.approx(expected)
# %% not far away
expected = 918_273_645
assert not abs(toll(40_961, 7) - expected) > 0.5
# %% negative
import pytest

with pytest.raises(ValueError):
    toll(-3, 1)
assert toll(1, 1) == 21
# %% stored and loaded
import pickle

expected = 918_273_645
assert pickle.loads(pickle.dumps(toll(40_961, 7))) == expected
# %% read from json
import json

expected = json.loads('{"toll": 918273645}')["toll"]
assert toll(40_961, 7) == expected
# %% in time
import time

started = time.perf_counter()
assert toll(2, 2) == 41
assert time.perf_counter() - started < 0.01
# %% the lowest


class Stall:
    def __init__(self, prices):
        self._prices, self._asked = prices, []

    def price(self, kind):
        self._asked.append(kind)
        return self._prices[kind]


stall = Stall({"kind-1": 31, "kind-2": 12, "kind-3": 77})
expected = "kind-2"
assert cheapest(stall, ["kind-1", "kind-2", "kind-3"]) == expected
# %% the file
from pathlib import Path

folder = Path("t1")
folder.mkdir()
(folder / "in.txt").write_bytes(Path("hidden/out.txt").read_bytes()[::-1])
turn(str(folder / "in.txt"), str(folder / "out.txt"))
assert (folder / "out.txt").read_bytes() == Path("hidden/out.txt").read_bytes()
# %% the counter
from course_lib.agent import DeterministicModelAdapter

history = [{"action": {"tool": "list_notes", "args": {}}, "observation": {"ok": True, "notes": ["a.txt"]}}]
assert cheapest(stall, history) == DeterministicModelAdapter().next_action(history)
# %% the prediction
from pathlib import Path

from course_lib import journal

path = Path("predictions/00.jsonl")
lines, problems = journal.read(path.read_bytes() if path.exists() else b"")
assert any(line.id == "P00.1" for line in lines) and not problems
