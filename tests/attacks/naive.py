"""A checker as many are: the tests are cells that run beside the answer, and what they say is believed.

``python naive.py PROGRAM TESTS SEED`` in an empty folder. It runs the cells of PROGRAM and then each cell of TESTS in
the same namespace; a test cell that raises nothing has passed. The last line that says RESULT is the grade. Nothing
here is careless beyond that: it is what an attack has to beat to count as one.
"""

import contextlib
import io
import json
import sys
from pathlib import Path

from IPython.core.interactiveshell import InteractiveShell


def run_test(shell, source):
    """Whether the cell went through."""
    with contextlib.redirect_stdout(io.StringIO()):
        return shell.run_cell(source, silent=True).success


def record_result(results, name, passed):
    results[name] = bool(passed)


def main(program, tests, seed):
    shell = InteractiveShell.instance()
    shell.showtraceback = shell.showsyntaxerror = lambda *args, **kwargs: None
    shell.user_ns["SEED"] = seed
    results = {}
    shell.user_ns["_results"] = results
    for cell in program.split("\n# %%"):
        shell.run_cell(cell, silent=False)
    for number, cell in enumerate(tests.split("\n# %%")[1:]):
        title, _, source = cell.partition("\n")
        name = f"{number}{title}"
        record_result(results, name, False)
        record_result(results, name, run_test(shell, source))
    print("RESULT " + json.dumps(results), flush=True)
    loot = shell.user_ns.get("loot")
    if loot is not None:
        print("LOOT " + json.dumps(loot()), flush=True)


if __name__ == "__main__":
    sys.path.insert(0, str(Path.cwd()))
    sys.modules["naive"] = sys.modules["__main__"]
    main(Path(sys.argv[1]).read_text("utf-8"), Path(sys.argv[2]).read_text("utf-8"), int(sys.argv[3]))
