"""One notebook's source, read and checked as a whole: header, cells, exercises, predictions.

The form of solutions/NN_what_it_is_about.py:

    # ---
    # course:
    #   title: Checkpoint and replay
    #   minutes: 90
    #   summary: One or two sentences, shown under the title.
    # ---

    # %% [markdown]
    # Text. The title is not repeated here.

    # %%
    from course_lib import check, predict, reveal

    # %% [markdown] exercise="double" title="Double it" difficulty=2 minutes=10 mode="with help"
    # Why it matters, and what to write. Also possible in the line above: stretch=true, defines="other, names".
    #
    # hint: a question
    # hint: a direction
    # hint: almost the answer

    # %%
    def double(number: int) -> int:
        '''What is promised, with units and errors.'''
        # BEGIN SOLUTION
        return 2 * number
        # END SOLUTION

Learners get `raise NotImplementedError("double")` in the block's place, or the block's lines that begin `# STUB `.
`predict("P00.1", 6, confidence=0.9)` becomes `predict("P00.1", ..., confidence=...)`; with `kind="number"` ("set",
"text", "interval", or a list of choices), which stays, an answer of another kind is asked for again. The tests of the
exercise stand in public/test_NN.py and hidden/test_NN.py. `grader build` does the rest.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course_lib.definitions import scan
from grader.build.cells import Cell, mistake, read_cells
from grader.build.exercise import Header, read_header
from grader.build.prediction import read_predictions
from grader.build.python import calls, first_text, parse
from grader.build.solution import Answer, read_answer
from grader.course import Course, CourseError, shown

_FILE = re.compile(r"(\d\d)_[a-z0-9_]+")


@dataclass(frozen=True)
class Exercise:
    """One exercise: its header, the cells that hold its answer (by position), its stubs' digests."""

    header: Header
    number: str
    answers: dict[int, Answer]
    stubs: dict[str, str]


@dataclass(frozen=True)
class Source:
    """One notebook as its author wrote it; `where` is the file's name in messages."""

    where: str
    name: str
    number: str
    title: str
    minutes: int
    summary: str
    cells: list[Cell]
    exercises: list[Exercise]
    predictions: list[str]


def read_sources(course: Course) -> list[Source]:
    """Every source of the course in order of number. Raises CourseError for the first thing that is wrong."""
    paths = source_paths(course)
    sources: list[Source] = []
    names: dict[str, str] = {}
    for path in paths:
        source = read_source(path, shown(path, course.base))
        for exercise in source.exercises:
            for name in exercise.header.defines:
                if name in names:
                    raise mistake(
                        source.where,
                        exercise.header.line,
                        f"{name} is already asked for in {names[name]}",
                        "Names of exercises are unique in a course; choose another",
                    )
                names[name] = f"{source.where}:{exercise.header.line}"
        sources.append(source)
    for source in sources:
        _check_mentions(source, names)
    return sources


def source_paths(course: Course) -> list[Path]:
    """The files solutions/NN_*.py. Raises CourseError for other names, two of one number, or none at all."""
    folder = shown(course.solutions_dir, course.base)
    paths = sorted(course.solutions_dir.glob("*.py"))
    if not paths:
        raise CourseError(f"{folder}: no source of a notebook. Write one, called NN_what_it_is_about.py.")
    numbers: dict[str, str] = {}
    for path in paths:
        found = _FILE.fullmatch(path.stem)
        if not found:
            raise CourseError(
                f"{folder}/{path.name}: not the name of a source. Call it NN_what_it_is_about.py: "
                "two digits, then lower-case words joined by '_'."
            )
        other = numbers.setdefault(found[1], path.name)
        if other != path.name:
            raise CourseError(f"{folder}/{path.name}: {other} has number {found[1]} too. Give it another.")
    return paths


def read_source(path: Path, where: str) -> Source:
    """Read and check one source. Raises CourseError."""
    number = path.stem[:2]
    header, cells = read_cells(path, where)
    title, minutes, summary = _read_facts(header, where)
    if not cells:
        raise CourseError(f"{where}: the file holds no cell. Begin one with '# %%' or '# %% [markdown]'.")
    _check_headings(cells, where)
    exercises = _read_exercises(cells, number, where)
    predictions = read_predictions(cells, number, where)
    source = Source(where, path.stem, number, title, minutes, summary, cells, exercises, predictions)
    _check_imported(source)
    _check_bound_once(source)
    return source


def code_trees(source: Source) -> Iterator[tuple[Cell, ast.Module]]:
    """Each code cell as written (answers and markers in place), with its tree."""
    for cell in source.cells:
        if cell.kind == "code":
            yield cell, parse(cell.source, source.where, cell.line)


def _read_facts(header: dict[str, Any], where: str) -> tuple[str, int, str]:
    known = {"title", "minutes", "summary"}
    unknown = sorted(str(key) for key in header if key not in known)
    if unknown:
        raise CourseError(
            f"{where}:1: the header's course part has an unknown '{unknown[0]}'. Known are title, minutes, summary."
        )
    title, minutes, summary = header.get("title"), header.get("minutes"), header.get("summary", "")
    if not isinstance(title, str) or not title.strip():
        raise CourseError(f"{where}:1: the header's course part has no title. Add '#   title: ...' to it.")
    if not isinstance(minutes, int) or isinstance(minutes, bool) or minutes <= 0:
        raise CourseError(f"{where}:1: the header's course part has no minutes. Add '#   minutes: 60' to it.")
    if not isinstance(summary, str):
        raise CourseError(f"{where}:1: the header's summary is not text. Put it in double quotes.")
    return title.strip(), minutes, " ".join(summary.split())


def _check_headings(cells: list[Cell], where: str) -> None:
    """The title has its home in the header; the build writes it at the top of the notebook."""
    for cell in cells:
        if cell.kind == "markdown" and re.match(r"#\s", cell.source):
            raise mistake(
                where,
                cell.line,
                "a heading of the first level, and the build writes the title from the header",
                "Remove this line, or make it '## ...'",
            )


def _read_exercises(cells: list[Cell], number: str, where: str) -> list[Exercise]:
    found: list[tuple[Header, dict[int, Answer]]] = []
    for i, cell in enumerate(cells):
        announced = "exercise" in cell.metadata
        if cell.kind == "markdown":
            if announced:
                found.append((read_header(cell, where), {}))
            continue
        if announced:
            raise mistake(
                where,
                cell.marker,
                "exercise= on a code cell",
                "Put it on the markdown cell before it, which holds the exercise's prose and hints",
            )
        parse(cell.source, where, cell.line)
        answer = read_answer(cell, where)
        if answer is None:
            continue
        if not found:
            raise mistake(
                where,
                answer.line,
                "a solution block before any exercise",
                "Put a markdown cell with exercise=... before it",
            )
        found[-1][1][i] = answer
    return [
        Exercise(header, f"{int(number)}.{at}", answers, _read_stubs(header, answers, where))
        for at, (header, answers) in enumerate(found, 1)
    ]


def _read_stubs(header: Header, answers: dict[int, Answer], where: str) -> dict[str, str]:
    """The digest of each stub. Both the answer and the stub must define every name that is asked for."""
    if not answers:
        raise mistake(
            where,
            header.line,
            f"exercise {header.name} has no code cell with a solution block",
            "Put one after it, with '# BEGIN SOLUTION' and '# END SOLUTION' around the answer",
        )
    first = next(iter(answers.values()))
    stubs: dict[str, str] = {}
    for answer in answers.values():
        _parse_stub(answer, where)
    given = _definitions([answer.solved for answer in answers.values()])
    asked = _definitions([answer.stub for answer in answers.values()])
    for name in header.defines:
        if name not in given:
            raise mistake(
                where,
                header.line,
                f"exercise {header.name} asks for {name}, and its answer defines no such function or class",
                "Define it at the top level of the cell, or correct the name",
            )
        if name not in asked:
            raise mistake(
                where,
                first.line,
                f"the learner's stub of exercise {header.name} does not define {name}",
                "Keep its 'def' line and docstring above '# BEGIN SOLUTION', or give '# STUB ...' lines",
            )
        if asked[name] == given[name]:
            raise mistake(
                where,
                first.line,
                f"{name} is the same in the stub and in the answer, so there is nothing to write",
                "Put its answer inside a solution block, or leave it out of defines=",
            )
        stubs[name] = asked[name]
    return stubs


def _definitions(sources: list[str]) -> dict[str, str]:
    """The digest of each function and class at top level; the last definition of a name counts."""
    return {found.name: found.digest for cell in scan(sources).cells for found in cell.definitions}


def _parse_stub(answer: Answer, where: str) -> None:
    try:
        parse(answer.stub, where, answer.line)
    except CourseError as error:
        reason = str(error).split(": ", 2)[-1].removesuffix(". Correct it.")
        raise mistake(
            where,
            answer.line,
            f"what this block leaves for the learner does not parse: {reason}",
            "Correct the '# STUB ...' lines, or move the markers",
        ) from None


def _check_imported(source: Source) -> None:
    """The build adds `check(...)` cells, so the notebook itself has to import `check`."""
    code = [cell.source for cell in source.cells if cell.kind == "code"]
    if source.exercises and not scan(code).defining("check"):
        raise CourseError(
            f"{source.where}: the build adds check(...) to each exercise, and no cell imports it. "
            "Add 'from course_lib import check' to the first code cell."
        )


def _check_bound_once(source: Source) -> None:
    """A helper called like an exercise would be taken for the learner's answer to it."""
    asked = {name for exercise in source.exercises for name in exercise.header.defines}
    answers = {at for exercise in source.exercises for at in exercise.answers}
    for at, cell in enumerate(source.cells):
        for name in scan([cell.source]).cells[0].names if cell.kind == "code" and at not in answers else ():
            if name in asked:
                raise mistake(
                    source.where,
                    cell.line,
                    f"this cell binds {name}, which is asked for as an exercise",
                    "Call the helper or the exercise something else",
                )


def _check_mentions(source: Source, names: dict[str, str]) -> None:
    for cell, tree in code_trees(source):
        for call in calls(tree, "check"):
            raise mistake(
                source.where,
                cell.line + call.lineno - 1,
                "a check(...) of your own",
                "Remove it; the build adds one to each exercise",
            )
        for call in calls(tree, "attempt"):
            name = first_text(call)
            if name is not None and name not in names:
                raise mistake(
                    source.where,
                    cell.line + call.lineno - 1,
                    f"attempt({name!r}) names no exercise",
                    "Correct the name",
                )
