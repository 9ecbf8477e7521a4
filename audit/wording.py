"""What a record of an audit says, for readers: counterexamples, measurements, sentences.

Claim pages, errata and the terminal all take their words from here.  `Prose` is text with mathematics
between dollars, a `Formula` mathematics without them; each output shows them by `audit.sinks`.
Documents written before some field existed are worded as well as they allow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from audit.mathtext import latex_of_name, latex_of_value
from audit.numbers import DIGITS, MOST_DIGITS, Number, number_in
from audit.points import formulas_of_point
from audit.sinks import Formula, Prose

__all__ = [
    "CaseRow",
    "Counterexample",
    "adversary_sentence",
    "case_rows",
    "counterexample",
    "counterexample_of",
    "variants_sentence",
    "verdict_sentence",
]

Record = Mapping[str, Any]
SIGNS = {"=": "=", "!=": r"\ne", "<=": r"\le", "<": "<", ">=": r"\ge", ">": ">"}


@dataclass(frozen=True)
class Counterexample:
    """Where a statement fails: a formula for each variable that matters, and what fails there.

    `broken` is the comparison that fails, as a formula in the claim's letters, where it is known.
    """

    at: list[Formula]
    sentence: Prose
    broken: Formula | None = None


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


# Counterexamples ----------------------------------------------------------------------------------


def counterexample_of(record: Record) -> Counterexample | None:
    """The counterexample of a record: the proof's, else the adversary's, else the measured one."""
    for found in (record["proof"], record["adversary"]):
        if found and found.get("witness"):
            return counterexample(found["witness"])
    measurement = record["measurement"]
    if record["verdict"] != "refuted" or not measurement:
        return None
    failing = [case for case in measurement["cases"] if case.get("status") == "disagrees"]
    return _measured(failing[0]) if failing else None


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
    index = ", ".join(
        f"${latex_of_name(k)} = {latex_of_value(v)}$" for k, v in fail["index"].items()
    )
    given = f"${fail['given']}$ holds" if fail.get("given") else ""
    opening = f"At {index} " if index else ""
    part = f"in ${fail['comparison']}$ " if named or fail.get("part") else ""
    sides = _compared(fail["left"], SIGNS[fail["relation"]], fail["right"], fail.get("entry"))
    said = f"{opening}{f'{given}, but ' if given else ''}{part}{sides}"
    return said[:1].upper() + said[1:]


def _compared(left: Any, sign: str, right: Any, entry: Sequence[int] | None) -> str:
    """Both sides and the relation that fails between them; of matrices, between two entries."""
    first, second = number_in(left), number_in(right)
    if first is not None and second is not None:
        digits = _telling(first, second)
        a, b = first.latex(digits), second.latex(digits)
        failing = f"${first.short(digits)} {sign} {second.short(digits)}$ fails"
        return f"the left-hand side is ${a}$, the right-hand side ${b}$; {failing}"
    both = f"the left-hand side is ${latex_of_value(left)}$, the right-hand side ${latex_of_value(right)}$"
    if entry is None or not (isinstance(left, list) and isinstance(right, list)):
        return f"{both}; they do not satisfy ${sign}$" if sign != "=" else f"{both}; they differ"
    i, j = entry
    a, b = number_in(_entry(left, i, j)), number_in(_entry(right, i, j))
    if a is None or b is None:
        return f"{both}; they differ in row ${i}$, column ${j}$"
    digits = _telling(a, b)
    return f"{both}; in row ${i}$, column ${j}$, ${a.short(digits)} {sign} {b.short(digits)}$ fails"


def _entry(value: Any, i: int, j: int) -> Any:
    try:
        return value[i - 1][j - 1]
    except (IndexError, TypeError):
        return None


def _telling(first: Number, second: Number) -> int:
    """The digits, five or more, in which two numbers are seen to differ."""
    for digits in range(DIGITS, MOST_DIGITS):
        if first.rounded(digits) != second.rounded(digits):
            return digits
    return DIGITS


def _sides(left: Any, right: Sequence[Any]) -> Prose:
    """Both sides as documents held them before they named the comparison that fails."""
    if isinstance(left, Mapping):
        named = [f"${latex_of_name(k)} = {_value(v)}$" for k, v in left.items()]
        if not named:
            return Prose("Evaluated exactly at this point, the statement fails.")
        return Prose(f"There {_listed(named)}, evaluated exactly, and the statement fails.")
    if not right:
        return Prose("Evaluated exactly at this point, the statement fails.")
    sides = _listed([f"${_value(side)}$" for side in right])
    return Prose(
        f"The left-hand side is ${_value(left)}$, the right-hand side {sides}, evaluated exactly."
    )


def _value(value: Any) -> str:
    """An exact value with its decimals, or a matrix."""
    number = number_in(value)
    return latex_of_value(value) if number is None else number.latex()


def _listed(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))


def _measured(case: Record) -> Counterexample:
    """A point at which only the measurement says that the statement fails."""
    rows = _rows(case, {})
    told = [row for row in rows if row.quantity is not None and row.mean is not None]
    values = _listed(
        [f"${row.quantity} \\approx {row.mean.removeprefix(chr(92) + 'approx ')}$" for row in told]
    ) if told else ""  # fmt: skip
    if not told:
        said = "Measured at this point, the statement fails beyond the error budget."
    elif told[0].claimed is not None:
        said = f"Measured, {values}, where ${told[0].claimed}$ is claimed."
    else:
        said = f"Measured, {values}, and the statement fails beyond the error budget."
    return Counterexample(formulas_of_point(case["at"], None, case.get("masks")), Prose(said))


# Measurements -------------------------------------------------------------------------------------


def case_rows(measurement: Record | None) -> list[CaseRow]:
    """A row for each quantity of each case, in the order in which they were measured."""
    cases = measurement["cases"] if measurement else []
    return [row for case in cases for row in _rows(case, measurement or {})]


def _rows(case: Record, measurement: Record) -> list[CaseRow]:
    estimate, at = case["estimate"], formulas_of_point(case["at"], None, case.get("masks"))
    widths = case.get("half_widths") or {}
    if isinstance(estimate, Mapping):
        named = [(Formula(latex_of_name(k)), v, widths.get(k, 0.0)) for k, v in estimate.items()]
    else:
        name = measurement.get("quantity") or r"\text{left-hand side}"
        named = [(Formula(name), estimate, case.get("half_width"))]
    says, status = _says(case), case.get("status", "")
    scale = case.get("scale", "small")
    if not named:
        return [CaseRow(None, at, None, None, None, None, scale, status, says)]
    claimed = None if case["claimed"] is None else Formula(_figure(case["claimed"]))
    drawn = case["samples"] if not isinstance(estimate, Mapping) and case["samples"] > 1 else None
    return [
        CaseRow(
            quantity, at, None if value is None else Formula(_figure(value)),
            _width(value, width), claimed, drawn, scale, status, says,
        )
        for quantity, value, width in named
    ]  # fmt: skip


ROUNDING = 1e-9
"""Half-widths of this share of the value are those of arithmetic, and are not shown."""


def _width(value: Any, width: float | None) -> Formula | None:
    if not width or width <= ROUNDING * max(_magnitude(value), 1e-300):
        return None
    return Formula(_figure(width, 2))


def _magnitude(value: Any) -> float:
    if isinstance(value, list):
        return max(map(_magnitude, value), default=0.0)
    return abs(value) if isinstance(value, int | float) else 0.0


def _figure(value: Any, digits: int = DIGITS) -> str:
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
    said = {"depends": "what the print leaves open decides"}.get(status, status)
    return Prose(f"{said}: not told from {case['nearest']}" if case.get("nearest") else said)


# Sentences ----------------------------------------------------------------------------------------


def verdict_sentence(record: Record) -> Prose:
    """The verdict, its severity and the reason, as one sentence."""
    severity = f" ({record['severity'].replace('-', ' ')})" if record["severity"] else ""
    return Prose(_sentence(f"{record['verdict']}{severity}: {record['reason']}"))


def variants_sentence(record: Record) -> Prose | None:
    """How the false variants that were made by machine fared; None where none was tried."""
    found = record.get("variants")
    if not found or not found["tried"]:
        return None
    by_proof, measured = (found.get(f"killed_by_{w}") for w in ("proof", "measurement"))
    said = f"Of {found['tried']} variants made by machine, the proof rejects "
    said += f"{len(by_proof) if by_proof is not None else found['refuted']}"
    if measured is not None:
        said += f" and the measurement {len(measured)}"
    said += f"; {found['true']} are true as well" if found["true"] else ""
    wrong = len(found["certified_false"])
    said += f"; {wrong} certified though false" if wrong else ""
    return Prose(f"{said}.")


def adversary_sentence(record: Record) -> Prose | None:
    """What the adversary found: where the statement fails, or how close to equality it came."""
    found = record["adversary"]
    if not found or not found.get("sentence"):
        return None
    return Prose(_sentence(found["sentence"]))


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text[-1:] in {".", "!", "?"} else ".")
