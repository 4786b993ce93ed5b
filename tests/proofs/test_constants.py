"""A constant earns nothing: a test that says that nothing bad happens also says that something good does."""

import ast

import pytest

from grader.course import Course
from tests.proofs.course import solved_notebooks
from tests.proofs.judging import judge_all
from tests.proofs.loader import Candidate, asked

NOTEBOOKS = ("00", "01", "02", "03", "04", "05", "06", "07")
# Every test has its positive control, but for some of these exercises.
WITHOUT: set[tuple[str, str]] = set()
CONSTANTS = ("None", "[]", "{}", "True", "False", "0", "''", "()")
SEED = 1
EXERCISES = [
    (n.number, exercise.name)
    for n in Course.load().manifest.notebooks
    if n.number in NOTEBOOKS and asked(n.number)
    for exercise in n.exercises
    if (n.number, exercise.name) not in WITHOUT
]


class Answering(ast.NodeTransformer):
    """Every function and method does no more than this; an object can be made all the same."""

    def __init__(self, statement):
        self.statement = statement

    def visit_FunctionDef(self, node):
        own = [arg.arg for arg in node.args.args + node.args.kwonlyargs if arg.arg != "self"]
        text = self.statement.replace("FIRST", own[0] if own else "None")
        node.body = ast.parse("pass" if node.name == "__init__" else f"def _():\n    {text}").body
        if node.name != "__init__":
            node.body = node.body[0].body
        return node


def answers(solved, exercise):
    """Candidates that always give the same, that hand back what they were given, and that refuse everything."""
    stub = solved.stubs[exercise]
    statements = {f"always {value}": f"return {value}" for value in CONSTANTS}
    statements |= {"hands back its argument": "return FIRST", "refuses everything": "raise ValueError('no')"}
    if "GateDecision" in stub:
        for allow in (True, False):
            statements[f"always says {allow}"] = f"return GateDecision({allow}, 'a reason', type(self).__name__)"
    for says, statement in statements.items():
        cell = ast.unparse(Answering(statement).visit(ast.parse(stub)))
        yield Candidate("stub", solved.number, exercise, says, cell)
    if "class " in stub:  # the name is then no class, but a function that is called like one
        for says, statement in statements.items():
            text = statement.replace("FIRST", "args[0] if args else None").replace("type(self).__name__", "'gate'")
            functions = (f"def {name}(*args, **kwargs):\n    {text}" for name in solved.defines[exercise])
            yield Candidate("stub", solved.number, exercise, f"{says}, as a function", "\n\n".join(functions))


@pytest.fixture(scope="module")
def earned(work):
    """By notebook and exercise: which tests pass for which of these answers."""
    calls = []
    for number, solved in solved_notebooks().items():
        if number in NOTEBOOKS:
            tried = [name for name in solved.answers if (number, name) not in WITHOUT]
            calls.append((solved, [one for exercise in tried for one in answers(solved, exercise)], [SEED]))
    found = {}
    for judged in (each for batch in work.each("constants tried", judge_all, calls) for each in batch):
        here = found.setdefault((judged.candidate.notebook, judged.candidate.exercise), (set(), []))
        here[0].add(judged.candidate.slug)
        here[1].extend(f"{said.test}: {judged.candidate.slug}" for said in judged.said if said.outcome == "passed")
    return found


@pytest.mark.parametrize(("number", "exercise"), EXERCISES)
def test_a_constant_earns_nothing(number, exercise, earned):
    tried, passed = earned[number, exercise]
    assert len(tried) >= len(CONSTANTS) + 2
    assert passed == [], "\n".join(passed)
