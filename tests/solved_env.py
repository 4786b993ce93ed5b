"""For `pytest -p tests.solved_env --nbval solutions`: the environment in which the build ran these notebooks.

nbval starts its kernels with this process's environment; the same clock and hash seed, and a journal that is
thrown away, make the outputs comparable.
"""

import atexit
import os
import shutil
import tempfile

from grader.build.solve import CLOCK

_scratch = tempfile.mkdtemp(prefix="nbval-")
atexit.register(shutil.rmtree, _scratch, ignore_errors=True)
os.environ |= {
    "COURSE_CLOCK": CLOCK,
    "COURSE_JOURNAL": f"{_scratch}/predictions",
    "IPYTHONDIR": f"{_scratch}/ipython",
    "PYTHONHASHSEED": "0",
}
