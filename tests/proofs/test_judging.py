"""Verdicts can be trusted: inputs vary, no shortcut passes, the grader never breaks, and a real kernel agrees."""

import os

import pytest

from grader.course import Course
from tests.proofs import gather
from tests.proofs.judging import NO_SOURCE
from tests.proofs.loader import asked

NOTEBOOKS = [notebook for notebook in Course.load().manifest.notebooks if asked(notebook.number)]
EXERCISES = [exercise.name for notebook in NOTEBOOKS for exercise in notebook.exercises]
SHARE = 0.8
# `make prove` takes its time: private names of the library are tried, and a mutant of every exercise is graded.
THOROUGH = "PROVE_SEEDS" in os.environ


@pytest.fixture(scope="session")
def tables(work, seeds):
    return gather.tables(work, seeds[0], seeds[1])


@pytest.fixture(scope="session")
def imports(work, seeds):
    return gather.imports(work, seeds[0], private=THOROUGH)


def test_no_verdict_is_a_fault_of_the_grader(judged):
    faults = {
        f"{each.candidate.kind} {each.candidate.id} seed {each.seed}: {said.test}: {said.sentence}"
        for judgements in judged.values()
        for each in judgements
        for said in each.said
        if said.fault
    }
    last = next((each.faults[0] for found in judged.values() for each in found if each.faults), "")
    assert not faults, f"{len(faults)}, such as:\n" + "\n".join([*sorted(faults)[:10], last])


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.number)
def test_most_hidden_tests_send_something_else_under_another_seed(notebook, judged):
    constant, total = [], 0
    for exercise in notebook.exercises:
        first, second, *_ = judged["reference", f"{notebook.number}-{exercise.name}-reference"]
        hidden = [said for said in first.said if said.visibility == "hidden"]
        total += len(hidden)
        constant += [f"{exercise.name}: {said.test}" for said in hidden if said.sent == second.of(said.test).sent]
    assert total > 0
    assert len(constant) <= (1 - SHARE) * total, f"{len(constant)} of {total} send the same: {constant}"


@pytest.mark.parametrize("exercise", EXERCISES)
def test_answers_learnt_by_heart_fail_under_another_seed(exercise, tables, seeds):
    here, there = tables[exercise][seeds[0]], tables[exercise][seeds[1]]
    asked = [said for said in here if said.sentence != NO_SOURCE and said.outcome != "skipped"]
    passed = sum(said.outcome == "passed" for said in asked)
    assert passed > len(asked) / 2 or not asked, "the table does not even know its own seed"
    lost = [said.test for said in there if said.visibility == "hidden" and said.lost]
    assert lost, "every hidden test passes with answers recorded under another seed"


@pytest.mark.parametrize("exercise", EXERCISES)
def test_nothing_in_the_library_is_an_answer(exercise, imports):
    tried, passed = imports[exercise]
    assert tried > 30
    assert passed == []


def test_the_grader_says_the_same_from_end_to_end(work, seeds):
    """Forked processes stand for kernels in the tests above; here a sample is graded in kernels as well."""
    compared = gather.compared(work, seeds[-1], every_exercise=THOROUGH)
    assert compared
    for each in compared:
        assert each.graded == each.forked, each.candidate.id
