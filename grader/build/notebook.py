"""A source as a notebook: the learner's telling and the solved one, with the same cells and the same ids."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any, Literal

from grader.build.markdown import announcement, hints, opening
from grader.build.prediction import unanswered
from grader.build.source import Exercise, Source
from grader.course import NotebookFacts

# JupyterLab asks for a kernel unless all three are there.
_METADATA: dict[str, Any] = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


@dataclass(frozen=True)
class Built:
    """One cell of a notebook told both ways; `line` is where its text comes from in the source."""

    id: str
    kind: Literal["markdown", "code"]
    learner: str
    solved: str
    metadata: dict[str, Any]
    line: int


def build_cells(source: Source, facts: NotebookFacts) -> list[Built]:
    """Every cell of the notebook: those of the source, and those that the build adds."""
    made = _Maker()
    made.add("markdown", opening(source), line=1, name="opening")
    headers = {exercise.header.line: exercise for exercise in source.exercises}
    current: Exercise | None = None
    for at, cell in enumerate(source.cells):
        begins = headers.get(cell.marker)
        if begins:
            current = begins
            name = current.header.name
            text = announcement(current, next(e for e in facts.exercises if e.name == name))
            made.add("markdown", text, line=cell.line, name=f"{name}-exercise", exercise=name)
        elif current and at in current.answers:
            name, answer = current.header.name, current.answers[at]
            position = list(current.answers).index(at)
            made.add(
                "code",
                unanswered(answer.stub),
                solved=answer.solved,
                line=cell.line,
                name=f"{name}-answer" + (f"-{position + 1}" if position else ""),
                exercise=name,
                metadata=cell.metadata,
            )
            if at == max(current.answers):
                made.add("code", f'check("{name}")', line=cell.line, name=f"{name}-check", exercise=name)
                folded = hints(current.header.hints)
                made.add("markdown", folded, line=current.header.line, name=f"{name}-hints", exercise=name)
        elif cell.kind == "code":
            learner = unanswered(cell.source)
            made.add("code", learner, solved=cell.source, line=cell.line, metadata=cell.metadata)
        else:
            made.add("markdown", cell.source, line=cell.line, metadata=cell.metadata)
    return made.cells


def learner_notebook(cells: list[Built]) -> dict[str, Any]:
    """What a learner opens: stubs, empty predictions, no outputs."""
    return _notebook([(cell, cell.learner) for cell in cells], {})


def solved_notebook(cells: list[Built], runs_on: str) -> dict[str, Any]:
    """The same cells with answers, not yet run; its metadata carries the digest of what will be run.

    `runs_on` is the digest of what their outputs depend on besides: the library, and the public tests.
    """
    told = [(cell, cell.solved) for cell in cells]
    digest = hashlib.sha256(dump_notebook(_notebook(told, {})) + runs_on.encode()).hexdigest()
    return _notebook(told, {"course": {"digest": digest}})


def dump_notebook(notebook: dict[str, Any]) -> bytes:
    """The bytes of a notebook file, as Jupyter itself lays them out; the same for the same notebook."""
    return (json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()


def _notebook(told: list[tuple[Built, str]], metadata: dict[str, Any]) -> dict[str, Any]:
    cells: list[dict[str, Any]] = []
    for cell, text in told:
        data: dict[str, Any] = {
            "cell_type": cell.kind,
            "id": cell.id,
            "metadata": cell.metadata,
            "source": text.splitlines(keepends=True),
        }
        if cell.kind == "code":
            data |= {"execution_count": None, "outputs": []}
        cells.append(data)
    return {"cells": cells, "metadata": {**_METADATA, **metadata}, "nbformat": 4, "nbformat_minor": 5}


class _Maker:
    """Collects cells and gives each an id that stays the same when other cells come, go or move."""

    def __init__(self) -> None:
        self.cells: list[Built] = []
        self._taken: set[str] = set()

    def add(
        self,
        kind: Literal["markdown", "code"],
        learner: str,
        *,
        line: int,
        solved: str | None = None,
        name: str | None = None,
        exercise: str | None = None,
        metadata: dict[str, Any] | None = None,
    ) -> None:
        told = {**(metadata or {}), **({"exercise": exercise} if exercise else {})}
        ident = self._ident(name, f"{kind}\n{learner}")
        self.cells.append(Built(ident, kind, learner, learner if solved is None else solved, told, line))

    def _ident(self, name: str | None, text: str) -> str:
        # A notebook's format allows 64 characters; a name that is longer is told by its digest too.
        if name is None or len(name) > 64:
            name = hashlib.sha256((name or text).encode()).hexdigest()[:12]
        ident, count = name, 1
        while ident in self._taken:
            count += 1
            ident = f"{name}-{count}"
        self._taken.add(ident)
        return ident
