"""Small pictures of a measurement as SVG: estimate against claim, and convergence over samples.

Points of one claim differ by orders of magnitude, so each is drawn as its deviation from the claimed
value, in units of that value (or of ten half-widths, where the claimed value is zero).  Nothing is
clipped: far misses put the axis on a symmetric logarithmic scale, and the axis says so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

__all__ = ["agreement_picture", "convergence_picture"]

Case = Mapping[str, Any]
LARGEST = 1e300
"""Beyond, ratios overflow; an integer of a document may be larger than any float."""
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM, ROW = 560, 300, 84, 24, 40, 46, 26
NEAREST, FARTHEST = 0.01, 3.0
"""Deviations within the first are drawn at its scale; beyond the second the scale is logarithmic."""
MARKERS = ("circle", "square", "diamond", "triangle")
DEVIATION = "(estimate − claim) / |claim|"


@dataclass(frozen=True)
class _Deviations:
    """A deviation up to `reach` on both sides as a coordinate between `start` and `end`."""

    reach: float
    start: float
    end: float

    @property
    def logarithmic(self) -> bool:
        return self.reach > FARTHEST

    def __call__(self, value: float) -> float:
        middle, half = (self.start + self.end) / 2, (self.end - self.start) / 2
        return middle + half * self._scaled(value) / self._scaled(self.reach)

    def _scaled(self, value: float) -> float:
        return math.copysign(math.log1p(abs(value)), value) if self.logarithmic else value

    def ticks(self) -> list[float]:
        """Round values on both sides of zero, at most four on each."""
        if self.logarithmic:
            last = math.floor(math.log10(self.reach))
            sizes = [10.0**k for k in range(0, last + 1, 1 + last // 4)]
            if last < 2:
                sizes = [size for size in (1.0, 3.0, 10.0, 30.0) if size <= self.reach]
        else:
            unit = 10.0 ** math.floor(math.log10(self.reach))
            step = next(s * unit for s in (0.5, 1, 2, 5) if s * unit * 4 >= self.reach)
            sizes = [k * step for k in range(1, 5) if k * step <= self.reach]
        return [*(-size for size in reversed(sizes)), 0.0, *sizes]


def agreement_picture(cases: Sequence[Case]) -> Markup | None:
    """Each scalar case: deviation and interval; None when none was drawn and none is off its claim."""
    rows = [(n, *at) for n, case in enumerate(cases, 1) if (at := _deviation(case)) is not None]
    if not any(abs(x) + half > 1e-9 for _, x, half in rows):
        return None
    height = TOP + BOTTOM + ROW * len(rows)
    across = _Deviations(_reach([(x, half) for _, x, half in rows]), LEFT, WIDTH - RIGHT)
    parts = [_line(across(0), TOP - 4, across(0), height - BOTTOM, "claimed")]
    for place, (number, x, half) in enumerate(rows):
        v = TOP + ROW / 2 + ROW * place
        parts += [
            _text(LEFT - 10, v + 4, f"point {number}", "end"),
            _line(across(x - half), v, across(x + half), v, "interval"),
            _marker(0, across(x), v),
        ]
    parts += [_text(across(0), TOP - 8, "claimed", "middle")]
    parts.append(_line(LEFT, height - BOTTOM, WIDTH - RIGHT, height - BOTTOM, "axis"))
    for t in across.ticks():
        parts.append(_line(across(t), height - BOTTOM, across(t), height - BOTTOM + 4, "axis"))
        parts.append(_text(across(t), height - BOTTOM + 16, _figure(t), "middle"))
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, height - 8, _axis_label(across), "middle"))
    return _svg(parts, height, "Estimate and interval against the claim")


def convergence_picture(cases: Sequence[Case]) -> Markup | None:
    """Running mean with its interval each time the test looked; None where it looked only once."""
    tracks = [
        (n, [(samples, *s) for samples, mean, half in case["looks"] if (s := _scale(mean, half, case))])
        for n, case in enumerate(cases, 1)
        if case.get("looks") and _is_number(case["claimed"])
    ]  # fmt: skip
    tracks = [(n, track) for n, track in tracks if track]
    if max((len(track) for _, track in tracks), default=0) < 2:
        return None
    looks = [look for _, track in tracks for look in track]
    top = TOP + 18 * math.ceil(len(tracks) / 5)
    up = _Deviations(_reach([(y, half) for _, y, half in looks]), HEIGHT - BOTTOM, top)
    across = _Samples(min(s for s, *_ in looks), max(s for s, *_ in looks))
    parts = [_line(LEFT, up(0), WIDTH - RIGHT, up(0), "claimed")]
    for place, (number, track) in enumerate(tracks):
        shift = 4 * (place - (len(tracks) - 1) / 2)
        parts += _track(place % 4, [(across(s) + shift, y, half) for s, y, half in track], up)
        parts += _legend(place, f"point {number}")
    parts.append(_line(LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, "axis"))
    parts.append(_line(LEFT, HEIGHT - BOTTOM, LEFT, top, "axis"))
    parts += [_text(across(s), HEIGHT - BOTTOM + 16, f"{s:,}", "middle") for s in across.ticks()]
    parts += [_text(LEFT - 8, up(t) + 4, _figure(t), "end") for t in up.ticks()]
    parts.append(
        _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, "samples drawn (logarithmic scale)", "middle")
    )
    parts.append(_text(LEFT, top - 8, f"running mean: {_axis_label(up)}", "start"))
    return _svg(parts, HEIGHT, "Convergence of the running mean")


@dataclass(frozen=True)
class _Samples:
    """Numbers of samples on a logarithmic scale, with a margin on both sides."""

    fewest: int
    most: int

    def __call__(self, samples: float) -> float:
        low, high = math.log2(self.fewest), math.log2(self.most)
        margin = 0.06 * ((high - low) or 1)
        inside = (math.log2(samples) - low + margin) / (((high - low) or 1) + 2 * margin)
        return LEFT + (WIDTH - RIGHT - LEFT) * inside

    def ticks(self) -> list[int]:
        """Powers of two, at most six of them, or the one number there is."""
        low, high = math.ceil(math.log2(self.fewest)), math.floor(math.log2(self.most))
        if low > high:
            return [self.fewest]
        return [2**k for k in range(low, high + 1, 1 + (high - low) // 5)]


def _track(look: int, points: Sequence[tuple[float, float, float]], up: _Deviations) -> list[str]:
    line = " ".join(f"{h:.1f},{up(y):.1f}" for h, y, _ in points)
    parts = [f'<polyline class="track track-{look}" points="{line}"/>']
    for h, y, half in points:
        parts.append(_line(h, up(y - half), h, up(y + half), f"interval track-{look}"))
        parts.append(_marker(look, h, up(y)))
    return parts


def _legend(place: int, name: str) -> list[str]:
    x, y = LEFT + 92 * (place % 5), TOP - 8 + 18 * (place // 5)
    look = place % 4
    return [
        _line(x, y - 4, x + 18, y - 4, f"interval track-{look}"),
        _marker(look, x + 9, y - 4),
        _text(x + 24, y, name, "start"),
    ]


def _axis_label(axis: _Deviations) -> str:
    return f"{DEVIATION}{', symmetric logarithmic scale' if axis.logarithmic else ''}"


def _reach(found: Sequence[tuple[float, float]]) -> float:
    """How far an axis must go for the farthest end of an interval, and a little more."""
    return max(NEAREST, *(1.1 * (abs(x) + half) for x, half in found))


def _deviation(case: Case) -> tuple[float, float] | None:
    half = case.get("half_width")
    return _scale(case["estimate"], half if half is not None else case["standard_error"], case)


def _scale(value: Any, half: Any, case: Case) -> tuple[float, float] | None:
    """Deviation and half-width in units of the claimed value, of ten half-widths where that is zero."""
    claimed = case["claimed"]
    if not all(_is_number(v) for v in (value, half, claimed)):
        return None
    unit = abs(claimed) or 10 * half or abs(value) or 1.0
    scaled = (value - claimed) / unit, half / unit
    return scaled if all(map(_is_number, scaled)) else None


def _is_number(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and abs(value) < LARGEST  # false of nan and infinity


def _figure(value: float) -> str:
    """A tick: signs are those of typography, large powers are written as such."""
    if value == 0:
        return "0"
    size = abs(value)
    shown = f"{size:g}" if 1e-4 <= size < 1e5 else f"1e{math.log10(size):.0f}"
    return f"{'−' if value < 0 else '+'}{shown}"


def _marker(look: int, x: float, y: float) -> str:
    """A shape beside the colour: tracks are not told by colour alone."""
    style = f'class="estimate track-{look}"'
    shape = MARKERS[look]
    if shape == "circle":
        return f'<circle {style} cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>'
    corners = {
        "square": ((-3, -3), (3, -3), (3, 3), (-3, 3)),
        "diamond": ((0, -4.5), (4.5, 0), (0, 4.5), (-4.5, 0)),
        "triangle": ((0, -4), (4, 3.5), (-4, 3.5)),
    }[shape]
    return f'<polygon {style} points="{" ".join(f"{x + a:.1f},{y + b:.1f}" for a, b in corners)}"/>'


def _line(x1: float, y1: float, x2: float, y2: float, style: str) -> str:
    return f'<line class="{style}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _text(x: float, y: float, text: str, anchor: str, style: str = "") -> str:
    return f'<text{style} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _svg(parts: Sequence[str], height: float, title: str) -> Markup:
    heading = _text(4, 16, title, "start", ' class="title"')
    return Markup(
        f'<svg class="picture" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(title)}">'
        + heading
        + "".join(parts)
        + "</svg>"
    )
