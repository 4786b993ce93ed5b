"""The course's own notebooks as sources of code cells: solved, and with one exercise's cells replaced."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from course_lib import definitions
from grader.course import Course, shown
from tests.proofs.loader import Candidate, asked


@dataclass(frozen=True)
class Solved:
    """One solved notebook. `answers` are the positions of each exercise's cells, `stubs` their unsolved text,
    `own` the names that nothing but those cells binds.
    """

    name: str
    number: str
    cells: tuple[str, ...]
    answers: dict[str, tuple[int, ...]]
    stubs: dict[str, str]
    own: dict[str, tuple[str, ...]]
    defines: dict[str, tuple[str, ...]]

    def answer(self, exercise: str) -> str:
        """The reference answer, all its cells in one."""
        return "\n\n".join(self.cells[at] for at in self.answers[exercise])

    def with_answer(self, candidate: Candidate) -> list[str]:
        """The cells of a learner who wrote this candidate and solved the rest."""
        first, *others = self.answers[candidate.exercise]
        return [candidate.cell if at == first else source for at, source in enumerate(self.cells) if at not in others]

    def reference(self, exercise: str) -> Candidate:
        """The course's own answer."""
        return Candidate("reference", self.number, exercise, "reference", self.answer(exercise))

    def stub(self, exercise: str) -> Candidate:
        """What a learner finds."""
        return Candidate("stub", self.number, exercise, "stub", self.stubs[exercise])


@cache
def solved_notebooks() -> dict[str, Solved]:
    """The course's solved notebooks by number, from their sources; those that are asked for."""
    from grader.build.notebook import build_cells  # jupytext and nbformat take a second to import
    from grader.build.source import read_source

    course, found = Course.load(), {}
    for facts in (facts for facts in course.manifest.notebooks if asked(facts.number)):
        path = course.solutions_dir / f"{facts.name}.py"
        cells = [c for c in build_cells(read_source(path, shown(path, course.base)), facts) if c.kind == "code"]
        answers: dict[str, tuple[int, ...]] = {}
        for at, cell in enumerate(cells):
            if (exercise := cell.metadata.get("exercise")) and cell.learner != cell.solved:
                answers[exercise] = (*answers.get(exercise, ()), at)
        names = [set(cell.names) for cell in definitions.scan([cell.solved for cell in cells]).cells]
        own = {}
        for exercise, positions in answers.items():
            others = set().union(*(bound for at, bound in enumerate(names) if at not in positions))
            own[exercise] = tuple(sorted(set().union(*(names[at] for at in positions)) - others))
        found[facts.number] = Solved(
            name=facts.name,
            number=facts.number,
            cells=tuple(cell.solved for cell in cells),
            answers=answers,
            stubs={name: "\n\n".join(cells[at].learner for at in places) for name, places in answers.items()},
            own=own,
            defines={exercise.name: tuple(exercise.defines) for exercise in facts.exercises},
        )
    return found
