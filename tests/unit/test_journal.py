"""The journal: real files, real processes, and every way a line can be tampered with."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from course_lib import journal
from course_lib.values import readable, text, to_plain

plain_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def chain(count: int) -> list[bytes]:
    """A sound journal of `count` lines."""
    raws: list[bytes] = []
    for seq in range(1, count + 1):
        line = journal.Line(
            seq=seq,
            id=f"P04.{(seq + 1) // 2}",
            kind="prediction" if seq % 2 else "observation",
            value={"set": ["a", seq]},
            confidence=0.5 if seq % 2 else None,
            at=f"2026-11-30T09:00:{seq:02}Z",
            notebook="04",
            prev=hashlib.sha256(raws[-1]).hexdigest() if raws else journal.START,
        )
        raws.append(journal.encode(line))
    return raws


def joined(raws: list[bytes]) -> bytes:
    return b"".join(raw + b"\n" for raw in raws)


def put(path: Path, value: object, id: str = "P04.1", kind: journal.Kind = "prediction") -> journal.Line:
    return journal.append(path, id=id, kind=kind, value=value, confidence=0.5, notebook="04")


def kinds(problems: list[journal.Problem]) -> set[str]:
    return {problem.kind for problem in problems}


def test_a_line_reads_as_promised(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_CLOCK", "2026-11-30T10:15:00+01:00")
    path = tmp_path / "predictions" / "04.jsonl"
    put(path, {3, 1, 2})
    assert path.read_text() == (
        '{"seq":1,"id":"P04.1","kind":"prediction","value":{"set":[1,2,3]},"confidence":0.5,'
        f'"at":"2026-11-30T09:15:00Z","notebook":"04","prev":"{"0" * 64}"}}\n'
    )
    second = put(path, 4)
    assert second.prev == hashlib.sha256(path.read_bytes().split(b"\n")[0]).hexdigest()


def test_the_same_value_adds_nothing_and_a_changed_mind_adds_a_line(tmp_path):
    path = tmp_path / "04.jsonl"
    first = put(path, (1, 2))
    assert put(path, [1, 2]) == first
    assert [put(path, 3).seq, put(path, 3).seq, put(path, (1, 2)).seq] == [2, 2, 3]
    assert put(path, 3, kind="observation").seq == 4
    assert put(path, True).seq == 5, "True is another answer than 1"
    assert put(path, 1).seq == 6
    lines, problems = journal.read(path.read_bytes())
    assert len(lines) == 6
    assert not problems


def test_two_processes_that_append_at_once_keep_the_chain(tmp_path):
    path = tmp_path / "04.jsonl"
    program = (
        "import sys; from pathlib import Path; from course_lib import journal\n"
        "for n in range(40):\n"
        "    journal.append(Path(sys.argv[1]), id=f'P04.{n}', kind='prediction', value=sys.argv[2],\n"
        "                   confidence=0.5, notebook='04')\n"
    )
    root = Path(journal.__file__).parents[1]
    command = [sys.executable, "-c", program, str(path)]
    both = [subprocess.Popen([*command, name], cwd=root) for name in ("left", "right")]
    assert [process.wait(timeout=60) for process in both] == [0, 0]
    lines, problems = journal.read(path.read_bytes())
    assert problems == []
    assert [line.seq for line in lines] == list(range(1, 81))
    assert {line.value for line in lines} == {"left", "right"}


def test_half_a_line_left_by_a_killed_process_spoils_nothing_else(tmp_path):
    path = tmp_path / "04.jsonl"
    put(path, 1)
    put(path, 2)
    path.write_bytes(path.read_bytes() + b'{"seq":3,"id":"P0')
    assert put(path, 4).seq == 3
    lines, problems = journal.read(path.read_bytes())
    assert kinds(problems) == {"unreadable"}
    assert [(line.seq, line.intact) for line in lines] == [(1, True), (2, True), (3, True)]


@pytest.mark.parametrize(
    "value",
    ["x" * journal.LONGEST, object(), 10**5000, {1: object()}],
    ids=["too long", "an object", "a huge number", "a dict of objects"],
)
def test_what_cannot_be_written_leaves_the_file_alone(tmp_path, value):
    path = tmp_path / "04.jsonl"
    put(path, 1)
    before = path.read_bytes()
    with pytest.raises((TypeError, ValueError)):
        put(path, value)
    assert path.read_bytes() == before


def test_line_ends_and_a_byte_order_mark_from_another_system_change_nothing():
    content = b"\xef\xbb\xbf" + joined(chain(5)).replace(b"\n", b"\r\n")
    lines, problems = journal.read(content + b"\r\n")
    assert len(lines) == 5
    assert not problems


@given(st.binary(max_size=300) | st.lists(st.binary(max_size=80)).map(b"\n".join))
def test_reading_never_raises_on_any_bytes(content):
    lines, problems = journal.read(content)
    assert all(isinstance(line, journal.Line) for line in lines)
    assert all("\n" not in problem.message for problem in problems)


@given(st.data())
def test_reading_never_raises_on_json_of_any_shape(data):
    fields = json.loads(chain(1)[0])
    for name in data.draw(st.sets(st.sampled_from(sorted(fields)))):
        fields[name] = data.draw(plain_values)
    journal.read(json.dumps(fields).encode() + b"\n" + json.dumps(data.draw(plain_values)).encode())


@pytest.mark.parametrize(
    "content",
    [
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b"9" * 10_000,
        b"\xff\xfe",
        b"\0\n\0",
        b"NaN",
        joined(chain(1)).replace(b'"value":', b'"value":1e999,"x":'),
        joined(chain(1)).replace(b'{"set":["a",1]}', b"1e999"),
        joined(chain(1)).replace(b'{"set":["a",1]}', b"[" * 900 + b"]" * 900),
    ],
)
def test_hostile_content_is_told_not_raised(content):
    lines, problems = journal.read(content)
    assert problems
    assert not any(line.intact for line in lines)


@given(st.integers(2, 9), st.data())
def test_an_edited_line_is_named_and_spoils_only_itself(count, data):
    raws = chain(count)
    at = data.draw(st.integers(0, count - 2))
    fields = json.loads(raws[at])
    name = data.draw(st.sampled_from(["id", "kind", "value", "confidence", "at", "notebook"]))
    other = {"id": "P04.77", "kind": "observation" if fields["kind"] == "prediction" else "prediction"}
    fields[name] = other.get(name, {"at": fields["at"].replace("2026", "2025"), "confidence": 0.25}.get(name, "x"))
    raws[at] = text(fields).encode()
    lines, problems = journal.read(joined(raws))
    assert [problem.line for problem in problems if problem.kind == "edited"] == [at + 1]
    assert [line.seq for line in lines if not line.intact] == [at + 1]


@given(st.integers(2, 9), st.data())
def test_any_changed_byte_before_the_last_line_is_found(count, data):
    content = bytearray(joined(chain(count)))
    end_of_last_but_one = content[:-1].rindex(b"\n")
    at = data.draw(st.integers(0, end_of_last_but_one - 1))
    new = data.draw(st.integers(0, 255).filter(lambda byte: byte != content[at]))
    content[at] = new
    assert journal.read(bytes(content))[1]


@given(st.integers(1, 9), st.data())
def test_a_line_in_other_spelling_counts_as_edited_even_at_the_end(count, data):
    raws = chain(count)
    at = data.draw(st.integers(0, count - 1))
    raws[at] = json.dumps(json.loads(raws[at])).encode()
    lines, problems = journal.read(joined(raws))
    assert [(problem.line, problem.kind) for problem in problems] == [(at + 1, "edited")]
    assert [line.seq for line in lines if not line.intact] == [at + 1]


@given(st.integers(3, 9), st.data())
def test_a_dropped_line_spoils_what_follows(count, data):
    raws = chain(count)
    at = data.draw(st.integers(0, count - 2))
    del raws[at]
    lines, problems = journal.read(joined(raws))
    assert [(problem.line, problem.kind) for problem in problems] == [(at + 1, "dropped")]
    assert [line.seq for line in lines if line.intact] == list(range(1, at + 1))


@given(st.integers(2, 9), st.data())
def test_a_dropped_tail_is_simply_missing(count, data):
    left = data.draw(st.integers(0, count - 1))
    lines, problems = journal.read(joined(chain(count)[:left]))
    assert len(lines) == left
    assert not problems


@given(st.integers(2, 8), st.data())
def test_reordered_lines_are_found(count, data):
    raws = chain(count)
    order = data.draw(st.permutations(range(count)).filter(lambda p: list(p) != list(range(count))))
    lines, problems = journal.read(joined([raws[i] for i in order]))
    first_wrong = next(place for place, i in enumerate(order) if place != i)
    assert (first_wrong + 1, "reordered") in [(problem.line, problem.kind) for problem in problems]
    assert [line.seq for line in lines if line.intact] == list(range(1, first_wrong + 1))


def test_a_repeated_line_is_found():
    raws = chain(4)
    lines, problems = journal.read(joined([*raws[:2], raws[1], *raws[2:]]))
    assert "reordered" in kinds(problems)
    assert [line.intact for line in lines] == [True, True, False, False, False]


def test_a_line_edited_beyond_reading_spoils_only_itself():
    raws = chain(5)
    raws[2] = b"<<<<<<< mine"
    lines, problems = journal.read(joined(raws))
    assert [(problem.line, problem.kind) for problem in problems] == [(3, "unreadable")]
    assert [line.seq for line in lines if line.intact] == [1, 2, 4, 5]


def test_a_clock_that_runs_backwards_is_told_and_spoils_nothing(tmp_path, monkeypatch):
    path = tmp_path / "04.jsonl"
    for value, clock in enumerate(["2026-11-30T09:00:00Z", "2026-11-29T09:00:00Z"]):
        monkeypatch.setenv("COURSE_CLOCK", clock)
        put(path, value)
    lines, problems = journal.read(path.read_bytes())
    assert [(problem.line, problem.kind) for problem in problems] == [(2, "clock")]
    assert all(line.intact for line in lines)


def test_the_prediction_that_counts_is_the_last_before_the_outcome(tmp_path):
    path = tmp_path / "04.jsonl"
    put(path, 1)
    put(path, 2)
    put(path, 9, kind="observation")
    put(path, 3)
    put(path, 8, kind="observation")
    predicted, observed = journal.standing(journal.read(path.read_bytes())[0], "P04.1")
    assert predicted is not None
    assert observed is not None
    assert (predicted.value, observed.value) == (2, 9)
    put(path, 9, "P04.2", "observation")
    put(path, 5, "P04.2")
    lines = journal.read(path.read_bytes())[0]
    predicted, observed = journal.standing(lines, "P04.2")
    assert predicted is not None
    assert observed is not None
    assert predicted.seq > observed.seq
    assert journal.standing(lines, "P04.3") == (None, None)


def test_lines_from_outputs_become_one_journal():
    raws = [raw.decode() for raw in chain(4)]
    content = journal.gather([*raws[:3], raws[0], raws[3], *raws])
    lines, problems = journal.read(content)
    assert [line.seq for line in lines] == [1, 2, 3, 4]
    assert not problems
    assert journal.texts(content, 2) == raws[:2]
    assert journal.carried({"lines": [raws[0], 3]}) == [raws[0]]
    assert [journal.carried(odd) for odd in (None, "x", [1], {"lines": 3}, {})] == [[]] * 5
    journal.read(journal.gather(["\ud800", "", "x\ny"]))


@pytest.mark.parametrize(
    ("predicted", "observed", "expected"),
    [
        (1, 1, True),
        (15 / 62, 15 / 62 + 1e-12, True),
        (0.1 + 0.2, 0.3, True),
        (1, 1.0, True),
        (0.24, 0.2419, False),
        (True, 1, False),
        (1, True, False),
        (True, True, True),
        (None, None, True),
        (None, 0, False),
        ("step_budget", "step_budget ", True),
        ("1", 1, False),
        ({1, 2}, {2, 1}, True),
        ([2, 1], {1, 2}, True),
        ((2, 1, 1), {1, 2}, True),
        ({1, 2}, [1, 2], False),
        ({1}, {1, 2}, False),
        (set(), set(), True),
        ([], set(), True),
        ({0.1 + 0.2}, {0.3}, True),
        ({True}, {1}, False),
        ((0, 5), 3, True),
        ([3, 3], 3, True),
        ((0, 0.3), 0.1 + 0.2, True),
        ((5, 0), 3, False),
        ((0, 5), 6, False),
        ((0, True), 0, False),
        ((0, 5), True, False),
        ((1, 2), [1, 2], True),
        ([2, 1], [1, 2], False),
        ({"a": 0.3}, {"a": 0.1 + 0.2}, True),
        ({"a": 1}, {"b": 1}, False),
        (float("inf"), float("inf"), True),
        (10**400, 1.5, False),
        (object(), 1, False),
    ],
)
def test_agreement(predicted, observed, expected):
    assert journal.agrees(predicted, observed) is expected


def test_an_interval_agrees_with_a_number_but_is_not_the_same_answer():
    assert journal.agrees((0, 5), 3)
    assert not journal.same((0, 5), 3)
    assert journal.same({1, 2}, {"set": [1, 2]})


answers = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.frozensets(st.integers() | st.text(), max_size=4)
        | st.dictionaries(st.text() | st.integers(), inner, max_size=4)
    ),
    max_leaves=8,
)


@given(answers)
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_what_is_written_down_is_still_the_same_answer(value):
    plain = to_plain(value)
    back = json.loads(text(plain))
    assert text(to_plain(back)) == text(plain), "plain values are stable"
    assert journal.same(value, back)
    assert journal.agrees(value, value)
    assert len(readable(plain)) <= 200


@given(answers, answers)
def test_agreement_never_raises(a, b):
    assert journal.agrees(a, b) in (True, False)
    assert journal.same(a, b) == journal.same(b, a)
