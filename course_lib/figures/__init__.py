"""The figures of the notebooks. Each function returns a matplotlib Figure; `show` displays it.

show(run_strip(recording("invalid-arguments")))
"""

from .audit import corruption_matrix, counter_example, kill_matrix
from .canvas import alt_text, png, show
from .crash import crash_timeline, kill_map, outcome_bars, strike_bars
from .effects import hash_strip, key_grid, retry_amplification
from .gates import evaluations_by_order, gate_waterfall, token_stairs
from .predictions import calibration
from .replay import checkpoint_diff, prefix_grid, rebuilt_and_outside
from .runs import run_strip
from .state import state_timeline, transition_diagram

__all__ = [
    "alt_text",
    "calibration",
    "checkpoint_diff",
    "corruption_matrix",
    "counter_example",
    "crash_timeline",
    "evaluations_by_order",
    "gate_waterfall",
    "hash_strip",
    "key_grid",
    "kill_map",
    "kill_matrix",
    "outcome_bars",
    "png",
    "prefix_grid",
    "rebuilt_and_outside",
    "retry_amplification",
    "run_strip",
    "show",
    "state_timeline",
    "strike_bars",
    "token_stairs",
    "transition_diagram",
]
