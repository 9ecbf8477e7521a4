"""A measurement for readers: one sentence, a row for each quantity at each point, two pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from markupsafe import Markup

from audit.formulas.asciimath import as_prose
from audit.sinks import Formula
from audit.site.formulas import boxed, math, wrapped
from audit.site.pictures import agreement_picture, convergence_picture
from audit.words.records import CaseRow, case_rows

__all__ = ["HEADINGS", "NOT_DRAWN", "measured"]

HEADINGS = {"mean": "mean", "half_width": "interval", "claimed": "claimed", "samples": "samples"}
"""Columns of the table; those that no row of a claim fills are left out."""
NOT_DRAWN = {
    "mean": "none",
    "half_width": "computed",
    "claimed": "not a number",
    "samples": "computed",
}
"""What stands in a cell without a value."""
MANY_ROWS = 12
"""Beyond, the table is folded under its sentence."""


def measured(measurement: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """What a page shows of a measurement; None without one."""
    if measurement is None:
        return None
    rows = case_rows(measurement)
    points = [list(group) for _, group in groupby(rows, lambda row: id(row.at))]
    cases = measurement["cases"]
    return {
        "sentence": _sentence([rows[0] for rows in points]),
        "columns": [c for c in HEADINGS if any(getattr(row, c) is not None for row in rows)],
        "points": [_point(place, group) for place, group in enumerate(points, 1)],
        "folded": len(rows) > MANY_ROWS,
        "agreement": agreement_picture(cases),
        "convergence": convergence_picture(cases),
        "zero": any(case["claimed"] == 0 for case in cases),
        "missed": [found for found in measurement.get("scales", []) if found["reason"]],
    }


def _sentence(first_rows: Sequence[CaseRow]) -> str:
    """At how many of the points the statement was seen to hold."""
    counts, all_ = Counter(row.status for row in first_rows), len(first_rows)
    points = "point" if all_ == 1 else "points"
    if counts["disagrees"]:
        return f"The statement fails at {counts['disagrees']} of {all_} {points}."
    if counts["depends"]:
        return (
            f"At {counts['depends']} of {all_} {points} the statement fails at some choice of what the "
            "print leaves open."
        )
    said = f"The statement holds at {counts['agrees']} of {all_} {points}"
    if counts["underpowered"]:
        said += (
            f"; at {counts['underpowered']} the interval is too wide to tell it from another one"
        )
    drawn = sum(row.samples or 0 for row in first_rows)
    return f"{said}; {drawn:,} samples in all." if drawn else f"{said}."


def _point(place: int, rows: Sequence[CaseRow]) -> dict[str, Any]:
    """A point with what was measured there; matrices that take room are folded."""
    small = [wrapped(part) for part in rows[0].at if r"\begin" not in part]
    large = [boxed(part, "Input") for part in rows[0].at if r"\begin" in part]
    return {
        "place": place,
        "scale": rows[0].scale,
        "small": small,
        "large": large,
        "rows": [_row(row) for row in rows],
        "status": rows[0].status,
        "says": as_prose(rows[0].says),
    }


def _row(row: CaseRow) -> dict[str, Any]:
    """The cells of one quantity, by column."""
    samples = None if row.samples is None else f"{row.samples:,}"
    return {
        "quantity": None if row.quantity is None else wrapped(row.quantity),
        "mean": _value(row.mean),
        "half_width": _interval(row.half_width),
        "claimed": _value(row.claimed),
        "samples": samples,
    }


def _value(value: Formula | None) -> Markup | None:
    if value is None:
        return None
    return boxed(value, "Value") if r"\begin" in value else wrapped(value)


def _interval(width: Formula | None) -> Markup | None:
    return None if width is None else math(rf"\pm {width}")
