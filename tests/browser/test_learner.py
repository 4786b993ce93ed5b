"""What a learner does in the browser: predict, look, answer, check, save, and come back later."""

from __future__ import annotations

import re

from tests.browser.contrast import hard_to_read
from tests.browser.lab import COURSE
from tests.browser.page import THEMES

LEARNER = COURSE / "notebooks" / "00_start_here.ipynb"
ANSWER = """
def count_retries(trace):
    return sum(not entry["observation"]["ok"] for entry in trace)
"""
WRONG = """
def count_retries(trace):
    return len(trace) - 1
"""
SETUP = ("import itertools", "root = Path(", "def stop_after", "def print_trace", "def unreliable")
CARD = "[role=group]"


def test_an_answer_turns_the_card_to_all_passed(open_notebook) -> None:
    notebook = open_notebook(LEARNER)
    notebook.run("def count_retries", "from course_lib import check\n" + WRONG)
    notebook.run('check("count_retries")')
    card = notebook.cell('check("count_retries")').locator(CARD)
    assert "✗" in card.inner_text()
    assert re.search(r"public tests \d+/\d+ .*✗ .* came back", card.get_attribute("aria-label"))
    for theme in THEMES:
        notebook.theme(theme)
        assert hard_to_read(card) == [], theme

    notebook.run("def count_retries", "from course_lib import check\n" + ANSWER)
    notebook.run('check("count_retries")')
    assert "✗" not in card.inner_text()
    assert "✓" in card.inner_text()
    assert notebook.asked == []


def test_a_prediction_and_its_outcome_are_still_there_after_reload(open_notebook) -> None:
    notebook = open_notebook(LEARNER)
    for cell in SETUP:
        notebook.run(cell)
    notebook.run('reveal("P00.1"')
    assert notebook.cell('reveal("P00.1"').locator(CARD).count() == 0
    notebook.run('predict("P00.1"', 'predict("P00.1", 3, confidence=0.6)')
    notebook.run('reveal("P00.1"')
    shown = {text: notebook.cell(text).locator(CARD).inner_text() for text in ('predict("P00.1"', 'reveal("P00.1"')}
    assert "on record" in shown['predict("P00.1"']
    assert "Not as you said." in shown['reveal("P00.1"']
    notebook.save()
    notebook.reload()
    assert {text: notebook.cell(text).locator(CARD).inner_text() for text in shown} == shown
    assert notebook.cell('reveal("P00.1"').locator("img").get_attribute("alt")
    assert notebook.asked == []
