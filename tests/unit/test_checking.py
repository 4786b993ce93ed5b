"""`check()` in a live notebook: its card, its limits, and what it never opens."""

from __future__ import annotations

import json
import linecache
import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from course_lib.checking import _written, check
from grader.course import Course
from grader.judge.learner import Learner
from grader.kernel.wire import Opaque, Record, Ref
from tests.e2e.toy import ANSWERS, PUBLIC, REPO, STUBS, answered, make_course, notebook


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    # Opening the hidden tests would raise; the manifest knows of them all the same.
    made = make_course(tmp_path_factory.mktemp("toy"), public=PUBLIC)
    (made.hidden_dir / "test_00.py").write_text("raise RuntimeError('opened')")
    (made.hidden_dir / "fixtures.py").write_text("raise RuntimeError('opened')")
    return made


@pytest.fixture
def card(
    course: Course, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Callable[..., str]:
    monkeypatch.setattr(Course, "load", classmethod(lambda cls, root=None: course))
    monkeypatch.delenv("COURSE_GRADING", raising=False)
    monkeypatch.chdir(tmp_path)

    def shown(source: str, name: Any = "double") -> str:
        """The text of the card after a cell with this source was run; `name` may be what it defines, unquoted."""
        namespace: dict[str, Any] = {"__name__": "__main__", "json": json}
        file = f"<cell {len(source)}>"
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        exec(compile(source, file, "exec"), namespace)
        capsys.readouterr()
        check(name(namespace) if callable(name) else name, namespace)
        return capsys.readouterr().out

    return shown


def test_a_right_answer(card: Callable[..., str]) -> None:
    assert card(ANSWERS["double"]) == (
        "double · public tests  1/1\n"
        "  ✓ A small number comes back doubled.\n"
        "  2 hidden tests wait: save, then `grader check 00` in a terminal.\n"
    )


def test_a_wrong_answer_shows_what_was_called_what_came_back_and_what_was_promised(card: Callable[..., str]) -> None:
    text = card("def double(number):\n    print('thinking')\n    return number + 1")
    assert [" ".join(line.split()).removesuffix(".") for line in text.splitlines()] == [
        "double · public tests 0/1",
        "✗ A small number comes back doubled",
        "It seems to be squared and halved (number = 2)",
        "called double(2)",
        "came back 3",
        "printed thinking",
        "promised 4",
        "Stuck? `grader hint double`. 2 hidden tests wait: save, then `grader check 00` in a terminal",
    ]


def test_an_answer_that_raises_shows_the_learners_own_line(card: Callable[..., str]) -> None:
    text = card("def double(number):\n    return number / 0")
    assert "It raised ZeroDivisionError (division by zero) at line 2: return number / 0." in text
    assert "raised  ZeroDivisionError: division by zero at line 2: return number / 0" in text
    assert "grader" not in text.replace("`grader", "")


def test_a_stub_and_a_missing_name_are_said_in_one_line(card: Callable[..., str]) -> None:
    assert card(STUBS["double"]) == "double is still the stub: fill it in, run its cell, then check again.\n"
    assert card("x = 1") == "double is not defined here. Run the cell that defines it, then check again.\n"
    half = card(ANSWERS["pack"].split("\n\n\n")[0], "pack")
    assert half == "unpack is not defined here. Run the cell that defines it, then check again.\n"
    assert card("x = 1", "nothing") == "There is no exercise nothing. The course has double, pack.\n"


def test_a_name_that_is_bound_to_a_value_is_no_answer(card: Callable[..., str]) -> None:
    assert card("double = 4") == (
        "double is no function or class here but of type int. Run the cell that defines it, then check again.\n"
    )


def test_the_quotes_may_be_left_out(card: Callable[..., str]) -> None:
    assert card(ANSWERS["double"], lambda namespace: namespace["double"]) == card(ANSWERS["double"])
    assert card("x = 1", 3) == "There is no exercise 3. The course has double, pack.\n"


def test_half_of_it_is_still_a_stub(card: Callable[..., str]) -> None:
    text = card(ANSWERS["pack"].split("\n\n\n")[0] + "\n\n\n" + STUBS["pack"].split("\n\n\n")[1], "pack")
    assert "Part of it is still to be written: NotImplementedError at line " in text


def entry(tool: str, ok: bool) -> dict[str, Any]:
    return {"action": {"tool": tool, "args": {}}, "observation": {"ok": ok}}


class Adapter:
    pass


DIVERGENCE = Record("course_lib.agent:Divergence", {"k": 3, "recorded": {"tool": "a"}})
STAYING = Learner(transport=None)  # type: ignore[arg-type] - nothing is asked of it


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ([DIVERGENCE], "[Divergence(k=3, recorded={'tool': 'a'})]"),
        ((DIVERGENCE,), "(Divergence(k=3, recorded={'tool': 'a'}),)"),
        ({"at": DIVERGENCE}, "{'at': Divergence(k=3, recorded={'tool': 'a'})}"),
        (Record("__main__:make.<locals>.Pair", {}), "Pair()"),
        (Opaque("builtins:generator"), "<generator>"),
        (Opaque("builtins:type"), "<a class>"),
        ({Opaque("a:B"), 1, "x"}, "{'x', 1, <B>}"),
        (Opaque("a value that contains itself"), "<a value that contains itself>"),
        (Ref("handle", 1), "<your object>"),
        (STAYING.remote(Adapter()), "<Adapter>"),
        (Adapter(), "<Adapter>"),
        ([entry("list_notes", True), entry("read_note", False)], "[2 entries: list_notes ok, read_note failed]"),
        ([entry("list_notes", True)], "[1 entry: list_notes ok]"),
        ({"trace": [entry("a", True)] * 2}, "{'trace': [2 entries: a ok, a ok]}"),
        ([entry("a", True), "odd"], "[{'action': {'tool': 'a', 'args': {}}, 'observation': {'ok': True}}, 'odd']"),
        ([], "[]"),
        (set(), "set()"),
        ((1, "a"), "(1, 'a')"),
        (None, "None"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_values_are_written_as_a_learner_knows_them(value: Any, text: str) -> None:
    assert _written(value) == text


def test_an_endless_loop_comes_back_after_the_limit(card: Callable[..., str]) -> None:
    started = time.monotonic()
    text = card("def double(number):\n    while True:\n        pass")
    assert 0.9 < time.monotonic() - started < 6
    assert "It did not come back within 1 s." in text


def test_the_stop_button_stops_the_whole_check(card: Callable[..., str]) -> None:
    assert (
        card("def double(number):\n    raise KeyboardInterrupt") == "check: double was stopped before it was through.\n"
    )


def test_input_and_exit_do_not_end_the_notebook(card: Callable[..., str]) -> None:
    assert "It raised SystemExit" in card("def double(number):\n    raise SystemExit(3)")


def test_while_grading_it_returns_at_once(card: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_GRADING", "1")
    assert card(ANSWERS["double"]) == ""


def test_the_current_folder_and_the_arguments_stay_as_they_were(card: Callable[..., str], tmp_path: Path) -> None:
    card("def double(number):\n    with open('left.txt', 'w') as file:\n        file.write('x')\n    return number * 2")
    assert Path.cwd() == tmp_path
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("saved", "said"),
    [
        (ANSWERS["double"], False),
        (ANSWERS["double"].replace("number * 2", "number * 2  # twice"), False),
        (STUBS["double"], True),
        (ANSWERS["double"].replace("number * 2", "2 * number"), True),
        ("x = 1", False),
    ],
)
def test_it_says_when_the_saved_notebook_differs(
    card: Callable[..., str], tmp_path: Path, saved: str, said: bool
) -> None:
    (tmp_path / "00_toy.ipynb").write_bytes(notebook(answered({"double": saved})))
    line = "  ≠ The saved notebook holds another double than the one you ran. Save before `grader check`.\n"
    assert (line in card(ANSWERS["double"])) == said


def test_a_damaged_notebook_beside_it_does_not_matter(card: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "00_toy.ipynb").write_bytes(b"{")
    assert card(ANSWERS["double"]).startswith("double · public tests  1/1\n")


WATCH = """
import sys
opened = []
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)
from course_lib import check
namespace = {"__name__": "__main__"}
exec("def count_retries(trace):\\n    return 0", namespace)
check("count_retries", namespace)
print("HIDDEN", [path for path in opened if "hidden" in path])
print("PUBLIC", any("public" in path for path in opened))
"""


def test_hidden_test_files_are_never_opened() -> None:
    env = {name: value for name, value in os.environ.items() if name != "COURSE_GRADING"}
    done = subprocess.run([sys.executable, "-c", WATCH], cwd=REPO, env=env, capture_output=True, text=True, check=True)
    assert "count_retries · public tests" in done.stdout
    assert "HIDDEN []" in done.stdout
    assert "PUBLIC True" in done.stdout


def test_the_card_in_a_notebook_has_text_and_html(course: Course, tmp_path: Path) -> None:
    """As IPython shows it: a bundle, its label says everything, the learner's values are escaped."""
    script = textwrap.dedent(f"""
        from IPython.core.interactiveshell import InteractiveShell
        from pathlib import Path
        from grader.course import Course
        import json
        course = Course.load(Path({str(course.root)!r}))
        Course.load = classmethod(lambda cls, root=None: course)
        shell = InteractiveShell.instance()
        shown = []
        shell.display_pub.publish = lambda data, **more: shown.append(data)
        shell.run_cell("def double(number):\\n    return '<b>&'", store_history=True)
        shell.run_cell("from course_lib import check\\ncheck('double', globals())", store_history=True)
        print(json.dumps(shown))
    """)
    env = {**os.environ, "IPYTHONDIR": str(tmp_path), "PYTHONPATH": str(REPO)}
    env.pop("COURSE_GRADING", None)
    done = subprocess.run(
        [sys.executable, "-c", script], env=env, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    (bundle,) = json.loads(done.stdout.strip().splitlines()[-1])
    assert set(bundle) == {"text/html", "text/plain"}
    assert "came back  '<b>&'" in bundle["text/plain"]
    assert "<b>" not in bundle["text/html"]
    assert "&lt;b&gt;&amp;" in bundle["text/html"]
    assert 'aria-label="double · public tests 0/1' in bundle["text/html"]
    assert "<script" not in bundle["text/html"]


KILLED = '''"""A public test that kills."""
from grader.judge.api import exercise, promise

class Witness:
    def __init__(self):
        self._seen = 0

    def act(self):
        self._seen += 1

@exercise("double")
def test_killed(learner):
    """Whatever the kill, it acts once."""
    made = learner.crash.sweep("double", lambda: (learner.remote(Witness()),))
    found = {case.args[0].obj._seen for case in made.cases}
    promise(found == {1}, "It acts again after a kill", found=sorted(found))
'''


def test_answers_are_killed_here_too(card: Callable[..., str], course: Course) -> None:
    file = course.public_dir / "test_00.py"
    kept = file.read_text()
    file.write_text(KILLED)
    try:
        assert "It acts again after a kill (found = [1, 2])" in card("def double(witness):\n    witness.act()\n")
        assert "It raised KeyError" in card("def double(witness):\n    raise KeyError('what')\n")
        said = card("import os\n\ndef double(witness):\n    os.fork()\n")
        assert "starts another process" in said
    finally:
        file.write_text(kept)
