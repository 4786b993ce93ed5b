"""Which parts of the disk a kernel may read, wherever the course is installed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from grader.kernel import confine


@pytest.fixture
def prefix(tmp_path: Path) -> Path:
    """A Python into which the course is installed, as in a container that has no virtual environment."""
    packages = tmp_path / "lib" / "python3" / "site-packages"
    for name in ("grader/hidden", "grader/public", "numpy", "course_lib"):
        (packages / name).mkdir(parents=True)
    (tmp_path / "lib64").symlink_to(tmp_path / "lib")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3").touch()
    return tmp_path


def test_an_installed_grader_is_left_out(prefix: Path) -> None:
    packages = prefix / "lib" / "python3" / "site-packages"
    parts = dict(confine._without(prefix, {packages / "grader"}))
    whole = {part for part, all_of_it in parts.items() if all_of_it}
    assert whole == {prefix / "bin", packages / "course_lib", packages / "numpy"}
    assert all(part.resolve() == part for part in parts), "a link could lead around what was left out"
    assert not any(packages / "grader" in (part, *part.parents) for part in parts)


def test_what_lies_nowhere_near_is_one_part(prefix: Path) -> None:
    assert list(confine._without(prefix, {Path("/elsewhere/grader")})) == [(prefix, True)]


def test_the_course_around_its_library_is_secret(tmp_path: Path) -> None:
    secret = confine._secret(tmp_path / "course_lib")
    assert tmp_path in secret
    assert Path(confine.__file__).resolve().parents[1] in secret
    assert Path(sys.prefix).resolve() not in secret
