"""One JupyterLab and one Chromium for all tests of this folder."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, sync_playwright

from tests.browser.lab import lab
from tests.browser.page import FLAGS, Notebook, executable, laboratory

Open = Callable[[Path], Notebook]


# Of the package, not of the session: while Playwright is open, other tests cannot run an event loop of their own.
@pytest.fixture(scope="package")
def window() -> Iterator[BrowserContext]:
    """A window of Chromium, with a profile of its own; its pages share what they have loaded."""
    path = executable()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser.new_context(viewport={"width": 1280, "height": 900})
        browser.close()


@pytest.fixture(scope="package")
def lab_url(window: BrowserContext, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The server sees the folder in which pytest puts every test's tmp_path."""
    with lab(tmp_path_factory.getbasetemp(), tmp_path_factory.mktemp("home")) as url:
        yield url


@pytest.fixture(scope="package")
def page(window: BrowserContext, lab_url: str) -> Page:
    """JupyterLab, loaded once: that takes longer than anything done in it."""
    return laboratory(window, lab_url)


@pytest.fixture
def open_notebook(page: Page, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Open]:
    """A function that opens a copy of a notebook of the course."""
    notebook = Notebook(page)

    def open_copy(original: Path) -> Notebook:
        copy = Path(shutil.copy(original, tmp_path))
        notebook.open(copy.relative_to(tmp_path_factory.getbasetemp()).as_posix())
        return notebook

    yield open_copy
    notebook.close()
