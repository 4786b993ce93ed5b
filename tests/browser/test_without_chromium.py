"""Where no Chromium is installed the tests say so, and fail only where they were asked for."""

import os
import subprocess
import sys

import pytest

from tests.browser import MISSING
from tests.browser.lab import COURSE
from tests.browser.page import executable


@pytest.mark.parametrize(
    ("required", "status", "outcome"), [("", 0, pytest.skip.Exception), ("1", 1, pytest.fail.Exception)]
)
def test_a_missing_chromium_is_said(monkeypatch, required: str, status: int, outcome: type[BaseException]) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("REQUIRE_BROWSER", required)
    call = [sys.executable, "-m", "tests.browser"]
    done = subprocess.run(call, cwd=COURSE, env=os.environ, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout.strip()) == (status, MISSING)
    with pytest.raises(outcome, match="no Chromium found"):
        executable()
