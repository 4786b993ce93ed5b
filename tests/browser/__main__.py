"""`python -m tests.browser`: says when the browser tests will be skipped, and fails where they may not be."""

import sys

from tests.browser import MISSING, chromium, required

if chromium() is None:
    print(MISSING)
    sys.exit(required())
