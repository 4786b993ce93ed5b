"""What is said of an exercise that nothing in the notebook defines."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from course_lib import definitions
from grader.course import Course
from grader.work import _near_misses


@pytest.mark.parametrize(
    ("cells", "noted", "said"),
    [
        (["def count_retires(trace): ..."], {}, ["no cell defines count_retries; there is a count_retires"]),
        (["countretries = len"], {}, ["no cell defines count_retries; there is a countretries"]),
        (["class CountRetries: ..."], {}, ["no cell defines count_retries; there is a CountRetries"]),
        (["def brier(pairs): ..."], {}, ["no cell defines count_retries"]),
        ([], {}, ["no cell defines count_retries"]),
        (
            ["count_retries = 3"],
            {"count_retries": [(0, False)]},
            ["count_retries is bound to something that is no function and no class"],
        ),
        (
            ["1 / 0\n\n\ndef count_retries(trace): ..."],
            {"count_retries": []},
            ["the cell that defines count_retries stopped before it came to that"],
        ),
    ],
)
def test_a_missing_answer(cells: list[str], noted: dict[str, Any], said: list[str]) -> None:
    facts = Course.load().manifest.exercise("count_retries")
    assert facts is not None
    session: Any = SimpleNamespace(scan=definitions.scan(cells), noted=noted)
    assert list(_near_misses([facts], {"count_retries": "missing"}, session)) == said
    assert list(_near_misses([facts], {"count_retries": "started"}, session)) == []
