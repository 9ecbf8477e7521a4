"""`check`: from a formula and a domain to an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from sympy import Integer, Sum
from sympy.polys.polyerrors import PolynomialError

from claims.clock import worked
from claims.domain import Size
from claims.errors import UserError
from claims.statement import Compare, Formula, Implies, Not
from claims.time_limits import searching
from proofs import kernel, smt
from proofs.certificate import Certificate, Instance
from proofs.conclude import conclude, facts_of, vacuous
from twofold.answer import Answer, as_typed, failing, shown_point
from twofold.expectations import Expected
from twofold.reading import DRAWN, Reading, read
from twofold.roads import derive_under
from twofold.search import (
    Question,
    Tally,
    admissible_point,
    counterexample,
    first_failure,
    question,
    undefined_point,
)

__all__ = ["check"]

ABSURD = Compare(Integer(0), "=", Integer(1))


def check(
    statement: Any, domain: Iterable[Any] = (), *, seconds: float = 30.0,
    sample: Callable[..., Any] | None = None, seed: int = 0,
) -> Answer:  # fmt: skip
    r"""Whether a statement is true at every point of a domain.

    `statement` is a relation of SymPy, several joined by And, Or, Not, Implies, or a formula of
    `claims.statement`; a limit is `Eq(Limit(term, n, oo), value)`.  `domain` lists the variables
    (`Size`, `Real`, `Choice`, `Array`) and, as relations, the hypotheses that tie them.

    `seconds` bounds the search for a proof, and that for a counterexample; what was found does not
    depend on it.  `sample`, with arguments `(point, rng, count)`, returns independent draws whose mean
    is the left side; it is measured at some points, with an error budget, and decides nothing by itself.

    >>> from sympy import Ne, exp, symbols
    >>> from twofold import Real, check
    >>> x, y = symbols("x y")
    >>> check(exp(x) >= 1 + x, [Real(x)]).verdict
    'proved'
    >>> check(x**2 < 1, [Real(x, 0, 1)])
    refuted: x**2 < 1
      at x = 1: 1 < 1 fails
    >>> check((x**2 - x) / (x - 1) <= x, [Real(x, 0, 1)])
    proved: (x**2 - x)/(x - 1) <= x
      by real arithmetic (z3), for every point of the domain where both sides have values, not x = 1
    >>> check((x**2 - x) / (x - 1) <= x, [Real(x, 0, 1), Ne(x, 1)]).verdict
    'proved'

    Raises `UserError` in one line for what is no statement about the domain.
    """
    reading = read(statement, domain)
    asked, tally = question(reading.formula, reading.domain), Tally()
    _require_forward_sums(reading)
    try:
        certificate, reason = _settled(asked, tally, seconds)
    except PolynomialError:
        if not any(isinstance(mean, Expected) for mean in reading.formula.quantities()):
            raise
        raise UserError(
            f"{as_typed(statement)}: an expectation is that of a polynomial in random entries; "
            "roots, absolute values, exponentials and inverses of them have none here"
        ) from None
    verdict = "unsettled" if certificate is None else certificate.status
    measurement = None
    if sample is not None:
        from twofold.measuring import measured  # loads torch, which only this needs

        measurement = measured(asked, sample, reading.names, seed)
        if verdict == "proved" and measurement.status == "disagrees":
            verdict, reason = (
                "conflict",
                f"{reason}; but the samples disagree: one of them is wrong",
            )
    return Answer(
        verdict, reason, as_typed(statement), reading.formula, certificate, tally, measurement
    )


def _settled(asked: Question, tally: Tally, seconds: float) -> tuple[Certificate | None, str]:
    """A certificate and what it says, or None and what was tried."""
    if admissible_point(asked.domain) is None:
        return _empty(asked)
    if (found := first_failure(asked, tally)) is not None:
        return _refuted(found, asked)
    theorem = None
    with searching(seconds):
        empty = _never_applies(asked)
        if empty is not None:
            return empty, "its premise never holds in the domain, so that it says nothing"
        theorem = derive_under(asked.formula, facts_of(asked.domain), asked.domain)
    if theorem is not None:
        certificate = conclude(asked, theorem, method=_methods(theorem))
        if certificate.status == "proved" and not certificate.recheck():
            where = undefined_point(asked, tally)
            but = (
                "" if where is None else f" where both sides have values, not {shown_point(where)}"
            )
            return certificate, f"by {certificate.method}, for {certificate.scope}{but}"
    started = worked()
    with searching(seconds):  # a search within may end at its own limit
        if (found := counterexample(asked, tally)) is not None:
            return _refuted(found, asked)
    ended = worked() - started >= seconds
    why = _open(tally, theorem is not None)
    return None, why + (f"; the search ended after {seconds:g} s" if ended else "")


def _refuted(found: Instance, asked: Question) -> tuple[Certificate, str]:
    certificate = Certificate("refuted", "exact evaluation of both sides", witness=found)
    return certificate, failing(certificate) + _beyond(found, asked)


def _beyond(found: Instance, asked: Question) -> str:
    """That the largest value of a size is none, where somebody wrote one and the failure lies above it."""
    sizes = [v for v in asked.domain.variables if isinstance(v, Size)]
    for size in (v for v in sizes if v.high not in {Size.high, v.low + DRAWN}):
        if found.point[size.symbol] > size.high:
            name, low, high = size.symbol, size.low, size.high
            return (
                f"; Size({name}, {low}, {high}) admits larger {name}, and seldom draws them: add "
                f"the hypothesis {name} <= {high} where it is one"
            )
    return ""


def _empty(asked: Question) -> tuple[Certificate | None, str]:
    """A domain without a point: contradictory hypotheses, or a search that found none."""
    with suppress(kernel.ProofError):
        theorem = kernel.joint(ABSURD, given=facts_of(asked.domain))
        certificate = vacuous(asked, steps=(), method=theorem.rule, theorem=theorem)
        return certificate, "the domain holds no point: its hypotheses contradict one another"
    return None, "no point of the domain was found, so that nothing was checked; widen the domain"


def _never_applies(asked: Question) -> Certificate | None:
    formula = asked.formula
    if isinstance(formula, Implies):
        with suppress(kernel.ProofError):
            theorem = kernel.joint(Not(formula.premise), given=facts_of(asked.domain))
            return vacuous(asked, steps=(), method=theorem.rule, theorem=theorem)
    return None


def _methods(theorem: kernel.Theorem) -> str:
    """The rules of a theorem's tree, those of mere book-keeping left out."""
    dull = {"hypothesis", "cut", "conjunction", "conjunct", "instance", "implication"}
    rules = dict.fromkeys(t.rule for t in theorem.tree() if t.rule not in dull)
    return ", ".join(rules) or theorem.rule


def _open(tally: Tally, almost: bool) -> str:
    """Why nothing is said: where it is undefined, or what was tried."""
    if tally.undefined is not None:
        where = shown_point(tally.undefined)
        return (
            f"undefined at {where}, where nothing is asserted: add the hypothesis that excludes it"
        )
    lacking = "a proof needs more than the domain gives" if almost else "no proof was found"
    return f"{lacking}, and no counterexample: {tally.sentence()}"


def _require_forward_sums(reading: Reading) -> None:
    """Sums run upwards: SymPy reads one whose end lies below its start as a negative sum."""
    given = facts_of(reading.domain)
    for total in _sums(reading.formula):
        for index, low, high in total.limits:
            inner = {i for i, _, _ in total.limits}
            if (high - low).free_symbols & inner or smt.follows(
                Compare(high, ">=", low - 1), given
            ):
                continue
            raise UserError(
                f"{total}: the range of {index} may end before it starts; raise the least size in it"
            )


def _sums(formula: Formula) -> Iterable[Sum]:
    for piece in formula.walk():
        if not isinstance(piece, Formula) and hasattr(piece, "atoms"):
            yield from sorted(piece.atoms(Sum), key=str)
