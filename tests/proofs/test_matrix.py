"""The kill matrix is complete, and each of its forms tells the same."""

import csv
import io

import pytest

from grader.course import Course
from tests.proofs.figure import draw
from tests.proofs.loader import asked, load
from tests.proofs.matrix import as_csv, as_markdown, as_text, blocks, message

MANIFEST = Course.load().manifest


@pytest.fixture(scope="session")
def matrix(judged):
    return blocks([each for found in judged.values() for each in found])


def test_every_mutant_is_killed_under_every_seed(matrix, seeds):
    mutants = {mutant.id for mutant in load(Course.load(), "mutant")[0]}
    assert {row.mutant.id for block in matrix for row in block.rows} == mutants
    for block in matrix:
        assert [test for test, _ in block.tests] == [test.name for test in MANIFEST.exercise(block.exercise).tests]
        assert {row.seeds for row in block.rows} == {len(seeds)}
        assert [row.mutant.id for row in block.rows if not row.killed] == []


def test_every_exercise_has_mutants(matrix):
    exercises = {exercise.name for n in MANIFEST.notebooks if asked(n.number) for exercise in n.exercises}
    assert exercises - {block.exercise for block in matrix} == set()


def test_text_and_markdown_name_every_mutant_once(matrix):
    text, markdown = as_text(matrix), as_markdown(matrix)
    assert message(matrix) in text
    assert text.count("◆") == sum(row.killed for block in matrix for row in block.rows) + 1  # and the legend
    for block in matrix:
        for row in block.rows:
            assert markdown.count(f"| {row.mutant.slug.replace('_', ' ')} | {row.mutant.says}") == 1


def test_csv_has_a_line_for_each_mutant_and_test(matrix, seeds):
    lines = list(csv.DictReader(io.StringIO(as_csv(matrix))))
    assert len(lines) == sum(len(block.rows) * len(block.tests) for block in matrix)
    assert sum(int(line["named"]) for line in lines) == len(seeds) * sum(len(block.rows) for block in matrix)


def test_the_figure_carries_its_message(matrix, tmp_path):
    alt = draw(matrix, tmp_path / "kill_matrix.png")
    data = (tmp_path / "kill_matrix.png").read_bytes()
    assert data.startswith(b"\x89PNG")
    assert message(matrix) in alt
    assert message(matrix).encode("latin-1") in data
