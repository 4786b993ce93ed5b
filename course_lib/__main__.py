"""The command line: python -m course_lib evaluate --fixture summarize-notes --output run.json."""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import NoReturn

from .recordings import recorded_names, rerun


class _OneLine(argparse.ArgumentParser):
    """argparse prints its usage before an error; one line is enough to say what to do."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")


def evaluate(fixture: str, output: Path) -> None:
    """Run the scenario in a folder of its own and write {"result": {...}} to `output`."""
    with tempfile.TemporaryDirectory() as folder:
        result = rerun(fixture, Path(folder))
    output.write_bytes(json.dumps({"result": result}, indent=2).encode() + b"\n")


def main(argv: list[str] | None = None) -> None:
    """Carry out a command line. Exits with status 2 and one line on stderr when the call is wrong."""
    parser = _OneLine(prog="course_lib", description="The course's agent, from the command line.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="evaluate", parser_class=_OneLine)
    command = commands.add_parser("evaluate", help="run a scenario and write its result as JSON")
    command.add_argument("--fixture", required=True, help=", ".join(recorded_names()))
    command.add_argument("--output", required=True, type=Path, help="the file to write")
    asked = parser.parse_args(argv)
    try:
        evaluate(asked.fixture, asked.output)
    except ValueError as problem:
        parser.error(str(problem))
    except OSError as problem:
        parser.error(f"cannot write {asked.output}: {problem.strerror}")


if __name__ == "__main__":
    main()
