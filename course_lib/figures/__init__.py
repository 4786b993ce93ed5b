"""The figures of the notebooks. Each function returns a matplotlib Figure; `show` displays it.

show(run_strip(recording("invalid-arguments")))
"""

from .canvas import alt_text, png, show
from .predictions import calibration
from .replay import checkpoint_diff, prefix_grid, rebuilt_and_outside
from .runs import run_strip

__all__ = [
    "alt_text",
    "calibration",
    "checkpoint_diff",
    "png",
    "prefix_grid",
    "rebuilt_and_outside",
    "run_strip",
    "show",
]
