"""`learner.crash.orders`: a test's own program around the answers, raced in processes of the grader's."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import course_lib
from course_lib.crash import store
from course_lib.store import open_store
from grader.judge.api import AnswerRaised
from grader.judge.learner import Learner
from grader.kernel.crash import Crashes

CELLS = [
    "MARK = 'taken'",
    """
def take(db, worker):
    hit = db.execute("UPDATE facts SET value = ? WHERE value = 'free'", (MARK,)).rowcount
    db.commit()
    return hit == 1


def look(db, worker):
    (value,) = db.execute("SELECT value FROM facts").fetchone()
    if value != "free":
        return False
    db.execute("UPDATE facts SET value = ?", (MARK,))
    db.commit()
    return True


def stub(db, worker):
    raise NotImplementedError("stub")


def ends(db, worker):
    import os
    os._exit(0)
""",
]
PROGRAM = """
def go(db, service, worker):
    if {answer}(db, worker):
        service.act(worker)
    return worker
"""


class Service:
    def __init__(self) -> None:
        self._acted: list[str] = []

    def act(self, worker: str) -> None:
        self._acted.append(worker)


class Here:
    """A transport with nothing but a harness."""

    def __init__(self, made: Crashes, home: Path) -> None:
        self.made = made
        self.home = home

    def folder(self) -> Path:
        return self.home

    def crashes(self) -> Crashes:
        return self.made


@pytest.fixture
def learner(tmp_path: Path) -> Iterator[Learner]:
    library = Path(course_lib.__file__).parent
    made = Crashes(CELLS, {}, library, sweep_seconds=20, call_seconds=5, walls=False)
    home = tmp_path / "home"
    home.mkdir()
    learner = Learner(Here(made, home))  # type: ignore[arg-type]
    yield learner
    learner.close()
    made.close()


@pytest.fixture
def record(tmp_path: Path) -> bytes:
    with open_store(tmp_path / "start.db") as db:
        db.execute("INSERT INTO facts VALUES (1, 't', 's', 'p', 'free', 'x', '', '', NULL)")
    db.close()
    return (tmp_path / "start.db").read_bytes()


def race(learner: Learner, record: bytes, answer: str) -> Any:
    def arguments() -> dict[str, tuple[Any, ...]]:
        service = learner.remote(Service())
        return {worker: (store(), service, worker) for worker in "AB"}

    return learner.crash.orders("go", PROGRAM.format(answer=answer), arguments, record, most=20)


@pytest.mark.parametrize(("answer", "acted"), [("take", {1}), ("look", {1, 2})])
def test_witnesses_see_their_own_order_alone(learner: Learner, record: bytes, answer: str, acted: set[int]) -> None:
    runs = race(learner, record, answer)
    assert {len(run.args["A"][1].obj._acted) for run in runs} == acted
    assert all(ending.outcome.value == worker for run in runs for worker, ending in run.endings.items())
    assert learner.crash.rows(runs, "SELECT value FROM facts") == [[("taken",)]] * len(runs)


def test_an_answer_that_is_still_to_be_written_says_so(learner: Learner, record: bytes) -> None:
    with pytest.raises(AnswerRaised) as caught:
        race(learner, record, "stub")
    assert caught.value.fault.type == "NotImplementedError"


def test_a_worker_that_leaves_gives_no_verdict(learner: Learner, record: bytes) -> None:
    from grader.kernel.trouble import Trouble

    with pytest.raises(Trouble, match="did not come to its end"):
        race(learner, record, "ends")


def test_what_is_committed_in_the_tests_own_folder(learner: Learner, record: bytes) -> None:
    path = learner.write("record.db", record)
    query = "SELECT value FROM facts WHERE id = ?"
    assert learner.crash.own_rows(query, 1) == [("free",)]
    db = open_store(path)
    db.execute("UPDATE facts SET value = 'taken'")
    assert learner.crash.own_rows(query, 1) == [("free",)]
    db.commit()  # lies in the write-ahead log, as the connection is still open
    assert learner.crash.own_rows(query, 1) == [("taken",)]
    db.close()
    assert learner.crash.own_rows(query, 1) == [("taken",)]


def test_what_is_no_record_is_none(learner: Learner, record: bytes) -> None:
    assert learner.crash.own_rows("SELECT 1") is None
    learner.write("record.db", b"nothing of the kind " * 100)
    assert learner.crash.own_rows("SELECT * FROM facts") is None
    learner.write("other.db", record)  # the inspector goes on after what it could not read
    assert learner.crash.own_rows("SELECT nonsense", db="other.db") is None
    assert learner.crash.own_rows("SELECT id FROM facts", db="other.db") == [(1,)]
