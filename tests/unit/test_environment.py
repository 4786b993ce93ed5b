"""environment.yml, pyproject.toml and constraints.txt tell the same story."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text())
REQUIREMENTS = [Requirement(text) for text in (*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"])]


def constraints() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pins = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(name): version for name, version in pins}


def test_conda_installs_this_project_with_its_pins():
    assert CONDA["name"] == PROJECT["name"]
    [pip] = [entry["pip"] for entry in CONDA["dependencies"] if isinstance(entry, dict)]
    assert pip == ["-c constraints.txt", "-e .[dev]"]


def test_conda_offers_the_pythons_that_the_project_supports():
    [python] = [entry for entry in CONDA["dependencies"] if isinstance(entry, str) and entry.startswith("python")]
    assert SpecifierSet(python.removeprefix("python")) == SpecifierSet(PROJECT["requires-python"])


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=lambda requirement: requirement.name)
def test_every_requirement_has_a_pin_that_it_accepts(requirement):
    assert constraints()[canonicalize_name(requirement.name)] in requirement.specifier


def test_the_pins_hold_names_and_versions_only():
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    odd = [line for line in lines if not re.fullmatch(r"#.*|[A-Za-z0-9._-]+==[0-9A-Za-z.+!]+", line)]
    assert odd == []
