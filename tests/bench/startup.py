"""What a learner waits for: `grader check` against `jupyter execute`, `grader --help` against an empty Python.

Pairs are interleaved, and the median of the pairs' ratios is what counts: the machine's noise hits both sides.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent


def seconds(command: list[str], cwd: Path) -> float:
    """Wall-clock seconds of one run; the command's status must be 0."""
    started = time.perf_counter()
    subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - started


def ratio(name: str, ours: list[str], theirs: list[str], cwd: Path, pairs: int, most: float) -> bool:
    """Print the median ratio of `ours` to `theirs` over interleaved pairs; whether it is at most `most`."""
    seconds(ours, cwd), seconds(theirs, cwd)  # caches warm on both sides
    taken = [(seconds(ours, cwd), seconds(theirs, cwd)) for _ in range(pairs)]
    median = statistics.median(a / b for a, b in taken)
    ours_median, theirs_median = (statistics.median(side) for side in zip(*taken, strict=True))
    holds = median <= most
    mark = "holds" if holds else "DOES NOT HOLD"
    print(f"{name:<58} {ours_median:6.3f} s / {theirs_median:6.3f} s   ratio {median:5.2f}   at most {most:g}: {mark}")
    return holds


def main() -> bool:
    """Whether both bars hold."""
    holds = []
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        folder = Path(scratch)
        for solved in sorted((ROOT / "solutions").glob("[0-9][0-9]_*.ipynb")):
            shutil.copy(solved, folder)
            holds.append(
                ratio(
                    f"grader check / jupyter execute, {solved.stem}",
                    [str(BIN / "grader"), "check", solved.name],
                    [str(BIN / "jupyter"), "execute", solved.name],
                    folder,
                    pairs=5,
                    most=1,
                )
            )
        holds.append(
            ratio(
                "grader --help / python -c pass",
                [str(BIN / "grader"), "--help"],
                [sys.executable, "-c", "pass"],
                folder,
                pairs=25,
                most=6,
            )
        )
    return all(holds)
