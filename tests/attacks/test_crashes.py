"""Answers that try to look better under a kill than they are. The honest verdict on each is known beforehand."""

import random
from pathlib import Path

import pytest

from course_lib.crash import store
from grader.judge.api import AnswerRaised
from grader.judge.learner import Learner
from grader.kernel.confine import missing_layers
from grader.kernel.crash import Crashes
from grader.kernel.trouble import Trouble

LIBRARY = Path(__file__).parents[2] / "course_lib"
CONFINED = not any("no Landlock" in line or "signals" in line for line in missing_layers())

HEAD = """
import os, socket, struct, sys, json

def known(db, key):
    return db.execute("SELECT 1 FROM obligations WHERE key = ?", (key,)).fetchone()

def note(db, key):
    columns = "(task_id, kind, key, state, created_at)"
    db.execute(f"INSERT INTO obligations {columns} VALUES ('t', 'k', ?, 'done', 'now')", (key,))
    db.commit()
"""
SLOPPY = """
    if known(db, key):
        return
    witness.act(key)
    note(db, key)
"""


class Witness:
    def __init__(self):
        self._seen = 0

    def act(self, what):
        self._seen += 1
        return self._seen


class Notebook:
    """A transport that can do nothing but start the harness."""

    def __init__(self, cells):
        self.harness = Crashes(cells, {}, LIBRARY, sweep_seconds=30, call_seconds=2)

    def crashes(self):
        return self.harness


@pytest.fixture
def learner(request):
    made = []

    def make(*cells):
        notebook = Notebook([HEAD, *cells])
        made.append(notebook)
        return Learner(notebook)

    yield make
    for notebook in made:
        notebook.harness.close()


def support(learner, how):
    """The counts of effects that this way of killing finds, or the reason why there is no verdict."""
    witnesses = []

    def new_args():
        witnesses.append(Witness())
        return store(), learner.remote(witnesses[-1]), "k"

    try:
        match how:
            case "sweep":
                learner.crash.sweep("commit", new_args)
            case "calls":
                learner.crash.calls("commit", new_args)
            case _:
                learner.crash.strike("commit", new_args, random.Random(3), rounds=40)
    except Trouble as trouble:
        return trouble.reason
    except AnswerRaised as raised:
        return raised.fault.type
    return {witness._seen for witness in witnesses[1:]}


def caught(learner):
    """Whether any of the ways refuses it or finds the second effect."""
    found = [support(learner, how) for how in ("sweep", "calls", "strike")]
    return any(isinstance(one, str) or one != {1} for one in found), found


def test_the_honest_verdict(learner):
    assert support(learner(f"def commit(db, witness, key):{SLOPPY}"), "sweep") == {1, 2}


PROGRAMS = {
    "patches the library in the notebook": """
import course_lib.crash, course_lib.crash_worker
course_lib.crash.sweep = lambda *args, **kwargs: {1}
course_lib.crash.run_sweep = lambda *args, **kwargs: iter(())
course_lib.crash_worker.Counter._step = lambda self, frame: None

def commit(db, witness, key):
    course_lib.crash
""",
    "patches the counter in its own process": """
def commit(db, witness, key):
    import course_lib.crash_worker as worker
    worker.Counter._step = lambda self, frame: None
    worker.Counter._traced = lambda self, frame, event, arg: None
    worker.Counter._instruction = lambda self, code, offset: None
""",
    "switches tracing off": """
def commit(db, witness, key):
    sys.settrace(None)
    if hasattr(sys, "monitoring"):
        sys.monitoring.set_events(3, 0)
""",
    "patches os.kill": """
def commit(db, witness, key):
    os.kill = lambda *args: None
""",
    "forges its own report": """
def commit(db, witness, key):
    body = json.dumps({"value": None, "args_after": [None, None, "k"], "stdout": "", "count": 1, "points": [[1, 0]]})
    data = struct.pack(">cHI", b"D", 0, len(body)) + body.encode()
    for number in range(3, 12):
        try:
            socket.socket(fileno=os.dup(number)).sendall(data)
        except OSError:
            pass
""",
    "behaves while it is traced": """
def commit(db, witness, key):
    if sys.gettrace() or (hasattr(sys, "monitoring") and sys.monitoring.get_tool(3)):
        return witness.act(key) if False else None
""",
    "forks": """
def commit(db, witness, key):
    if os.fork():
        os.waitpid(-1, 0)
        return
""",
    "leaves without a word": """
def commit(db, witness, key):
    os._exit(0)
""",
    "hangs": """
def commit(db, witness, key):
    while True:
        pass
""",
    "kills the process that forked it": """
def commit(db, witness, key):
    os.kill(os.getppid(), 9)
""",
    "writes nonsense to every line": """
def commit(db, witness, key):
    for number in range(3, 12):
        try:
            os.write(number, b"A" * 100000)
        except OSError:
            pass
""",
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_nothing_of_this_hides_the_second_effect(learner, program):
    gained_nothing, found = caught(learner(program.rstrip() + SLOPPY))
    assert gained_nothing, found


def test_a_lost_harness_is_replaced(learner):
    bad = "def commit(db, witness, key):\n    while True: pass\n"
    good = f"def other(db, witness, key):{SLOPPY}"
    one = learner(bad, good)
    assert support(one, "sweep") == "time"
    witness = Witness()
    case = one.crash.case("other", (store(), one.remote(witness), "k"))
    assert case.ending.outcome.value is None
    assert witness._seen == 1


@pytest.mark.skipif(not CONFINED, reason="no Landlock with signals here")
def test_a_case_cannot_write_to_another_or_kill_the_harness(learner):
    one = learner("""
def write(path):
    with open(path, "w") as file:
        file.write("mine")

def kill():
    os.kill(os.getppid(), 9)
""")
    first = one.crash.case("write", ("mine.txt",))
    assert one.crash.files([first], "mine.txt") == [b"mine"]
    second = one.crash.case("write", (str(first.folder / "mine.txt"),))
    assert second.ending.outcome.error.type == "PermissionError"
    third = one.crash.case("write", (str(Path.home() / "here.txt"),))
    assert third.ending.outcome.error is not None
    assert one.crash.case("kill", ()).ending.outcome.error.type == "PermissionError"


def test_a_case_cannot_fill_the_machine(learner):
    one = learner("""
def file():
    with open("large", "wb") as file:
        for _ in range(100):
            file.write(bytes(1_000_000))

def memory():
    return len(bytes(3_000_000_000))
""")
    assert one.crash.case("file", ()).ending.outcome.error.type == "OSError"
    assert one.crash.case("memory", ()).ending.outcome.error.type == "MemoryError"


def test_a_case_reaches_its_own_witness_only(learner):
    one = learner("""
def commit(witness):
    for number in range(5):
        object.__setattr__(witness._Remote__ref, "id", number)
        try:
            witness.act("forged")
        except Exception:
            pass
    object.__setattr__(witness._Remote__ref, "id", 0)
""")
    earlier, own = Witness(), Witness()
    one.crash.case("commit", (one.remote(earlier),))
    before = earlier._seen
    one.crash.case("commit", (one.remote(own),))
    assert before == 1
    assert (earlier._seen, own._seen) == (1, 1)


def test_what_is_left_is_read_by_somebody_else(learner, tmp_path):
    """A database rewritten as something else, a link in its place, endless rows: an answer, and a bounded one."""
    secret = tmp_path / "secret"
    secret.write_text("expected value")
    one = learner("""
def nonsense(): open("record.db", "wb").write(b"not a database" * 1000)
def link(path): os.symlink(path, "record.db")
def pipe(): os.mkfifo("record.db")
def endless(db):
    db.execute("DROP TABLE effects")
    db.execute("CREATE VIEW effects AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n")
    db.commit()
def large(db):
    db.execute("INSERT INTO effects (key, payload) VALUES ('k', ?)", ("x" * 1000000,))
    db.commit()
""")
    cases = [
        one.crash.case("nonsense", ()),
        one.crash.case("link", (str(secret),)),
        one.crash.case("pipe", ()),
        one.crash.case("endless", (store(),)),
        one.crash.case("large", (store(),)),
    ]
    found = one.crash.rows(cases, "SELECT * FROM effects")
    assert found[:3] == [None, None, None]
    assert len(found[3]) <= 200
    assert len(found[4][0][2]) <= 20_000
    assert one.crash.files(cases[1:3], "record.db") == [None, None]
