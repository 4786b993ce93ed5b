"""`make bench`: how long `grader check` takes, notebook by notebook, as a learner meets it.

Wall and CPU seconds of the whole command, start-up and kernel included; the median of five runs.
"""

import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
RUNS = 5


def measure(target: Path) -> tuple[float, float]:
    """Median wall and CPU seconds of grading `target`."""
    walls, cpus = [], []
    for _ in range(RUNS):
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        command = [sys.executable, "-m", "grader.cli", "check", str(target)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
        walls.append(time.perf_counter() - started)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpus.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        if done.returncode > 1:
            sys.exit(f"grading {target} failed with status {done.returncode}: {done.stderr.strip()}")
    return statistics.median(walls), statistics.median(cpus)


def main() -> None:
    """Print one line per notebook, solved and as handed out."""
    print(f"{'grader check':<44} {'wall s':>8} {'CPU s':>8}")
    for folder in ("solutions", "notebooks"):
        for path in sorted((ROOT / folder).glob("[0-9][0-9]_*.ipynb")):
            wall, cpu = measure(path)
            print(f"{path.relative_to(ROOT)!s:<44} {wall:>8.2f} {cpu:>8.2f}", flush=True)


if __name__ == "__main__":
    main()
