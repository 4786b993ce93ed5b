"""What a learner does in the browser: run, predict, look, answer, check, save, and come back later."""

import re

from tests.browser.contrast import hard_to_read
from tests.browser.lab import COURSE
from tests.browser.page import THEMES

LEARNER = COURSE / "notebooks" / "00_start_here.ipynb"
CHECK, PREDICT, REVEAL, REFUSED = 'check("count_retries")', 'predict("P00.1"', 'reveal("P00.1"', 'reveal("P00.2"'
CARD = "[role=group]"
ANSWER = """def count_retries(trace):
    return sum(not entry["observation"]["ok"] for entry in trace)
"""
WRONG = """def count_retries(trace):
    return max(1, len(trace) - 2)
"""


def test_the_learners_path(open_notebook) -> None:
    notebook = open_notebook(LEARNER)
    notebook.run_all()
    refusal = notebook.cell(REFUSED).locator(".jp-OutputArea-output")
    assert "no prediction yet" in refusal.text_content()

    notebook.run(PREDICT, 'predict("P00.1", 3, confidence=0.6)')
    notebook.run(REVEAL)
    predicted, revealed = notebook.cell(PREDICT).locator(CARD), notebook.cell(REVEAL).locator(CARD)
    words = predicted.text_content(), revealed.text_content()
    assert "on record" in words[0]
    assert "Not as you said." in words[1]

    notebook.run("def count_retries", WRONG)
    notebook.run(CHECK)
    checked = notebook.cell(CHECK).locator(CARD)
    assert set("✓✗") <= set(checked.text_content())
    assert re.search(r"public tests \d+/\d+ .*✗ .* came back", checked.get_attribute("aria-label"))
    for theme in THEMES:
        notebook.theme(theme)
        for shown in (refusal, predicted, revealed, checked):
            assert hard_to_read(shown) == [], theme

    notebook.run("def count_retries", ANSWER)
    notebook.run(CHECK)
    assert "✗" not in checked.text_content()
    assert "✓" in checked.text_content()

    notebook.save()
    notebook.come_back()  # and run nothing again
    assert (predicted.text_content(), revealed.text_content()) == words
    assert "✓" in checked.text_content()
    assert notebook.cell(REVEAL).locator("img").get_attribute("alt")
    assert notebook.asked == []
