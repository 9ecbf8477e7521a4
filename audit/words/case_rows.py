"""What a measurement found, in named rows: a row for each quantity at each point."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from audit.formulas.mathtext import latex_of_name, latex_of_value
from audit.formulas.numbers import DIGITS, number_in, telling
from audit.formulas.points import formulas_of_point
from audit.sinks import Formula, Prose
from claims.typeset import SIGNS

__all__ = ["CaseRow", "case_rows", "figure", "rows_of_case", "width_that_tells"]

Record = Mapping[str, Any]


@dataclass(frozen=True)
class CaseRow:
    """One measured quantity at one point.

    `mean`, `half_width` and `claimed` are numbers as LaTeX.  `half_width` is None where the value was
    computed and not drawn; `claimed` where the statement gives no number; `samples` where nothing was
    drawn.  `quantity` and `mean` are None for a statement that was only judged at the point.
    """

    quantity: Formula | None
    at: list[Formula]
    mean: Formula | None
    half_width: Formula | None
    claimed: Formula | None
    samples: int | None
    scale: str
    status: str
    says: Prose
    relation: str = "="
    """The sign of the statement between the quantity and what is claimed."""


def case_rows(measurement: Record | None) -> list[CaseRow]:
    """A row for each quantity of each case, in the order in which they were measured."""
    if measurement is None:
        return []
    return [row for case in measurement["cases"] for row in rows_of_case(case, measurement)]


def rows_of_case(case: Record, measurement: Record) -> list[CaseRow]:
    """The rows of one case; one without quantity where the statement was only judged at the point."""
    at = formulas_of_point(case["at"], None, case.get("masks"))
    status, scale, says = case.get("status", ""), case.get("scale", "small"), _says(case)
    rows = [
        CaseRow(
            name, at, None if value is None else Formula(figure(_known(value, width), digits)),
            _formula(width_that_tells(value, width)),
            None if claimed is None else Formula(figure(claimed, digits)),
            _drawn(case, measurement), scale, status, says, sign,
        )
        for name, value, width, claimed, sign in _estimates(case, measurement)
        for digits in [_telling(value, claimed, status)]
    ]  # fmt: skip
    return rows or [CaseRow(None, at, None, None, None, None, scale, status, says)]


def _telling(value: Any, claimed: Any, status: str) -> int:
    """Digits of a row: enough to see that what disagrees is not the same."""
    numbers = number_in(value), number_in(claimed)
    if status != "disagrees" or None in numbers:
        return DIGITS
    return telling(*numbers)  # type: ignore[arg-type]


def _estimates(case: Record, measurement: Record) -> Iterator[tuple[Formula, Any, Any, Any, str]]:
    """Each quantity with its value, half-width, and what is claimed of it."""
    estimate = case["estimate"]
    if not isinstance(estimate, Mapping):
        name = measurement.get("quantity") or r"\text{left-hand side}"
        sign, named = measurement.get("relation", "="), _named(name, "", case, measurement)
        yield named, estimate, case.get("half_width"), case["claimed"], sign
        return
    widths = case.get("half_widths") or {}
    for written, value in estimate.items():
        claimed, sign = _bound(written, case.get("fails") or [])
        name = _named(latex_of_name(written), written, case, measurement)
        yield name, value, widths.get(written), claimed, sign


def _named(name: str, key: str, case: Record, measurement: Record) -> Formula:
    """The name of a quantity; at large sizes, of the norm that is written down in place of an array."""
    small = [_part(other, key) for other in measurement["cases"] if not _is_large(other)]
    norm = _is_large(case) and any(isinstance(value, list) for value in small)
    norm = norm and isinstance(_part(case, key), int | float)
    return Formula(rf"\left\|{name}\right\|_F" if norm else name)


def _is_large(case: Record) -> bool:
    return bool(case.get("scale", "small") != "small")


def _part(case: Record, key: str) -> Any:
    """The estimate of a case, or of one of its quantities."""
    estimate = case["estimate"]
    return estimate.get(key) if isinstance(estimate, Mapping) else estimate


def _bound(name: str, fails: list[Record]) -> tuple[Any, str]:
    """What the failing comparison claims of a quantity that is its left-hand side alone."""
    for fail in fails:
        if fail["comparison"].partition(f" {SIGNS[fail['relation']]} ")[0] == name:
            return fail["right"], fail["relation"]
    return None, "="


def _drawn(case: Record, measurement: Record) -> int | None:
    """How many samples were drawn; a formula's record counts its points instead."""
    many = not isinstance(case["estimate"], Mapping) and case["samples"] > 1
    return case["samples"] if many and case.get("standard_error") else None


def _formula(text: str | None) -> Formula | None:
    return None if text is None else Formula(text)


ROUNDING = 1e-9
"""Half-widths of this share of the value are those of arithmetic, and are not shown."""


def width_that_tells(value: Any, width: Any) -> str | None:
    """A half-width in two digits; None where it is that of arithmetic."""
    if not isinstance(width, int | float) or width <= ROUNDING * max(_magnitude(value), 1e-300):
        return None
    return figure(width, 2)


def _known(value: Any, width: Any) -> Any:
    """A list without what is arithmetic's own: entries within a half-width that is not shown are zero."""
    drawn = width_that_tells(value, width) is not None
    if drawn or not isinstance(value, list) or not isinstance(width, int | float):
        return value
    return _without(value, width)


def _without(value: Any, least: float) -> Any:
    if isinstance(value, list):
        return [_without(part, least) for part in value]
    return 0.0 if 0 < _magnitude(value) <= least else value


def _magnitude(value: Any) -> float:
    if isinstance(value, list):
        return max(map(_magnitude, value), default=0.0)
    return abs(value) if isinstance(value, int | float) else 0.0


def figure(value: Any, digits: int = DIGITS) -> str:
    """A measured value: decimals, matrices and tuples of them, flags in words."""
    if isinstance(value, list):
        return latex_of_value(value)
    number = number_in(value)
    if number is None:
        return latex_of_value(value)
    rounded = number.rounded(digits)
    return rounded[0] if rounded else latex_of_value(value)


def _says(case: Record) -> Prose:
    """What a case says of the statement."""
    status = case.get("status", "")
    if isinstance(case["estimate"], Mapping):
        held = {
            "agrees": "the statement holds at this point",
            "disagrees": "the statement fails at this point",
        }
        if status in held:
            return Prose(held[status])
    said = {"depends": "it fails at some choice of what the print leaves open"}.get(status, status)
    return Prose(f"{said}: not told from {case['nearest']}" if case.get("nearest") else said)
