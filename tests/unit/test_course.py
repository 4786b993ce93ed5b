from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from grader.course import (
    Course,
    CourseError,
    CourseFacts,
    ExerciseFacts,
    Manifest,
    NotebookFacts,
    PredictionFacts,
    TestFacts,
    digest,
    dump_manifest,
    parse_manifest,
)

HOME = Path(__file__).parents[2]


def manifest(mark: str = "") -> Manifest:
    test = TestFacts(name="test_small", title="Small.", visibility="public", points=1, after=None)
    exercise = ExerciseFacts(
        name="double",
        defines=["double"],
        number="4.1",
        title="Double it",
        difficulty=2,
        minutes=10,
        mode="with help",
        stretch=False,
        hints=["a", "b", "c"],
        stubs={"double": "0" * 64},
        tests=[test],
        max_points=1,
    )
    notebook = NotebookFacts(
        name="04_twice",
        number="04",
        title="Twice",
        minutes=15,
        exercises=[exercise],
        predictions=[PredictionFacts(id="P04.1", points=0.5)],
        max_points=1.5,
    )
    return Manifest(course=CourseFacts(name="Toy", version="0.1", digest=mark), notebooks=[notebook])


def course_at(base: Path, settings: str = 'name = "Toy"\nversion = "0.1"\n') -> Course:
    root = base / "grader"
    root.mkdir(parents=True, exist_ok=True)
    (root / "course.toml").write_text(settings, "utf-8")
    return Course.load(root)


def test_the_grader_knows_its_own_course() -> None:
    course = Course.load()
    assert course.root == HOME / "grader"
    assert (course.name, course.version) == ("Accountable Agents", "1.0")
    assert (course.limits.cell_seconds, course.limits.call_seconds) == (20, 10)
    assert (course.limits.startup_seconds, course.limits.max_restarts) == (60, 5)
    assert course.notebooks_dir == HOME / "notebooks"
    assert course.solutions_dir == HOME / "solutions"
    assert course.library_dir == HOME / "course_lib"


def test_importing_the_course_is_light() -> None:
    heavy = {"jupytext", "nbformat", "nbclient", "jupyter_client", "IPython", "pytest", "yaml", "matplotlib"}
    code = "import sys, grader.course; print(*{name.partition('.')[0] for name in sys.modules})"
    ran = subprocess.run([sys.executable, "-c", code], cwd=HOME, capture_output=True, text=True, check=True, timeout=60)
    assert not heavy & set(ran.stdout.split())


def test_what_is_not_set_has_a_default(tmp_path: Path) -> None:
    course = course_at(tmp_path)
    assert course.limits.cell_seconds == 20
    assert course.late.percent_per_day == 0
    assert course.prediction_points == 1


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ('version = "1"\n', "name"),
        ('name = "Toy"\nversion = 1\n', "version"),
        ('name = ""\nversion = "1"\n', "name"),
        ('name = "Toy"\nversion = "1"\nverison = "2"\n', "verison"),
        ('name = "Toy"\nversion = "1"\n[limits]\ncell_seconds = 0\n', "cell_seconds"),
        ('name = "Toy"\nversion = "1"\n[limits]\ncell_seconds = "20"\n', "cell_seconds"),
        ('name = "Toy"\nversion = "1"\n[late]\npercent_per_day = 200\n', "percent_per_day"),
        ('name = "Toy\n', "line 1"),
    ],
)
def test_a_wrong_setting_is_one_line_that_names_it(tmp_path: Path, settings: str, said: str) -> None:
    with pytest.raises(CourseError) as caught:
        course_at(tmp_path, settings)
    message = str(caught.value)
    assert message.startswith("grader/course.toml: ")
    assert said in message
    assert "\n" not in message


def test_settings_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match=r"grader/course\.toml: missing\."):
        Course.load(tmp_path / "grader")
    (tmp_path / "grader").mkdir()
    (tmp_path / "grader" / "course.toml").write_bytes(b'name = "\xff"')
    with pytest.raises(CourseError, match="not UTF-8"):
        Course.load(tmp_path / "grader")
    (tmp_path / "grader" / "course.toml").unlink()
    (tmp_path / "grader" / "course.toml").mkdir()
    with pytest.raises(CourseError, match="cannot be read"):
        Course.load(tmp_path / "grader")


def test_a_manifest_comes_back_as_it_was_written() -> None:
    data = dump_manifest(manifest())
    assert parse_manifest(data, "manifest.json") == manifest()
    assert dump_manifest(parse_manifest(data, "manifest.json")) == data
    assert data.endswith(b"}\n")


def test_things_are_found_in_a_manifest() -> None:
    facts = manifest()
    notebook = facts.notebooks[0]
    assert facts.notebook("04") is facts.notebook("4") is facts.notebook("04_twice") is notebook
    assert facts.notebook("40") is None
    assert facts.exercise("double") is notebook.exercises[0]
    assert facts.exercise("triple") is None
    assert facts.notebook_of("double") is notebook
    assert facts.notebook_of("triple") is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"minutes": 15', b'"minutes": "15"'),
        (b'"title": "Twice"', b'"title": "Twice", "colour": "red"'),
        (b'"visibility": "public"', b'"visibility": "secret"'),
        (b'"number": "04",', b""),
        (
            b"{",
            b"",
        ),
        (b'"Toy"', b'"\xff"'),
    ],
)
def test_a_manifest_of_another_shape_is_refused(tmp_path: Path, old: bytes, new: bytes) -> None:
    course = course_at(tmp_path)
    course.manifest_path.write_bytes(dump_manifest(manifest()).replace(old, new, 1))
    with pytest.raises(CourseError, match=r"^grader/manifest\.json: not a manifest .* Run `grader build`\.$"):
        _ = course.manifest


def test_a_course_that_was_never_built_says_so(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match=r"^grader/manifest\.json: missing\. Run `grader build`\.$"):
        _ = course_at(tmp_path).manifest


def test_the_manifest_is_read_when_asked_for(tmp_path: Path) -> None:
    course = course_at(tmp_path)
    course.manifest_path.write_bytes(dump_manifest(manifest()))
    assert course.manifest == manifest()
    assert course.manifest is course.manifest


@pytest.mark.parametrize(
    "name",
    [
        "grader/public/test_04.py",
        "grader/hidden/test_04.py",
        "grader/hidden/fixtures.py",
        "course_lib/agent.py",
        "course_lib/figures/grid.py",
        "course_lib/recordings/run.json",
    ],
)
def test_the_digest_covers_what_decides_a_grade(tmp_path: Path, name: str) -> None:
    course = course_at(tmp_path)
    before = digest(course, manifest())
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("1\n")
    added = digest(course, manifest())
    path.write_text("2\n")
    assert len({before, added, digest(course, manifest())}) == 3


def test_the_digest_covers_the_manifest_but_not_itself(tmp_path: Path) -> None:
    course = course_at(tmp_path)
    assert digest(course, manifest("a")) == digest(course, manifest("b"))
    dearer = msgspec.structs.replace(manifest(), notebooks=[])
    assert digest(course, dearer) != digest(course, manifest())


def test_the_digest_tells_files_apart(tmp_path: Path) -> None:
    course = course_at(tmp_path)
    course.public_dir.mkdir()
    one, two = course.public_dir / "a.py", course.public_dir / "b.py"
    one.write_text("xy")
    two.write_text("z")
    before = digest(course, manifest())
    one.write_text("x")
    two.write_text("yz")
    assert digest(course, manifest()) != before


def test_what_python_and_editors_leave_behind_is_not_in_the_digest(tmp_path: Path) -> None:
    course = course_at(tmp_path)
    before = digest(course, manifest())
    for name in (
        "public/__pycache__/test_04.py",
        "public/__pycache__/t.pyc",
        "hidden/test_04.py~",
        "hidden/.DS_Store",
    ):
        path = course.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("left behind")
    assert digest(course, manifest()) == before
