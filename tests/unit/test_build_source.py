from __future__ import annotations

from pathlib import Path

import pytest

from grader.build import build, out_of_step
from grader.build.plan import make_plan
from grader.build.prediction import unanswered
from grader.course import Course
from tests.unit.toy_course import BUILT, HIDDEN, PUBLIC, SOURCE, make_course, planned

# An author adds an exercise.


def test_one_source_and_two_test_files_are_all_that_an_author_touches(tmp_path: Path) -> None:
    toy = make_course(tmp_path)
    assert build(toy) == BUILT
    more = SOURCE[SOURCE.index("# %% [markdown] exercise") :]
    more = more.replace("double", "triple").replace("Double", "Triple").replace("number * 2", "3 * number")
    with (toy.solutions_dir / "00_twice.py").open("a") as file:
        file.write("\n" + more)
    for folder, text in ((toy.public_dir, PUBLIC), (toy.hidden_dir, HIDDEN)):
        test = text[text.index("@exercise") :].replace("double", "triple").replace("test_", "test_triple_")
        with (folder / "test_00.py").open("a") as file:
            file.write("\n\n" + test)
    assert build(toy) == BUILT
    again = Course.load(toy.root)
    assert out_of_step(again) == []
    assert [(e.name, e.number) for e in again.manifest.notebooks[0].exercises] == [
        ("double", "0.1"),
        ("triple", "0.2"),
    ]


def test_a_stretch_exercise_is_outside_the_maximum(tmp_path: Path) -> None:
    source = SOURCE.replace('mode="with help"', 'mode="with help" stretch=true')
    plan = make_plan(make_course(tmp_path, source=source))
    (notebook,) = plan.manifest.notebooks
    assert notebook.exercises[0].stretch
    assert (notebook.exercises[0].max_points, notebook.max_points) == (3, 1)
    assert any("stretch: graded and shown, not counted" in text for text in planned(Course.load(tmp_path / "grader")))


def test_an_exercise_may_define_several_names_in_several_cells(tmp_path: Path) -> None:
    further = '''
# %% [markdown]
# And back again.

# %%
class Halver:
    """Halves."""

    def half(self, number):
        """Half of `number`."""
        # BEGIN SOLUTION
        return number / 2
        # END SOLUTION
'''
    source = SOURCE.replace('title="Double it"', 'title="Double it" defines="Halver"')
    source = source.replace("    # END SOLUTION\n", "    # END SOLUTION\n" + further)
    plan = make_plan(make_course(tmp_path, source=source))
    exercise = plan.manifest.notebooks[0].exercises[0]
    assert exercise.defines == list(exercise.stubs) == ["double", "Halver"]
    told = [cell.id for cell in plan.targets[0].cells if cell.metadata]
    assert told == ["double-exercise", "double-answer", "double-answer-2", "double-check", "double-hints"]
    assert any('raise NotImplementedError("Halver")' in text for text in planned(Course.load(tmp_path / "grader")))


def test_an_author_may_give_a_stub(tmp_path: Path) -> None:
    source = SOURCE.replace(
        "    # BEGIN SOLUTION\n",
        "    # BEGIN SOLUTION\n    # STUB for _ in range(1):\n    # STUB     pass\n    # STUB\n"
        "    # STUB return number\n",
    )
    course = make_course(tmp_path, source=source)
    stub = next(text for text in planned(course) if text.startswith("def double"))
    assert stub.endswith("    for _ in range(1):\n        pass\n\n    return number")


def test_magics_and_tags_pass_through(tmp_path: Path) -> None:
    source = SOURCE + '\n# %% tags=["wide"]\n# %matplotlib inline\nlen?\n'
    cell = make_plan(make_course(tmp_path, source=source)).targets[0].cells[-1]
    assert cell.learner == "%matplotlib inline\nlen?"
    assert cell.metadata == {"tags": ["wide"]}


def test_empty_cells_are_left_out(tmp_path: Path) -> None:
    source = (
        SOURCE.replace("# %% [markdown]\n# You", "# %%\n\n# %% [markdown]\n#\n\n# %% [markdown]\n# You") + "\n# %%\n"
    )
    assert planned(make_course(tmp_path, source=source)) == planned(make_course(tmp_path))


@pytest.mark.parametrize(
    ("written", "emptied"),
    [
        ('predict("P00.1", 3, confidence=0.5)', 'predict("P00.1", ..., confidence=...)'),
        ('predict("P00.1", 3, 0.5)', 'predict("P00.1", ..., ...)'),
        ('predict("P00.1", value=-1, confidence=15 / 62)', 'predict("P00.1", value=..., confidence=...)'),
        (
            'predict(\n    "P00.1",\n    {"a", "b"},  # which\n    confidence=0.5,\n)',
            'predict(\n    "P00.1",\n    ...,  # which\n    confidence=...,\n)',
        ),
        (
            'predict("P00.1", "a", confidence=0.5, kind=["a", "b"])',
            'predict("P00.1", ..., confidence=..., kind=["a", "b"])',
        ),
        (
            'predict("P00.1", kind="number", value=3, confidence=1)',
            'predict("P00.1", kind="number", value=..., confidence=...)',
        ),
        ('ä = "é"; predict("P00.1", "ü", confidence=1)', 'ä = "é"; predict("P00.1", ..., confidence=...)'),
        (
            '%time predict\npredict("P00.1", [\n  1,\n  2], confidence=1)',
            '%time predict\npredict("P00.1", ..., confidence=...)',
        ),
        ("model.predict(features, 3)", "model.predict(features, 3)"),
        ("x = 1", "x = 1"),
    ],
)
def test_predictions_are_emptied_and_nothing_else(written: str, emptied: str) -> None:
    assert unanswered(written) == emptied
