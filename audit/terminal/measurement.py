"""A measurement as `twofold show` prints it: at each point a row for each quantity that was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from rich.cells import cell_len

from audit.formulas.unicode import unicode_formula, unicode_prose
from audit.sinks import Formula
from audit.terminal.layout import Page, columns, matrix_lines
from audit.words.case_rows import CaseRow, case_rows
from claims.typeset import SIGNS

__all__ = ["say_measurement", "say_point"]

HEADINGS = ("quantity", "measured", "claimed", "samples")
ROWS = 4
"""Rows of a matrix that stands inside a line; a larger one has a line for each."""


def say_measurement(measurement: Mapping[str, Any] | None, page: Page) -> None:
    """Points, and below each a table of what was measured there."""
    if measurement is None:
        page.heading("Measurement", "none")
        return
    page.heading("Measurement", f"{measurement['status']}, on {measurement['device']}")
    rows = case_rows(measurement)
    for place, (_, group) in enumerate(groupby(rows, lambda row: id(row.at)), 1):
        _say_case(place, list(group), page)
    for found in measurement.get("scales", ()):
        if found["reason"]:
            page.say(f"not measured at {found['scale']} scale: {unicode_prose(found['reason'])}")


def _say_case(place: int, rows: Sequence[CaseRow], page: Page) -> None:
    first = rows[0]
    said = unicode_prose(first.says)
    page.say(f"{place}. {first.scale} scale: {said}", hanging="     ")
    say_point(first.at, page, indent="     ")
    named = [row for row in rows if row.quantity is not None]
    if not named:
        return
    cells = [HEADINGS, *map(_cells, named)]
    kept = [k for k in range(len(HEADINGS)) if any(row[k] for row in cells[1:])]
    table = columns([[row[k] for k in kept] for row in cells], [k > 0 for k in kept])
    if max(map(cell_len, table)) + 5 <= page.width:
        for line in table:
            page.line(f"     {line}")
        return
    for row in cells[1:]:
        told = (f"{HEADINGS[k]} {row[k]}" if k else row[k] for k in kept if row[k])
        page.say("; ".join(told), "     ", "       ")


def _cells(row: CaseRow) -> tuple[str, ...]:
    assert row.quantity is not None
    mean = _number(row.mean)
    spread = f" ± {_number(row.half_width)}" if row.half_width is not None else ""
    bounded = row.claimed is not None and row.relation != "="
    sign = f"{_number(Formula(SIGNS[row.relation]))} " if bounded else ""
    samples = "" if row.samples is None else f"{row.samples:,}"
    return (
        unicode_formula(row.quantity),
        f"{mean}{spread}",
        f"{sign}{_number(row.claimed)}",
        samples,
    )


def _number(value: Formula | None) -> str:
    return "" if value is None else unicode_formula(value)


def say_point(parts: Sequence[Formula], page: Page, indent: str = "  ") -> None:
    """The variables of a point, small ones side by side, a large matrix with a line for each row."""
    small: list[str] = []
    for part in parts:
        text = unicode_formula(part)
        rows = matrix_lines(text)
        fits = rows is not None and max(map(cell_len, rows)) + cell_len(indent) <= page.width
        if rows is not None and fits and (len(rows) > ROWS or cell_len(text) > page.width // 2):
            _say_small(small, page, indent)
            small = []
            for line in rows:
                page.line(f"{indent}{line}")
        else:
            small.append(text)
    _say_small(small, page, indent)


def _say_small(parts: Sequence[str], page: Page, indent: str) -> None:
    if parts:
        page.say(", ".join(parts), indent)
