"""A notebook's own sweeps while it is graded: in a confined kernel, and thin, as the grader sweeps by itself."""

from pathlib import Path

from course_lib.crash import MOST_WHILE_GRADING, store
from grader.course import Limits
from grader.judge.learner import Learner
from grader.kernel.session import Session

CELL = """
from course_lib.crash import Outside, store, sweep


class Witness(Outside):
    def __init__(self):
        self.seen = 0

    def act(self):
        self.seen += 1


def act_then_record(db, witness):
    if db.execute("SELECT 1 FROM effects").fetchone():
        return
    witness.act()
    db.execute("INSERT INTO effects (key, payload) VALUES ('k', 'p')")
    db.commit()


def probe():
    made = sweep(act_then_record, lambda: (store(), Witness()), lambda case: case.args[1].seen)
    return made.outcomes, len(made.cases)
"""


def test_a_sweep_in_a_graded_notebook() -> None:
    library = Path(__file__).parents[2] / "course_lib"
    with Session([CELL], {"probe": ""}, Limits(), library) as session:
        outcomes, kills = Learner(session).call("probe").value
        assert outcomes == {1, 2}
        assert kills <= MOST_WHILE_GRADING
        # The grader's own harness, for the same cells, is not thinned out.
        learner, witnesses = Learner(session), []

        def new_args():
            witnesses.append(Count())
            return store(), learner.remote(witnesses[-1])

        made = learner.crash.sweep("act_then_record", new_args)
        learner.close()
    assert {witness._seen for witness in witnesses[1:]} == {1, 2}
    assert len(made.cases) > MOST_WHILE_GRADING


class Count:
    def __init__(self) -> None:
        self._seen = 0

    def act(self) -> None:
        self._seen += 1
