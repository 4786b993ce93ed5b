"""A learner's own answer, loaded from real notebook files."""

import inspect
import json
import traceback

import pytest

from course_lib import mine
from course_lib.attempt import attempt
from course_lib.definitions import NotWrittenError

STUB = 'def replay(trace):\n    raise NotImplementedError("replay")\n'


def notebook(folder, name, *sources, as_lines=False):
    cells = [{"cell_type": "markdown", "source": "def replay(trace): return 'text'"}]
    for source in sources:
        held = source.splitlines(keepends=True) if as_lines else source
        cells.append({"cell_type": "code", "source": held, "outputs": [], "metadata": {}})
    (folder / name).write_text(json.dumps({"cells": cells, "nbformat": 4, "nbformat_minor": 5, "metadata": {}}))


@pytest.mark.parametrize("as_lines", [True, False])
def test_the_answer_comes_with_what_it_needs(tmp_path, as_lines):
    notebook(
        tmp_path,
        "04_replay.ipynb",
        "%matplotlib inline\nimport json\nLIMIT = 2",
        "raise SystemExit('demonstrations do not run')",
        "def replay(trace):\n    return json.dumps(trace[:LIMIT])",
        as_lines=as_lines,
    )
    assert mine.load("replay", tmp_path)([1, 2, 3]) == "[1, 2]"
    assert mine.load("replay", str(tmp_path))([]) == "[]"


def test_the_first_notebook_with_an_answer_is_taken(tmp_path):
    notebook(tmp_path, "04_a.ipynb", STUB)
    notebook(tmp_path, "05_b.ipynb", "def replay(trace):\n    return 5")
    notebook(tmp_path, "06_c.ipynb", "def replay(trace):\n    return 6")
    (tmp_path / "03_broken.ipynb").write_text("<<<<<<< not a notebook")
    (tmp_path / "02_odd.ipynb").write_text('{"cells": [{"source": 3}, null]}')
    (tmp_path / "notes.ipynb").write_text("{}")
    assert mine.load("replay", tmp_path)([]) == 5


def test_the_current_folder_is_the_default(tmp_path, monkeypatch):
    notebook(tmp_path, "04_a.ipynb", "def replay(trace):\n    return 4")
    monkeypatch.chdir(tmp_path)
    assert mine.load("replay")([]) == 4


def test_a_class_and_a_dataclass_know_where_they_come_from(tmp_path):
    notebook(
        tmp_path,
        "02_a.ipynb",
        "from __future__ import annotations\nfrom dataclasses import dataclass\n\n\n"
        "@dataclass\nclass State:\n    run_id: str\n    items: list[int]\n",
    )
    state = mine.load("State", tmp_path)
    assert state("r", [1]).items == [1]
    assert "run_id: str" in inspect.getsource(state)


def test_a_mistake_shows_the_learners_own_line(tmp_path):
    notebook(tmp_path, "04_a.ipynb", "def replay(trace):\n    return trace[99]")
    try:
        mine.load("replay", tmp_path)([])
    except IndexError:
        shown = traceback.format_exc()
    assert "return trace[99]" in shown
    assert "<replay of 04_a.ipynb>" in shown


def test_a_stub_and_a_missing_answer_are_one_line_each(tmp_path, capsys):
    notebook(tmp_path, "04_a.ipynb", STUB)
    with pytest.raises(NotWrittenError, match=r"replay is not written yet in 04_a\.ipynb"):
        mine.load("replay", tmp_path)
    with pytest.raises(NotWrittenError, match="no notebook in this folder defines audit_run"):
        mine.load("audit_run", tmp_path)
    with attempt("replay"):
        mine.load("replay", tmp_path)
    assert capsys.readouterr().out.count("\n") == 1


def test_a_notebook_that_loads_an_answer_does_not_define_it(tmp_path, monkeypatch):
    notebook(tmp_path, "04_a.ipynb", STUB)
    notebook(tmp_path, "09_b.ipynb", "from course_lib import mine\nreplay = mine.load('replay')")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NotWrittenError, match=r"in 04_a\.ipynb"):
        mine.load("replay")
