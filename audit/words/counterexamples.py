"""Counterexamples in words: the point, both sides as numbers, and the relation between them that fails.

What a document says of the failing comparison is used where it says it; documents of before held both
sides, or the values of the quantities, and are worded as well as that allows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from audit.formulas.mathtext import latex_of_name, latex_of_value
from audit.formulas.numbers import number_in, telling
from audit.formulas.points import formulas_of_point
from audit.sinks import Formula, Prose
from audit.words.case_rows import rows_of_case, width_that_tells
from audit.words.lists import listed
from claims.typeset import SIGNS

__all__ = ["Counterexample", "counterexample", "counterexample_of"]

Record = Mapping[str, Any]
APPROX = r"\approx "
ALWAYS = "The proof derives that it fails at every choice of what the print leaves open."


@dataclass(frozen=True)
class Counterexample:
    """Where a statement fails: a formula for each variable that matters, and what fails there.

    `broken` is the comparison that fails, as a formula in the claim's letters, where it is known.
    """

    at: list[Formula]
    sentence: Prose
    broken: Formula | None = None


def counterexample_of(record: Record) -> Counterexample | None:
    """The counterexample of a record: the proof's, else the adversary's, else the measured one."""
    for found in (record["proof"], record["adversary"]):
        if found and (said := counterexample(found.get("witness"))) is not None:
            # A refutation has a theorem only where a witness does not suffice.
            whatever = found is record["proof"] and found.get("grade") is not None
            return replace(said, sentence=Prose(f"{said.sentence} {ALWAYS}")) if whatever else said
    measurement = record["measurement"]
    if record["verdict"] != "refuted" or not measurement:
        return None
    failing = [case for case in measurement["cases"] if case.get("status") == "disagrees"]
    return _measured(failing[0], measurement) if failing else None


def counterexample(witness: Record | None) -> Counterexample | None:
    """An exact witness in words; None where there is none."""
    if not witness:
        return None
    at = formulas_of_point(witness["at"], witness.get("shown"), witness.get("masks"))
    fails = witness.get("fails")
    if fails:
        return Counterexample(at, _failures(fails), Formula(fails[0]["comparison"]))
    return Counterexample(at, _sides(witness["left"], witness["right"]))


def _failures(fails: Sequence[Record]) -> Prose:
    """What fails, one comparison after another where the statement offers alternatives."""
    said = [_failure(each, named=len(fails) > 1) for each in fails]
    if len(said) == 1:
        return Prose(f"{said[0]}.")
    return Prose(f"No alternative holds. {'. '.join(said)}.")


def _failure(fail: Record, *, named: bool) -> str:
    """One comparison: where, under which premise, both sides, and that it fails."""
    where = ", ".join(
        f"${latex_of_name(k)} = {latex_of_value(v)}$" for k, v in fail["index"].items()
    )
    opening = f"at {where}, " if where else ""
    given = f"${fail['given']}$ holds, but " if fail["given"] else ""
    part = f"in ${fail['comparison']}$ " if named or fail["part"] else ""
    said = f"{opening}{given}{part}{_compared(fail)}"
    return said[:1].upper() + said[1:]


def _compared(fail: Record) -> str:
    """Both sides and the relation that fails between them; of matrices, between two entries."""
    left, right, sign = fail["left"], fail["right"], SIGNS[fail["relation"]]
    first, second = number_in(left), number_in(right)
    if first is not None and second is not None:
        digits = telling(first, second)
        shown = _sides_in_words(fail, first.latex(digits), second.latex(digits))
        return f"{shown}; ${first.short(digits)} {sign} {second.short(digits)}$ fails"
    shown = _sides_in_words(fail, latex_of_value(left), latex_of_value(right))
    if fail["entry"] is None:
        return f"{shown}; ${sign}$ fails between them"
    i, j = fail["entry"]
    a, b = (number_in(_entry(side, i, j)) for side in (left, right))
    if a is None or b is None:
        return f"{shown}; they differ in row ${i}$, column ${j}$"
    digits = telling(a, b)
    return (
        f"{shown}; in row ${i}$, column ${j}$, ${a.short(digits)} {sign} {b.short(digits)}$ fails"
    )


def _sides_in_words(fail: Record, left: str, right: str) -> str:
    """Both sides, with what their intervals allow where they were measured."""
    if "widths" not in fail:
        known = [f"at {end} " if end else "" for end in fail.get("known", (None, None))]
        return f"the left-hand side is {known[0]}${left}$, the right-hand side {known[1]}${right}$"
    shown = [
        f"${side}$" if width is None else f"${side.removeprefix(APPROX)} \\pm {width}$"
        for side, width in zip((left, right), _widths(fail), strict=True)
    ]
    return f"the left-hand side is measured as {shown[0]}, the right-hand side is {shown[1]}"


def _widths(fail: Record) -> list[str | None]:
    sides = zip((fail["left"], fail["right"]), fail["widths"], strict=True)
    return [width_that_tells(side, width) for side, width in sides]


def _entry(value: Any, i: int, j: int) -> Any:
    try:
        return value[i - 1][j - 1]
    except (IndexError, TypeError):
        return None


def _sides(left: Any, right: Sequence[Any]) -> Prose:
    """Both sides as documents held them before they named the comparison that fails."""
    if isinstance(left, Mapping):
        named = [f"${latex_of_name(k)} = {_value(v)}$" for k, v in left.items()]
        if not named:
            return Prose("Evaluated exactly at this point, the statement fails.")
        return Prose(f"There {listed(named)}, evaluated exactly, and the statement fails.")
    if not right:
        return Prose("Evaluated exactly at this point, the statement fails.")
    sides = listed([f"${_value(side)}$" for side in right])
    return Prose(
        f"The left-hand side is ${_value(left)}$, the right-hand side {sides}, evaluated exactly."
    )


def _value(value: Any) -> str:
    """An exact value with its decimals, or a matrix."""
    number = number_in(value)
    return latex_of_value(value) if number is None else number.latex()


def _measured(case: Record, measurement: Record) -> Counterexample:
    """A point at which only the measurement says that the statement fails."""
    at = formulas_of_point(case["at"], None, case.get("masks"))
    if case.get("fails"):
        return Counterexample(at, _failures(case["fails"]), Formula(case["fails"][0]["comparison"]))
    rows = [row for row in rows_of_case(case, measurement) if row.quantity and row.mean]
    if not rows:
        return Counterexample(at, Prose("Measured at this point, the statement fails."))
    values = listed([f"${row.quantity} \\approx {row.mean}$" for row in rows])
    claimed = rows[0].claimed
    said = f"where ${claimed}$ is claimed" if claimed else "and the statement fails"
    return Counterexample(at, Prose(f"Measured, {values}, {said}."))
