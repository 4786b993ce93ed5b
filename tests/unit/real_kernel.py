"""One real kernel for the tests of a file: the cell that it has run, and fixtures to call into it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from grader.course import Limits
from grader.judge.learner import Learner
from grader.kernel.session import Session

LIBRARY = Path(__file__).parents[2] / "course_lib"
CELL = '''\
import dataclasses, os, sys, threading, time
from course_lib.agent import Divergence


@dataclasses.dataclass
class Point:
    x: int
    y: int


class Odd:
    __eq__ = lambda *_: True


def echo(value):
    return value


def give(what):
    return {"point": Point(1, 2), "odd": Odd(), "odds": [Odd()], "divergence": Divergence(1, {}, {}),
            "surrogate": "half \\ud800", "nan": float("nan"), "generator": (n for n in [1])}[what]


def fail(kind, message=""):
    raise {"key": KeyError, "exit": SystemExit, "own": type("OwnError", (ValueError,), {})}[kind](message)


def speak():
    print("out")
    print("err", file=sys.stderr)
    return input("who? ")


def fill(numbers, table):
    numbers.append(4)
    table["new"] = True


class Counter:
    def __init__(self, start=0):
        self.count = start

    def add(self, number):
        self.count += number
        return self.count


def read_count(counter):
    return counter.count


def use(spy, numbers):
    spy.first(1, key="a")
    spy.first(numbers)
    return spy(2), spy.label, numbers


def by_name(spy, numbers):
    spy.spoil(numbers=numbers)
    return numbers


def keep_odd(spy):
    odd = [Odd(), Point(1, 2)]
    spy.first(odd)
    return type(odd[0]).__name__, type(odd[1]).__name__


def from_threads(spy, count):
    threads = [threading.Thread(target=spy.first, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return count


def caught(spy):
    try:
        spy.fail()
    except Exception as error:
        return [type(error).__name__, str(error)]


def forge(spy, message):
    """What the grader answers to a message that no stand-in would send."""
    whole = {"t": "callback", "id": 0, "op": "call", "name": "first", "args": [], "kwargs": {}}
    return spy._Remote__ask(whole | message)


class Keeper:
    def __init__(self, spy):
        self.spy = spy

    def ask(self, number):
        return self.spy.first(number)


def leave_thread(spy):
    global thread, word

    def speak():
        global word
        time.sleep(0.2)
        try:
            spy.first("late")
        except Exception as error:
            word = f"{type(error).__name__}: {error}"

    thread = threading.Thread(target=speak)
    thread.start()


def late_word(spy):
    thread.join()
    return word


def ask_forever(spy):
    while True:
        spy.first()


def hand_on(spy, text):
    return spy(text)


def leave(code):
    os._exit(code)


def forever():
    while True:
        pass


def stubborn():
    while True:
        try:
            time.sleep(9)
        except BaseException:
            pass


def where():
    with open("note.txt", "w") as file:
        file.write("here")
    return os.getcwd()


def flood(size):
    return "x" * size
'''


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    tmp_path_factory.getbasetemp()  # made before this folder, not in it
    before = psutil.Process().children(recursive=True)
    folder = Path(tempfile.mkdtemp(prefix="unit-"))  # short: it holds unix sockets
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(folder))
        limits = Limits(cell_seconds=5, call_seconds=0.6, startup_seconds=60, max_restarts=9)
        with Session([CELL, "echo = echo"], {"echo": ""}, limits, LIBRARY) as session:
            yield session
        assert list(folder.iterdir()) == []
    folder.rmdir()
    assert [child for child in psutil.Process().children(recursive=True) if child not in before] == []


@pytest.fixture
def learner(session: Session) -> Learner:
    return Learner(session)
