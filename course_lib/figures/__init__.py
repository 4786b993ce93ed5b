"""The figures of the notebooks. Each function returns a matplotlib Figure; `show` displays it.

show(run_strip(recording("invalid-arguments")))

While a notebook is graded nobody looks: each returns None then, and matplotlib is not even loaded.
"""

import os

from .audit import corruption_matrix, counter_example, kill_matrix
from .canvas import alt_text, png, show, undrawn
from .capstone import run_kill_map, run_report
from .crash import crash_timeline, kill_map, outcome_bars, strike_bars
from .effects import hash_strip, key_grid, retry_amplification
from .evidence import Dated, admissible_plane, evidence_waterfall, gate_matrix
from .gates import evaluations_by_order, gate_waterfall, token_stairs
from .predictions import calibration
from .replay import checkpoint_diff, prefix_grid, rebuilt_and_outside
from .runs import run_strip
from .state import state_timeline, transition_diagram
from .state_layer import obligation_states, race_map, score_against_truth, version_chain

__all__ = [
    "Dated",
    "admissible_plane",
    "alt_text",
    "calibration",
    "checkpoint_diff",
    "corruption_matrix",
    "counter_example",
    "crash_timeline",
    "evaluations_by_order",
    "evidence_waterfall",
    "gate_matrix",
    "gate_waterfall",
    "hash_strip",
    "key_grid",
    "kill_map",
    "kill_matrix",
    "obligation_states",
    "outcome_bars",
    "png",
    "prefix_grid",
    "race_map",
    "rebuilt_and_outside",
    "retry_amplification",
    "run_kill_map",
    "run_report",
    "run_strip",
    "score_against_truth",
    "show",
    "state_timeline",
    "strike_bars",
    "token_stairs",
    "transition_diagram",
    "version_chain",
]

if os.environ.get("COURSE_GRADING"):
    for _name in set(__all__) - {"Dated", "alt_text", "png", "show"}:
        globals()[_name] = undrawn
