"""Drawing a figure and saving its data: the CSV first, then the picture beside it.

A figure is compared by its data: the same seed and settings give the same bytes of CSV.  matplotlib
is imported where it is needed, through its object interface and never through pyplot.
"""

from __future__ import annotations

import csv
import io
import math
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from audit.files import OutputError, ensure_writable, write_whole
from numeric.figures import Figure, FigureError, Panel, Settings, Table

__all__ = ["as_csv", "check_table", "destination", "drawn", "measured", "picture", "save"]

FORMATS = {
    ".png": {"Software": None},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}
"""Suffixes that can be drawn, and what is left out of the file so that it does not change by date."""

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999933")
"""Distinguishable with any colour vision (Okabe and Ito, 2008), dark enough for lines on white."""
MARKERS = "osD^vPX*"
DASHES: tuple[Any, ...] = ("-", (0, (5, 1)), "-.", (0, (3, 1, 1, 1, 1, 1)))
WIDTH, HEIGHT, PER_ROW, DPI = 4.6, 3.5, 3, 150

BEYOND = (
    "these settings leave the numbers that a computer holds; choose values nearer to the defaults"
)


def destination(figure: Figure, out: str | None) -> Path:
    """Where the picture goes, checked before anything is measured; its CSV goes beside it."""
    target = Path(out) if out is not None else Path("out", "figures", f"{figure.id}.png")
    if target.suffix.lower() not in FORMATS and os.path.isdir(target):
        raise OutputError(f"--out {target}: is a folder; give a file name")
    if target.suffix.lower() not in FORMATS:
        raise OutputError(f"--out {target}: must end in {', '.join(FORMATS)}")
    for path in (target, target.with_suffix(".csv")):
        ensure_writable(path, "--out")
    return target


def measured(figure: Figure, settings: Settings) -> Table:
    """The figure's table; running out of memory, or out of numbers, is told in one line."""
    try:
        table = figure.measure(settings)
    except MemoryError:
        raise FigureError(f"{figure.id}: does not fit into memory; choose smaller sizes") from None
    except RuntimeError as error:
        if "non-finite values" in str(error):  # a decomposition's own words
            raise FigureError(f"{figure.id}: an entry is no number: {BEYOND}") from None
        if "allocate" not in str(error) and "out of memory" not in str(error):
            raise
        raise FigureError(f"{figure.id}: does not fit into memory; choose smaller sizes") from None
    check_table(figure, table)
    _require_numbers(figure, table)
    return table


def _require_numbers(figure: Figure, table: Table) -> None:
    """A cell that overflowed, or is no number, is no figure."""
    for row in table:
        for name, value in row.items():
            if isinstance(value, float) and not math.isfinite(value) and name not in figure.blank:
                raise FigureError(f"{figure.id}: {name} is {value}: {BEYOND}")


def check_table(figure: Figure, table: Table) -> None:
    """Every row has the same columns, those of the panels among them."""
    if not table:
        raise ValueError(f"{figure.id}: measured no row")
    columns = list(table[0])
    if any(list(row) != columns for row in table):
        raise ValueError(f"{figure.id}: rows have different columns")
    for panel in figure.panels:
        named = (panel.x, panel.y, panel.group, panel.low, panel.high, panel.theory, *panel.where)
        missing = [name for name in named if name is not None and name not in columns]
        if missing:
            raise ValueError(f"{figure.id}, panel {panel.title!r}: no column {missing[0]!r}")
        if not _rows(panel, table):
            raise ValueError(f"{figure.id}, panel {panel.title!r}: no row with {dict(panel.where)}")


def as_csv(table: Table) -> str:
    """The table as CSV with a header; empty cells for what was not measured."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(table[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(table)
    return text.getvalue()


def save(figure: Figure, settings: Settings, table: Table, target: Path) -> tuple[Path, Path]:
    """Write data and picture, each whole or not at all; the data stay when drawing fails."""
    data = target.with_suffix(".csv")
    write_whole(data, as_csv(table).encode(), "--out")
    write_whole(target, picture(figure, settings, table, target.suffix.lower()), "--out")
    return target, data


def picture(figure: Figure, settings: Settings, table: Table, suffix: str = ".png") -> bytes:
    """The drawn figure in the format of the suffix."""
    return drawn(figure, _caption(figure, settings), table, suffix)


class Drawable(Protocol):
    """What a picture is drawn from, besides its table."""

    @property
    def title(self) -> str: ...
    @property
    def panels(self) -> tuple[Panel, ...]: ...
    @property
    def draw(self) -> Callable[[Table, Any], None] | None: ...


def drawn(figure: Drawable, text: str, table: Table, suffix: str = ".png") -> bytes:
    """Panels or a drawing of its own, above a caption, in the format of the suffix."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Canvas
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    count = len(figure.panels) or 2
    columns = 2 if count == 4 else min(PER_ROW, count)
    rows = -(-count // columns)
    width = max(7.0, WIDTH * columns)
    caption = list(wrapped(text, int(width * 14)))
    below, above = 0.19 * len(caption) + 0.2, 0.45
    height = HEIGHT * rows + below + above
    style: Any = {
        "font.size": 9, "axes.titlesize": 10, "legend.fontsize": 8, "svg.hashsalt": "twofold",
    }  # fmt: skip
    with matplotlib.rc_context(style):
        rect = (0.005, below / height, 0.99, 1 - (below + above) / height)
        layout = ConstrainedLayoutEngine(rect=rect, w_pad=0.08, h_pad=0.08)
        canvas = Canvas(figsize=(width, height), layout=layout)
        FigureCanvasAgg(canvas)
        canvas.text(0.5, 1 - 0.12 / height, figure.title, ha="center", va="top", fontsize=12)
        canvas.text(
            0.02, 0.08 / height, "\n".join(caption), ha="left", va="bottom", linespacing=1.35
        )
        if figure.draw is not None:
            figure.draw(table, canvas)
        else:
            axes = canvas.subplots(rows, columns, squeeze=False).flat
            for place, axis in enumerate(axes):
                if place < len(figure.panels):
                    draw_panel(figure.panels[place], table, axis)
                else:
                    axis.set_axis_off()
        canvas.draw_without_rendering()
        canvas.set_layout_engine("none")
        for axis in canvas.axes:  # the layout's solver does not repeat its last digits
            left, bottom, right, top = (
                round(e, 6) for e in axis.get_position(original=True).extents
            )
            axis.set_position((left, bottom, right - left, top - bottom))
        content = io.BytesIO()
        canvas.savefig(content, format=suffix[1:], dpi=DPI, metadata=FORMATS[suffix])
    return content.getvalue()


def _caption(figure: Figure, settings: Settings) -> str:
    """The figure's caption, and what this picture of it was measured with."""
    used = [f"{name} = {_said(value)}" for name, value in settings.values.items()]
    return f"{figure.caption} Drawn with {', '.join([*used, f'seed {settings.seed}'])}."


def _said(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def wrapped(text: str, width: int) -> Iterator[str]:
    r"""Lines of at most `width` characters, never broken inside a formula.

    >>> list(wrapped(r"the norm $\|X\| / n$ of the tokens", 18))
    ['the norm $\\|X\\| / n$', 'of the tokens']
    """
    line, length = "", 0
    for word in re.findall(r"(?:\$[^$]*\$|[^\s$])+", text):
        plain = re.sub(r"[{}$^_\\]", "", re.sub(r"\\[a-zA-Z]+", "x", word)) if "$" in word else word
        shown = len(plain)
        if line and length + 1 + shown > width:
            yield line
            line, length = "", 0
        line, length = (f"{line} {word}", length + 1 + shown) if line else (word, shown)
    if line:
        yield line


def _rows(panel: Panel, table: Table) -> Table:
    return [row for row in table if all(row[name] == v for name, v in panel.where.items())]


def draw_panel(panel: Panel, table: Table, axis: Any) -> None:
    """One line with its band and its closed form for every group, in the order of the table."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    from matplotlib.ticker import MaxNLocator

    rows = _rows(panel, table)
    groups = list(dict.fromkeys(row[panel.group] for row in rows)) if panel.group else [None]
    colours = _colours(groups)
    for place, group in enumerate(groups):
        chosen = [row for row in rows if panel.group is None or row[panel.group] == group]
        dashes = "-" if len(groups) > len(DASHES) or panel.theory else DASHES[place]
        _draw_group(panel, chosen, axis, colours[place], MARKERS[place % len(MARKERS)], dashes)
    axis.set(title=panel.title, xlabel=panel.xlabel, ylabel=panel.ylabel)
    # Where rounding left nothing to show, a logarithmic axis has no ticks.
    shown = any(row[panel.y] is not None for row in rows)
    axis.set_xscale(panel.xscale if shown else "linear")
    axis.set_yscale(panel.yscale if shown else "linear")
    if panel.xscale == "linear" and all(isinstance(row[panel.x], int) for row in rows):
        axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    _tick_short_logarithmic_axes(axis, panel, rows)
    axis.grid(True, alpha=0.25, linewidth=0.6)
    handles = list(axis.get_legend_handles_labels()[0])
    if panel.band and panel.style != "points":
        handles.append(Patch(color="0.5", alpha=0.3, label=panel.band))
    elif panel.band:
        handles.append(Line2D([], [], color="0.5", marker="|", label=panel.band, linestyle="-"))
    if panel.theory is not None:
        handles.append(Line2D([], [], color="0.3", linestyle="--", label=panel.theory_label))
    if handles:
        numbers = panel.group and all(isinstance(g, int | float) for g in groups)
        axis.legend(handles=handles, framealpha=0.7, title=panel.group if numbers else None)


def _tick_short_logarithmic_axes(axis: Any, panel: Panel, rows: Table) -> None:
    """Plain numbers where powers of ten would be too few: at few distinct x, and below two decades."""
    from matplotlib.ticker import FixedLocator, FormatStrFormatter, LogLocator, NullFormatter

    places = sorted({row[panel.x] for row in rows if row[panel.x] is not None})
    if panel.xscale == "log" and len(places) <= 8:
        axis.xaxis.set_major_locator(FixedLocator(places))
        axis.xaxis.set_major_formatter(FormatStrFormatter("%g"))
        axis.xaxis.set_minor_formatter(NullFormatter())
    low, high = axis.get_ylim()
    if axis.get_yscale() == "log" and high < 50 * low:
        subs = (1, 1.2, 1.5, 2, 3, 5, 7) if high < 5 * low else (1, 2, 5)
        axis.yaxis.set_major_locator(LogLocator(subs=subs))
        axis.yaxis.set_major_formatter(FormatStrFormatter("%g"))
        axis.yaxis.set_minor_formatter(NullFormatter())


def _colours(groups: Sequence[Any]) -> list[Any]:
    """One colour a group: a scale from dark to light where the groups are many numbers in order."""
    from matplotlib import colormaps

    numbers = all(isinstance(g, int | float) for g in groups)
    if (
        len(groups) > 3
        and numbers
        and (list(groups) == sorted(groups) or len(groups) > len(COLOURS))
    ):
        scale = colormaps["viridis"]
        return [scale(0.9 * i / (len(groups) - 1)) for i in range(len(groups))]
    return [COLOURS[i % len(COLOURS)] for i in range(len(groups))]


def _draw_group(
    panel: Panel, rows: Table, axis: Any, colour: Any, marker: str, dashes: Any
) -> None:
    from matplotlib.colors import to_rgb

    def column(name: str) -> list[Any]:
        return [float("nan") if row[name] is None else row[name] for row in rows]

    x, y = column(panel.x), column(panel.y)
    alone = "measured" if panel.theory is not None or panel.band else None
    label = alone if panel.group is None else str(rows[0][panel.group])
    style: dict[str, Any] = {"color": colour, "label": label, "linewidth": 1.6}
    if panel.style == "steps":
        axis.step(x, y, where="mid", linestyle=dashes, **style)
    elif panel.style == "points":
        axis.plot(x, y, linestyle="none", marker=marker, markersize=5, **style)
    else:
        shown = marker if len(x) <= 30 else None
        axis.plot(x, y, marker=shown, markersize=4, linestyle=dashes, **style)
    if panel.low is not None and panel.high is not None:
        low, high = column(panel.low), column(panel.high)
        if panel.style == "points":
            axis.vlines(x, low, high, color=colour, linewidth=1.2)
        else:
            step = "mid" if panel.style == "steps" else None
            axis.fill_between(x, low, high, color=colour, alpha=0.2, linewidth=0, step=step)
    if panel.theory is not None:
        shade = [0.55 * c for c in to_rgb(colour)]
        axis.plot(x, column(panel.theory), color=shade, linestyle="--", linewidth=1.3, zorder=3)
