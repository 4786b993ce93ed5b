"""What the end-to-end tests share."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.course import Course
from tests.conftest import Family
from tests.e2e.pile import make_pile_course
from tests.e2e.toy import make_course


@pytest.fixture(autouse=True, scope="module")
def own_temporary_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Scratch folders of these tests lie apart from those of other runs. A short path: it holds unix sockets."""
    tmp_path_factory.getbasetemp()  # made before this folder, not in it
    folder = Path(tempfile.mkdtemp(prefix="e2e-"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(folder))
        patch.setenv("TMPDIR", str(folder))
        yield folder
    shutil.rmtree(folder)


@pytest.fixture(autouse=True)
def nothing_left(own_temporary_folder: Path, family: Family) -> Iterator[None]:
    """No test leaves a kernel or a scratch folder behind."""
    yield
    assert list(own_temporary_folder.glob("grader-*")) == []
    assert family() == []


@pytest.fixture(scope="session")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return make_course(tmp_path_factory.mktemp("toy"))


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """The course of a pile of submissions, as `grader batch` grades it."""
    return make_pile_course(tmp_path_factory.mktemp("course"))
