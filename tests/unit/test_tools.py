from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib.agent import Tools
from course_lib.tools import make_notes, notes_tools


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    make_notes(tmp_path)
    return notes_tools(tmp_path)


def test_lists_the_notes_in_order(tools: Tools, tmp_path: Path) -> None:
    (tmp_path / "notes" / "picture.png").write_bytes(b"")
    (tmp_path / "notes" / "folder.txt").mkdir()
    assert tools["list_notes"]({}) == {"ok": True, "notes": ["alpha.txt", "beta.txt"]}


def test_lists_none_when_there_is_no_folder(tmp_path: Path) -> None:
    assert notes_tools(tmp_path)["list_notes"]({}) == {"ok": True, "notes": []}


def test_reads_what_is_in_the_file(tools: Tools, tmp_path: Path) -> None:
    (tmp_path / "notes" / "beta.txt").write_text("changed", encoding="utf-8")
    assert tools["read_note"]({"name": "beta.txt"}) == {"ok": True, "name": "beta.txt", "text": "changed"}


def test_reads_a_note_that_is_not_utf8(tools: Tools, tmp_path: Path) -> None:
    (tmp_path / "notes" / "beta.txt").write_bytes(b"\xff\xfe")
    assert tools["read_note"]({"name": "beta.txt"})["ok"] is True


def test_writes_the_report_and_tells_its_hash(tools: Tools, tmp_path: Path) -> None:
    answer = tools["write_report"]({"content": "zwölf\n"})
    written = (tmp_path / "report.txt").read_bytes()
    assert written == "zwölf\n".encode()
    assert answer == {"ok": True, "sha256": hashlib.sha256(written).hexdigest()}


def test_writing_twice_is_writing_once(tools: Tools, tmp_path: Path) -> None:
    assert tools["write_report"]({"content": "x"}) == tools["write_report"]({"content": "x"})
    assert (tmp_path / "report.txt").read_text() == "x"


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("list_notes", {"name": "alpha.txt"}),
        ("read_note", {}),
        ("read_note", {"path": "alpha.txt"}),
        ("read_note", {"name": "alpha.txt", "path": "alpha.txt"}),
        ("read_note", {"name": 1}),
        ("read_note", {"name": None}),
        ("write_report", {}),
        ("write_report", {"text": "x"}),
        ("write_report", {"content": ["x"]}),
        ("write_report", {"content": "x", "format": "markdown"}),
    ],
)
def test_a_payload_outside_the_contract_changes_nothing(
    tools: Tools, tmp_path: Path, tool: str, args: dict[str, Any]
) -> None:
    assert tools[tool](args) == {"ok": False, "error": "invalid_arguments"}
    assert not (tmp_path / "report.txt").exists()


def test_a_name_cannot_leave_the_notes(tools: Tools, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    for name in ["../secret.txt", str(tmp_path / "secret.txt"), "", ".", "missing.txt", "alpha.txt\0"]:
        assert tools["read_note"]({"name": name}) == {"ok": False, "error": "not_found"}, name


def test_a_link_cannot_leave_the_folder(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside.txt"
    make_notes(root)
    outside.write_text("outside")
    (root / "notes" / "link.txt").symlink_to(outside)
    (root / "report.txt").symlink_to(outside)
    tools = notes_tools(root)
    assert tools["list_notes"]({}) == {"ok": True, "notes": ["alpha.txt", "beta.txt"]}
    assert tools["read_note"]({"name": "link.txt"}) == {"ok": False, "error": "not_found"}
    assert tools["write_report"]({"content": "x"}) == {"ok": False, "error": "tool_unavailable"}
    assert outside.read_text() == "outside"


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3)
)


@given(args=st.dictionaries(st.sampled_from(["name", "content", "path"]), anything))
@pytest.mark.parametrize("tool", ["list_notes", "read_note", "write_report"])
def test_no_payload_raises(tmp_path_factory: pytest.TempPathFactory, tool: str, args: dict[str, Any]) -> None:
    root = tmp_path_factory.getbasetemp() / "any"
    make_notes(root)
    assert isinstance(notes_tools(root)[tool](args)["ok"], bool)


def test_a_lone_surrogate_is_written_as_a_question_mark(tools: Tools, tmp_path: Path) -> None:
    assert tools["write_report"]({"content": "\ud800"})["ok"] is True
    assert (tmp_path / "report.txt").read_bytes() == b"?"
