"""The commands. Each is thin: it reads the call, hands over, and turns what comes back into an exit status.

0 all passed · 1 graded, something not passed · 2 the input or the call is wrong · 3 the grader itself failed.
Imports stand inside the commands: `grader --help` and `grader hint` start without pytest or the Jupyter stack.
"""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

if TYPE_CHECKING:
    from grader.course import Course
    from grader.grade import Graded
    from grader.work import Progress

ALL_PASSED, NOT_PASSED, WRONG_INPUT, GRADER_FAILED = 0, 1, 2, 3
# As shells say it of a program that Ctrl-C ended.
STOPPED = 130


class Commands(click.Group):
    """Turns the errors that a person can mend into one line and status 2."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        from grader.course import CourseError

        try:
            return super().invoke(ctx)
        except CourseError as error:
            raise _Stop(str(error), WRONG_INPUT) from None
        except KeyboardInterrupt:
            raise _Stop("stopped.", STOPPED) from None
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            # Python's own status for this, 1, would say that a notebook was graded.
            traceback.print_exc()
            raise _Stop(f"a fault of the grader itself ({type(error).__name__}), see above.", GRADER_FAILED) from None


class _Stop(click.ClickException):
    """One line on standard error, and an exit status."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        vars(self)["exit_code"] = status

    def show(self, file: Any = None) -> None:
        click.echo(f"grader: {self.format_message()}", err=True)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="accountable-agents", prog_name="grader")
@click.option(
    "--course",
    "root",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder with course.toml, public/ and hidden/ of another course.",
)
@click.pass_context
def main(ctx: click.Context, root: Path | None) -> None:
    """Check notebooks of the course, get hints, and build the notebooks from their sources."""
    ctx.obj = root


def _course(root: Path | None) -> Course:
    from grader.course import Course

    return Course.load(root)


@main.command()
@click.argument("targets", nargs=-1)
@click.option("--json", "json_file", metavar="FILE", help="Write the record as JSON; - for standard output.")
@click.option("--exercise", metavar="NAME", help="Only the tests of this exercise.")
@click.option("--seed", type=click.IntRange(min=0), help="Draw the same inputs again.")
@click.pass_obj
def check(
    root: Path | None, targets: tuple[str, ...], json_file: str | None, exercise: str | None, seed: int | None
) -> None:
    """Grade notebooks: numbers (04), files or folders; without any, everything in notebooks/."""
    import secrets

    from grader.course import digest
    from grader.submissions import InputError, find_submission

    course = _course(root)
    seed = secrets.randbelow(2**32) if seed is None else seed
    try:
        submission = find_submission(course, list(targets) or _of_exercise(course, exercise), Path.cwd())
        if exercise is not None and not any(
            e.name == exercise for s in submission.notebooks for e in s.facts.exercises
        ):
            known = ", ".join(e.name for n in course.manifest.notebooks for e in n.exercises)
            raise InputError(f"no exercise {exercise} in what is asked. The course has {known}.")
    except InputError as error:
        raise _Stop(str(error), WRONG_INPUT) from None
    if digest(course, course.manifest) != course.manifest.course.digest:
        click.echo(
            "grader: what is asked changed since the manifest was built, and the record names the older version. "
            "Run `grader build`.",
            err=True,
        )
    graded = _grade(course, submission, seed, exercise, quiet=json_file == "-")
    record = graded.record
    if json_file is not None:
        _write_json(record, json_file)
    for fault in graded.faults:
        click.echo(fault, err=True)
    if record.status == "rejected":
        raise _Stop(record.message, WRONG_INPUT)
    if graded.faults:
        raise _Stop("a test itself failed, see above: a fault of the course, not of the notebook.", GRADER_FAILED)
    counted = [e for n in record.notebooks for e in n.exercises if not e.stretch]
    passed = all(e.status == "passed" for e in counted) and record.score == record.max_score
    sys.exit(ALL_PASSED if passed else NOT_PASSED)


def _of_exercise(course: Course, exercise: str | None) -> list[str]:
    facts = course.manifest.notebook_of(exercise) if exercise else None
    return [facts.number] if facts else []


def _grade(course: Course, submission: Any, seed: int, exercise: str | None, *, quiet: bool) -> Graded:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    from grader.grade import grade
    from grader.kernel.process import KernelStartError
    from grader.report import terminal

    console = Console(highlight=False, quiet=quiet, width=None if sys.stdout.isatty() else terminal.WIDTH)
    header = f"\n  {course.name} {course.version} · {_count(submission)} · seed {seed}\n"
    columns = (
        TextColumn("  {task.description:<34}"),
        BarColumn(26),
        TextColumn("{task.fields[state]}"),
        TimeElapsedColumn(),
    )
    with Bar(*columns, console=console, transient=True, disable=quiet or not console.is_terminal) as bar:
        task = bar.add_task("starting", total=None, state="")

        def step(progress: Progress) -> None:
            nonlocal header
            if header:  # not before it is known that there is something to grade
                bar.console.print(header)
                header = ""
            bar.update(task, description=progress.notebook.name, completed=progress.done, total=progress.total)

        try:
            graded = grade(course, submission, seed=seed, exercise=exercise, on_progress=step)
        except KernelStartError as error:
            raise _Stop(f"no kernel can be started here: {error}", GRADER_FAILED) from None
    if graded.record.status != "rejected":
        terminal.show(graded.record, course.manifest, graded.notes, console, all_of_it=exercise is not None)
    return graded


def _count(submission: Any) -> str:
    """How many notebooks, and where they lie: a person must see whose work is graded."""
    paths = [entry.path for entry in submission.notebooks if entry.path is not None]
    folders = sorted({f"{os.path.relpath(path.parent)}/" for path in paths})
    return f"{len(paths)} notebook{'' if len(paths) == 1 else 's'} in {', '.join(folders)}"


def _write_json(record: Any, target: str) -> None:
    import msgspec

    data = msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n"
    if target == "-":
        click.echo(data, nl=False)
        return
    try:
        Path(target).write_bytes(data)
    except OSError as error:
        raise _Stop(f"{target}: cannot be written ({error.strerror}). Name another file.", WRONG_INPUT) from None


@main.command()
@click.argument("submissions", type=click.Path(path_type=Path))
@click.option(
    "--out", "results", type=click.Path(path_type=Path), required=True, help="Folder for records and grades.csv."
)
@click.option("--notebooks", metavar="04,08", help="Only these notebooks were asked for; without it, all.")
@click.option("--jobs", type=click.IntRange(1, 64), help="Submissions graded side by side; by default one per core.")
@click.option("--seed", type=click.IntRange(min=0), help="Draw the same inputs again; by default a new secret.")
@click.option("--regrade", is_flag=True, help="Grade everything again, also what is graded.")
@click.option("--trust-submissions", is_flag=True, help="Run them although they are not fully contained here.")
@click.pass_obj
def batch(
    root: Path | None,
    submissions: Path,
    results: Path,
    notebooks: str | None,
    jobs: int | None,
    seed: int | None,
    regrade: bool,
    trust_submissions: bool,
) -> None:
    """Grade a folder that holds one folder or one notebook for each student.

    Stop it when you like: what is finished is kept, and the same command goes on from there.
    """
    from grader.batch import Batch
    from grader.kernel.confine import missing_layers
    from grader.submissions import InputError
    from grader.submissions.find import numbered

    course = _course(root)
    missing = missing_layers()
    if missing and not trust_submissions:
        raise _Stop(
            f"strangers' code is not fully contained here: {'; '.join(missing)}. "
            "Add --trust-submissions when you trust these people; each record will say how it was run.",
            WRONG_INPUT,
        )
    try:
        scope = course.manifest.notebooks
        if notebooks is not None:
            asked = [numbered(course, number) for number in notebooks.replace(",", " ").split()]
            scope = [facts for facts in scope if facts in asked]
        if not scope:
            raise InputError("no notebook is asked for. Name some, as in --notebooks 04,08, or leave it out for all.")
        batch = Batch(course, submissions, results, scope, jobs or os.cpu_count() or 1, seed, regrade)
        sys.exit(_run_batch(batch))
    except InputError as error:
        raise _Stop(str(error), WRONG_INPUT) from None


def _run_batch(batch: Any) -> int:
    """Run it with progress; the exit status."""
    import signal
    from contextlib import closing

    from rich.console import Console

    from grader.batch import replace_file, run_batch
    from grader.report import terminal
    from grader.report.progress import BatchProgress
    from grader.report.table import grades_csv

    console = Console(highlight=False, stderr=True)
    scope = [facts.name for facts in batch.scope]
    records = []
    faults: list[str] = []
    stopped = 0
    signal.signal(signal.SIGTERM, _interrupt)
    with BatchProgress(console) as progress, closing(run_batch(batch)) as outcomes:
        try:
            for outcome in outcomes:
                records.append(outcome.record)
                faults += outcome.faults
                progress.step(outcome)
        except KeyboardInterrupt as stop:
            stopped = 128 + stop.args[0] if stop.args else STOPPED
    if stopped:
        onward = "" if batch.regrade else " The same command goes on from there."
        raise _Stop(f"stopped; {len(records)} done and kept in {batch.results}.{onward}", stopped)
    table = batch.results / "grades.csv"
    replace_file(table, grades_csv(records, scope))
    terminal.show_batch(records, table, console)
    for fault in faults:
        click.echo(fault, err=True)
    if faults:
        return GRADER_FAILED
    return ALL_PASSED if all(r.status == "graded" and r.score == r.max_score for r in records) else NOT_PASSED


def _interrupt(number: int, frame: object) -> NoReturn:
    """Take being told to end, as a scheduler does it, like Ctrl-C."""
    raise KeyboardInterrupt(number)


@main.command()
@click.argument("name", required=False)
@click.argument("level", type=click.IntRange(1, 3), required=False)
@click.pass_obj
def hint(root: Path | None, name: str | None, level: int | None) -> None:
    """The next hint of an exercise (replay, or 4.2): a question, a direction, almost the answer."""
    from grader.hints import next_level, remember

    course = _course(root)
    exercises = [e for n in course.manifest.notebooks for e in n.exercises]
    facts = next((e for e in exercises if name in (e.name, e.number)), None)
    if facts is None:
        known = ", ".join(e.name for e in exercises)
        raise _Stop(f"{f'no exercise {name}.' if name else 'which exercise?'} The course has {known}.", WRONG_INPUT)
    name = facts.name
    level = level or next_level(course.name, name, len(facts.hints))
    remember(course.name, name, level)
    click.echo(f"\n  {name} · hint {level} of {len(facts.hints)}\n")
    click.echo(click.wrap_text(facts.hints[level - 1], 78, "  ", "  ", preserve_paragraphs=True))
    if level < len(facts.hints):
        click.echo(f"\n  Still stuck? grader hint {name}\n")
    else:
        click.echo(f"\n  That was the last one. From the first: grader hint {name} 1\n")


@main.command()
@click.option("--check", "only_check", is_flag=True, help="Change nothing; say what is out of step.")
@click.option("--all", "run_all", is_flag=True, help="Run every solved notebook again, changed or not.")
@click.pass_obj
def build(root: Path | None, only_check: bool, run_all: bool) -> None:
    """Make the notebooks and the manifest from solutions/NN_*.py and the tests."""
    from grader import build as building

    course = _course(root)
    if only_check:
        lines = building.out_of_step(course)
        for line in lines:
            click.echo(f"grader: {line}", err=True)
        if lines:
            sys.exit(NOT_PASSED)
        click.echo("Everything built is in step with its source.")
        return
    for path in building.build(course, run_all=run_all):
        click.echo(f"wrote {path}")


@main.command()
def schema() -> None:
    """Print the JSON Schema of the record that `check --json` writes."""
    import msgspec

    from grader.record import schema as record_schema

    click.echo(msgspec.json.format(msgspec.json.encode(record_schema()), indent=2))


if __name__ == "__main__":
    main()
