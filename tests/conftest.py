"""What all tests share."""

from __future__ import annotations

from collections.abc import Callable

import psutil
import pytest

Family = Callable[[], list[psutil.Process]]


@pytest.fixture
def family() -> Family:
    """The processes that the test has started, directly or not, and that are still there.

    Others of the same pytest process, such as the proofs' servers, are no concern of the test's.
    """
    before = set(psutil.Process().children(recursive=True))
    return lambda: [child for child in psutil.Process().children(recursive=True) if child not in before]
