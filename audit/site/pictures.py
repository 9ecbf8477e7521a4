"""Small pictures of a measurement as SVG: estimate against claim, and convergence over samples.

Cases of one claim differ by orders of magnitude, so each is drawn in units of its claimed value (or
of its half-width, where the claimed value is zero).
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
WIDTH, LEFT, RIGHT, TOP, BOTTOM = 560, 70, 15, 28, 40


@dataclass(frozen=True)
class _Axis:
    """A value between `low` and `high` as a coordinate between `start` and `end`, clipped."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        inside = max(self.low, min(self.high, value))
        return self.start + (self.end - self.start) * (inside - self.low) / (self.high - self.low)


def agreement_picture(cases: Sequence[Case]) -> Markup | None:
    """Each scalar case: estimate and interval over the claimed value; None when no case is scalar."""
    rows = [
        (n, *scaled) for n, case in enumerate(cases, 1) if (scaled := _scaled(case)) is not None
    ]
    if not rows:
        return None
    reach = max(abs(y - 1) + half for _, y, half in rows) * 1.1 or 0.1
    reach = min(reach, 3.0)  # a far miss is drawn at the edge
    height = TOP + BOTTOM + 26 * len(rows)
    across = _Axis(1 - reach, 1 + reach, LEFT, WIDTH - RIGHT)
    parts = [_line(across(1), TOP - 6, across(1), height - BOTTOM, "claimed")]
    for place, (number, y, half) in enumerate(rows):
        v = TOP + 13 + 26 * place
        parts += [
            _text(LEFT - 8, v + 4, f"case {number}", "end"),
            _line(across(y - half), v, across(y + half), v, "interval"),
            f'<circle class="estimate" cx="{across(y):.1f}" cy="{v}" r="4"/>',
        ]
    parts += [_text(across(1), TOP - 12, "claimed", "middle")]
    for tick in (1 - reach, 1, 1 + reach):
        parts.append(_text(across(tick), height - BOTTOM + 16, f"{tick:.3g}", "middle"))
    parts.append(
        _text((LEFT + WIDTH - RIGHT) / 2, height - 6, "estimate / claimed value", "middle")
    )
    label = f"Estimate against claim in {len(rows)} cases, with the interval of the error budget"
    return _svg(parts, height, label)


def convergence_picture(cases: Sequence[Case]) -> Markup | None:
    """Running mean with its interval each time the test looked; None for exact measurements."""
    tracks = [
        (n, [(samples, *s) for samples, mean, half in case["looks"] if (s := _scale(mean, half, case))])
        for n, case in enumerate(cases, 1)
        if case.get("looks") and _is_number(case["claimed"])
    ]  # fmt: skip
    tracks = [(n, track) for n, track in tracks if track]
    if not tracks:
        return None
    height = 240
    looks = [look for _, track in tracks for look in track]
    low, high = math.log2(min(s for s, *_ in looks)), math.log2(max(s for s, *_ in looks))
    reach = min(max(abs(y - 1) + half for _, y, half in looks) * 1.05 or 0.1, 3.0)
    span = (high - low) or 1
    margin = 0.04 * span
    log_across = _Axis(low - margin, low + span + margin, LEFT, WIDTH - RIGHT)
    across = lambda samples: log_across(math.log2(samples))  # noqa: E731
    up = _Axis(1 - reach, 1 + reach, height - BOTTOM, TOP)
    parts = [_line(LEFT, up(1), WIDTH - RIGHT, up(1), "claimed")]
    for number, track in tracks:
        shift = 4 * (number - (len(tracks) + 1) / 2)
        points = " ".join(f"{across(s) + shift:.1f},{up(y):.1f}" for s, y, _ in track)
        parts.append(f'<polyline class="track track-{number % 4}" points="{points}"/>')
        for s, y, half in track:
            h = across(s) + shift
            parts.append(_line(h, up(y - half), h, up(y + half), f"interval track-{number % 4}"))
            parts.append(
                f'<circle class="estimate track-{number % 4}" cx="{h:.1f}" cy="{up(y):.1f}" r="3"/>'
            )
    for exponent in range(math.ceil(low), math.floor(high) + 1, max(1, math.ceil(span / 8))):
        parts.append(_text(across(2**exponent), height - BOTTOM + 16, f"{2**exponent}", "middle"))
    for tick in (1 - reach, 1, 1 + reach):
        parts.append(_text(LEFT - 8, up(tick) + 4, f"{tick:.3g}", "end"))
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, height - 6, "samples drawn", "middle"))
    parts.append(_text(LEFT, 14, "running mean / claimed value, with interval", "start"))
    return _svg(parts, height, "Convergence of the running mean over the samples drawn")


def _scaled(case: Case) -> tuple[float, float] | None:
    half = case.get("half_width")
    return _scale(case["estimate"], half if half is not None else case["standard_error"], case)


def _scale(value: Any, half: Any, case: Case) -> tuple[float, float] | None:
    """Value and half-width in units of the claimed value, shifted so that the claim stands at one."""
    claimed = case["claimed"]
    if not all(_is_number(v) for v in (value, half, claimed)):
        return None
    unit = abs(claimed) or 10 * half or abs(value) or 1.0
    return 1 + (value - claimed) / unit, half / unit


def _is_number(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and abs(value) < LARGEST  # false of nan and infinity


def _line(x1: float, y1: float, x2: float, y2: float, style: str) -> str:
    return f'<line class="{style}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _svg(parts: Sequence[str], height: float, label: str) -> Markup:
    return Markup(
        f'<svg class="picture" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(label)}">'
        + "".join(parts)
        + "</svg>"
    )
