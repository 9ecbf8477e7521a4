"""Figures of the papers: how the data of one are measured, and which columns its panels show.

A figure's function returns a long table, a list of rows with the same keys; it is saved beside the
picture, and a figure is compared by its data, never by its pixels.  Most figures are lines with
bands and need no drawing code: their panels name the columns.  One that needs its own picture gives
`draw`, which imports matplotlib itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from claims.errors import UserError
from numeric.limits import require_affordable, require_in_range

__all__ = ["Figure", "FigureError", "Panel", "Settings", "Table", "figure", "figure_of", "figures"]

Table = list[dict[str, Any]]
"""Rows with the same keys; numbers, strings or None (not measured)."""


class FigureError(UserError):
    """A figure that does not exist, or a setting that it cannot use."""


@dataclass(frozen=True)
class Panel:
    """One set of axes: the rows with `where`, column `y` against `x`, one line for each `group`.

    `low` and `high` name the columns of the error band; `band` says in the legend what it is.
    `style` is "line", "points" (no joining line) or "steps" (a density or histogram).  `theory` names
    a column drawn as a dashed line in a dark shade of its group's colour, such as a closed form beside its
    simulation; `theory_label` says what it is.
    """

    title: str
    x: str
    y: str
    xlabel: str
    ylabel: str
    group: str | None = None
    low: str | None = None
    high: str | None = None
    band: str = ""
    where: Mapping[str, Any] = field(default_factory=dict)
    xscale: str = "linear"
    yscale: str = "linear"
    style: str = "line"
    theory: str | None = None
    theory_label: str = ""


@dataclass(frozen=True)
class Settings:
    """What a figure is measured with: its own named values, the seed, and a user's data if any.

    `track` wraps an iterable of known length in the progress bar of whoever asked.
    """

    values: Mapping[str, Any]
    seed: int = 0
    data: Path | None = None
    track: Callable[[Sequence[Any], str], Iterable[Any]] = lambda items, _: items

    def __getitem__(self, name: str) -> Any:
        return self.values[name]


@dataclass(frozen=True)
class Figure:
    """A reproducible figure or table of a paper; `id` is the claim it supports.

    `settings` are the defaults, sized to run in well under a minute on two cores; the paper's own
    sizes are in the caption.  `tiny` replaces some of them for the tests, which run every figure.
    `blank` names the columns that may be empty; every other cell is finite.  `data` says what
    `--data` must hold, for figures that need it.
    """

    id: str
    title: str
    caption: str
    panels: tuple[Panel, ...]
    measure: Callable[[Settings], Table]
    settings: Mapping[str, Any] = field(default_factory=dict)
    tiny: Mapping[str, Any] = field(default_factory=dict)
    blank: frozenset[str] = frozenset()
    data: str | None = None
    draw: Callable[[Table, Any], None] | None = None
    """Draws the table on a `matplotlib.figure.Figure`; None for panels of lines."""

    def configured(
        self,
        values: Mapping[str, str],
        *,
        seed: int = 0,
        data: Path | None = None,
        track: Any = None,
        long: bool = False,
    ) -> Settings:
        """The defaults with a user's words in their place, each of the default's type.

        Raises `FigureError` for a setting that the figure does not have, or of another type, and
        `SettingError` for one out of its range or, unless `long`, for too much work.
        """
        if data is not None and self.data is None:
            raise FigureError(f"{self.id} reads no data; leave --data out")
        merged = dict(self.settings)
        for name, word in values.items():
            if name not in merged:
                known = ", ".join(merged) or "none"
                raise FigureError(f"{self.id}: no setting {name!r}; it has {known}")
            merged[name] = _as_type_of(merged[name], word, f"{self.id}: {name}")
            require_in_range(name, merged[name], self.id)
        if not long:
            require_affordable(merged, self.settings, self.id)
        given = {"track": track} if track is not None else {}
        return Settings(merged, seed, data, **given)


_FIGURES: dict[str, Figure] = {}


def figure(
    id: str, *, title: str, caption: str, panels: Sequence[Panel] = (), **options: Any
) -> Callable[[Callable[[Settings], Table]], Callable[[Settings], Table]]:
    """Register `measure(settings) -> Table` as the figure of the claim `id`."""

    def register(measure: Callable[[Settings], Table]) -> Callable[[Settings], Table]:
        if id in _FIGURES:
            raise ValueError(f"{id} has two figures")
        _FIGURES[id] = Figure(id, title, caption, tuple(panels), measure, **options)
        return measure

    return register


def figures() -> Iterator[Figure]:
    """All figures, of extensions too, once `numeric.registry.load` has imported the estimators."""
    yield from _FIGURES.values()


def figure_of(id: str) -> Figure:
    """The figure of a claim; raises `FigureError` with the nearest ones where there is none."""
    if id not in _FIGURES:
        close = get_close_matches(id, list(_FIGURES), n=3, cutoff=0.3)
        hint = f"nearest: {', '.join(close)}; " if close else ""
        raise FigureError(f"no figure {id!r}; {hint}see `twofold figure --list`")
    return _FIGURES[id]


def _as_type_of(default: Any, word: str, name: str) -> Any:
    """A word as the default's type; lists are written with commas.

    Numbers must be finite, and an integer at least 1 where the default is: it counts something.
    """
    try:
        value = _converted(default, word)
    except (ValueError, KeyError):
        listed = isinstance(default, tuple)
        kind, sample = (
            ("a list", ",".join(map(str, default))) if listed else (type(default).__name__, default)
        )
        raise FigureError(f"{name}={word}: must be {kind}, such as {sample}") from None
    least = _listed(default)[0]
    for each in _listed(value):
        if isinstance(each, int) and not isinstance(each, bool) and least >= 1 > each:
            raise FigureError(f"{name}={word}: must be at least 1")
    return value


def _listed(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _converted(default: Any, word: str) -> Any:
    """A word as the default's type; `ValueError` or `KeyError` where it is of none."""
    if isinstance(default, bool):
        return {"true": True, "false": False}[word.lower()]
    if isinstance(default, tuple):
        return tuple(_converted(default[0], part) for part in word.split(","))
    if not isinstance(default, str) and not word.isascii():
        raise ValueError  # Python reads digits of every script
    value = type(default)(word)
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError
    return value
