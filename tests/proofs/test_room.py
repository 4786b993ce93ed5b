"""Forked candidates leave nothing behind for the next one, and meet the same limits as in a kernel."""

from time import sleep

import pytest

from grader.kernel.trouble import Trouble
from tests.proofs.course import Solved
from tests.proofs.loader import Candidate
from tests.proofs.room import Room

NOTEBOOK = """
import textwrap
import os
shared = {"touched": 0}
def helper():
    return "notebook"
"""
REFERENCE = "OWN = 1\n\ndef answer():\n    return [helper(), shared['touched'], os.path.basename(os.getcwd())]"
SOLVED = Solved(
    name="00_small",
    number="00",
    cells=(NOTEBOOK, REFERENCE),
    answers={"answer": (1,)},
    stubs={"answer": "def answer():\n    raise NotImplementedError"},
    own={"answer": ("OWN", "answer")},
    defines={"answer": ("answer",)},
)


@pytest.fixture(scope="module")
def room():
    room = Room(SOLVED, call_seconds=3, startup_seconds=60)
    yield room
    room.close()


def ask(room, cell, calls=1):
    """What came back from each call of answer(), the last line of the room's own account first."""
    call = {"of": "name", "name": "answer", "handle": None, "keep": False, "args": [], "kwargs": {}}
    with room.answer(Candidate("mutant", "00", "answer", "slug", cell)) as transport:
        request = {"op": "calls", "calls": [call] * calls, "folder": str(transport.folder())}
        outcomes = transport.request(request)["outcomes"]
        return transport.failed, [outcome.get("value", outcome.get("error")) for outcome in outcomes]


def test_what_a_candidate_does_ends_with_it(room):
    spoils = (
        "def helper():\n    return 'mine'\n\n"
        "def answer():\n"
        "    shared['touched'] += 1\n    textwrap.dedent = None\n    os.chdir('/')\n    os.environ['X'] = 'y'\n"
        "    return [helper(), shared['touched'], os.environ['X']]"
    )
    assert ask(room, spoils, calls=2) == ("", [["mine", 1, "y"], ["mine", 2, "y"]])
    unspoilt = "def answer():\n    return [helper(), shared['touched'], os.environ.get('X'), callable(textwrap.dedent)]"
    assert ask(room, unspoilt) == ("", [["notebook", 0, None, True]])


def test_a_candidate_runs_in_the_folder_of_its_test(room):
    assert ask(room, REFERENCE) == ("", [["notebook", 0, "t1"]])


def test_nothing_of_the_reference_answer_is_left(room):
    _, [fault] = ask(room, "def answer():\n    return OWN")
    assert fault["type"] == "NameError"
    _, [fault] = ask(room, "pass")
    assert fault["type"] == "NameError"


def test_a_cell_that_raises_is_told(room):
    assert ask(room, "def answer():\n    return 1\n\n1 / 0") == ("ZeroDivisionError: division by zero", [1])


@pytest.mark.parametrize(
    ("does", "reason"),
    [("while True:\n        pass", "time"), ("os._exit(0)", "killed"), ("os.kill(os.getpid(), 9)", "killed")],
)
def test_a_lost_process_is_trouble(room, does, reason):
    with pytest.raises(Trouble) as caught:
        ask(room, f"def answer():\n    {does}")
    assert caught.value.reason == reason


def test_what_a_candidate_started_ends_with_it(room, tmp_path):
    late = tmp_path / "late"
    command = ["sh", "-c", f"sleep 0.5; touch '{late}'"]
    assert ask(room, f"import subprocess\n\ndef answer():\n    subprocess.Popen({command})") == ("", [None])
    sleep(1)
    assert not late.exists()


def test_a_witness_tells_true_only_for_a_difference(room):
    same = "def answer():\n    return [helper(), 0, 1]\n\ndef witness(mutant, reference):\n    "
    for body, told in (
        ("return mutant() != reference()", "True"),
        ("return mutant() == reference()", "False"),
        ("return mutant()[:2] and 1", "1"),
        ("return nothing", "NameError: name 'nothing' is not defined (line 5 of witness)"),
    ):
        mutant = Candidate("mutant", "00", "answer", "slug", "", text=same + body)
        assert room.witness(mutant) == told
