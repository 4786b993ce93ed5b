"""Everything that the course teaches is listed in tests/rules.toml, and held by a test that a wrong answer loses.

A rule that is taught in prose only says in `prose` where it is said.
"""

import tomllib
from functools import cache
from pathlib import Path

import pytest

from grader.course import Course
from grader.judge.spec import TestSpec, load_specs
from tests.proofs.loader import load

RULES = tomllib.loads((Path(__file__).parents[1] / "rules.toml").read_text(encoding="utf-8"))["rules"]


@cache
def specs() -> list[TestSpec]:
    return load_specs(Course.load())


@cache
def killed() -> set[tuple[str, str]]:
    """Tests that some mutant must lose, as (exercise, test); tests/proofs shows that it does."""
    return {(mutant.exercise, mutant.test) for mutant in load(Course.load(), "mutant")[0]}


@pytest.mark.parametrize("slug", RULES)
def test_a_rule_says_what_it_is(slug: str) -> None:
    rule = RULES[slug]
    assert rule.keys() <= {"text", "notebook", "prose"}
    assert len(rule["text"]) > 20
    assert Course.load().manifest.notebook(rule["notebook"]) is not None


@pytest.mark.parametrize("slug", RULES)
def test_a_rule_is_held(slug: str) -> None:
    holding = [spec for spec in specs() if slug in spec.rules]
    if RULES[slug].get("prose"):
        return
    assert holding, (
        f"no test names rule {slug!r}: name it in @exercise(..., rule=...), or say in prose where it is taught"
    )
    assert any((spec.exercise, spec.name) in killed() for spec in holding), f"no mutant loses a test of rule {slug!r}"
    assert RULES[slug]["notebook"] in {spec.notebook for spec in holding}


@pytest.mark.parametrize("spec", specs(), ids=lambda spec: f"{spec.notebook}-{spec.exercise}-{spec.name}")
def test_every_test_names_a_rule(spec: TestSpec) -> None:
    assert spec.rules, f"{spec.name} names no rule: @exercise({spec.exercise!r}, ..., rule=...)"
    unknown = sorted(set(spec.rules) - RULES.keys())
    assert not unknown, f"{spec.name} names {unknown[0]!r}, which tests/rules.toml does not list: add it there"
