"""`make prove`: all tests with twenty seeds, under every supported Python that this machine has.

Each Python gets an environment of its own, .venv-3.NN, which later runs use again.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SUPPORTED = ("3.11", "3.12", "3.13")
SEEDS = "20"  # tests that draw inputs from a seed read PROVE_SEEDS; without it they use one


def find(version: str) -> str | None:
    """An interpreter of this version: the one that runs this, one on the path, or one that pyenv keeps."""
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [sys.executable, shutil.which(f"python{version}") or ""]
    candidates += sorted(map(str, kept.glob(f"{version}.*/bin/python3")), reverse=True)
    asked = ["-c", "import ensurepip, sys; print('%d.%d' % sys.version_info[:2])"]
    for candidate in filter(None, candidates):
        answer = subprocess.run([candidate, *asked], capture_output=True, text=True, check=False)
        if answer.stdout.strip() == version:
            return candidate
    return None


def prepare(version: str, interpreter: str) -> Path:
    """The environment's own interpreter, with the course and what its tests need installed."""
    python = ROOT / f".venv-{version}" / "bin" / "python"
    if not python.exists():
        subprocess.run([interpreter, "-m", "venv", python.parents[1]], check=True)
    install = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*install, "-c", "constraints.txt", "-e", ".[dev]"], cwd=ROOT, check=True)
    return python


def main() -> int:
    """Run them all, say at the end which passed, which failed and which are missing."""
    outcome: dict[str, str] = {}
    for version in SUPPORTED:
        interpreter = find(version)
        if interpreter is None:
            outcome[version] = "not found on this machine"
            continue
        print(f"\nPython {version} ({interpreter})", flush=True)
        tests = [prepare(version, interpreter), "-m", "pytest", "-q", *sys.argv[1:], "tests"]
        env = {**os.environ, "PROVE_SEEDS": SEEDS}
        passed = subprocess.run(tests, cwd=ROOT, env=env, check=False).returncode == 0
        outcome[version] = "passed" if passed else "FAILED"
    print(f"\nproved with {SEEDS} seeds:")
    for version, said in outcome.items():
        print(f"  Python {version}  {said}")
    return int("passed" not in outcome.values() or "FAILED" in outcome.values())


if __name__ == "__main__":
    sys.exit(main())
