"""`grader build`: writes what changed, runs the solved notebooks whose source changed."""

from __future__ import annotations

from pathlib import Path

from grader.build.notebook import dump_notebook
from grader.build.plan import Target, make_plan
from grader.build.solve import solve
from grader.build.stored import first_run, read_json, same_solved
from grader.course import Course, CourseError, dump_manifest, shown


def build(course: Course, *, run_all: bool = False) -> list[str]:
    """Bring notebooks, manifest and solved notebooks in step with their sources; the paths that were written.

    `run_all` runs every solved notebook again, also those whose source did not change. Raises CourseError; a
    mistake in any source or test stops the build before anything is written, and so does a learner's notebook that
    somebody has worked in.
    """
    plan = make_plan(course)
    for target in plan.targets:
        _keep_work(course, target)
    written: list[str] = []
    for target in plan.targets:
        written += _put(course, target.learner_path, target.learner)
    beside = {target.solved_path.name: dump_notebook(target.solved) for target in plan.targets}
    # Before the solved notebooks run: their check(...) cells read the manifest.
    written += _put(course, course.manifest_path, dump_manifest(plan.manifest))
    for target in plan.targets:
        if run_all or not same_solved(target.solved_path, target.solved):
            ran = solve(course, target.solved, target.cells, target.source.where, beside)
            written += _put(course, target.solved_path, ran)
    return written


def _keep_work(course: Course, target: Target) -> None:
    """Raise CourseError where a build would write over somebody's answers."""
    path = target.learner_path
    if path.is_file() and path.read_bytes() != target.learner and (at := first_run(read_json(path))) is not None:
        where = shown(path, course.base)
        raise CourseError(
            f"{where}: somebody has worked in it (cell {at} has been run), and a build would write over that. "
            "Move it out of the way and build again; nothing was written."
        )


def _put(course: Course, path: Path, data: bytes) -> list[str]:
    if path.is_file() and path.read_bytes() == data:
        return []
    path.parent.mkdir(parents=True, exist_ok=True)
    # A build that is stopped leaves the old file or the new one, never half of one.
    draft = path.with_name(f".{path.name}.new")
    draft.write_bytes(data)
    draft.replace(path)
    return [shown(path, course.base)]
