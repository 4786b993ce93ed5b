"""Small calm cards: HTML in a notebook, the same words as text anywhere else. No script."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple


class Row(NamedTuple):
    """One line of a card.

    text    the sentence
    mark    "✓", "✗", "≠" or nothing; says in a sign what colour says too
    notes   pairs of a word and a value, shown below the sentence: ("observed", "3")
    """

    text: str
    mark: str = ""
    notes: Sequence[tuple[str, str]] = ()


Card = dict[str, Any]
"""A MIME bundle with "text/html" and "text/plain"."""

# JupyterLab sets these variables for its dark and light themes; the second value is for other viewers.
_INK = "var(--jp-ui-font-color1, inherit)"
_PALE_INK = "var(--jp-ui-font-color2, inherit)"
_CODE = "font-family: var(--jp-code-font-family, monospace); white-space: pre-wrap; overflow-wrap: anywhere"
_COLOUR = {"✓": "var(--jp-success-color1, #2e7d32)", "✗": "var(--jp-error-color1, #c62828)"}
_BOX = (
    f"color: {_INK}; background: var(--jp-layout-color1, transparent); max-width: 46em; "
    "border: 1px solid var(--jp-border-color1, #999); border-radius: 4px; padding: 0.6em 0.9em; "
    "font-family: var(--jp-ui-font-family, sans-serif); line-height: 1.5"
)


def card(
    title: str,
    rows: Sequence[Row] = (),
    footer: str = "",
    label: str = "",
    *,
    bar: tuple[int, int] | None = None,
) -> Card:
    """A card as a MIME bundle. Everything given is text and is escaped.

    label: what a screen reader says for the whole card; all of its text when left out.
    bar: (done, of), drawn behind the title as a bar and written as "2/3".
    """
    text = _text(title, rows, footer, bar)
    label = label or " ".join(text.split())
    parts = [f'<div role="group" aria-label="{escape(label)}" style="{_BOX}">', _head(title, bar)]
    parts += [_row(row) for row in rows]
    if footer:
        parts.append(f'<div style="color: {_PALE_INK}; margin-top: 0.4em">{escape(footer)}</div>')
    return {"text/html": "".join(parts) + "</div>", "text/plain": text}


def show(bundle: Mapping[str, Any]) -> None:
    """Show a MIME bundle in the notebook; outside IPython print its "text/plain"."""
    ipython = sys.modules.get("IPython")
    if ipython is not None and ipython.get_ipython() is not None:
        from IPython.display import display

        display(dict(bundle), raw=True)  # type: ignore[no-untyped-call]
    else:
        say(bundle["text/plain"])


def say(line: str) -> None:
    """Tell the learner one thing, in a notebook or anywhere else."""
    print(line)  # noqa: T201 - this is where words leave


def _head(title: str, bar: tuple[int, int] | None) -> str:
    head = f"<strong>{escape(title)}</strong>"
    if bar is not None:
        done, of = bar
        share = f"{100 * done / of if of else 0:.0f}%"
        head += (
            f' <span style="color: {_PALE_INK}">{done}/{of}</span>'
            '<div aria-hidden="true" style="height: 4px; margin: 0.3em 0; border-radius: 2px; '
            'background: var(--jp-layout-color3, #ccc)">'
            f'<div style="height: 4px; width: {share}; border-radius: 2px; '
            'background: var(--jp-brand-color1, #1976d2)"></div></div>'
        )
    return f"<div>{head}</div>"


def _row(row: Row) -> str:
    colour = _COLOUR.get(row.mark, "inherit")
    mark = f'<span style="color: {colour}; font-weight: bold">{escape(row.mark)}</span> ' if row.mark else ""
    notes = "".join(
        f'<div style="margin-left: 1.5em"><span style="color: {_PALE_INK}">{escape(word)}</span> '
        f'<span style="{_CODE}">{escape(value)}</span></div>'
        for word, value in row.notes
    )
    return f"<div>{mark}{escape(row.text)}{notes}</div>"


def _text(title: str, rows: Sequence[Row], footer: str, bar: tuple[int, int] | None) -> str:
    lines = [title if bar is None else f"{title}  {bar[0]}/{bar[1]}"]
    for row in rows:
        if row.text:
            lines.append(f"  {row.mark} {row.text}" if row.mark else f"  {row.text}")
        width = max((len(word) for word, _ in row.notes), default=0)
        for word, value in row.notes:
            lines.append(f"      {word:<{width}}  " + value.replace("\n", "\n" + " " * (width + 8)))
    if footer:
        lines.append(f"  {footer}")
    return "\n".join(lines)
