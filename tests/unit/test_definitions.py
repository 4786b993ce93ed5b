"""The extractor: what cells define, whatever people put into cells."""

import ast
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib.definitions import NotWrittenError, PredictCall, closure, digest, is_stub, scan
from course_lib.source import neutralise

STUB = 'def replay(prefix, adapter):\n    """Docs."""\n    raise NotImplementedError("replay")\n'


def cell(source: str):
    return scan([textwrap.dedent(source)]).cells[0]


def node(source: str) -> ast.stmt:
    return ast.parse(textwrap.dedent(source)).body[0]


def run(source: str, name: str):
    namespace: dict = {}
    exec(compile(source, "<closure>", "exec"), namespace)
    return namespace[name]


def test_names_bound_at_top_level():
    found = cell(
        """
        import os.path, json as j
        from math import pi as PI, tau
        from math import *
        A = B = 1
        (C, [D, *E]) = 1, [2, 3]
        F: int = 1
        G: int
        A += 1
        H[0] = I.x = 3
        async def wait(): inner = 1
        class Box: field = 1
        if A:
            try:
                with open("x") as handle:
                    J = 1
            except OSError as error:
                def fallback(): ...
        else:
            K = 1
        for loop, (variable, _) in []:
            L = 1
        [comprehension for comprehension in []]
        """
    )
    assert found.names == (
        *("os", "j", "PI", "tau", "A", "B", "C", "D", "E", "F"),
        *("wait", "Box", "J", "fallback", "K", "L"),
    )
    assert [(d.name, d.kind) for d in found.definitions] == [
        ("wait", "function"),
        ("Box", "class"),
        ("fallback", "function"),
    ]


def test_definitions_in_order_with_their_lines_and_stubs():
    found = cell(STUB + "def replay(prefix, adapter):\n    return adapter.next_action(list(prefix))\n")
    assert [(d.name, d.stub, d.line) for d in found.definitions] == [("replay", True, 1), ("replay", False, 4)]
    assert found.definitions[0].digest != found.definitions[1].digest
    assert scan(["x = 1", STUB, "def other(): ..."]).defining("replay") == [1]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(): raise NotImplementedError", True),
        ('async def f():\n    """Doc."""\n    raise NotImplementedError("f: do it")', True),
        ("def f():\n    x = 1\n    raise NotImplementedError", False),
        ("def f(): raise ValueError", False),
        ("def f(): pass", False),
        ('def f(): """Doc."""', False),
        ("class C:\n    x: int\n    def a(self): raise NotImplementedError\n    def b(self): ...", False),
        ("class C:\n    x: int\n    def a(self): raise NotImplementedError", True),
        ("class C:\n    x: int", False),
        ("f = 1", False),
    ],
)
def test_stubs(source, expected):
    assert is_stub(node(source)) is expected


def test_the_digest_sees_code_and_nothing_else():
    plain = node('def f(a, b=1):\n    """Doc."""\n    return a + b')
    spelled = node("def f( a,b = 0x1 ):\n    '''Other words.'''\n\n    # why\n    return (a\n        + b)")
    assert digest(plain) == digest(spelled) == digest(node("def f(a, b=1): return a + b"))
    for other in ("def f(a, b=True): return a + b", "def f(a, b=1): return a - b", "def f(b, a=1): return a + b"):
        assert digest(node(other)) != digest(plain)
    assert digest(node("@cache\ndef f(a, b=1): return a + b")) != digest(plain)
    assert digest(node('class C:\n    def m(self):\n        """Doc."""\n        return 1')) == digest(
        node("class C:\n    def m(self): return 1")
    )


def test_the_digest_tells_where_a_list_ends():
    one, other = node("def f():\n    if a:\n        b\n        c"), node("def f():\n    if a:\n        b\n    c")
    assert digest(one) != digest(other)


def test_the_digest_is_the_same_in_every_python():
    source = 'class C:\n    @p\n    def m(self, *a, k: int = 1.5, **z) -> str:\n        return f"{a!r:>{k}}" or None\n'
    assert digest(node(source)) == "a1a5688af265cc334414c914289eb073ed3d62165a748781aeef7e178f898754"


def test_a_text_that_looks_like_structure_is_not_taken_for_it():
    assert digest(node("def f(): return 'a', 'b'")) != digest(node("def f(): return \"a', 'b\""))


def test_the_digest_of_a_very_long_sum_and_a_huge_number():
    assert len(digest(node("def f(): return " + "+".join(["1"] * 900)))) == 64
    assert len(digest(node("def f(): return 0x" + "f" * 9000))) == 64


MAGIC = """\
%matplotlib inline
!ls 'unclosed "(
?print
print?
a.b??
files = !ls
x, y = %who_ls int
if True:
    %time run()
!echo one \\
   two (
text = '''
%not magic
!neither
'''
total = (10
    % 3)
def replay(prefix, adapter):
    return 1 % 2
,call it quietly
"""


def test_ipython_lines_are_set_aside_and_lines_keep_their_numbers():
    found = cell(MAGIC)
    assert found.problem is None
    assert found.names == ("files", "x", "y", "text", "total", "replay")
    assert found.definitions[0].line == MAGIC.split("def replay")[0].count("\n") + 1
    text = neutralise(MAGIC)
    assert text.count("\n") == MAGIC.count("\n")
    assert "%not magic" in text
    assert "% 3" in text


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("%%time\ndef f(): pass", ("f",)),
        ("\n%%capture out\nx = 1\n!ls", ("x",)),
        ('%%bash\nfor x in *; do echo "$x; done', ()),
        ("%%writefile x.py\ndef f(): pass", ()),
        ("%%html\n<b>'</b>", ()),
    ],
)
def test_cell_magics(source, names):
    found = scan([source]).cells[0]
    assert (found.names, found.problem) == (names, None)


@pytest.mark.parametrize(
    "source",
    ["def f(:", "if True:\nx", "\0", "\ud800 = 1", "(" * 1000, "-" * 200_000 + "1", "'", "'''", "x = 08", "\t x\n y"],
)
def test_what_is_not_python_is_a_record(source):
    before, broken, after = scan(["a = 1", source, "b = 2"]).cells
    assert broken.problem
    assert "\n" not in broken.problem
    assert (broken.names, broken.definitions, broken.predictions) == ((), (), ())
    assert (before.names, after.names) == (("a",), ("b",))


def test_a_broken_cell_says_where():
    assert scan(["x = 1\ny = = 2\n"]).cells[0].problem == "line 2: invalid syntax"


@given(st.text(max_size=60) | st.text(alphabet="%!?()[]'\"\\\n#x=1 :", max_size=60))
def test_scanning_never_raises(source):
    assert len(scan([source]).cells) == 1
    assert neutralise(source).count("\n") == source.count("\n")


def test_thousands_of_magics_are_read_in_good_time():
    assert len(cell("!ls 'x\n" * 20_000 + "y = 1").names) == 1


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ('predict("P04.2", 1, confidence=0.8)', ("P04.2", True, True, 1, 0.8)),
        ('predict("P04.2", 1, confidence=0.8, kind="number")', ("P04.2", True, True, 1, 0.8)),
        ('predict("P04.2", ..., kind=[a], confidence=...)', ("P04.2", False, False, None, None)),
        ('predict("P04.2", -15/62, 1)', ("P04.2", True, True, -15 / 62, 1.0)),
        ('predict(id="P04.2", confidence=4/5, value="a")', ("P04.2", True, True, "a", 0.8)),
        ('predict("P04.2", {1, -2}, confidence=.5)', ("P04.2", True, True, {1, -2}, 0.5)),
        ('predict("P04.2", set(), confidence=.5)', ("P04.2", True, True, set(), 0.5)),
        ('predict("P04.2", ({"a": [1, (2,)]}, None, not True), .5)',
         ("P04.2", True, True, ({"a": [1, (2,)]}, None, False), 0.5)),
        ('predict("P04.2", ..., confidence=...)', ("P04.2", False, False, None, None)),
        ('predict("P04.2", 3, confidence=...)', ("P04.2", False, False, None, None)),
        ('predict("P04.2", ..., confidence=0.5)', ("P04.2", False, False, None, 0.5)),
        ('predict("P04.2", 3)', ("P04.2", False, False, None, None)),
        ('predict("P04.2", len(trace), confidence=0.5)', ("P04.2", True, False, None, None)),
        ('predict("P04.2", LIMIT, confidence=0.5)', ("P04.2", True, False, None, None)),
        ('predict("P04.2", 3, confidence=sure)', ("P04.2", True, False, None, None)),
        ('predict("P04.2", *answer, confidence=0.5)', ("P04.2", True, False, None, None)),
        ('predict("P04.2", 9**9**9, confidence=0.5)', ("P04.2", True, False, None, None)),
        ('predict("P04.2", "a" * 10**9, confidence=0.5)', ("P04.2", True, False, None, None)),
        ('predict("P04.2", 1/0, confidence=0.5)', ("P04.2", True, False, None, None)),
        ('predict("P04.2", {[1]: 2}, confidence=0.5)', ("P04.2", True, False, None, None)),
        ('predict(name, 1, confidence=0.5)', (None, True, True, 1, 0.5)),
        ('lib.predict("P04.2", 1, confidence=0.5)', ("P04.2", True, True, 1, 0.5)),
        ('if x:\n    for y in z:\n        predict("P04.2", 1, confidence=0.5)', ("P04.2", True, True, 1, 0.5)),
    ],
)  # fmt: skip
def test_predict_calls(call, expected):
    (found,) = cell("\n" + call).predictions
    assert (found.id, found.filled, found.constant, found.value, found.confidence) == expected
    assert type(found.value) is type(expected[3])


def test_predictions_come_in_order_and_other_predicts_are_left_out():
    found = cell('model.predict(x)\npredict("P04.1", 1, 0.5); predict("P04.2", 2, 0.5)\npredicted("P04.3", 1)')
    assert found.predictions == (
        PredictCall("P04.1", True, True, 1, 0.5, 2),
        PredictCall("P04.2", True, True, 2, 0.5, 2),
    )


def test_closure_takes_what_is_reached_and_leaves_the_rest():
    sources = [
        "from __future__ import annotations\nimport json, os\nfrom functools import cache\nUNUSED = print('!')",
        "LIMIT = 2\nTABLE = {}\nresult = 1 / 0",
        "TABLE['x'] = LIMIT\nLIMIT += 1\nfor k in range(3):\n    TABLE[k] = k\nprint('side effect')",
        "@cache\ndef helper(result: int) -> int:  # a local name like a global one\n    return result + LIMIT",
        "%matplotlib inline\ndef replay(n):\n    return [helper(n), dict(TABLE), [replay for _ in '']]",
        STUB,
        "not python at all",
    ]
    text = closure(sources, "replay")
    assert run(text, "replay")(1) == [4, {"x": 2, 0: 0, 1: 1, 2: 2}, []]
    for left_out in ("UNUSED", "1 / 0", "side effect", "NotImplementedError", "json"):
        assert left_out not in text
    assert text.startswith("from __future__ import annotations\n")
    assert "# a local name like a global one" in text


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        ([STUB, "def replay(): return 1", "def replay(): return 2"], 2),
        (["def replay(): return 1", STUB], 1),
        (["from functools import cache\n" + STUB, "def replay(): return 1\nreplay = cache(replay)"], 1),
        (["replay = lambda: 1"], 1),
        (["try:\n    import absent\nexcept ImportError:\n    absent = 1\ndef replay(): return absent"], 1),
        ([STUB, "if True:\n    def replay(): return 1"], 1),
        (["class Base:\n    x = 1", "class Deeper(Base): pass", "def replay(d=Deeper): return d.x"], 1),
        (["from math import *\ndef replay(): return floor(1.5)"], 1),
        (["a = 1; b = 2", "def replay(): return b - a"], 1),
        (["class T:\n    n = 0\nT.n = 1", "def replay(): return T.n"], 1),
        (["N = 1\nif N > 5:\n    N = 2", "def replay(): return N"], 1),
        (["def replay():\n    return later()", "def later(): return 1"], 1),
        (["type_ = 1\ndef replay():\n    return 'é' and type_  # é"], 1),
    ],
)  # fmt: skip
def test_closure_runs_alone(sources, expected):
    assert run(closure(sources, "replay"), "replay")() == expected


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        ([], "replay is not defined"),
        (["x = 1"], "replay is not defined"),
        (["for replay in []: pass"], "replay is not defined"),
        ([STUB], "replay is still a stub"),
        ([STUB, "from functools import cache\nreplay = cache(replay)"], "replay is still a stub"),
    ],
)
def test_closure_says_what_is_missing(sources, message):
    with pytest.raises(NotWrittenError, match=message):
        closure(sources, "replay")


def test_a_given_stub_is_known_by_its_digest():
    given_stub = "def replay(prefix, adapter):\n    return None\n"
    known = scan([given_stub]).cells[0].definitions[0].digest
    with pytest.raises(NotWrittenError, match="stub"):
        closure([given_stub], "replay", {known})
    assert closure(["def replay(): return 1", given_stub], "replay", {known}) == "def replay(): return 1\n"


def test_reading_definitions_needs_the_standard_library_only():
    program = (
        "import sys; import course_lib.definitions, course_lib.journal\n"
        "print([name for name in ('IPython', 'filelock', 'numpy', 'matplotlib', 'msgspec') if name in sys.modules])"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "[]"


def test_what_is_imported_twice_is_there_for_a_definition_in_between() -> None:
    cells = ["from pathlib import Path", "def one(path: Path): ...", "from pathlib import Path", "x = Path, one"]
    namespace: dict[str, object] = {}
    exec(closure(cells, "x"), namespace)
    assert "x" in namespace
