"""Everything that a build would write, worked out without writing or running anything."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.build.facts import gather
from grader.build.notebook import Built, build_cells, dump_notebook, learner_notebook, solved_notebook
from grader.build.source import Source, read_sources
from grader.course import Course, Manifest, digest_of_run


@dataclass(frozen=True)
class Target:
    """One source with the two notebooks that it makes; `solved` has no outputs yet."""

    source: Source
    cells: list[Built]
    learner_path: Path
    learner: bytes
    solved_path: Path
    solved: dict[str, Any]


@dataclass(frozen=True)
class Plan:
    """What the course's files should be, given its sources and tests."""

    manifest: Manifest
    targets: list[Target]


def make_plan(course: Course) -> Plan:
    """Read the sources and the tests of `course`. Raises CourseError for the first thing that is wrong."""
    sources = read_sources(course)
    manifest = gather(course, sources)
    return Plan(manifest, [_target(course, source, manifest, at) for at, source in enumerate(sources)])


def _target(course: Course, source: Source, manifest: Manifest, at: int) -> Target:
    cells = build_cells(source, manifest.notebooks[at])
    return Target(
        source=source,
        cells=cells,
        learner_path=course.notebooks_dir / f"{source.name}.ipynb",
        learner=dump_notebook(learner_notebook(cells)),
        solved_path=course.solutions_dir / f"{source.name}.ipynb",
        solved=solved_notebook(cells, digest_of_run(course, source.number)),
    )
