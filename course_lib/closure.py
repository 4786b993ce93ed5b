"""One definition of a notebook with everything at top level that it needs, as Python source."""

from __future__ import annotations

import ast
import symtable
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from course_lib.source import UNREADABLE, Scope, blocks, digest, is_stub, names_bound, names_filled, parse


class NotWrittenError(NotImplementedError):
    """A name that is asked for is not there yet, or is still its stub. The message is one line."""


def closure(sources: Sequence[str], name: str, stubs: Collection[str] = ()) -> str:
    """The last written definition of `name` with the top-level statements that it reaches.

    sources: cell sources in notebook order. stubs: digests that count as not written, beside what `is_stub`
    sees. The answer is Python source (imports, constants, definitions) in the notebook's order and wording.
    Raises NotWrittenError (one line) when `name` is not defined, or when only its stub is.
    """
    entries = [entry for source in sources for entry in _entries(source, stubs)]
    taken = {i for i, entry in enumerate(entries) if entry.always}
    wanted, asked = [name], set[str]()
    while wanted:
        current = wanted.pop()
        if current in asked:
            continue
        asked.add(current)
        found = _settling(entries, current, allow_stub=current != name)
        if current == name and not found:
            bound = any(name in entry.binds for entry in entries)
            raise NotWrittenError(f"{name} is still a stub" if bound else f"{name} is not defined")
        taken.update(found)
        # What is imported twice is there from the first time on: a definition in between may need it.
        if all(entries[i].imports for i in found):
            taken.update(i for i, entry in enumerate(entries) if entry.imports and current in entry.binds)
        wanted += [read for i in found for read in entries[i].reads]
    order = sorted(taken, key=lambda i: (not entries[i].future, i))  # Python wants __future__ first
    return "\n\n".join(entries[i].text for i in order) + "\n"


@dataclass(frozen=True)
class _Entry:
    """One top-level statement.

    reads         global names used anywhere in it
    builds_on     names it binds by using their earlier value
    imports       it is an import
    conditional   it may leave a name as it was (an `if`, a loop, a `try`)
    """

    text: str
    binds: frozenset[str]
    reads: frozenset[str]
    builds_on: frozenset[str]
    conditional: bool
    stub: bool
    future: bool
    always: bool
    imports: bool


def _settling(entries: Sequence[_Entry], name: str, *, allow_stub: bool) -> list[int]:
    """Indices of the statements that together give `name` its last value.

    They are gathered from the end, back to one that stands alone.
    """
    binding = [i for i, entry in enumerate(entries) if name in entry.binds]
    written = [i for i in binding if not entries[i].stub]
    found: list[int] = []
    for i in reversed(written or (binding if allow_stub else [])):
        found.append(i)
        if name not in entries[i].builds_on and not entries[i].conditional:
            return found
    # `replay = cache(replay)` after nothing but a stub is no answer.
    if not allow_stub and found and name in entries[found[-1]].builds_on:
        return []
    return found


def _entries(source: str, stubs: Collection[str]) -> Iterator[_Entry]:
    try:
        text, tree = parse(source)
        for node in tree.body:
            yield _entry(text, node, stubs)
    except UNREADABLE:
        return


def _entry(source: str, node: ast.stmt, stubs: Collection[str]) -> _Entry:
    text = _text(source, node)
    binds = frozenset(names_bound(node)) | frozenset(names_filled(node))
    now, later = _reads(text, node)
    augmented = isinstance(node, ast.AugAssign)
    conditional = any(True for _ in blocks(node))
    star = isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names)
    future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
    return _Entry(
        text=text,
        binds=binds,
        reads=now | later,
        builds_on=frozenset() if conditional else binds if augmented else binds & now,
        conditional=conditional,
        stub=isinstance(node, Scope) and (is_stub(node) or digest(node) in stubs),
        future=future,
        always=star or future,
        imports=isinstance(node, ast.Import | ast.ImportFrom),
    )


def _text(source: str, node: ast.stmt) -> str:
    """The statement as written, decorators included."""
    decorators = node.decorator_list if isinstance(node, Scope) else []
    first = min([node.lineno, *(item.lineno for item in decorators)])
    # get_source_segment leaves decorators out, so it is asked for the span instead of the node.
    span = ast.Pass(
        lineno=first,
        col_offset=0 if decorators else node.col_offset,
        end_lineno=node.end_lineno,
        end_col_offset=node.end_col_offset,
    )
    return ast.get_source_segment(source, span) or ast.unparse(node)


def _reads(text: str, node: ast.stmt) -> tuple[frozenset[str], frozenset[str]]:
    """Global names read when the statement runs, and those read later, by functions in it.

    Python's own symbol table tells them from a function's local names.
    """
    try:
        top = symtable.symtable(text, "<cell>", "exec")
    except UNREADABLE:
        names = frozenset(item.id for item in ast.walk(node) if isinstance(item, ast.Name))
        return names, frozenset()
    now = frozenset(symbol.get_name() for symbol in top.get_symbols() if symbol.is_referenced())
    later: set[str] = set()
    tables = list(top.get_children())
    while tables:
        table = tables.pop()
        tables += table.get_children()
        later.update(symbol.get_name() for symbol in table.get_symbols() if symbol.is_global())
    return now, frozenset(later)
