"""Small calm cards: HTML in a notebook, the same words as text anywhere else. No script."""

from __future__ import annotations

import re
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
_INLINE = f"{_CODE}; color: inherit; background: none; padding: 0"
# A theme's own green is too pale for text; some of the ink makes it readable on its light and dark page.
_SIGN = "color-mix(in srgb, {} 85%, var(--jp-ui-font-color1, currentcolor))"
_COLOUR = {
    "✓": _SIGN.format("var(--jp-success-color1, #2e7d32)"),
    "✗": _SIGN.format("var(--jp-error-color1, #c62828)"),
}
_UI = "font-family: var(--jp-ui-font-family, sans-serif); line-height: 1.5"
_BOX = (
    f"color: {_INK}; background: var(--jp-layout-color1, transparent); max-width: 800px; box-sizing: border-box; "
    "margin: 0.4em 0; padding: 0.6em 0.9em; border: 1px solid var(--jp-border-color1, #999); border-radius: 4px; "
    f"{_UI}"
)
_ASIDE = (
    f"color: {_PALE_INK}; margin: 0.3em 0; padding-left: 0.7em; "
    f"border-left: 3px solid var(--jp-border-color1, #999); {_UI}"
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
        parts.append(f'<div style="color: {_PALE_INK}; margin-top: 0.4em">{_words(footer)}</div>')
    return {"text/html": "".join(parts) + "</div>", "text/plain": text}


def show(bundle: Mapping[str, Any]) -> None:
    """Show a MIME bundle in the notebook; outside IPython print its "text/plain"."""
    ipython = sys.modules.get("IPython")
    if ipython is not None and ipython.get_ipython() is not None:
        from IPython.display import display

        display(dict(bundle), raw=True)  # type: ignore[no-untyped-call]
    else:
        print(bundle["text/plain"])  # noqa: T201 - this is where words leave


def say(line: str) -> None:
    """Tell the learner one thing; in a notebook it looks unlike what their own code prints."""
    show({"text/html": f'<div style="{_ASIDE}">{_words(line)}</div>', "text/plain": line})


def _head(title: str, bar: tuple[int, int] | None) -> str:
    head = f"<strong>{_words(title)}</strong>"
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
    body = f"{_words(row.text)}{_notes(row.notes)}"
    if not row.mark:
        return f"<div>{body}</div>"
    colour = _COLOUR.get(row.mark, "inherit")
    mark = f'<span style="color: {colour}; font-weight: bold">{escape(row.mark)}</span>'
    # Side by side, so that a long sentence does not run on below its mark.
    return f'<div style="display: flex; gap: 0.5em">{mark}<div>{body}</div></div>'


def _notes(notes: Sequence[tuple[str, str]]) -> str:
    if not notes:
        return ""
    cells = "".join(
        f'<span style="color: {_PALE_INK}">{escape(word)}</span><span style="{_CODE}">{escape(value)}</span>'
        if word
        else f'<span style="grid-column: 1 / -1">{_words(value)}</span>'
        for word, value in notes
    )
    return f'<div style="display: grid; grid-template-columns: max-content 1fr; column-gap: 0.9em">{cells}</div>'


def _words(text: str) -> str:
    """Text as HTML; what stands between backticks looks like code."""
    return re.sub(r"`([^`\n]+)`", rf'<code style="{_INLINE}">\1</code>', escape(text))


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
