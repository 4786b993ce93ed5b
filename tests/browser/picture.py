"""`python -m tests.browser.picture`: makes the two pictures of the README, docs/notebook.png and docs/check.svg.

Both show the same learner half way through notebook 04: the first exercise is done, the second has a fault, the
third is not begun. What is seen is what JupyterLab and the grader really show.
"""

from __future__ import annotations

import ast
import io
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import BrowserContext, sync_playwright
from rich.console import Console
from rich.terminal_theme import SVG_EXPORT_THEME
from rich.text import Text

from tests.browser import MISSING, chromium
from tests.browser.lab import COURSE, lab
from tests.browser.page import FLAGS, Notebook, laboratory

NAME = "04_checkpoint_and_replay.ipynb"
DONE, FAULTY = "save_checkpoint", "replay"
FAULT = COURSE / "tests" / "mutants" / "04" / "replay" / "live_list.py"
SIZE = {"width": 1200, "height": 1000}
COLUMNS = 100
SEED = 7
# Rich's own frame, without the font that it would fetch from the network.
SVG = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">
<title>The table that grader check prints</title>
<style>
.{unique_id}-matrix {{
  font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace;
  font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width;
}}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}</defs>
<rect fill="#292929" width="{width}" height="{height}" rx="8" />
<g transform="translate({terminal_x}, 20)" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}<g class="{unique_id}-matrix">
{matrix}
</g></g></svg>
"""


def main() -> None:
    path = chromium()
    if path is None:
        sys.exit(MISSING)
    docs = COURSE / "docs"
    docs.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="picture-") as folder, sync_playwright() as playwright:
        work, home = Path(folder, "work"), Path(folder, "home")
        work.mkdir()
        home.mkdir()
        (work / NAME).write_text(json.dumps(half_done()))
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        with lab(work, home) as url:
            screen = photograph(browser.new_context(viewport=SIZE), url)
        browser.close()
        image = Image.open(io.BytesIO(screen)).convert("RGB")
        # Of the ways to choose colours the one that keeps rare ones: the green of a small ✓.
        image = image.quantize(256, Image.Quantize.MAXCOVERAGE, kmeans=1, dither=Image.Dither.NONE)
        image.save(docs / "notebook.png", optimize=True)
        (docs / "check.svg").write_text(table(work / NAME))


def half_done() -> dict[str, object]:
    """The learner's notebook with the predictions and the first exercise filled in, and a fault in the second."""
    learner = json.loads((COURSE / "notebooks" / NAME).read_text())
    solved = json.loads((COURSE / "solutions" / NAME).read_text())
    answers = {cell["id"]: cell["source"] for cell in solved["cells"]}
    for cell in learner["cells"]:
        source = "".join(cell["source"])
        exercise = cell["metadata"].get("exercise")
        if cell["cell_type"] != "code" or source.startswith("check("):
            continue
        if exercise == FAULTY:
            cell["source"] = faulty(source)
        elif exercise == DONE or "predict(" in source:
            cell["source"] = answers[cell["id"]]
    return dict(learner)


def faulty(stub: str) -> str:
    """The stub with the body of the mutant."""
    functions = (node for node in ast.parse(FAULT.read_text()).body if isinstance(node, ast.FunctionDef))
    function = next(function for function in functions if function.name == FAULTY)
    lines = [ast.unparse(statement) for statement in function.body if not is_text(statement)]
    head = stub[: stub.index("    raise NotImplementedError")]
    return head + "\n".join(f"    {line}" for line in "\n".join(lines).splitlines())


def is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def photograph(window: BrowserContext, url: str) -> bytes:
    """JupyterLab with the exercise, its answer and the card, as PNG; leaves the notebook saved."""
    opened = Notebook(laboratory(window, url))
    opened.open(NAME)
    opened.run_all()
    opened.page.keyboard.press("ControlOrMeta+B")  # the file browser folded away
    card = opened.cell(f'check("{FAULTY}")')
    card.locator(".cm-content").click()
    opened.save()
    heading = opened.page.locator(".jp-Notebook h3", has_text="Exercise 4.2")
    heading.evaluate("heading => heading.scrollIntoView({block: 'start'})")
    opened.page.mouse.move(0, 0)
    opened.page.wait_for_timeout(1000)  # toolbars fade, the layout settles
    return opened.page.screenshot()


def table(path: Path) -> str:
    """What `grader check` prints for the notebook, as SVG."""
    # Colours as on a terminal, without the progress bar that moves on one.
    terminal = {"FORCE_COLOR": "1", "TTY_INTERACTIVE": "0", "TERM": "xterm-256color", "COLUMNS": str(COLUMNS)}
    call = [sys.executable, "-m", "grader.cli", "check", str(path), "--seed", str(SEED)]
    done = subprocess.run(call, env={**os.environ, **terminal}, capture_output=True, text=True, cwd=path.parent)
    if done.returncode != 1:
        sys.exit(f"grader check ended with status {done.returncode}:\n{done.stdout}{done.stderr}")
    lines = Text.from_ansi(done.stdout.strip("\n"))
    console = Console(record=True, width=COLUMNS, file=io.StringIO())
    console.print(Text.assemble(("$ ", "bold green"), "grader check 04"))
    console.print(lines)
    return console.export_svg(title="grader check 04", theme=SVG_EXPORT_THEME, code_format=SVG, unique_id="check")


if __name__ == "__main__":
    main()
