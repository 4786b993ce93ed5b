"""No right answer loses anything, by whatever road it comes; the bare stub gets nothing."""

import pytest

from course_lib import definitions
from grader.course import Course
from tests.proofs.course import solved_notebooks
from tests.proofs.loader import asked, load

COURSE = Course.load()
VARIANTS, PROBLEMS = load(COURSE, "variant")
EXERCISES = [
    (n.number, exercise.name) for n in COURSE.manifest.notebooks if asked(n.number) for exercise in n.exercises
]
each_exercise = pytest.mark.parametrize(("number", "exercise"), EXERCISES)


def loses_nothing(judgements):
    for each in judgements:
        assert each.failed == "", f"seed {each.seed}: its cell does not run: {each.failed}"
        assert each.said
        lost = [f"{said.test} {said.outcome}: {said.sentence}" for said in each.said if said.outcome != "passed"]
        assert lost == [], f"seed {each.seed}"


def code(cell):
    """What a cell defines, whatever its docstrings and comments say."""
    return tuple((found.name, found.digest) for part in definitions.scan([cell]).cells for found in part.definitions)


def test_every_file_is_in_the_format():
    assert PROBLEMS == []


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.id)
def test_a_variant_loses_nothing(variant, judged):
    loses_nothing(judged["variant", variant.id])


@each_exercise
def test_the_reference_loses_nothing(number, exercise, judged):
    loses_nothing(judged["reference", f"{number}-{exercise}-reference"])


@each_exercise
def test_there_are_two_variants(number, exercise):
    there = [variant for variant in VARIANTS if (variant.notebook, variant.exercise) == (number, exercise)]
    roads = {code(variant.cell) for variant in there} - {code(solved_notebooks()[number].answer(exercise))}
    assert len(roads) >= 2, f"{len(roads)} in tests/variants/{number}/{exercise} that differ from the reference"


@each_exercise
def test_the_stub_passes_nothing(number, exercise, judged):
    for each in judged["stub", f"{number}-{exercise}-stub"]:
        assert each.said
        assert [said.test for said in each.said if said.outcome == "passed"] == [], f"seed {each.seed}"
