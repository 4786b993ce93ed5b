"""JupyterLab as a person at the screen uses it; only its state is read behind the screen."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import BrowserContext, Locator, Page

from tests.browser import MISSING, chromium, required

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SECONDS = 180
CLICKS = 5
THEMES = ("JupyterLab Dark", "JupyterLab Light")  # the last one stays

_PANEL = "window.jupyterapp?.shell.currentWidget"
_KERNEL = f"{_PANEL}?.context?.sessionContext?.session?.kernel"


def executable() -> str:
    """Path of a Chromium; without one the test is skipped, or fails where it is required."""
    path = chromium()
    if path is None:
        (pytest.fail if required() else pytest.skip)(MISSING)
    return path


class Cell(NamedTuple):
    """A code cell as JupyterLab holds it, whether or not it is in view."""

    source: str
    count: int | None
    outputs: list[dict[str, Any]]


class Notebook:
    """The notebook in front."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def run_all(self) -> None:
        """Run > Run All Cells, until nothing runs any more."""
        with self._until_done():
            self.page.get_by_role("menuitem", name="Run", exact=True).click()
            self.page.locator(".lm-Menu-itemLabel", has_text="Run All Cells").first.click()

    @contextmanager
    def _until_done(self) -> Iterator[None]:
        """Wait until what is done inside has set the kernel to work, and the work is over."""
        self.page.evaluate(
            f"window.worked = false; {_KERNEL}.statusChanged.connect("
            "(_, status) => { window.worked ||= status !== 'idle'; })"
        )
        yield
        self.page.wait_for_function(
            "window.worked"
            f" && !['busy', 'starting', 'restarting', 'autorestarting'].includes({_KERNEL}?.status)"
            f" && ![...{_PANEL}.content.model.cells].some(cell => cell.executionState === 'running')"
        )

    @property
    def kernel(self) -> str:
        """The kernel's status: "idle", "dead", ..."""
        return str(self.page.evaluate(f"{_KERNEL}?.status ?? 'none'"))

    @property
    def cells(self) -> list[Cell]:
        """The code cells, in order."""
        found = self.page.evaluate(
            f"[...{_PANEL}.content.model.cells].filter(cell => cell.type === 'code')"
            ".map(cell => [cell.sharedModel.getSource(), cell.executionCount, cell.outputs.toJSON()])"
        )
        return [Cell(*cell) for cell in found]

    def cell(self, text: str) -> Locator:
        """The one cell whose source contains `text`, scrolled into view."""
        index = self.page.evaluate(
            f"text => [...{_PANEL}.content.model.cells]"
            ".findIndex(cell => cell.type === 'code' && cell.sharedModel.getSource().includes(text))",
            text,
        )
        assert index >= 0, f"no cell with {text!r}"
        self.page.evaluate(f"index => {_PANEL}.content.scrollToItem(index, 'center')", index)
        cell = self.page.locator(f".jp-Cell[data-windowed-list-index='{index}']")
        cell.wait_for()
        return cell

    def run(self, text: str, source: str | None = None) -> None:
        """Run the cell that contains `text`; with `source`, replace its own first, as by pasting."""
        self._edit(self.cell(text))
        if source is not None:
            self.page.keyboard.press("ControlOrMeta+A")
            self.page.keyboard.insert_text(source)
            self.page.wait_for_function(
                f"source => {_PANEL}.content.activeCell.model.sharedModel.getSource() === source", arg=source
            )
        with self._until_done():
            self.page.keyboard.press("Shift+Enter")

    def _edit(self, cell: Locator) -> None:
        """Click into the cell's editor until the cursor is there: figures still being laid out move it away."""
        editor = cell.locator(".cm-content")
        for _ in range(CLICKS):
            editor.click()
            if editor.evaluate("editor => editor.contains(document.activeElement)"):
                return
        raise AssertionError(f"{CLICKS} clicks into a cell, and the cursor is not there")

    def save(self) -> None:
        """Save with the keyboard, until the notebook counts as saved."""
        self.page.keyboard.press("ControlOrMeta+S")
        self.page.wait_for_function(f"!{_PANEL}.context.model.dirty")

    def come_back(self) -> None:
        """Load the page anew, and the notebook as it was saved, with the kernel that it has."""
        path = self.page.evaluate(f"{_PANEL}.context.path")
        self.page.reload()
        self.open(path)

    def open(self, path: str) -> None:
        """Bring the notebook at `path`, relative to the server's folder, to the front, and wait for its kernel."""
        self.page.wait_for_function("window.jupyterapp?.commands.hasCommand('docmanager:open')")
        self.page.evaluate("path => { window.jupyterapp.commands.execute('docmanager:open', {path}); }", path)
        self.page.wait_for_function(
            f"path => {_PANEL}?.context?.path === path && {_KERNEL}?.status === 'idle'", arg=path
        )

    def close(self) -> None:
        """End its kernel and take it off the screen, without being asked whether to save it."""
        self.page.evaluate(f"{_PANEL}.context.sessionContext.shutdown().then(() => {_PANEL}.dispose())")
        if self.asked:  # nothing is left on the screen for whoever opens the next one
            self.page.reload()

    def theme(self, name: str) -> None:
        """Change the theme, and wait until its colours are there."""
        self.page.evaluate("theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})", name)
        self.page.wait_for_function("name => document.body.dataset.jpThemeName === name", arg=name)

    @property
    def asked(self) -> list[str]:
        """What JupyterLab asks or announces: dialogs and notifications."""
        return self.page.locator(".jp-Dialog-content, .Toastify__toast").all_inner_texts()


def laboratory(window: BrowserContext, url: str) -> Page:
    """A page with JupyterLab."""
    page = window.new_page()
    page.set_default_timeout(SECONDS * 1000)
    page.goto(f"{url}/lab")
    page.locator(".jp-Launcher").wait_for()
    return page
