"""Wrong and right answers on file: what they look like, and how they are read.

A mutant is a plausible wrong answer, ``tests/mutants/NN/<exercise>/<slug>.py``:

    \"\"\"The misconception, in one sentence.\"\"\"

    def replay(trace_prefix, adapter):            <- the learner's cell: everything between the docstring
        return adapter.next_action(trace_prefix)     and CATCHES. Imports and helpers it needs stand here too.


    CATCHES = "The adapter received your own list, not a copy"   <- the sentence of the promise that it breaks,
                                                                    or "raises" when the answer itself raises
    TEST = "test_the_prefix_is_yours"                            <- the test that says so


    def witness(mutant, reference):               <- True when they differ on an input. It never reaches the
        ...                                          learner's cell, nor does any helper below CATCHES.

The cell defines every name of the exercise, as the notebook's own cell does, and may use what the notebook has
imported or defined. `witness` gets both functions (or classes) of the exercise's name; others of the exercise are
in ``mutant.__globals__``. It runs with the whole file as its module.

A variant is a right answer by another road, ``tests/variants/NN/<exercise>/<slug>.py``: a docstring that says what
is different about it, then the learner's cell, and nothing else.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from grader.course import Course, ExerciseFacts

TESTS = Path(__file__).parents[1]
RAISES = "raises"
Kind = Literal["mutant", "variant", "reference", "stub", "import"]


@dataclass(frozen=True)
class Candidate:
    """An answer to one exercise. `cell` is what stands in the learner's cell, `text` the whole file it came from.

    `says` is the docstring's first sentence; `catches` and `test` are a mutant's.
    """

    kind: Kind
    notebook: str
    exercise: str
    slug: str
    cell: str
    says: str = ""
    text: str = ""
    catches: str = ""
    test: str = ""

    @property
    def id(self) -> str:
        """How a test names it."""
        return f"{self.notebook}-{self.exercise}-{self.slug}"


def asked(number: str) -> bool:
    """Whether this notebook is to be proved: all are, unless PROVE_NOTEBOOKS lists some ("04,08")."""
    only = os.environ.get("PROVE_NOTEBOOKS")
    return not only or number in only.split(",")


class Malformed(ValueError):
    """A file is not in the format; the message is one line."""


def load(course: Course, kind: Kind, root: Path = TESTS) -> tuple[list[Candidate], list[str]]:
    """Every well-formed file below `root`/mutants or `root`/variants, and a line for each that is not."""
    found: list[Candidate] = []
    problems: list[str] = []
    for path in sorted((root / f"{kind}s").rglob("*.py")):
        where = path.relative_to(root.parent).as_posix()
        if not asked(path.relative_to(root).parts[1]):
            continue
        try:
            found.append(_read(path, where, kind, _place(course, path.relative_to(root), where)))
        except Malformed as error:
            problems.append(str(error))
    return found, problems


def _place(course: Course, path: Path, where: str) -> tuple[str, ExerciseFacts]:
    """The notebook's number and the exercise that the folders name."""
    if len(path.parts) != 4:
        raise Malformed(f"{where}: not at {path.parts[0]}/NN/<exercise>/<slug>.py. Move it there.")
    _, number, name, _ = path.parts
    notebook = course.manifest.notebook(number)
    if notebook is None or notebook.number != number:
        known = ", ".join(n.number for n in course.manifest.notebooks)
        raise Malformed(f"{where}: there is no notebook {number}. The course has {known}.")
    exercise = next((e for e in notebook.exercises if e.name == name), None)
    if exercise is None:
        known = ", ".join(e.name for e in notebook.exercises)
        raise Malformed(f"{where}: notebook {number} has no exercise {name}. It has {known}.")
    return number, exercise


def _read(path: Path, where: str, kind: Kind, place: tuple[str, ExerciseFacts]) -> Candidate:
    number, exercise = place
    text = path.read_text("utf-8")
    try:
        body = ast.parse(text).body
    except SyntaxError as error:
        raise Malformed(f"{where}:{error.lineno}: not Python: {error.msg}. Correct that line.") from None
    if not body or not (says := _docstring(body[0])):
        what = "the misconception" if kind == "mutant" else "what is different about this answer"
        raise Malformed(f"{where}: no docstring. Say {what} in one sentence at the top.")
    constants = {name: node for node in body for name in _assigned(node) if name in ("CATCHES", "TEST")}
    end = len(text.splitlines())
    catches = test = ""
    if kind == "mutant":
        catches, test = (_text(constants.get(name), name, where) for name in ("CATCHES", "TEST"))
        end = min(constants["CATCHES"].lineno, constants["TEST"].lineno) - 1
        _check_witness(body, where, end)
        if test not in (known := [t.name for t in exercise.tests]):
            raise Malformed(f"{where}: TEST names {test}, which {exercise.name} has not. It has {', '.join(known)}.")
    elif constants:
        raise Malformed(f"{where}: a variant has no {min(constants)}. Take it out, or move the file to mutants/.")
    cell = "\n".join(text.splitlines()[body[0].end_lineno : end]).strip("\n")
    defined = {name for node in body if node.lineno <= end for name in _bound(node)}
    if missing := [name for name in exercise.defines if name not in defined]:
        before = " above CATCHES" if kind == "mutant" else ""
        raise Malformed(f"{where}: {missing[0]} is not defined{before}. Write it as it stands in the learner's cell.")
    return Candidate(kind, number, exercise.name, path.stem, cell, says, text, catches, test)


def _docstring(node: ast.stmt) -> str:
    match node:
        case ast.Expr(ast.Constant(str(text))):
            return " ".join(text.strip().partition("\n\n")[0].split())
    return ""


def _text(node: ast.stmt | None, name: str, where: str) -> str:
    match node:
        case ast.Assign(value=ast.Constant(str(text))) if text:
            return text
    what = "the sentence of the promise that catches it" if name == "CATCHES" else "the name of the test"
    raise Malformed(f'{where}: no {name} = "...". Give {what} as one string at the top level.')


def _check_witness(body: list[ast.stmt], where: str, end: int) -> None:
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.name == "witness":
            if node.lineno <= end:
                raise Malformed(f"{where}:{node.lineno}: witness stands in the learner's cell. Move it below CATCHES.")
            if [arg.arg for arg in node.args.args] != ["mutant", "reference"]:
                raise Malformed(f"{where}:{node.lineno}: the signature is witness(mutant, reference). Change it.")
            return
    raise Malformed(f"{where}: no witness(mutant, reference). Show an input on which the two differ.")


def _assigned(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.Assign):
        yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _bound(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    yield from _assigned(node)
