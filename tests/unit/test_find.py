from __future__ import annotations

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from grader.course import Course, dump_manifest
from grader.submissions import InputError, find_submission
from tests.e2e.toy import answered, cell, make_course, notebook

SOLVED = notebook(answered())


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return make_course(tmp_path_factory.mktemp("toy"))


def found(course: Course, here: Path, *targets: str) -> list[str | None]:
    submission = find_submission(course, list(targets), here)
    return [entry.path and entry.path.relative_to(here.parent).as_posix() for entry in submission.notebooks]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder named work with notebooks/00_toy.ipynb in it."""
    (tmp_path / "work" / "notebooks").mkdir(parents=True)
    (tmp_path / "work" / "notebooks" / "00_toy.ipynb").write_bytes(SOLVED)
    return tmp_path / "work"


@pytest.mark.parametrize(
    "targets", [(), ("00",), ("0",), ("00_toy",), ("notebooks",), ("notebooks/00_toy.ipynb",), ("00", "notebooks")]
)
def test_ways_to_name_it(course: Course, here: Path, targets: tuple[str, ...]) -> None:
    assert found(course, here, *targets) == ["work/notebooks/00_toy.ipynb"]


def test_from_inside_and_from_below_the_folder(course: Course, here: Path) -> None:
    deeper = here / "notebooks" / "work"
    deeper.mkdir()
    for folder in (here / "notebooks", deeper):
        paths = [entry.path for entry in find_submission(course, ["00"], folder).notebooks]
        assert paths == [here / "notebooks" / "00_toy.ipynb"]


def test_the_folder_that_one_stands_in_comes_first(course: Course, here: Path) -> None:
    scratch = here / "scratch"
    scratch.mkdir()
    assert found(course, scratch, "00") == ["notebooks/00_toy.ipynb"]
    (scratch / "00_toy (1).ipynb").write_bytes(SOLVED)
    assert found(course, scratch, "00") == ["scratch/00_toy (1).ipynb"]
    (scratch / "00_toy.ipynb").write_bytes(SOLVED)
    for targets in ((), ("00",), ("00_toy",)):
        assert found(course, scratch, *targets) == ["scratch/00_toy.ipynb"]
    (here / "00_toy.ipynb").write_bytes(SOLVED)
    assert found(course, here) == ["work/00_toy.ipynb"]


def test_a_number_on_the_way_up_is_not_yet_a_notebook(course: Course, here: Path) -> None:
    (here / "00 shopping list.ipynb").write_bytes(SOLVED)
    deeper = here / "predictions"
    deeper.mkdir()
    assert found(course, deeper, "00") == ["notebooks/00_toy.ipynb"]


def test_a_renamed_download_in_notebooks_is_found_without_naming_it(course: Course, here: Path) -> None:
    (here / "notebooks" / "00_toy.ipynb").rename(here / "notebooks" / "00_toy (1).ipynb")
    assert found(course, here) == ["work/notebooks/00_toy (1).ipynb"]


def test_never_the_courses_own_copy_from_elsewhere(course: Course, tmp_path: Path) -> None:
    (course.notebooks_dir / "00_toy.ipynb").write_bytes(SOLVED)
    try:
        for targets in ([], ["00"], ["00_toy"]):
            with pytest.raises(InputError) as caught:
                find_submission(course, targets, tmp_path)
            said = f"no folder notebooks/ here or above ({tmp_path}). Go to the course's folder, or name a file."
            assert str(caught.value) == said
    finally:
        (course.notebooks_dir / "00_toy.ipynb").unlink()


def test_a_second_download_counts_when_the_first_is_gone(course: Course, here: Path) -> None:
    home = here / "notebooks"
    (home / "00_toy.ipynb").rename(home / "00_toy (1).ipynb")
    (home / "00_folder.ipynb").mkdir()
    newer = home / "00-toy-final.ipynb"
    newer.write_bytes(SOLVED)
    os.utime(home / "00_toy (1).ipynb", (1, 1))
    assert found(course, here, "notebooks") == ["work/notebooks/00-toy-final.ipynb"]


def test_a_renamed_file_is_known_by_what_it_defines(course: Course, here: Path) -> None:
    (here / "mine.ipynb").write_bytes(SOLVED)
    submission = find_submission(course, ["mine.ipynb"], here)
    assert [entry.facts.name for entry in submission.notebooks] == ["00_toy"]
    assert submission.id == "mine.ipynb"


def test_the_digest_is_over_the_notebooks(course: Course, here: Path) -> None:
    (here / "other").mkdir()
    (here / "other" / "00_renamed.ipynb").write_bytes(SOLVED)
    first, second = (find_submission(course, [name], here).sha256 for name in ("notebooks", "other"))
    assert first == second
    (here / "other" / "00_renamed.ipynb").write_bytes(SOLVED + b" ")
    assert find_submission(course, ["other"], here).sha256 != first


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("11", "no notebook numbered 11. The course has 00."),
        ("5", "no notebook numbered 05. The course has 00."),
        ("double", "double is an exercise: grader check --exercise double"),
        ("nowhere", "nowhere: there is no such file or folder. Name a notebook, a folder or a number."),
        ("nowhere/a.ipynb", "nowhere/a.ipynb: there is no such file or folder. Name a notebook, a folder or a number."),
        ("empty", "empty: no notebook of this course in this folder. Name the folder that has them."),
        ("pipe", "pipe: neither a file nor a folder. Name a notebook or a folder of notebooks."),
        (
            "notes.txt",
            "notes.txt: not a notebook: it does not begin like JSON. Hand in the .ipynb file that JupyterLab saved.",
        ),
        ("other.ipynb", "other.ipynb: it defines no exercise of this course. Is it the notebook you meant?"),
        ("x" * 300, f"{'x' * 300}: cannot be read (File name too long). Check the name and its permissions."),
    ],
    ids=lambda value: value[:20],
)
def test_a_wrong_call_is_one_line(course: Course, here: Path, target: str, message: str) -> None:
    (here / "empty").mkdir()
    (here / "notes.txt").write_text("hello")
    (here / "other.ipynb").write_bytes(notebook([cell("x = 1")]))
    os.mkfifo(here / "pipe")
    with pytest.raises(InputError) as caught:
        find_submission(course, [target], here)
    said = str(caught.value)
    # Before Python 3.12 a name that is too long raises; later it simply is not there.
    assert said == message or (len(target) == 300 and "there is no such file" in said)


def test_the_folder_lacks_the_notebook_that_is_asked_for(here: Path, tmp_path: Path) -> None:
    course = make_course(tmp_path / "course")
    other = replace(course.manifest.notebooks[0], name="01_more", number="01", exercises=[])
    course.manifest_path.write_bytes(
        dump_manifest(replace(course.manifest, notebooks=[*course.manifest.notebooks, other]))
    )
    with pytest.raises(InputError) as caught:
        find_submission(Course.load(course.root), ["01"], here)
    assert str(caught.value) == f"no file 01_*.ipynb in {here / 'notebooks'}. Put the notebook there."
