"""Every plausible wrong answer loses the promise that names its misconception."""

import pytest

from grader.course import Course
from tests.proofs import gather
from tests.proofs.loader import load

MUTANTS, PROBLEMS = load(Course.load(), "mutant")
each_mutant = pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.id)


@pytest.fixture(scope="session")
def witnessed(work):
    return gather.witnessed(work)


def test_every_file_is_in_the_format():
    assert PROBLEMS == []


@each_mutant
def test_it_loses_the_promise_that_names_it(mutant, judged):
    for each in judged["mutant", mutant.id]:
        assert each.failed == "", f"seed {each.seed}: its cell does not run: {each.failed}"
        said = each.of(mutant.test)
        assert said is not None
        assert said.breaks(mutant.catches), (
            f"seed {each.seed}: {mutant.test} {said.outcome}: {said.sentence!r} instead of {mutant.catches!r}"
        )


@each_mutant
def test_its_witness_shows_the_difference(mutant, witnessed):
    assert witnessed[mutant.id] == "True"
