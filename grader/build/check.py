"""`grader build --check`: names what is out of step with the sources, without writing or running anything."""

from __future__ import annotations

from pathlib import Path

import msgspec

from grader.build.leaks import find_leaks
from grader.build.plan import Plan, Target, make_plan
from grader.build.stored import first_difference, read_json
from grader.course import Course, CourseError, Manifest, dump_manifest, parse_manifest, shown

_DO = "Run `grader build`."


def out_of_step(course: Course) -> list[str]:
    """One line for each file that a build would change or that gives an answer away; empty if all is well."""
    try:
        plan = make_plan(course)
    except CourseError as error:
        return [str(error)]
    lines = [line for target in plan.targets for line in _notebooks(course, target)]
    lines += _manifest(course, plan.manifest)
    lines += _orphans(course, plan)
    return lines + find_leaks(course, plan)


def _notebooks(course: Course, target: Target) -> list[str]:
    lines: list[str] = []
    source = target.source.where
    where = shown(target.learner_path, course.base)
    if not target.learner_path.is_file():
        lines.append(f"{where}: missing, though {source} is there. {_DO}")
    elif target.learner_path.read_bytes() != target.learner:
        planned = msgspec.json.decode(target.learner)
        reason = first_difference(read_json(target.learner_path), planned) or "it is laid out differently"
        lines.append(f"{where}: out of step with {source}: {reason}. {_DO}")
    where = shown(target.solved_path, course.base)
    if not target.solved_path.is_file():
        lines.append(f"{where}: missing, though {source} is there. {_DO}")
    elif older := first_difference(read_json(target.solved_path), target.solved, solved=True):
        lines.append(f"{where}: out of step with {source}: {older}. {_DO}")
    return lines


def _manifest(course: Course, planned: Manifest) -> list[str]:
    where = shown(course.manifest_path, course.base)
    try:
        data = course.manifest_path.read_bytes()
    except OSError:
        return [f"{where}: missing. {_DO}"]
    if data == dump_manifest(planned):
        return []
    try:
        stored = parse_manifest(data, where)
    except CourseError as error:
        return [str(error)]
    return [f"{where}: out of step: {_what_moved(stored, planned)}. {_DO}"]


def _what_moved(stored: Manifest, planned: Manifest) -> str:
    old = {n.name: n for n in stored.notebooks}
    new = {n.name: n for n in planned.notebooks}
    for name in [*old, *(n for n in new if n not in old)]:
        if name not in new:
            return f"it asks for notebook {name}, which has no source"
        if name not in old:
            return f"notebook {name} is new"
        if old[name] == new[name]:
            continue
        was = {e.name: e for e in old[name].exercises}
        now = {e.name: e for e in new[name].exercises}
        changed = [e for e in [*was, *(e for e in now if e not in was)] if was.get(e) != now.get(e)]
        return f"{f'exercise {changed[0]}' if changed else 'what it asks'} changed in {name}"
    if (stored.course.name, stored.course.version) != (planned.course.name, planned.course.version):
        return "the course's name or version changed"
    if stored.course.digest != planned.course.digest:
        return "a test or the library changed since"
    return "it is laid out differently"


def _orphans(course: Course, plan: Plan) -> list[str]:
    """Built notebooks whose source is gone. Notebooks of other names are nobody's business here."""
    wanted = {path for target in plan.targets for path in (target.learner_path, target.solved_path)}
    found: list[Path] = []
    for folder in (course.notebooks_dir, course.solutions_dir):
        found += [path for path in sorted(folder.glob("[0-9][0-9]_*.ipynb")) if path not in wanted]
    sources = shown(course.solutions_dir, course.base)
    return [
        f"{shown(path, course.base)}: no source {sources}/{path.stem}.py makes it. Delete or rename it."
        for path in found
    ]
