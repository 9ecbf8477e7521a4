"""The sign of a function of one variable on an interval, with a certificate of the kernel's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from sympy import Expr, Symbol, fraction, oo, together

from proofs import kernel
from proofs.calculus.inequalities import (
    BoxBound,
    MonotoneSign,
    SignOnInterval,
    Undecided,
)
from proofs.kernel import ProofError, Theorem

__all__ = ["sign_on_interval"]

DEPTH = 3
"""How often a function is traced back to its derivative."""
PIECES = 500


def sign_on_interval(f: Expr, x: Symbol, low: Any, high: Any, sign: str) -> Theorem | None:
    """`f sign 0` for x between the ends; None where no certificate is found."""
    for certificate in _certificates(f, x, low, high, sign, DEPTH):
        with suppress(ProofError, Undecided, ValueError, NotImplementedError, TypeError):
            return kernel.certified(certificate)
    return None


def _certificates(f: Expr, x: Symbol, low: Any, high: Any, sign: str, depth: int) -> Iterator[Any]:
    """Candidates, the cheapest first; the kernel says which of them hold."""
    if f.is_polynomial(x):
        yield SignOnInterval(f, x, low, high, sign)  # type: ignore[arg-type]
        return
    if oo not in (high, -low):
        yield BoxBound(f, ((x, low, high),), sign, max_pieces=PIECES)  # type: ignore[arg-type]
    if depth == 0:
        return
    slope, multiplier = fraction(together(f.diff(x)))
    for anchor, away in ((low, sign), (high, sign.translate(str.maketrans("<>", "><")))):
        if anchor in (oo, -oo):
            continue
        for inner in _certificates(slope, x, low, high, away, depth - 1):
            with suppress(ProofError, Undecided, ValueError, NotImplementedError, TypeError):
                if inner.check():
                    yield MonotoneSign(f, inner, anchor, sign, multiplier)  # type: ignore[arg-type]
                    break
