"""A small course on disk, with one notebook, one exercise, one public and one hidden test."""

from __future__ import annotations

from pathlib import Path

from grader.build.plan import make_plan
from grader.course import Course

BUILT = ["notebooks/00_twice.ipynb", "grader/manifest.json", "solutions/00_twice.ipynb"]

SETTINGS = """\
name = "Toy"
version = "0.1"

[limits]
cell_seconds = 30
"""

SOURCE = '''\
# ---
# course:
#   title: Twice as much
#   minutes: 15
#   summary: One function, one prediction.
# ---

# %% [markdown]
# You learn to double.

# %%
from course_lib import attempt, check, predict, reveal

# %% [markdown]
# ### Before you run · P00.1
# What is twice three?

# %%
predict("P00.1", 2 * 3, confidence=0.9)

# %%
reveal("P00.1", lambda: 3 + 3)

# %% [markdown] exercise="double" title="Double it" difficulty=2 minutes=10 mode="with help"
# Doubling is everywhere.
#
# Write `double(number)`.
#
# hint: What is twice something?
# hint: Add it
# to itself.
# hint: There is an operator for products.

# %%
def double(number: int) -> int:
    """Twice `number`."""
    # BEGIN SOLUTION
    answer = number * 2
    return answer
    # END SOLUTION

# %%
with attempt("double"):
    print("double of 21:", double(21))
'''

LIBRARY = '''\
"""What the toy's notebook imports."""

from contextlib import suppress


def attempt(name):
    return suppress(NotImplementedError)


def check(name):
    print("checked", name)


def predict(id, value, confidence):
    print(id, value, confidence)


def reveal(id, function):
    print(id, function())
'''

PUBLIC = '''\
from grader.judge import exercise, promise


@exercise("double", points=1)
def test_small(learner):
    """A small number comes back doubled"""
    promise(learner.call("double", 2).value == 4, "It is squared")
'''

HIDDEN = '''\
from grader.judge import exercise, promise


@exercise("double", points=2, after="test_small")
def test_any(learner, rng):
    """Any whole number comes back doubled."""
    number = rng.randrange(-99, 99)
    promise(learner.call("double", number).value == number + number, "Only small numbers are doubled")
'''

FILES = {
    "grader/course.toml": SETTINGS,
    "grader/public/test_00.py": PUBLIC,
    "grader/hidden/test_00.py": HIDDEN,
    "course_lib/__init__.py": LIBRARY,
    "solutions/00_twice.py": SOURCE,
}


def make_course(base: Path, **changed: str) -> Course:
    """Write the toy below `base`; `changed` gives other text for a file by its stem's role."""
    roles = {
        "settings": "grader/course.toml",
        "public": "grader/public/test_00.py",
        "hidden": "grader/hidden/test_00.py",
        "library": "course_lib/__init__.py",
        "source": "solutions/00_twice.py",
    }
    texts = {**FILES, **{roles[role]: text for role, text in changed.items()}}
    for name, text in texts.items():
        path = base / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return Course.load(base / "grader")


def planned(course: Course) -> list[str]:
    """The text of each cell of the learner's notebook, as a build would write it."""
    return [cell.learner for cell in make_plan(course).targets[0].cells]
