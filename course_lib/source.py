"""The Python in one cell: IPython lines set aside, the statements of its top level, what they bind."""

from __future__ import annotations

import ast
import hashlib
import re
import warnings
from collections.abc import Iterator, Sequence

Function = ast.FunctionDef | ast.AsyncFunctionDef
Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


def parse(source: str) -> tuple[str, ast.Module]:
    """The source that parsed (IPython lines set aside, line numbers kept) and its tree."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if not _CELL_MAGIC.match(source):
            try:
                return source, ast.parse(source)
            except SyntaxError:
                pass
        text = neutralise(source)
        return text, ast.parse(text)


_CELL_MAGIC = re.compile(r"\s*%%(\w*)[^\n]*")
_PYTHON_MAGICS = {"time", "capture", "prun"}  # their body runs in the notebook's own namespace
_LINE = r"(?:[^\n]*\\\n)*[^\n]*"
_MAGIC = re.compile(rf"([ \t]*)(?:[%!?,;/]{_LINE}|[^\s#'\"=()]+\?\??[ \t;]*(?=\n|\Z))")
_ASSIGNED = re.compile(rf"([ \t]*[\w.,* \t]+=[ \t]*)[%!]{_LINE}")
_TOKEN = re.compile(
    r"""(?P<skip>\#[^\n]* | \\\n
    | \"\"\"(?:\\.|[^\\])*?(?:\"\"\"|\Z) | '''(?:\\.|[^\\])*?(?:'''|\Z)
    | "(?:\\.|[^"\\\n])*"? | '(?:\\.|[^'\\\n])*'? | [^\#\\"'()\[\]{}\n]+ | \\)
    | (?P<open>[(\[{]) | (?P<close>[)\]}]) | (?P<end>\n)""",
    re.DOTALL | re.VERBOSE,
)


def neutralise(source: str) -> str:
    """`source` with IPython's `%magic`, `!shell` and `help?` lines replaced, line numbers kept.

    Only lines that begin a statement are touched, never one inside brackets or a string.
    """
    cell_magic = _CELL_MAGIC.match(source)
    if cell_magic:
        if cell_magic[1] not in _PYTHON_MAGICS:
            return "\n" * source.count("\n")
        source = "\n" * cell_magic[0].count("\n") + source[cell_magic.end() :]
    parts: list[str] = []
    at, depth, fresh = 0, 0, True
    while at < len(source):
        if fresh and depth == 0:
            magic, assigned = _MAGIC.match(source, at), _ASSIGNED.match(source, at)
            found = magic or assigned
            if found:
                parts += [found[1], "pass" if magic else "None", "\n" * found[0].count("\n")]
                at = found.end()
        fresh = False
        token = _TOKEN.match(source, at)
        if token is None:
            break
        if token["open"]:
            depth += 1
        elif token["close"]:
            depth = max(0, depth - 1)
        fresh = token["end"] is not None
        parts.append(token[0])
        at = token.end()
    return "".join(parts)


def blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The statement lists inside a compound statement that run in the same scope."""
    if isinstance(node, Scope):
        return
    for field in ("body", "orelse", "finalbody"):
        block = getattr(node, field, None)
        if isinstance(block, list):
            yield block
    for field in ("handlers", "cases"):
        for part in getattr(node, field, []):
            yield part.body


def statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Every statement that runs at top level, also inside if, try, with and loops, in source order."""
    stack = list(reversed(body))
    while stack:
        node = stack.pop()
        yield node
        stack += reversed([inner for block in blocks(node) for inner in block])


def own_names(node: ast.stmt) -> Iterator[str]:
    """Names bound by this statement itself. A loop's variable is no definition."""
    if isinstance(node, Scope):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        for alias in node.names:
            if alias.name != "*":
                yield alias.asname or alias.name.partition(".")[0]
    else:
        for target in targets(node):
            if isinstance(target, ast.Name):
                yield target.id


def targets(node: ast.stmt) -> Iterator[ast.expr]:
    """Assignment targets, unpacked."""
    if isinstance(node, ast.Assign):
        stack = list(reversed(node.targets))
    elif isinstance(node, ast.AugAssign) or (isinstance(node, ast.AnnAssign) and node.value is not None):
        stack = [node.target]
    else:
        return
    while stack:
        target = stack.pop()
        if isinstance(target, ast.Tuple | ast.List):
            stack += reversed(target.elts)
        elif isinstance(target, ast.Starred):
            stack.append(target.value)
        else:
            yield target


def names_bound(node: ast.stmt) -> Iterator[str]:
    """Names bound by this statement and by those inside it that run in the same scope."""
    for inner in statements([node]):
        yield from own_names(inner)


def names_filled(node: ast.stmt) -> Iterator[str]:
    """Names whose object is changed by `name[...] = ` or `name.attribute = `."""
    for inner in statements([node]):
        for target in targets(inner):
            base = target
            while isinstance(base, ast.Subscript | ast.Attribute):
                base = base.value
            if base is not target and isinstance(base, ast.Name):
                yield base.id


def has_docstring(node: Scope) -> bool:
    """True when the body begins with a text that stands alone."""
    first = node.body[0] if node.body else None
    value = first.value if isinstance(first, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def is_stub(node: ast.AST) -> bool:
    """True for a def whose body after the docstring is only `raise NotImplementedError(...)`.

    A class is a stub when its body is only that, or when it has methods and every one of them is a stub.
    """
    if not isinstance(node, Scope):
        return False
    body = node.body[1:] if has_docstring(node) else node.body
    if len(body) == 1 and isinstance(body[0], ast.Raise):
        raised = body[0].exc
        raised = raised.func if isinstance(raised, ast.Call) else raised
        return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"
    methods = [item for item in body if isinstance(item, Function)]
    return isinstance(node, ast.ClassDef) and bool(methods) and all(map(is_stub, methods))


def digest(node: ast.AST) -> str:
    """sha256 (64 hex digits) of a definition's code.

    Docstrings, comments, layout and the version of Python do not change it.
    """
    seen = hashlib.sha256()
    stack: list[object] = [node]  # a tuple holds a mark, which no constant can be taken for
    while stack:
        item = stack.pop()
        if isinstance(item, ast.AST):
            stack.append((")",))
            for name, value in reversed(list(_fields(item))):
                stack += [value, (f" {name}=",)]
            stack.append((f"({type(item).__name__}",))
        elif isinstance(item, list):
            stack += [("]",), *(part for value in reversed(item) for part in (value, (",",))), ("[",)]
        elif isinstance(item, tuple):
            seen.update(item[0].encode())
        else:
            text = hex(item) if type(item) is int else repr(item)  # repr refuses integers of over 4300 digits
            seen.update(text.encode("utf-8", "backslashreplace"))
    return seen.hexdigest()


def _fields(node: ast.AST) -> Iterator[tuple[str, object]]:
    """The fields that say what the code does, alike in every version of Python (those of ast.dump are not)."""
    for name, value in ast.iter_fields(node):
        if name == "body" and isinstance(node, Scope) and has_docstring(node):
            value = value[1:]
        if isinstance(node, ast.JoinedStr):  # 3.12 adds empty texts to a format such as {a:>{b}}
            value = [part for part in value if not (isinstance(part, ast.Constant) and part.value == "")]
        empty = value is None or value == []
        if name not in _SILENT_FIELDS and (not empty or isinstance(node, ast.Constant)):
            yield name, value


_SILENT_FIELDS = {"ctx", "kind", "type_comment", "type_ignores"}
