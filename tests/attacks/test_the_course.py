"""Some of the attacks again, on the course's own notebooks, and answers recorded under another seed."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from course_lib import definitions
from grader import grade as grading
from grader.course import Course
from grader.judge.job import Job
from grader.judge.session import judge
from grader.kernel import inside
from grader.notebook import read_notebook
from grader.record import GradeRecord
from grader.submissions import find_submission
from tests.attacks.test_attacks import Robbed, cells, hand_in, points, robbed

__all__ = ["robbed"]

COURSE = Course.load()
# In some of them answers are judged by their values, in others they talk to objects that the tests keep.
NOTEBOOKS = ("00", "01", "03", "04")
WRITTEN, GRADED = 11, 12
# Of every hidden test file: what nobody but the grader should ever hold.
SECRETS = [
    line.strip()
    for path in COURSE.hidden_dir.glob("*.py")
    for line in path.read_text("utf-8").splitlines()
    if len(line) > 40 and ("promise(" in line or "expected" in line or line.startswith("class "))
]


@pytest.mark.parametrize(
    "program",
    [
        "equal_to_everything",
        "forge_replies",
        "patch_course_lib",
        "patch_the_runner",
        "raise_everything",
        "search_files",
        "spy_on_doubles",
    ],
)
def test_gains_nothing(program: str, robbed: Robbed, tmp_path: Path) -> None:
    files = []
    for facts in filter(None, map(COURSE.manifest.notebook, NOTEBOOKS)):
        names = [name for exercise in facts.exercises for name in exercise.defines]
        files.append(str(tmp_path / f"{facts.name}.ipynb"))
        hand_in(Path(files[-1]), cells(program, names))
    done = grading.grade(COURSE, find_submission(COURSE, files, tmp_path), seed=GRADED)
    if program == "search_files" and not done.record.isolation.layers:
        pytest.skip("nothing on this machine keeps a process from the disk: Landlock is missing")
    # The stub's tests are not even run: it has nothing.
    assert {key: earned for key, earned in points(done.record).items() if earned} == {}
    assert not done.faults
    assert SECRETS
    for page in robbed.pages:
        assert not [secret for secret in SECRETS if secret in page]


# A table of answers.


class Here:
    """The solution in this process, where each call of it can be written down."""

    def __init__(self, namespace: dict[str, Any], scratch: Path) -> None:
        self.desk = inside.Desk(namespace)
        self.scratch = scratch

    def request(self, message: dict[str, Any], callback: Callable[..., dict[str, Any]] | None = None) -> dict[str, Any]:
        return inside.perform(self.desk, message, callback or (lambda _: {}))

    def folder(self) -> Path:
        return Path(tempfile.mkdtemp(dir=self.scratch))


LOOKUP = """
import json
import builtins

TABLE = json.loads({table!r})


def answer(name, *args):
    kind, value = TABLE.get(name + repr(args), ("value", None))
    if kind == "raises":
        raise getattr(builtins, value)
    return value
"""


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A notebook that knows every answer that the tests of notebook 00 wanted under one seed, and nothing else."""
    facts = COURSE.manifest.notebook("00")
    assert facts is not None
    names = [name for exercise in facts.exercises for name in exercise.defines]
    solved = read_notebook((COURSE.solutions_dir / f"{facts.name}.ipynb").read_bytes()).sources
    written: dict[str, tuple[str, Any]] = {}
    namespace: dict[str, Any] = {}

    def watched(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            key = name + repr(args)
            try:
                written[key] = ("value", function(*args))
            except Exception as error:
                written[key] = ("raises", type(error).__name__)
                raise
            return written[key][1]

        return call

    for name in names:
        exec(definitions.closure(solved, name), namespace)
        namespace[name] = watched(name, namespace[name])
    job = Job(
        Here(namespace, tmp_path_factory.mktemp("here")), frozenset(e.name for e in facts.exercises), seed=WRITTEN
    )
    judge(COURSE, [job])
    assert all(verdict.outcome == "passed" for verdict in job.verdicts)
    answers = [f"def {name}(*args):\n    return answer({name!r}, *args)" for name in names]
    return [LOOKUP.format(table=json.dumps(written)), "\n\n\n".join(answers)]


def graded(sources: list[str], folder: Path, seed: int) -> GradeRecord:
    path = folder / "00_table.ipynb"
    hand_in(path, sources)
    return grading.grade(COURSE, find_submission(COURSE, [str(path)], folder), seed=seed).record


def hidden(record: GradeRecord) -> list[str]:
    tests = [test for exercise in record.notebooks[0].exercises for test in exercise.tests]
    return [f"{test.name} {test.outcome}" for test in tests if test.visibility == "hidden"]


def test_a_table_is_right_under_its_own_seed(table: list[str], tmp_path: Path) -> None:
    assert all(line.endswith(" passed") for line in hidden(graded(table, tmp_path, WRITTEN)))


def test_a_table_passes_no_hidden_test_under_another_seed(table: list[str], tmp_path: Path) -> None:
    assert not [line for line in hidden(graded(table, tmp_path, GRADED)) if line.endswith(" passed")]
