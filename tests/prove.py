"""`make prove`: every mutant and every right answer with twenty seeds, under every supported Python found here.

    python -m tests.prove                 the proofs, the library's own tests, and the kill matrix as a table
    python -m tests.prove --table         only the matrix, under this Python (--markdown, --csv: in that form)
    python -m tests.prove --figure        only the matrix, as docs/kill_matrix.png; prints its alternative text

The Python that runs this is used as it is. Each other one gets an environment of its own, .venv-3.NN, which later
runs use again.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import msgspec

ROOT = Path(__file__).parents[1]
SUPPORTED = ("3.11", "3.12", "3.13")
SEEDS = 20  # `make test` takes two
FIGURE = ROOT / "docs" / "kill_matrix.png"


def find(version: str) -> str | None:
    """An interpreter of this version: the one that runs this, one on the path, or one that pyenv keeps."""
    candidates = [sys.executable, shutil.which(f"python{version}") or ""]
    if pyenv := shutil.which("pyenv"):
        root = subprocess.run([pyenv, "root"], capture_output=True, text=True, check=False).stdout.strip()
        kept = Path(root, "versions").glob(f"{version}.*/bin/python3") if root else []
        candidates += sorted(map(str, kept), reverse=True)
    asked = ["-c", "import ensurepip, sys; print('%d.%d' % sys.version_info[:2])"]
    for candidate in filter(None, candidates):
        answer = subprocess.run([candidate, *asked], capture_output=True, text=True, check=False)
        if answer.stdout.strip() == version:
            return candidate
    return None


def prepare(version: str, interpreter: str) -> Path:
    """The interpreter of an environment with the course and what its tests need. Raises CalledProcessError."""
    if interpreter == sys.executable:
        return Path(interpreter)
    folder = ROOT / f".venv-{version}"
    ready = folder / ".ready"
    sources = [ROOT / "pyproject.toml", ROOT / "constraints.txt"]
    if not ready.exists() or any(source.stat().st_mtime > ready.stat().st_mtime for source in sources):
        print(f"  setting up {folder.name} (once, about a minute)", flush=True)
        subprocess.run([interpreter, "-m", "venv", "--clear", folder], check=True)
        install = [folder / "bin" / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*install, "-c", "constraints.txt", "-e", ".[dev]"], cwd=ROOT, check=True)
        ready.touch()
    return folder / "bin" / "python"


def prove(version: str, seeds: int, out: Path) -> str:
    """How it went under one Python: "passed", "FAILED", or why it was not run. Judgements are written to `out`."""
    interpreter = find(version)
    if interpreter is None:
        return "missing: not found on the path or with pyenv"
    print(f"\nPython {version} ({interpreter})", flush=True)
    try:
        python = prepare(version, interpreter)
    except subprocess.CalledProcessError as error:
        return f"FAILED: its environment could not be set up (status {error.returncode})"
    env = {**os.environ, "PROVE_SEEDS": str(seeds), "PROVE_OUT": str(out)}
    tests = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/unit", "tests/proofs"]
    return "passed" if subprocess.run(tests, cwd=ROOT, env=env, check=False).returncode == 0 else "FAILED"


def prove_all(seeds: int) -> int:
    """Run the proofs under each Python, then print the matrix and which passed, failed or are missing."""
    from tests.proofs.judging import Judged
    from tests.proofs.matrix import as_text, blocks

    outcome: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        for version in SUPPORTED:
            outcome[version] = prove(version, seeds, Path(folder, version))
        written = sorted(Path(folder).iterdir())
        if written:
            print("\n" + as_text(blocks(msgspec.json.decode(written[0].read_bytes(), type=list[Judged]))))
    print(f"\nproved with {seeds} seeds:")
    for version, said in outcome.items():
        print(f"  Python {version}  {said}")
    return int("passed" not in outcome.values() or any(said.startswith("FAILED") for said in outcome.values()))


def show_matrix(form: str, seeds: int) -> int:
    """Judge every mutant under this Python and show the matrix; status 1 when one is alive."""
    from tests.proofs import matrix
    from tests.proofs.figure import draw
    from tests.proofs.gather import judgements, tell, workers

    with workers(partial(tell, sys.stderr)) as work:
        found = matrix.blocks(judgements(work, list(range(1, seeds + 1))))
    forms = {"table": matrix.as_text, "markdown": matrix.as_markdown, "csv": matrix.as_csv}
    if form == "figure":
        alt = draw(found, FIGURE)
        print(f"{FIGURE.relative_to(ROOT)}: {alt}")
    else:
        print(forms[form](found))
    return int(not all(row.killed for block in found for row in block.rows))


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.prove", description="Prove what the course's tests catch.")
    which = parser.add_mutually_exclusive_group()
    for form in ("table", "markdown", "csv", "figure"):
        which.add_argument(
            f"--{form}", dest="form", action="store_const", const=form, help=f"only the matrix, as {form}"
        )
    parser.add_argument("--seeds", type=int, help=f"how many; {SEEDS} for the proofs, 2 for the matrix alone")
    parser.add_argument("--notebooks", metavar="NN,NN", help="only these; all unless given")
    asked = parser.parse_args()
    if asked.seeds is not None and asked.seeds < 2:
        parser.error("--seeds: at least 2, since what holds under one seed may be luck")
    if asked.notebooks:
        os.environ["PROVE_NOTEBOOKS"] = asked.notebooks
    return show_matrix(asked.form, asked.seeds or 2) if asked.form else prove_all(asked.seeds or SEEDS)


if __name__ == "__main__":
    sys.exit(main())
