"""Every notebook of the course, as learners get it and solved: it opens without a question and runs to its end."""

from pathlib import Path

import pytest

from tests.browser.lab import COURSE

NOTEBOOKS = sorted(path for folder in ("notebooks", "solutions") for path in (COURSE / folder).glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_runs_from_top_to_bottom(open_notebook, path: Path) -> None:
    notebook = open_notebook(path)
    assert notebook.asked == []
    notebook.run_all()
    assert notebook.asked == []
    assert notebook.kernel == "idle"
    cells = [cell for cell in notebook.cells if cell.source.strip()]
    assert [cell.count for cell in cells] == list(range(1, len(cells) + 1))
    for cell in cells:
        trouble = [out for out in cell.outputs if out["output_type"] == "error" or out.get("name") == "stderr"]
        assert trouble == [], cell.source


def test_make_lab_asks_nothing(window, lab_url: str) -> None:
    page = window.new_page()
    page.goto(f"{lab_url}/lab")
    page.locator(".jp-Launcher").wait_for()
    page.wait_for_timeout(1500)  # news would be fetched, and asked about, once the page stands
    assert page.locator(".jp-Dialog-content, .Toastify__toast").all_inner_texts() == []
    page.close()
