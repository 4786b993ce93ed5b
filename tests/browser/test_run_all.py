"""Every notebook of the course, as learners get it and solved: it opens without a question and runs to its end."""

from pathlib import Path

import pytest

from tests.browser.lab import COURSE
from tests.browser.page import Notebook, laboratory

NOTEBOOKS = sorted(path for folder in ("notebooks", "solutions") for path in (COURSE / folder).glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_runs_from_top_to_bottom(open_notebook, path: Path) -> None:
    notebook = open_notebook(path)
    assert notebook.asked == []
    notebook.run_all()
    assert notebook.asked == []
    assert notebook.kernel == "idle"
    cells = [cell for cell in notebook.cells if cell.source.strip()]
    for cell in cells:
        trouble = [out for out in cell.outputs if out["output_type"] == "error" or out.get("name") == "stderr"]
        assert trouble == [], cell.source
    assert [cell.count for cell in cells] == list(range(1, len(cells) + 1))


def test_make_lab_asks_nothing(window, lab_url: str) -> None:
    notebook = Notebook(laboratory(window, lab_url))
    notebook.page.wait_for_timeout(1500)  # news would be fetched, and asked about, once the page stands
    assert notebook.asked == []
    notebook.page.close()
