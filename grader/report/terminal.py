"""`grader check` in a terminal: the table, what went wrong in words, and the one next thing."""

from __future__ import annotations

import statistics
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from grader.course import Manifest
from grader.record import ExerciseRecord, GradeRecord, NotebookRecord, TestRecord

# Failed promises shown for one exercise; the rest is counted.
SHOWN_PER_EXERCISE = 3
WIDTH = 100

MARKS = {"passed": "[green]✓[/]", "failed": "[red]✗[/]", "error": "[red]![/]", "skipped": "[dim]–[/]"}


def show(
    record: GradeRecord, manifest: Manifest, notes: list[str], console: Console, *, all_of_it: bool = False
) -> None:
    """Print it to `console`, at most 100 columns wide; of each exercise a few failures, with `all_of_it` every one."""
    console.print(_table(record, manifest))
    console.print()
    for notebook in record.notebooks:
        if notebook.status == "rejected":
            console.print(Text.assemble(("  ! ", "red"), notebook.message))
        _failures(notebook, console, None if all_of_it else SHOWN_PER_EXERCISE)
    for note in notes:
        console.print(Text.assemble(("  · ", "dim"), (note, "dim")))
    console.print(Text.assemble(("  Next: ", "bold"), next_step(record, manifest)))


def next_step(record: GradeRecord, manifest: Manifest) -> str:
    """The one thing to do next: the first exercise that is not full marks, then predictions, then nothing."""
    for notebook in record.notebooks:
        facts = manifest.notebook(notebook.name)
        if facts is None or notebook.status != "graded":
            continue
        for exercise in notebook.exercises:
            if exercise.status == "passed" or exercise.stretch:
                continue
            asked = manifest.exercise(exercise.name)
            title = f', exercise {asked.number} "{asked.title}"' if asked else ""
            return f"{exercise.name} (notebook {facts.number}{title}) · grader hint {exercise.name}"
        unmade = [p.id for p in notebook.predictions if not p.made]
        if unmade:
            return f"prediction {unmade[0]} (notebook {facts.number}): write it down before you run its cell"
        spoiled = [p.id for p in notebook.predictions if p.points < p.max_points]
        if spoiled:
            return f"prediction {spoiled[0]} (notebook {facts.number}): what is said of it above"
    if any(notebook.status == "rejected" for notebook in record.notebooks):
        return "the notebooks that could not be read, see above"
    absent = [notebook.name for notebook in record.notebooks if notebook.status == "not_submitted"]
    if absent:
        return f"notebook {absent[0][:2]}, which is not here yet"
    return "nothing. Everything asked for is there."


def _table(record: GradeRecord, manifest: Manifest) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_edge=False, header_style="dim")
    table.add_column("  notebook", no_wrap=True)
    table.add_column("exercise", no_wrap=True)
    for name in ("public", "hidden", "predicted", "points"):
        table.add_column(name, justify="right", no_wrap=True)
    for notebook in record.notebooks:
        for number, row in enumerate(_rows(notebook)):
            table.add_row(f"  {_name(notebook, manifest)}" if number == 0 else "", *row)
        table.add_section()
    table.add_row("", "", "", "", "", _points(record.score, record.max_score), style="bold")
    return table


def _name(notebook: NotebookRecord, manifest: Manifest) -> str:
    return notebook.name.replace("_", " ")


def _rows(notebook: NotebookRecord) -> list[tuple[str | Text, ...]]:
    if notebook.status != "graded":
        word = "not handed in" if notebook.status == "not_submitted" else "could not be read"
        return [(Text(word, style="dim"), "", "", "", _points(notebook.score, notebook.max_score))]
    rows: list[tuple[str | Text, ...]] = [_exercise_row(exercise) for exercise in notebook.exercises]
    if notebook.predictions:
        held = sum(p.points == p.max_points for p in notebook.predictions)
        score = sum(p.points for p in notebook.predictions)
        most = sum(p.max_points for p in notebook.predictions)
        count = Text(f"{held}/{len(notebook.predictions)}", style="green" if held == len(notebook.predictions) else "")
        rows.append(("predictions", "", "", count, _points(score, most)))
    return rows


def _exercise_row(exercise: ExerciseRecord) -> tuple[str | Text, ...]:
    points: str | Text = _points(exercise.score, exercise.max_score)
    if exercise.stretch:
        points = Text("stretch", style="dim")
    if exercise.status in ("not_started", "missing"):
        word = "not started" if exercise.status == "not_started" else "no definition"
        return (exercise.name, Text(word, style="dim"), "", "", points)
    return (exercise.name, _count(exercise, "public"), _count(exercise, "hidden"), "", points)


def _count(exercise: ExerciseRecord, visibility: str) -> Text:
    tests = [test for test in exercise.tests if test.visibility == visibility]
    passed = sum(test.outcome == "passed" for test in tests)
    if not tests:
        return Text("–", style="dim")
    whole = passed == len(tests)
    return Text(f"{'✓' if whole else '✗'} {passed}/{len(tests)}", style="green" if whole else "red")


def _points(score: float, most: float) -> str:
    return f"{score:g} / {most:g}"


def _failures(notebook: NotebookRecord, console: Console, most: int | None) -> None:
    for exercise in notebook.exercises:
        failed = [t for t in exercise.tests if t.outcome in ("failed", "error")]
        for test in failed[:most]:
            _failure(exercise, test, console)
        if more := len(failed[most:]) if most is not None else 0:
            see = f"grader check --exercise {exercise.name}"
            console.print(Text(f"      and {more} more of {exercise.name}: {see}", style="dim"))
        if failed:
            console.print()


def _failure(exercise: ExerciseRecord, test: TestRecord, console: Console) -> None:
    mark = "✗" if test.outcome == "failed" else "!"
    title = test.title[:1].lower() + test.title[1:].rstrip(".")
    console.print(Text.assemble((f"  {mark} ", "red"), (exercise.name, "bold"), f" · {title}"))
    sentence = test.sentence if test.sentence.endswith((".", "!", "?")) else f"{test.sentence}."
    for line in Text(sentence).wrap(console, min(console.width, WIDTH) - 8):
        console.print(Text("      ") + line)


def show_batch(records: list[GradeRecord], table: Path, console: Console) -> None:
    """What a batch came to: how many, how they stand, and who needs a person's eye."""
    graded = [record for record in records if record.status == "graded"]
    summary = f"\n  {len(records)} submissions · {len(graded)} graded · grades in {table}"
    console.print(Text(summary), soft_wrap=True)
    if graded:
        scores = sorted(record.score for record in graded)
        most = graded[0].max_score
        middle = statistics.median(scores)
        console.print(f"  scores {scores[0]:g} to {scores[-1]:g}, median {middle:g}, of {most:g}")
    rejected = [record for record in records if record.status == "rejected"]
    if rejected:
        console.print(f"\n  {len(rejected)} could not be graded:")
        for record in rejected:
            line = Text.assemble(("  ! ", "red"), (record.submission.id, "bold"), f"  {record.message}")
            console.print(line, soft_wrap=True)
