"""The sign of a function of one variable on an interval, with a certificate of the kernel's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from sympy import (
    Expr,
    Integer,
    Mul,
    Rational,
    Symbol,
    exp,
    expand,
    factor_terms,
    fraction,
    oo,
    together,
)

from proofs import kernel
from proofs.calculus.deltas import vanishes
from proofs.calculus.inequalities import (
    BoxBound,
    MonotoneSign,
    SignOnInterval,
    Undecided,
)
from proofs.kernel import ProofError, Theorem

__all__ = ["sign_on_interval", "signs_beside_zero"]

DEPTH = 3
"""How often a function is traced back to its derivative."""
PIECES = 500
ZEROS = (Integer(0), Integer(1), Rational(1, 2), Integer(2), Integer(-1), exp(1), exp(-1))
"""Where a function that does not change its sign may vanish between the ends."""


def sign_on_interval(f: Expr, x: Symbol, low: Any, high: Any, sign: str) -> Theorem | None:
    """`f sign 0` for x between the ends; None where no certificate is found."""
    for certificate in _certificates(f, x, low, high, sign, DEPTH):
        with suppress(ProofError, Undecided, ValueError, NotImplementedError, TypeError):
            return kernel.certified(certificate)
    return None


def signs_beside_zero(f: Expr, x: Symbol, low: Any, high: Any, sign: str) -> list[Theorem]:
    """`f sign 0` on either side of a zero between the ends, each with its range as a premise; or nothing."""
    for zero in filter(lambda zero: bool(low < zero) and bool(zero < high), ZEROS):
        if not vanishes(f.subs(x, zero)):
            continue
        sides = [sign_on_interval(f, x, *ends, sign) for ends in ((low, zero), (zero, high))]
        if None not in sides:
            return [_with_premises(side) for side in sides if side is not None]
    return []


def _with_premises(theorem: Theorem) -> Theorem:
    for hypothesis in sorted(theorem.hypotheses, key=repr):
        theorem = kernel.discharge(theorem, hypothesis)
    return theorem


def _certificates(f: Expr, x: Symbol, low: Any, high: Any, sign: str, depth: int) -> Iterator[Any]:
    """Candidates, the cheapest first; the kernel says which of them hold."""
    if f.is_polynomial(x):
        yield SignOnInterval(f, x, low, high, sign)  # type: ignore[arg-type]
        return
    if oo not in (high, -low):
        yield BoxBound(f, ((x, low, high),), sign, max_pieces=PIECES)  # type: ignore[arg-type]
    if depth == 0:
        return
    slope, multiplier = _simplified(f.diff(x))
    for anchor, away in ((low, sign), (high, sign.translate(str.maketrans("<>", "><")))):
        if anchor in (oo, -oo):
            continue
        for inner in _certificates(slope, x, low, high, away, depth - 1):
            with suppress(ProofError, Undecided, ValueError, NotImplementedError, TypeError):
                if inner.check():
                    yield MonotoneSign(f, inner, anchor, sign, multiplier)  # type: ignore[arg-type]
                    break


def _simplified(slope: Expr) -> tuple[Expr, Expr]:
    """A derivative times what makes it simple, which is positive where denominators are: no fraction, and
    no exponential as a factor of all of it."""
    above, below = fraction(together(slope))
    factors = Mul.make_args(factor_terms(expand(above)))
    outside = [factor for factor in factors if isinstance(factor, exp)]
    return Mul(*(f for f in factors if f not in outside)), below / Mul(*outside)
