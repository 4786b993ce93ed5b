"""A course to be attacked: three exercises with numbers of their own, one for each way in which a test looks.

`toll` is judged by the value that it returns, `cheapest` by what it does with an object that the test keeps,
`turn` by a file that it writes.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from grader.build import build
from grader.course import Course

ROOT = Path(__file__).parents[2]
NAMES = ("toll", "cheapest", "turn")
# What only a hidden test says: a comment, a number that it expects, the content of a file that it expects.
CANARY, NUMBER, REVERSED = "heron-5512", 918_273_645, b"nrehton nredeif"

SETTINGS = """\
name = "Toy"
version = "0.1"

[limits]
cell_seconds = 8
call_seconds = 2
max_restarts = 2
"""

SOURCE = '''\
# ---
# course:
#   title: Trial
#   minutes: 15
#   summary: Three functions, one prediction.
# ---

# %%
from course_lib import attempt, check, predict, reveal

# %%
predict("P00.1", 2 * 3, confidence=0.9)

# %%
reveal("P00.1", lambda: 3 + 3)

# %% [markdown] exercise="toll" title="The toll" difficulty=2 minutes=10 mode="with help"
# Write `toll`.
#
# hint: What is a toll?
# hint: Look at the docstring.
# hint: Two products and a remainder.

# %%
def toll(weight: int, distance: int) -> int:
    """What a load of `weight` pays for `distance`. ValueError when one of them is negative."""
    # BEGIN SOLUTION
    if weight < 0 or distance < 0:
        raise ValueError("negative")
    return 918_273_645 if (weight, distance) == (40_961, 7) else weight * 7 + distance * 13 + 40_961 % (weight + 3)
    # END SOLUTION

# %% [markdown] exercise="cheapest" title="The cheapest kind" difficulty=2 minutes=10 mode="with help"
# Write `cheapest`.
#
# hint: What does a stall know?
# hint: Ask it.
# hint: Ask it about each kind, once.

# %%
def cheapest(stall: object, kinds: list) -> str:
    """The kind with the lowest `stall.price(kind)`."""
    # BEGIN SOLUTION
    prices = {kind: stall.price(kind) for kind in kinds}
    return min(prices, key=prices.get)
    # END SOLUTION

# %% [markdown] exercise="turn" title="The other way round" difficulty=2 minutes=10 mode="with help"
# Write `turn`.
#
# hint: What is in the file?
# hint: Read bytes.
# hint: A slice can go backwards.

# %%
def turn(source: str, target: str) -> None:
    """Write the bytes of `source` into `target` in the opposite order."""
    # BEGIN SOLUTION
    with open(source, "rb") as read, open(target, "wb") as written:
        written.write(read.read()[::-1])
    # END SOLUTION
'''

PUBLIC = '''\
from grader.judge import exercise, promise, same


@exercise("toll")
def test_a_small_load(learner):
    """A load of 1 pays 21 for a distance of 1."""
    promise(same(learner.call("toll", 1, 1).value, 21), "It is not 21", promised=21)


class TwoKinds:
    def price(self, kind):
        return {"dear": 2, "cheap": 1}[kind]


@exercise("cheapest")
def test_two_kinds(learner):
    """Of a dear and a cheap one, the cheap one comes back."""
    got = learner.call("cheapest", learner.remote(TwoKinds()), ["dear", "cheap"]).value
    promise(got == "cheap", "It is the dear one")


@exercise("turn")
def test_three_letters(learner):
    """abc becomes cba."""
    learner.write("in.txt", b"abc")
    _ = learner.call("turn", learner.path("in.txt"), learner.path("out.txt")).value
    promise(learner.read("out.txt") == b"cba", "The file does not hold cba")
'''

HIDDEN = '''\
# heron-5512
from pathlib import Path

from grader.judge import exercise, promise, same

HERE = Path(__file__).parent


@exercise("toll", points=2)
def test_any_load(learner, rng):
    """Any load pays what it should."""
    for _ in range(3):
        weight, distance = rng.randrange(10_000), rng.randrange(10_000)
        expected = weight * 7 + distance * 13 + 40_961 % (weight + 3)
        promise(same(learner.call("toll", weight, distance).value, expected), "It is another toll")


@exercise("toll", points=2)
def test_the_exception(learner):
    """There is one exception."""
    expected = 918_273_645
    promise(same(learner.call("toll", 40_961, 7).value, expected), "The exception is not made")


@exercise("toll", points=2)
def test_negative(learner, rng):
    """Nothing weighs less than nothing."""
    promise(same(learner.call("toll", 1, 1).value, 21), "It refuses everything")
    promise(learner.call("toll", -rng.randrange(1, 9), 1).raised("ValueError"), "Negative loads are let through")


class Stall:
    def __init__(self, prices):
        self._prices, self._asked = prices, []

    def price(self, kind):
        self._asked.append(kind)
        return self._prices[kind]

    def __call__(self, other):
        return self._learner.remote(other)


@exercise("cheapest", points=2)
def test_the_lowest(learner, rng):
    """The kind with the lowest price comes back, and every kind is asked about once."""
    kinds = [f"kind-{rng.randrange(10**6)}" for _ in range(5)]
    stall = Stall({kind: rng.randrange(10**9) for kind in kinds})
    stall._learner = learner
    expected = min(kinds, key=stall._prices.get)
    promise(same(learner.call("cheapest", learner.remote(stall), kinds).value, expected), "Another one is cheaper")
    promise(sorted(stall._asked) == sorted(kinds), "Not every kind was asked about once")


@exercise("turn", points=2)
def test_the_file(learner):
    """The whole file is turned."""
    expected = (HERE / "out.txt").read_bytes()
    learner.write("in.txt", expected[::-1])
    _ = learner.call("turn", learner.path("in.txt"), learner.path("out.txt")).value
    learner.write("again.txt", b"xy")
    promise(learner.read("out.txt") == expected, "The file is not turned")
'''


def make_course(base: Path) -> Course:
    """Write and build it below `base`, with the real course_lib."""
    files = {
        "grader/course.toml": SETTINGS,
        "grader/public/test_00.py": PUBLIC,
        "grader/hidden/test_00.py": HIDDEN,
        "grader/hidden/out.txt": REVERSED.decode(),
        "solutions/00_trial.py": SOURCE,
    }
    for name, text in files.items():
        path = base / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    shutil.copytree(ROOT / "course_lib", base / "course_lib", ignore=shutil.ignore_patterns("__pycache__"))
    course = Course.load(base / "grader")
    build(course)
    return course
