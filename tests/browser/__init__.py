"""What opens JupyterLab in a real browser: the tests, and the picture of the README.
`python -m tests.browser` says whether a Chromium is there; `python -m tests.browser.picture` draws docs/ anew.
"""

import os
import shutil

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
MISSING = (
    "no Chromium found: the browser tests are skipped. To run them, install one "
    "(Debian: apt-get install chromium; elsewhere: your package manager, or Google Chrome)."
)


def chromium() -> str | None:
    """Path of a Chromium on this machine, or None."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def required() -> bool:
    """Whether running without a browser is an error (as on continuous integration)."""
    return os.environ.get("REQUIRE_BROWSER", "") not in ("", "0")
