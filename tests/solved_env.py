"""For `pytest -p tests.solved_env --nbval solutions`: the environment in which the build ran these notebooks.

nbval starts its kernels with this process's environment; the same clock and hash seed, and a journal that is
thrown away, make the outputs comparable.
"""

import atexit
import os
import shutil
import tempfile

import pytest

from grader.build.solve import CLOCK

_scratch = tempfile.mkdtemp(prefix="nbval-")
atexit.register(shutil.rmtree, _scratch, ignore_errors=True)
os.environ |= {
    "COURSE_CLOCK": CLOCK,
    "IPYTHONDIR": f"{_scratch}/ipython",
    "PYTHONHASHSEED": "0",
}


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> None:
    """Each notebook has a journal of its own, as in a build: its kernel is started with what stands here then."""
    os.environ["COURSE_JOURNAL"] = f"{_scratch}/{item.path.stem}"
