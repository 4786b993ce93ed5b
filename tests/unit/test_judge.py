"""How tests are run and what becomes of them. The answers stand in this process, as they do for `check()`."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from course_lib.checking import _Live
from grader.course import Course, CourseError
from grader.judge import promise
from grader.judge.api import BrokenPromise
from grader.judge.job import Job
from grader.judge.session import judge
from grader.judge.spec import load_specs
from grader.judge.verdict import Verdict
from tests.e2e.toy import REPO, SETTINGS

HEAD = "from grader.judge import exercise, promise, same, shape\n\n"


def double(number: int) -> int:
    return number * 2


def fails(number: int) -> int:
    raise ValueError("no\nluck")


def loops(number: int) -> int:
    while True:
        pass


Run = Callable[..., list[Verdict]]


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Course]:
    def written(**files: str) -> Course:
        for name, text in {"course.toml": SETTINGS, **files}.items():
            path = tmp_path / "grader" / name.replace("__", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            (path if path.suffix else path.with_suffix(".py")).write_text(text if path.suffix else HEAD + text)
        return Course.load(tmp_path / "grader")

    return written


@pytest.fixture
def run(write: Callable[..., Course], tmp_path: Path) -> Run:
    def ran(
        public: str = "", hidden: str = "", *, answer: Callable[..., Any] = double, seed: int = 1, **files: str
    ) -> list[Verdict]:
        course = write(public__test_00=public, hidden__test_00=hidden, **files)
        scratch = tmp_path / "scratch"
        scratch.mkdir(exist_ok=True)
        job = Job(_Live({"double": answer}, scratch, 0.2), frozenset({"double"}), seed)
        for folder in scratch.iterdir():
            folder.rmdir()
        judge(course, [job])
        assert len(job.tracebacks) == sum(verdict.grader_fault for verdict in job.verdicts)
        return job.verdicts

    return ran


def written_test(
    name: str, body: str = 'learner.call("double", 1).value', *, of: str = "double", mark: str = ""
) -> str:
    return f'@exercise("{of}"{mark})\ndef test_{name}(learner, rng):\n    """Promise {name}."""\n    {body}\n\n\n'


def outcomes(verdicts: list[Verdict]) -> list[tuple[str, str]]:
    return [(verdict.spec.name[5:], verdict.outcome) for verdict in verdicts]


def test_public_tests_come_first_in_the_order_of_the_file(run: Run) -> None:
    verdicts = run(written_test("b") + written_test("a") + written_test("other", of="other"), written_test("c"))
    assert outcomes(verdicts) == [("b", "passed"), ("a", "passed"), ("c", "passed")]
    assert [verdict.spec.visibility for verdict in verdicts] == ["public", "public", "hidden"]
    assert [verdict.points for verdict in verdicts] == [1, 1, 1]


def test_a_broken_promise_is_told_with_its_inputs(run: Run) -> None:
    public = written_test("a", 'promise(learner.call("double", 3).value == 9, "It is not squared", promised=9, k=3)')
    hidden = written_test("b", 'promise(learner.call("double", 3).value == 9, "It is not squared", k=3)')
    shown, secret = run(public, hidden)
    assert (shown.outcome, shown.sentence, shown.promised) == ("failed", "It is not squared (k = 3)", 9)
    assert (secret.outcome, secret.sentence, secret.promised) == ("failed", "It is not squared (k = 3)", None)
    assert shown.seen is not None
    assert (shown.seen.name, shown.seen.args, shown.seen.outcome.returned) == ("double", (3,), 6)


def test_a_hidden_test_may_not_give_an_expected_value(run: Run) -> None:
    with pytest.raises(CourseError, match=r"test_00\.py:\d+: promised= is for public tests"):
        run("", written_test("a", 'promise(False, "Wrong", promised="the answer")'))


def test_a_test_that_would_undo_another_is_refused(run: Run) -> None:
    with pytest.raises(CourseError, match=r"test_a stands already in line \d+, and would undo it"):
        run(written_test("a") + written_test("a", of="other"))


def test_an_exception_of_the_answer_is_a_failure_in_one_line(run: Run) -> None:
    (verdict,) = run(written_test("a"), answer=fails)
    assert (verdict.outcome, verdict.grader_fault) == ("failed", False)
    assert verdict.sentence == "It raised ValueError (no luck)."


def test_after_skips_across_files(run: Run) -> None:
    """The test behind a skipped one stands in another file: pytest's own stack of fixtures must not mind."""
    public = written_test("a", 'promise(False, "Wrong")') + written_test("b", mark=', after="test_a"')
    hidden = written_test("c", mark=', after="test_b"') + written_test("d") + written_test("e", mark=', after="test_d"')
    verdicts = run(public, hidden)
    assert outcomes(verdicts) == [("a", "failed"), ("b", "skipped"), ("c", "skipped"), ("d", "passed"), ("e", "passed")]
    assert verdicts[1].sentence == "Waits for “Promise a.”."
    assert not any(verdict.grader_fault for verdict in verdicts)


def test_one_session_judges_many_jobs(write: Callable[..., Course], tmp_path: Path) -> None:
    course = write(
        public__test_00=written_test("a")
        + written_test("b", 'promise(False, "Wrong")')
        + written_test("c", mark=', after="test_b"'),
        hidden__test_00=written_test("d") + written_test("e", mark=', after="test_b"'),
    )
    jobs = [Job(_Live({"double": double}, tmp_path, 1), frozenset({"double"}), 1) for _ in range(3)]
    for number, job in enumerate(jobs):
        (tmp_path / str(number)).mkdir()
        job.transport.scratch = tmp_path / str(number)  # type: ignore[attr-defined]
    judge(course, iter(jobs))
    assert len({tuple(outcomes(job.verdicts)) for job in jobs}) == 1
    assert [v.outcome for v in jobs[2].verdicts] == ["passed", "failed", "skipped", "passed", "skipped"]
    assert not any(v.grader_fault for job in jobs for v in job.verdicts)


def test_two_timeouts_and_the_rest_of_the_exercise_is_left_out(run: Run) -> None:
    verdicts = run("".join(map(written_test, "abcd")), answer=loops)
    assert [(v.outcome, v.reason) for v in verdicts] == [("error", "time")] * 2 + [("skipped", "time")] * 2
    assert verdicts[0].sentence == "It did not come back within 0.2 s."


@pytest.mark.parametrize(
    "body",
    [
        "1 / 0",
        "assert learner.call('double', 1).value == 3",
        "promise(1, 'not a bool')",
        "learner.call('double', 1).value[0]",
        "raise SystemExit",
    ],
)
def test_a_test_that_breaks_is_the_graders_fault(run: Run, body: str) -> None:
    verdicts = run(written_test("a", body) + written_test("b"))
    assert (verdicts[0].outcome, verdicts[0].grader_fault, verdicts[1].outcome) == ("error", True, "passed")
    assert "Tell your instructor." in verdicts[0].sentence


def test_inputs_are_drawn_from_the_seed_and_the_tests_own_name(run: Run) -> None:
    body = 'promise(False, "Drawn", number=rng.random())'

    def drawn(seed: int) -> list[str]:
        return [verdict.sentence for verdict in run(written_test("a", body) + written_test("b", body), seed=seed)]

    assert drawn(1) == drawn(1)
    assert len({*drawn(1), *drawn(2)}) == 4


def test_fixtures_of_both_folders(run: Run) -> None:
    fixture = "import pytest\n\n\n@pytest.fixture\ndef {0}():\n    return {1}\n"
    body = '"""Promise."""\n    promise(ours + 1 == 2, "Wrong")\n'
    verdicts = run(
        f'@exercise("double")\ndef test_a(learner, ours):\n    {body}',
        f'@exercise("double")\ndef test_b(learner, ours, secret):\n    {body}    promise(secret == 5, "Wrong")\n',
        public__fixtures=fixture.format("ours", 1),
        hidden__fixtures=fixture.format("secret", 5),
    )
    assert outcomes(verdicts) == [("a", "passed"), ("b", "passed")]


def test_the_learners_pytest_settings_have_no_say(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --no-such-option\n")
    (tmp_path / "conftest.py").write_text("1 / 0")
    monkeypatch.setenv("PYTEST_ADDOPTS", "-k nothing --no-such-option")
    monkeypatch.setenv("PYTEST_PLUGINS", "no_such_plugin")
    monkeypatch.chdir(tmp_path)
    assert outcomes(run(written_test("a"))) == [("a", "passed")]


def test_no_folder_above_the_course_is_listed(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There may be thousands of files there, and each would be looked at."""
    listed: list[Path] = []
    scandir = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path=".": listed.append(Path(path)) or scandir(path))
    assert outcomes(run(written_test("a"))) == [("a", "passed")]
    assert tmp_path / "grader" / "public" in listed
    assert [path for path in listed if path in (tmp_path, *tmp_path.parents)] == []


def test_an_edited_test_file_is_read_anew(run: Run) -> None:
    assert outcomes(run(written_test("a"))) == [("a", "passed")]
    assert outcomes(run(written_test("a", 'promise(False, "Now it fails")'))) == [("a", "failed")]


# Mistakes of an author.


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 / 0", "cannot be imported: ZeroDivisionError"),
        ("def test_a(learner):\n    pass\n", "test_a has no @exercise(...)"),
        ('@exercise("double")\ndef test_a(learner):\n    pass\n', "has no docstring"),
        ('@exercise("double")\ndef check_a(learner):\n    """A."""\n', "begins with test_"),
        (written_test("a", mark=", points=0"), "worth 0 points"),
        (written_test("a", mark=', after="test_b"') + written_test("b"), "names no earlier test"),
        (
            'import pytest\n\n\n@pytest.mark.parametrize("n", [1, 2])\n@exercise("double")\n'
            'def test_a(learner, n):\n    """Promise."""\n',
            "is not collected as one plain test function",
        ),
    ],
    ids=lambda value: value[:20],
)
def test_a_mistake_is_one_line(run: Run, text: str, said: str) -> None:
    with pytest.raises(CourseError) as caught:
        run(text)
    assert said in str(caught.value)
    assert "public/test_00.py" in str(caught.value) or "test_00.py" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_same_name_twice_for_an_exercise(run: Run) -> None:
    with pytest.raises(CourseError, match="has a test of this name already"):
        run(written_test("a"), written_test("a"))


def test_promise_wants_a_bool() -> None:
    promise(True, "fine")
    with pytest.raises(BrokenPromise, match="broken"):
        promise(False, "broken")
    for holds in (1, None, "yes", [1]):
        with pytest.raises(TypeError, match="wants True or False"):
            promise(holds, "unclear")


def test_the_courses_own_tests_load() -> None:
    specs = load_specs(Course.load())
    assert {spec.notebook for spec in specs} >= {"00", "04"}
    assert {spec.visibility for spec in load_specs(Course.load(), ("public",))} == {"public"}
    assert all(spec.path.is_relative_to(REPO) for spec in specs)
