"""From an author's sources (solutions/NN_*.py, public/, hidden/) to notebooks, solved notebooks and manifest.

`build(course)` writes what changed and returns its paths; `out_of_step(course)` only says what would change.
"""

from grader.build.check import out_of_step
from grader.build.write import build

__all__ = ["build", "out_of_step"]
