"""A file that is not in the format is told by one line: what, where, and what to do."""

import re

import pytest

from grader.course import Course
from tests.proofs.loader import load

MUTANT = '''\
"""A success
starts anew."""

from math import inf


def brier(predictions):
    return inf


CATCHES = "It looks as if nothing is counted"
TEST = "test_sure_and_right"


def helper():
    return []


def witness(mutant, reference):
    return mutant(helper()) != reference(helper())
'''
VARIANT = '"""With a loop."""\n\n\ndef brier(predictions):\n    return 0\n'


@pytest.fixture(autouse=True)
def _every_notebook(monkeypatch):
    monkeypatch.delenv("PROVE_NOTEBOOKS", raising=False)


def read(root, kind, text, place="00/brier/some_slug.py"):
    path = root / f"tests/{kind}s" / place
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return load(Course.load(), kind, root / "tests")


def test_a_mutant_is_read(tmp_path):
    [mutant], problems = read(tmp_path, "mutant", MUTANT)
    assert problems == []
    assert mutant.id == "00-brier-some_slug"
    assert mutant.says == "A success starts anew."
    assert mutant.cell.startswith("from math import inf\n")
    assert mutant.cell.endswith("    return inf")
    assert (mutant.catches, mutant.test) == ("It looks as if nothing is counted", "test_sure_and_right")


def test_a_variant_is_read(tmp_path):
    [variant], problems = read(tmp_path, "variant", VARIANT)
    assert problems == []
    assert (variant.says, variant.cell) == ("With a loop.", "def brier(predictions):\n    return 0")


@pytest.mark.parametrize(
    ("kind", "before", "after", "told"),
    [
        ("mutant", '"""A success\nstarts anew."""', "", "no docstring"),
        ("mutant", "CATCHES", "CATCH", "no CATCHES"),
        ("mutant", 'TEST = "test_sure_and_right"', 'TEST = "test_" + "x"', "no TEST"),
        ("mutant", '"test_sure_and_right"', '"test_sure"', "TEST names test_sure"),
        ("mutant", "def witness", "def seen", "no witness"),
        ("mutant", "(mutant, reference):", "(mutant):", "the signature is witness(mutant, reference)"),
        ("mutant", "def brier", "def brief", "brier is not defined above CATCHES"),
        ("mutant", "return inf", "return (", "not Python"),
        ("variant", '"""With a loop."""', "", "no docstring"),
        ("variant", "return 0", 'return 0\n\n\nTEST = "test_x"', "a variant has no TEST"),
        ("variant", "def brier", "def brief", "brier is not defined."),
    ],
)
def test_a_mistake_is_one_line(tmp_path, kind, before, after, told):
    text = MUTANT if kind == "mutant" else VARIANT
    assert before in text
    found, problems = read(tmp_path, kind, text.replace(before, after))
    assert found == []
    [line] = problems
    assert told in line
    assert re.match(rf"tests/{kind}s/00/brier/some_slug\.py(:\d+)?: [^\n]+\.$", line)


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("00/slug.py", "not at mutants/NN/<exercise>/<slug>.py"),
        ("98/brier/slug.py", "there is no notebook 98"),
        ("00/breir/slug.py", "notebook 00 has no exercise breir"),
    ],
)
def test_a_wrong_place_is_one_line(tmp_path, place, told):
    found, [line] = read(tmp_path, "mutant", MUTANT, place)
    assert found == []
    assert told in line
    assert line.startswith(f"tests/mutants/{place}: ")
