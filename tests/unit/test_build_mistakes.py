"""Every mistake of an author is one line: the file, the line in it, what is wrong, what to do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.build import build
from grader.course import CourseError
from tests.unit.toy_course import HIDDEN, PUBLIC, SOURCE, make_course

HEADER = next(line for line in SOURCE.splitlines() if "exercise=" in line)
ANSWER = SOURCE[SOURCE.index("def double") : SOURCE.index("# %%\nwith attempt")]


def mistake(base: Path, **changed: str) -> str:
    course = make_course(base, **changed)
    with pytest.raises(CourseError) as caught:
        build(course)
    assert not course.notebooks_dir.exists(), "a mistake stops the build before anything is written"
    assert not course.manifest_path.exists()
    message = str(caught.value)
    assert "\n" not in message
    return message


# old text, new text, the line that the message names (the last one that holds this text), what the message says
MISTAKES = {
    # solution blocks
    "never closed": ("    # END SOLUTION\n", "", "# BEGIN SOLUTION", "never closed"),
    "never begun": ("    # BEGIN SOLUTION\n", "", "# END SOLUTION", "'# END SOLUTION' without"),
    "begun twice": (
        "    answer = number",
        "    # BEGIN SOLUTION\n    answer = number",
        "# BEGIN SOLUTION",
        "a second '# BEGIN SOLUTION'",
    ),
    "misspelt": ("# BEGIN SOLUTION", "# begin solutions", "# begin", "looks like a marker"),
    "run together": ("# END SOLUTION", "#END SOLUTION", "#END", "looks like a marker"),
    "stub outside": ("    # BEGIN", "    # STUB pass\n    # BEGIN", "# STUB", "'# STUB' outside a solution block"),
    "stub misspelt": ("    answer = number", "    #stub pass\n    answer = number", "#stub", "looks like a marker"),
    "no answer": (
        "    answer = number * 2\n    return answer\n",
        "    # to be done\n",
        "# BEGIN SOLUTION",
        "holds no answer",
    ),
    "whole function": (
        ANSWER,
        "# BEGIN SOLUTION\ndef double(number):\n    return number * 2\n# END SOLUTION\n\n",
        "# BEGIN SOLUTION",
        "outside a function and leaves no stub",
    ),
    "stub without the name": (
        ANSWER,
        "# BEGIN SOLUTION\n# STUB pass\ndef double(number):\n    return number * 2\n# END SOLUTION\n\n",
        "# BEGIN SOLUTION",
        "the learner's stub of exercise double does not define double",
    ),
    "stub that does not parse": (
        "    # BEGIN SOLUTION\n",
        "    # BEGIN SOLUTION\n    # STUB return (\n",
        "# BEGIN SOLUTION",
        "what this block leaves for the learner does not parse",
    ),
    "stub that is the answer": (
        "    # BEGIN SOLUTION\n",
        "    # BEGIN SOLUTION\n    # STUB answer = number * 2\n    # STUB return answer\n",
        "# BEGIN SOLUTION",
        "double is the same in the stub and in the answer",
    ),
    "block before any exercise": (
        "# %% [markdown]\n# You",
        "# %%\ndef early():\n    # BEGIN SOLUTION\n    return 1\n    # END SOLUTION\n\n# %% [markdown]\n# You",
        "# BEGIN SOLUTION",
        "a solution block before any exercise",
    ),
    "helper called like the exercise": (
        "# %% [markdown]\n# You",
        "# %%\ndef double(word):\n    return word + word\n\n# %% [markdown]\n# You",
        "def double(word)",
        "this cell binds double, which is asked for as an exercise",
    ),
    "answer in a later exercise": (
        HEADER,
        f"{HEADER.replace('double', 'twice')}\n# A.\n# hint: a\n# hint: b\n# hint: c\n\n{HEADER}",
        'exercise="twice"',
        "exercise twice has no code cell with a solution block",
    ),
    # the exercise's header
    "no code cell": (ANSWER, "pass\n\n", "exercise=", "has no code cell with a solution block"),
    "no title": (' title="Double it"', "", "exercise=", "has no title. Add title="),
    "no difficulty": (" difficulty=2", "", "exercise=", "has no difficulty. Add difficulty="),
    "no minutes": (" minutes=10", "", "exercise=", "has no minutes. Add minutes="),
    "no mode": (' mode="with help"', "", "exercise=", "has no mode. Add mode="),
    "empty title": ('"Double it"', '" "', "exercise=", "title=' ' does not fit"),
    "difficulty 6": ("difficulty=2", "difficulty=6", "exercise=", "difficulty=6 does not fit"),
    "difficulty true": ("difficulty=2", "difficulty=true", "exercise=", "difficulty=True does not fit"),
    "no time": ("minutes=10", "minutes=0", "exercise=", "minutes=0 does not fit"),
    "half a minute": ("minutes=10", "minutes=0.5", "exercise=", "minutes=0.5 does not fit"),
    "other mode": ('"with help"', '"alone"', "exercise=", "mode='alone' does not fit. Write mode=\"with help\" or"),
    "stretch no word": ('mode="with', 'stretch="no" mode="with', "exercise=", "stretch='no' is neither true nor"),
    "unknown setting": ("minutes=10", "minutes=10 points=3", "exercise=", "unknown setting points="),
    "setting twice": ("minutes=10", "minutes=10 minutes=11", "exercise=", "minutes= is given twice"),
    "no quotes": ('exercise="double"', "exercise=double", "exercise=", "cannot be read"),
    "quote not closed": ('"Double it"', '"Double it', "exercise=", "cannot be read"),
    "no name": ('exercise="double"', 'exercise="double it"', "exercise=", "which is not a name that code can define"),
    "other name": ('exercise="double"', 'exercise="dubble"', "exercise=", "asks for dubble, and its answer defines"),
    "defines no name": (
        "minutes=10",
        'minutes=10 defines="double, 2x"',
        "exercise=",
        "defines= holds '2x', which is not a name",
    ),
    "defines too much": ("minutes=10", 'minutes=10 defines="halve"', "exercise=", "asks for halve, and its answer"),
    "on a code cell": ("# %%\ndef double", '# %% exercise="double"\ndef double', "# %% exercise", "on a code cell"),
    "two hints": ("# hint: There is an operator for products.\n", "", "hint: Add", "has 2 hints, not three"),
    "one hint": (
        "# hint: Add it\n# to itself.\n# hint: There is an operator for products.\n",
        "",
        "hint: What",
        "has 1 hint, not three",
    ),
    "no hint": ("# hint:", "# note", "products.", "has 0 hints, not three"),
    "four hints": ("# hint: Add", "# hint: More\n# hint: Add", "products.", "has 4 hints, not three"),
    "empty hint": ("hint: What is twice something?", "hint:", "# hint:\n", "a hint of exercise double is empty"),
    "no prose": (
        "# Doubling is everywhere.\n#\n# Write `double(number)`.\n#\n",
        "",
        "hint: What",
        "exercise double has no prose",
    ),
    "own heading": ("# Doubling", "# ### Doubling", "# ### Doubling", "begins with a heading"),
    "same name twice": (
        "# %%\nwith attempt",
        f"{HEADER}\n# A.\n# hint: a\n# hint: b\n# hint: c\n\n# %%\n{ANSWER}# %%\nwith attempt",
        "exercise=",
        "double is already asked for in solutions/00_twice.py:",
    ),
    # predictions
    "same id twice": (
        "2 * 3, confidence=0.9)",
        '6, confidence=0.9)\npredict("P00.1", 6, confidence=0.9)',
        'predict("P00.1"',
        "P00.1 is asked for a second time",
    ),
    "computed": ("2 * 3", "sum([6])", 'predict("P00.1"', "is computed, not a constant expression"),
    "computed confidence": ("=0.9", "=max(0.9, 0)", 'predict("P00.1"', "is computed, not a constant expression"),
    "not answered": ("2 * 3", "...", 'predict("P00.1"', "has no value or no confidence"),
    "no confidence": (", confidence=0.9", "", 'predict("P00.1"', "has no value or no confidence"),
    "too sure": ("=0.9", "=90", 'predict("P00.1"', "is not a number from 0 to 1"),
    "no such kind": ("=0.9", '=0.9, kind="maybe"', 'predict("P00.1"', "P00.1 has a kind that does not exist"),
    "computed kind": ("=0.9", "=0.9, kind=KINDS", 'predict("P00.1"', "P00.1 has a kind that does not exist"),
    "not of its kind": ("=0.9", '=0.9, kind="set"', 'predict("P00.1"', "your own answer to prediction P00.1 is not of"),
    "none of its choices": ("2 * 3", '"6", kind=["5", "7"]', 'predict("P00.1"', "Answer with one of '5', '7'."),
    "id computed": ('predict("P00.1"', "predict(some_id", "predict(some_id", "a prediction without a plain id"),
    "id misspelt": ('predict("P00.1"', 'predict("P0.1"', 'predict("P0.1"', "a prediction without a plain id"),
    "id of another": ('predict("P00.1"', 'predict("P01.1"', 'predict("P01.1"', "P01.1 stands in notebook 00"),
    "reveal of nothing": ('reveal("P00.1"', 'reveal("P00.2"', 'reveal("P00.2"', "has no predict('P00.2', ...)"),
    "reveal too early": (
        "# %% [markdown]\n# ### Before",
        '# %%\nreveal("P00.1", int)\n\n# %% [markdown]\n# ### Before',
        'reveal("P00.1", int',
        "P00.1 is revealed before it is predicted",
    ),
    # other cells
    "syntax error": ('print("double of 21:"', 'print("double of 21:', "double of 21", "the code does not parse:"),
    "syntax error in an answer": ("number * 2", "number *", "number *", "the code does not parse:"),
    "own check": ("with attempt", 'check("double")\nwith attempt', 'check("double")', "a check(...) of your own"),
    "attempt at nothing": ('attempt("double")', 'attempt("dubble")', "attempt(", "attempt('dubble') names no"),
    "own title": ("# You learn", "# # You learn", "# # You", "a heading of the first level"),
    "bare prose": ("# You learn to double.", "You learn to double.", "You learn", "does not begin with '#'"),
    "code before any cell": ("# %% [markdown]\n# You", "import os\n\n# %% [markdown]\n# You", "import os", "outside"),
    "raw cell": ("# %% [markdown]\n# You", "# %% [raw]\n# You", "# %% [raw]", "a raw cell"),
    "conflict": ("# You learn", "<<<<<<< HEAD\n# You learn", "<<<<<<<", "a merge conflict is left"),
}


@pytest.mark.parametrize("case", list(MISTAKES))
def test_a_mistake_in_a_source_names_its_line(tmp_path: Path, case: str) -> None:
    old, new, at, said = MISTAKES[case]
    assert old in SOURCE
    source = SOURCE.replace(old, new)
    message = mistake(tmp_path, source=source)
    found = re.fullmatch(r"solutions/00_twice\.py:(\d+): (.+)\. (.+)\.", message)
    assert found, message
    assert said in message
    assert at in source.splitlines(keepends=True)[int(found[1]) - 1], message


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (SOURCE[: SOURCE.index("# %%")], "", r"00_twice\.py:1: the file has no header\. Begin the file with"),
        (SOURCE, "", r"00_twice\.py:1: the file has no header"),
        ("# course:", "# curse:", r"00_twice\.py:1: the header has no 'course:' part"),
        ("title: Twice", "title: [Twice", r"00_twice\.py:\d: the header is not YAML: .*\. Correct it\."),
        ("#   title: Twice as much\n", "", r"00_twice\.py:1: the header's course part has no title"),
        ("#   minutes: 15\n", "", r"00_twice\.py:1: the header's course part has no minutes"),
        ("minutes: 15", "minutes: soon", r"00_twice\.py:1: the header's course part has no minutes"),
        ("summary: One", "resume: One", r"00_twice\.py:1: the header's course part has an unknown 'resume'"),
        ("summary: One function, one prediction.", "summary: [1]", r"00_twice\.py:1: the header's summary is not"),
        (SOURCE[SOURCE.index("# %%") :], "", r"00_twice\.py: the file holds no cell"),
        ("import attempt, check,", "import attempt,", r"00_twice\.py: the build adds check\(\.\.\.\)"),
    ],
)
def test_a_mistake_in_the_file_as_a_whole(tmp_path: Path, old: str, new: str, said: str) -> None:
    message = mistake(tmp_path, source=SOURCE.replace(old, new, 1))
    assert re.match("solutions/" + said, message), message


def test_a_header_that_is_never_closed(tmp_path: Path) -> None:
    source = "\n".join(line for i, line in enumerate(SOURCE.splitlines()) if i == 0 or line != "# ---")
    message = mistake(tmp_path, source=source)
    assert message.startswith("solutions/00_twice.py:1: the header is never closed. ")


def test_a_source_that_is_not_text(tmp_path: Path) -> None:
    course = make_course(tmp_path)
    (course.solutions_dir / "00_twice.py").write_bytes(b"# \xff\n")
    with pytest.raises(CourseError, match=r"^solutions/00_twice\.py: not UTF-8 text\. Save it as UTF-8\.$"):
        build(course)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("twice.py", "solutions/twice.py: not the name of a source. Call it NN_what_it_is_about.py"),
        ("1_twice.py", "solutions/1_twice.py: not the name of a source."),
        ("01-twice.py", "solutions/01-twice.py: not the name of a source."),
        ("00_thrice.py", "solutions/00_twice.py: 00_thrice.py has number 00 too. Give it another."),
    ],
)
def test_a_source_of_a_wrong_name(tmp_path: Path, name: str, said: str) -> None:
    course = make_course(tmp_path)
    (course.solutions_dir / name).write_text(SOURCE)
    with pytest.raises(CourseError) as caught:
        build(course)
    assert str(caught.value).startswith(said)


def test_a_course_without_sources(tmp_path: Path) -> None:
    course = make_course(tmp_path)
    (course.solutions_dir / "00_twice.py").unlink()
    with pytest.raises(CourseError, match=r"^solutions: no source of a notebook\. Write one"):
        build(course)


TEST_MISTAKES = {
    "unknown exercise": (
        "hidden",
        HIDDEN.replace('"double", points', '"dubble", points').replace(', after="test_small"', ""),
        r"grader/hidden/test_00\.py:\d+: test_any is for exercise 'dubble', which no source asks for\. "
        r"Correct the name \(known: double\)\.",
    ),
    "no public test": (
        "public",
        "",
        r"solutions/00_twice\.py:\d+: exercise double has no public test\. "
        r'Add one under @exercise\("double", points=1\) to grader/public/test_00\.py\.',
    ),
    "no hidden test": (
        "hidden",
        "",
        r"solutions/00_twice\.py:\d+: exercise double has no hidden test\. "
        r'Add one under @exercise\("double", points=1\) to grader/hidden/test_00\.py\.',
    ),
    "no docstring": ("public", re.sub(r'    """.*"""\n', "", PUBLIC), r"grader/public/test_00\.py:\d+: .*docstring.*"),
    "no points": ("hidden", HIDDEN.replace("points=2", "points=0"), r"grader/hidden/test_00\.py:\d+: .*points.*"),
    "waits for nothing": (
        "hidden",
        HIDDEN.replace("test_small", "test_smal"),
        r"grader/hidden/test_00\.py:\d+: .*'test_smal'.*",
    ),
    "not Python": ("hidden", "def test(:\n", r"grader/hidden/test_00\.py: cannot be imported: SyntaxError.*"),
    "imports what is not there": ("public", "import nowhere\n", r"grader/public/test_00\.py: cannot be imported: .*"),
    "no exercise": ("public", "def test_x(learner):\n    pass\n", r"grader/public/test_00\.py: test_x has no @exer.*"),
}


@pytest.mark.parametrize("case", list(TEST_MISTAKES))
def test_a_mistake_in_a_test_names_its_place(tmp_path: Path, case: str) -> None:
    role, text, said = TEST_MISTAKES[case]
    if case == "no public test":
        message = mistake(tmp_path, public="", hidden=HIDDEN.replace(', after="test_small"', ""))
    else:
        message = mistake(tmp_path, **{role: text})
    assert re.fullmatch(said, message), message


def test_a_test_in_another_notebooks_file(tmp_path: Path) -> None:
    course = make_course(tmp_path)
    extra = PUBLIC.replace("test_small", "test_other")
    (course.public_dir / "test_03.py").write_text(extra)
    with pytest.raises(CourseError) as caught:
        build(course)
    assert re.fullmatch(
        r"grader/public/test_03\.py:\d+: test_other is for exercise double, which stands in notebook 00\. "
        r"Move it to test_00\.py\.",
        str(caught.value),
    )


def test_a_name_that_two_notebooks_ask_for(tmp_path: Path) -> None:
    course = make_course(tmp_path)
    (course.solutions_dir / "01_again.py").write_text(SOURCE.replace("P00.", "P01."))
    with pytest.raises(CourseError) as caught:
        build(course)
    assert re.match(
        r"solutions/01_again\.py:\d+: double is already asked for in solutions/00_twice\.py:\d+\. Names of exercises",
        str(caught.value),
    )
