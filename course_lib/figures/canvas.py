"""What every figure shares: a white page with its message on top, the colours, and `show`.

A figure has one message, and its title says it as a sentence. The alt text says it too, for those
who do not see the figure. Colour is never the only signal: whatever is orange also carries a cross
or a word. The colours are Okabe and Ito's, which people with any kind of colour vision can tell
apart. A figure brings its own white background, so it reads the same on a dark page, and its bytes
depend on the data alone.
"""

from __future__ import annotations

import base64
import contextlib
import html
import io
import sys
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # matplotlib takes a moment to load: only a figure that is drawn pays for it
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, GREY, PALE_GREY = "#1f1f1f", "#6b6b6b", "#c4c4c4"
BLUE, PALE_BLUE = "#0072b2", "#d3e6f3"
ORANGE, PALE_ORANGE = "#d55e00", "#f7d3b5"
WIDTH = 8.0  # inches; shown at 100 CSS pixels an inch, drawn at DPI dots an inch
DPI = 150


def show(figure: Figure | None, alt: str | None = None) -> None:
    """Display the figure together with its alt text (its own, unless `alt` is given).

    Outside a notebook only the alt text is printed. Nothing is shown of None, which is `undrawn`.
    """
    if figure is None:
        return
    from IPython.core.getipython import get_ipython
    from IPython.display import display

    text = alt or alt_text(figure)
    if get_ipython() is None:
        sys.stdout.write(text + "\n")
        return
    data = base64.b64encode(png(figure)).decode()
    width = round(figure.get_figwidth() * 100)
    # Jupyter shows an image/png without alt text, so the same image also goes out as HTML.
    tag = f'<img alt="{html.escape(text)}" width="{width}" src="data:image/png;base64,{data}">'
    display({"text/plain": text, "image/png": data, "text/html": tag}, raw=True)  # type: ignore[no-untyped-call]


def undrawn(*_: object, **__: object) -> None:
    """What stands in for a figure while a notebook is graded: loading matplotlib takes longer than all the rest."""


def alt_text(figure: Figure) -> str:
    """The message of a figure made here, in words."""
    return str(figure.get_label())


def png(figure: Figure) -> bytes:
    """The figure as PNG: the same bytes at each call, and few of them, as a notebook keeps it twice."""
    from PIL import Image

    drawn, file = io.BytesIO(), io.BytesIO()
    with style():
        if figure.get_layout_engine() is not None:  # lay out once: each further pass would move things
            figure.draw_without_rendering()
            figure.set_layout_engine("none")
        figure.savefig(drawn, format="raw")
    width, height = figure.canvas.get_width_height(physical=True)
    image = Image.frombytes("RGBA", (int(width), int(height)), drawn.getvalue()).convert("RGB")
    image.quantize(64).save(file, format="png", optimize=True)
    return file.getvalue()


@contextlib.contextmanager
def style() -> Iterator[None]:
    """Matplotlib's own defaults and ours; what the learner has set elsewhere does not leak in."""
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(
            {
                "font.family": "DejaVu Sans",  # comes with matplotlib, so it is there on every machine
                "font.size": 10.5,
                "text.color": INK,
                "axes.labelcolor": INK,
                "axes.spines.top": False,
                "axes.spines.right": False,
                "legend.frameon": False,
            }
        )
        yield


def canvas(title: str, height: float, alt: str, ratios: tuple[float, ...] = (1.0,)) -> tuple[Figure, list[Axes]]:
    """A white figure, `height` inches tall, with its message on top and axes below one another."""
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    lines = textwrap.wrap(title, 76)
    size = (WIDTH, height + 0.2 * (len(lines) - 1))
    layout = ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.06)
    figure = Figure(figsize=size, dpi=DPI, layout=layout, facecolor="white")
    figure.suptitle("\n".join(lines), x=0.012, ha="left", fontsize=12.5, weight="bold")
    figure.set_label(" ".join(alt.split()))
    grid = figure.subplots(len(ratios), 1, squeeze=False, height_ratios=ratios)
    return figure, list(grid[:, 0])


def count(number: int, one: str, many: str | None = None) -> str:
    """The number with its noun: 1 step, 2 steps, no steps."""
    return f"{number or 'no'} {one if number == 1 else many or one + 's'}"
