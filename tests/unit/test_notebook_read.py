from __future__ import annotations

import codecs
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.notebook import NotebookError, first_line, read_notebook


def cell(source: Any, kind: str = "code", **more: Any) -> dict[str, Any]:
    return {"cell_type": kind, "source": source, **more}


def document(*cells: Any, **more: Any) -> bytes:
    return json.dumps(
        {"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **more}, indent=1
    ).encode()


WHOLE = document(cell("# title", "markdown"), cell(["x = 1\n", "x"], outputs=[{"output_type": "stream"}]))


def test_code_cells_with_their_outputs_in_order() -> None:
    notebook = read_notebook(WHOLE)
    assert notebook.sources == ["x = 1\nx"]
    assert notebook.outputs == [[{"output_type": "stream"}]]
    assert notebook.notes == []


@pytest.mark.parametrize(
    "data",
    [
        codecs.BOM_UTF8 + WHOLE,
        WHOLE.decode().encode("utf-16"),
        WHOLE.decode().encode("utf-16-le"),
        codecs.BOM_UTF16_BE + WHOLE.decode().encode("utf-16-be"),
        WHOLE.decode().encode("utf-32"),
        WHOLE + b"\x00" * 512,
        WHOLE.replace(b"\n", b"\r\n"),
    ],
    ids=["BOM", "UTF-16", "UTF-16 bare", "UTF-16 BE", "UTF-32", "zeros behind", "CRLF"],
)
def test_other_encodings(data: bytes) -> None:
    assert read_notebook(data).sources == ["x = 1\nx"]


def test_format_3_with_worksheets() -> None:
    sheets = [{"cells": [{"cell_type": "code", "input": ["a = 1\n", "a"]}]}, {"cells": [cell("b", "code")]}]
    data = json.dumps({"worksheets": sheets, "nbformat": 3}).encode()
    assert read_notebook(data).sources == ["a = 1\na", "b"]


@pytest.mark.parametrize(
    "odd",
    [
        5,
        None,
        [],
        {},
        {"cell_type": ["code"]},
        cell(None),
        cell({"a": 1}),
        cell([1, None, "x"]),
        cell("x", outputs="none"),
        cell("x", outputs=[5, None]),
    ],
    ids=repr,
)
def test_a_cell_of_an_odd_shape_does_not_hide_the_others(odd: Any) -> None:
    assert read_notebook(document(odd, cell("answer = 1"))).sources[-1] == "answer = 1"


def test_what_strict_readers_refuse() -> None:
    data = WHOLE.replace(b'"nbformat": 4', b'"nbformat": NaN').replace(b"x = 1", b"x = '\\ud800'")
    assert read_notebook(data).sources == ["x = '?'\nx"]


def test_line_ends_of_windows_inside_a_source() -> None:
    assert read_notebook(document(cell("a\r\nb"))).sources == ["a\nb"]


@pytest.mark.parametrize("kind", ["markdown", "raw"])
@pytest.mark.parametrize(
    "source", ["def replay(h):\n    pass", "x = 1\nclass replay:\n    pass", "async  def replay(): ..."]
)
def test_a_retyped_cell_with_a_wanted_definition_is_read_as_code(kind: str, source: str) -> None:
    notebook = read_notebook(document(cell("import os"), cell(source, kind)), {"replay", "other"})
    assert notebook.sources == ["import os", source]
    assert notebook.retyped == {1}
    first = source.partition("\n")[0]
    assert notebook.notes == [f"the {kind} cell “{first}” holds a definition; it was read as code"]


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("\n\n  x = 1  \ny = 2", "“x = 1”"),
        ("a" * 50, f"“{'a' * 50}”"),
        ("a" * 51, f"“{'a' * 50}…”"),
        ("x = '\x1b[2J'\tand", "“x = ' [2J' and”"),
        ("", "“”"),
    ],
)
def test_a_cell_is_named_by_its_first_line(source: str, line: str) -> None:
    assert first_line(source) == line


@pytest.mark.parametrize(
    "source", ["Write `def replay(h)`.", "    def replay(h):", "def replay_all(h):", "def load(h):"]
)
def test_prose_stays_prose(source: str) -> None:
    assert read_notebook(document(cell(source, "markdown")), {"replay"}).sources == []


# What cannot be read, in words.


def problem(data: bytes) -> str:
    """What is said of these bytes; nothing when they can be read."""
    try:
        read_notebook(data, {"x", "replay"})
    except NotebookError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file is empty. Save the notebook again and hand in that file."),
        (b"\x00\n \t", "the file is empty. Save the notebook again and hand in that file."),
        (b"<!DOCTYPE html><html>", "this is a web page, not a notebook."),
        (b"\n <html>\n", "this is a web page, not a notebook."),
        (WHOLE[:-3], "the file is cut short: its JSON does not end."),
        (WHOLE[: len(WHOLE) // 2], "the file is cut short: its JSON does not end."),
        (b"import json", "not a notebook: it does not begin like JSON."),
        (b"PK\x03\x04 zip", "not a notebook: it does not begin like JSON."),
        (WHOLE.replace(b'"nbformat"', b'nbformat"'), "not a notebook: its JSON is damaged ("),
        (b"[1, 2]", "this is JSON, but not a notebook: it has no cells."),
        (b'{"a": 1}', "this is JSON, but not a notebook: it has no cells."),
        (b"[" * 100_000, "its JSON is nested too deeply to be a notebook."),
    ],
    ids=lambda value: repr(value[:30]),
)
def test_a_message_says_what_is_wrong_and_what_to_do(data: bytes, message: str) -> None:
    with pytest.raises(NotebookError) as caught:
        read_notebook(data)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_a_merge_conflict_is_named_with_its_line() -> None:
    lines = WHOLE.split(b"\n")
    data = b"\n".join([*lines[:6], b"<<<<<<< HEAD", lines[6], b"=======", lines[6], b">>>>>>> theirs", *lines[7:]])
    with pytest.raises(NotebookError) as caught:
        read_notebook(data)
    assert str(caught.value) == (
        'not a notebook: line 7 holds a merge-conflict marker ("<<<<<<<"). Resolve the conflict and save again.'
    )


def test_a_heading_in_a_cell_is_no_merge_conflict() -> None:
    data = document(cell(["Title\n", "=======\n", "<<<<<<< quoted"], "markdown"), cell("x"))
    assert read_notebook(data).sources == ["x"]
    with pytest.raises(NotebookError, match="cut short"):
        read_notebook(data[:-4])


@given(st.binary() | st.text().map(str.encode))
def test_arbitrary_bytes_raise_nothing_else(data: bytes) -> None:
    assert "\n" not in problem(data)


@given(st.integers(0, len(WHOLE)), st.integers(0, 20), st.binary(max_size=8))
def test_a_damaged_notebook_raises_nothing_else(at: int, drop: int, put: bytes) -> None:
    assert "\n" not in problem(WHOLE[:at] + put + WHOLE[at + drop :])


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
cells = st.fixed_dictionaries(
    {},
    optional={
        "cell_type": st.sampled_from(["code", "markdown"]) | json_values,
        "source": json_values,
        "outputs": json_values,
    },
)


@given(
    st.fixed_dictionaries(
        {}, optional={"cells": st.lists(cells | json_values) | json_values, "worksheets": json_values}
    )
)
def test_arbitrary_documents_raise_nothing_else(shape: dict[str, Any]) -> None:
    try:
        notebook = read_notebook(json.dumps(shape).encode(), {"replay"})
    except NotebookError:
        return
    assert len(notebook.sources) == len(notebook.outputs)
    assert all(isinstance(source, str) for source in notebook.sources)
