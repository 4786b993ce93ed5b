"""No answer is given away: no six tokens of a solution stand in what a learner gets, but for the stub."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.build.cells import mistake
from grader.build.plan import Plan
from grader.course import Course, shown

RUN = 6
# One reader for Python and prose alike: strings, names, numbers, operators; no comments, no layout.
# A quote after a letter is an apostrophe.
_TOKEN = re.compile(
    r"""\#[^\n]*
    | (?P<token>
        (?<!\w)[rbfuRBFU]{0,2}(?:\"{3}.*?\"{3}|'{3}.*?'{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
      | \w+ | \*\*=? | //=? | >>=? | <<=? | [-+*/%&|^=<>!:@]= | -> | [^\w\s]
    )""",
    re.VERBOSE | re.DOTALL,
)


def tokens(text: str) -> list[str]:
    """The tokens of a piece of Python or prose, in order."""
    return [found["token"] for found in _TOKEN.finditer(text) if found["token"]]


def find_leaks(course: Course, plan: Plan) -> list[str]:
    """One line for each solution that gives six tokens in a row to notebooks/, course_lib or the manifest."""
    shown_runs: dict[tuple[str, ...], str] = {}
    for where, text in _what_learners_get(course, plan):
        for run in _runs(text):
            shown_runs.setdefault(run, where)
    lines: list[str] = []
    for target in plan.targets:
        for exercise in target.source.exercises:
            for answer in exercise.answers.values():
                allowed = set(_runs(answer.stub))
                for block in answer.blocks:
                    leak = next((r for r in _runs(block) if r in shown_runs and r not in allowed), None)
                    if leak:
                        lines.append(
                            str(
                                mistake(
                                    target.source.where,
                                    answer.line,
                                    f"{' '.join(leak)!r} of this answer also stands in {shown_runs[leak]}",
                                    "Say it differently in one of the two places",
                                )
                            )
                        )
    return lines


def _what_learners_get(course: Course, plan: Plan) -> Iterator[tuple[str, str]]:
    for target in plan.targets:
        name = shown(target.learner_path, course.base)
        for at, cell in enumerate(target.cells, 1):
            yield f"{name} (cell {at})", cell.learner
    for path in sorted(course.library_dir.rglob("*.py")):
        yield shown(path, course.base), path.read_text("utf-8")
    name = shown(course.manifest_path, course.base)
    for notebook in plan.manifest.notebooks:
        for exercise in notebook.exercises:
            for text in (*exercise.hints, *(test.title for test in exercise.tests)):
                yield f"{name} (exercise {exercise.name})", text


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    found = tokens(text)
    return zip(*(found[i:] for i in range(RUN)), strict=False)
