"""Who is in a folder of submissions, and which of their files count."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from grader.batch.run import record_name
from grader.course import Course
from grader.notebook.read import MAX_BYTES
from grader.submissions import InputError
from grader.submissions.collect import MAX_NOTEBOOKS, Entry, collect, entries
from tests.e2e.toy import answered, cell, make_course, notebook

SOLVED = notebook(answered())
OTHER = notebook([cell("1 + 1")])


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return make_course(tmp_path_factory.mktemp("toy"))


def lay(place: Path, **files: bytes) -> None:
    for name, data in files.items():
        path = place / name.replace("__", "/").replace("_ipynb", ".ipynb")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def chosen(course: Course, path: Path) -> str:
    """The file that counts for the toy's notebook, or the problem."""
    got = collect(course, Entry("x", path), course.manifest.notebooks)
    (submitted,) = got.submission.notebooks
    assert (submitted.path is None) == bool(got.problem)
    return got.problem or str(submitted.path and submitted.path.relative_to(path if path.is_dir() else path.parent))


# Entries.


def test_one_entry_a_folder_or_file_and_none_for_noise(tmp_path: Path) -> None:
    lay(tmp_path, ada__00_toy_ipynb=b"", bob_ipynb=b"", **{"essay.pdf": b"", "CAROL.IPYNB": b"", ".DS_Store": b""})
    lay(tmp_path, __MACOSX__x_ipynb=b"", **{".git/config": b"", "Thumbs.db": b""})
    (tmp_path / "link").symlink_to(tmp_path / "ada")
    (tmp_path / "dead.ipynb").symlink_to(tmp_path / "nowhere")
    assert [entry.id for entry in entries(tmp_path)] == ["CAROL", "ada", "bob", "dead.ipynb", "essay.pdf", "link"]


def test_every_id_is_another(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    for name in (b"x.ipynb", b"x.ipynb.ipynb", b"y.ipynb", b"y.IPYNB", b"\xff.ipynb", b"\xfe.ipynb", rb"\udcff.ipynb"):
        (tmp_path / os.fsdecode(name)).touch()
    ids = [entry.id for entry in entries(tmp_path)]
    assert sorted(ids) == sorted(
        ["x", "x.ipynb", "x.ipynb.ipynb", "y.ipynb", "y.IPYNB", r"\udcff", r"\udcfe", r"\\udcff"]
    )
    assert len({record_name(name) for name in ids}) == len(ids)


@pytest.mark.parametrize("name", ["O'Neil, Jr.", "=HYPERLINK(1)", "李伟", "Zoë", "山田\u3000太郎", "a b", "-1"])
def test_a_name_stays_as_it_is(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    assert [entry.id for entry in entries(tmp_path)] == [name]


def test_a_name_moves_no_cursor_and_breaks_no_line(tmp_path: Path) -> None:
    (tmp_path / "a\n\x1b[2J\u2028b").mkdir()
    assert [entry.id for entry in entries(tmp_path)] == [r"a\n\x1b[2J\u2028b"]


@pytest.mark.parametrize("name", ["x" * 255, "好" * 85, "😀" * 63])
def test_a_record_has_a_file_name_whatever_the_id(tmp_path: Path, name: str) -> None:
    assert len(f".{record_name(name)}.new".encode()) <= 255
    (tmp_path / record_name(name)).touch()


def test_no_folder_and_nobody_in_it(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "nowhere", tmp_path / "file"):
        with pytest.raises(InputError, match="cannot be read"):
            entries(path)
    (tmp_path / "empty" / "__MACOSX").mkdir(parents=True)
    with pytest.raises(InputError, match="empty"):
        entries(tmp_path / "empty")


# Which file counts.


def test_a_folder_anywhere_below(course: Course, tmp_path: Path) -> None:
    lay(tmp_path, a__b__c__00_toy_ipynb=SOLVED)
    assert chosen(course, tmp_path) == "a/b/c/00_toy.ipynb"


def test_the_best_name_counts_then_the_newest(course: Course, tmp_path: Path) -> None:
    order = ["Untitled.ipynb", "Untitled1.ipynb", "mine.ipynb", "00_toy (1).ipynb", "00_toy (2).ipynb"]
    for age, name in enumerate(order):
        (tmp_path / name).write_bytes(OTHER if "Untitled" in name else SOLVED)
        os.utime(tmp_path / name, (10, 10 + age))
        assert chosen(course, tmp_path) == name
    for name in order[:2]:
        os.utime(tmp_path / name, (99, 99))
    assert chosen(course, tmp_path) == "00_toy (2).ipynb"
    os.utime(tmp_path / "mine.ipynb", (98, 98))
    assert chosen(course, tmp_path) == "mine.ipynb"
    (tmp_path / "00_toy.ipynb").write_bytes(b"")
    os.utime(tmp_path / "00_toy.ipynb", (1, 1))
    assert chosen(course, tmp_path) == "00_toy.ipynb"


def test_files_of_one_age_are_chosen_the_same_each_time(course: Course, tmp_path: Path) -> None:
    for name in ("00 b.ipynb", "00 c.ipynb", "00 a.ipynb"):
        (tmp_path / name).write_bytes(SOLVED)
        os.utime(tmp_path / name, (5, 5))
    assert chosen(course, tmp_path) == "00 c.ipynb"


def test_what_belongs_to_others_is_not_taken(course: Course, tmp_path: Path) -> None:
    lay(tmp_path, friend__00_toy_ipynb=SOLVED)
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "00_toy.ipynb").symlink_to(tmp_path / "friend" / "00_toy.ipynb")
    (mine / "more").symlink_to(tmp_path / "friend")
    assert "no notebook in this folder" in chosen(course, mine)
    (tmp_path / "link").symlink_to(tmp_path / "friend")
    (tmp_path / "link.ipynb").symlink_to(tmp_path / "friend" / "00_toy.ipynb")
    for name in ("link", "link.ipynb"):
        got = collect(course, Entry(name, tmp_path / name), course.manifest.notebooks)
        assert "links are not followed" in got.problem
    alone = tmp_path / "alone.ipynb"
    alone.write_bytes(SOLVED)
    (submitted,) = collect(course, Entry("alone", alone), course.manifest.notebooks).submission.notebooks
    assert submitted.folder is None


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("essay.pdf", "a .pdf file, not a notebook"),
        ("README", "a file without an ending, not a notebook"),
        ("pipe", "neither a file nor a folder"),
        ("gone", "gone cannot be read (No such file or directory)"),
        ("many", f"more than {MAX_NOTEBOOKS} notebooks"),
        ("deep", "no notebook in this folder"),
    ],
)
def test_what_cannot_be_graded_says_why(course: Course, tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "essay.pdf").touch()
    (tmp_path / "README").touch()
    os.mkfifo(tmp_path / "pipe")
    lay(tmp_path, deep__a__b__c__d__e__00_toy_ipynb=SOLVED)
    (tmp_path / "many").mkdir()
    for number in range(MAX_NOTEBOOKS + 1 if name == "many" else 0):
        (tmp_path / "many" / f"{number}.ipynb").touch()
    assert said in chosen(course, tmp_path / name)


def test_a_file_that_is_too_large_is_not_called_empty(course: Course, tmp_path: Path) -> None:
    with (tmp_path / "00_toy.ipynb").open("wb") as file:
        file.truncate(MAX_BYTES + 5_000_000)
    got = collect(course, Entry("x", tmp_path), course.manifest.notebooks)
    assert len(got.submission.notebooks[0].data) == MAX_BYTES + 1


def test_several_notebooks_asked_for(tmp_path: Path) -> None:
    """With a choice, a file that gives no sign of which one it is is none of them."""
    import msgspec

    course = make_course(tmp_path / "toy")
    (first,) = course.manifest.notebooks
    scope = [first, msgspec.structs.replace(first, name="04_other", number="04", exercises=[])]
    place = tmp_path / "x"
    lay(place, Untitled_ipynb=OTHER, notes_ipynb=b"<html>")
    got = collect(course, Entry("x", place), scope)
    assert got.problem.startswith("no notebook of what was asked (00, 04) in: Untitled.ipynb; notes.ipynb (this is a")
    lay(place, mine_ipynb=SOLVED)
    got = collect(course, Entry("x", place), scope)
    assert [s.path and s.path.name for s in got.submission.notebooks] == ["mine.ipynb", None]
    assert got.problem == ""
