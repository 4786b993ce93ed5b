"""The kill matrix: which wrong answer loses which promise, as records, as text, as Markdown and as CSV."""

from __future__ import annotations

import csv
import io
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from grader.course import Course
from tests.proofs.judging import Judged
from tests.proofs.loader import Candidate

# Of a mutant and a test: the named promise was broken under every seed or some, another was under every seed or some.
MARKS = {"named": "◆", "sometimes named": "◇", "lost": "●", "sometimes": "○", "kept": "·"}
WIDTH = 110


@dataclass(frozen=True)
class Row:
    """One mutant: of each test the number of seeds under which it was lost, and of its own test how often by name."""

    mutant: Candidate
    lost: dict[str, int]
    named: int
    seeds: int
    seconds: float

    @property
    def killed(self) -> bool:
        """Whether the promise that names it was broken under every seed."""
        return self.named == self.seeds

    def mark(self, test: str) -> str:
        """How it stands with this test: a key of MARKS."""
        if test == self.mutant.test and self.named:
            return "named" if self.killed else "sometimes named"
        return "kept" if not self.lost[test] else "lost" if self.lost[test] == self.seeds else "sometimes"


@dataclass(frozen=True)
class Block:
    """One exercise: its tests in their order, with visibility, and its mutants."""

    notebook: str
    exercise: str
    tests: list[tuple[str, str]]
    rows: list[Row]

    @property
    def heads(self) -> dict[str, str]:
        """A short name for each test: p1, p2 for public ones, h1, h2 for hidden ones."""
        count = {"public": 0, "hidden": 0}
        heads = {}
        for test, visibility in self.tests:
            count[visibility] += 1
            heads[test] = f"{visibility[0]}{count[visibility]}"
        return heads

    @property
    def idle(self) -> list[str]:
        """Tests that no mutant ever loses."""
        return [test for test, _ in self.tests if not any(row.lost[test] for row in self.rows)]


def blocks(judged: Sequence[Judged]) -> list[Block]:
    """The matrix, exercise by exercise."""
    by_exercise: dict[tuple[str, str], dict[str, list[Judged]]] = {}
    for each in judged:
        if each.candidate.kind == "mutant":
            key = (each.candidate.notebook, each.candidate.exercise)
            by_exercise.setdefault(key, {}).setdefault(each.candidate.slug, []).append(each)
    found = []
    order = [(n.number, e.name) for n in Course.load().manifest.notebooks for e in n.exercises]
    for notebook, exercise in sorted(by_exercise, key=order.index):
        mutants = by_exercise[notebook, exercise]
        facts = Course.load().manifest.exercise(exercise)
        tests = [(test.name, test.visibility) for test in facts.tests] if facts else []
        rows = [_row(runs, [test for test, _ in tests]) for _, runs in sorted(mutants.items())]
        found.append(Block(notebook, exercise, tests, rows))
    return found


def _row(runs: list[Judged], tests: list[str]) -> Row:
    # A test that was not asked has not been lost: `make test` asks only for those that should be.
    lost = {test: sum((said := run.of(test)) is not None and said.lost for run in runs) for test in tests}
    mutant = runs[0].candidate
    named = sum((said := run.of(mutant.test)) is not None and said.breaks(mutant.catches) for run in runs)
    return Row(mutant, lost, named, len(runs), sum(run.seconds for run in runs))


def message(found: Sequence[Block]) -> str:
    """What the matrix says, as a sentence."""
    rows = [row for block in found for row in block.rows]
    killed = sum(row.killed for row in rows)
    if killed == len(rows):
        return f"Each of {len(rows)} plausible wrong answers loses the promise that names its misconception"
    return (
        f"{len(rows) - killed} of {len(rows)} plausible wrong answers keep the promise that names their misconception"
    )


def as_text(found: Sequence[Block]) -> str:
    """For a terminal."""
    lines = []
    for block in found:
        heads = block.heads
        wide = max(len(row.mutant.slug) for row in block.rows) + 2
        lines.append(f"{block.notebook} {block.exercise}".ljust(wide) + " ".join(f"{h:>3}" for h in heads.values()))
        for row in block.rows:
            marks = " ".join(f"{MARKS[row.mark(test)]:>3}" for test in heads)
            lines.append(f"{row.mutant.slug.replace('_', ' '):<{wide}}{marks}" + ("" if row.killed else "   <- alive"))
        legend = "  ".join(f"{head} {_words(test)}." for test, head in heads.items())
        lines += [*textwrap.wrap(legend, WIDTH, initial_indent="  ", subsequent_indent="  "), ""]
    seconds = [row.seconds / row.seeds for block in found for row in block.rows]
    lines.append(f"{message(found)}.")
    lines.append("◆ by the promise that names it (◇ under some seeds)  ● by another, too (○ under some seeds)  · not")
    lines.append(f"{sum(seconds) / len(seconds):.2f} s for a mutant and a seed, {max(seconds):.2f} s at most")
    if idle := [f"{block.exercise}: {_words(test)}" for block in found for test in block.idle]:
        lines += textwrap.wrap("Tests that no mutant loses: " + "; ".join(idle) + ".", WIDTH)
    return "\n".join(lines)


def as_markdown(found: Sequence[Block]) -> str:
    """For a page: each mutant with its misconception, the promise that catches it, and what else it loses."""
    lines = [f"{message(found)}.", ""]
    for block in found:
        lines += [f"### {block.notebook} `{block.exercise}`", ""]
        lines += ["| wrong answer | misconception | caught by | saying | loses as well |", "|---|---|---|---|---|"]
        for row in block.rows:
            others = [_words(test) for test in row.lost if row.lost[test] and test != row.mutant.test]
            caught = _words(row.mutant.test) if row.killed else "nothing"
            cells = [row.mutant.slug.replace("_", " "), row.mutant.says, caught, row.mutant.catches, ", ".join(others)]
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        lines.append("")
    return "\n".join(lines)


def as_csv(found: Sequence[Block]) -> str:
    """For a spreadsheet: one line for each mutant and test."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["notebook", "exercise", "mutant", "test", "visibility", "seeds", "lost", "named"])
    for block in found:
        for row in block.rows:
            for test, visibility in block.tests:
                named = row.named if test == row.mutant.test else 0
                place = [block.notebook, block.exercise, row.mutant.slug]
                writer.writerow([*place, test, visibility, row.seeds, row.lost[test], named])
    return out.getvalue()


def _words(test: str) -> str:
    return test.removeprefix("test_").replace("_", " ")
