"""Keys that two sides of a statement share exactly when they are the same after algebra, up to chance."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from mpmath import fprod, fsum, mpc, nstr, workdps
from sympy import (
    Add,
    Expr,
    Function,
    KroneckerDelta,
    Mul,
    N,
    NumberSymbol,
    Pow,
    Sum,
    Symbol,
    sympify,
)
from sympy.core.function import AppliedUndef
from sympy.matrices.expressions import MatrixExpr

from claims.edits import apply_or_skip

__all__ = ["Fingerprints"]

TRIED, TRIED_DELTAS = 3, 8
"""Points at which two sides are compared; rational functions that differ seldom agree at one, and of
Kronecker deltas more patterns are wanted."""
DIGITS = 30


class Fingerprints:
    """Keys that two sides share exactly when they are the same after algebra, up to chance.

    Scalars are evaluated at random values of whatever stands in them, norms and traces as wholes,
    deltas at 0 and 1; matrices are compared as they stand.

    >>> n, d = Symbol("n"), Symbol("d")
    >>> key = Fingerprints()
    >>> key(n * (d + 1)) == key(n * d + n), key(2 * n) == key(n)
    (True, False)
    """

    def __init__(self) -> None:
        self.drawn: dict[Any, tuple[Any, ...]] = {}
        self.known: dict[Any, tuple[Any, ...]] = {}

    def __call__(self, term: Any) -> Any:
        if isinstance(term, tuple):
            return tuple(map(self, term))
        term = sympify(term)
        if not _has_numbers(term):
            return term
        return tuple(term if value is None else _rounded(value) for value in self._values(term))

    def of_comparison(self, left: Any, sign: str, right: Any) -> Any:
        """A key of `left sign right`, the same for all its positive multiples.

        Of an equality all multiples say the same: `2 x = 0`, `-x = 0` and `x = 0` are one statement.
        """
        if not all(_has_numbers(sympify(side)) for side in (left, right)):
            return sign, self(left), self(right)
        values = self._values(sympify(left)), self._values(sympify(right))
        with workdps(DIGITS):
            gaps = [None if None in pair else pair[0] - pair[1] for pair in zip_longest(*values)]
            first = next((gap for gap in gaps if gap), None)
            if first is None or None in gaps or first.imag:
                return sign, self(left), self(right)
            scale = first if sign in {"=", "!="} else abs(first)
            return sign, tuple(_rounded(gap / scale) for gap in gaps)

    def _values(self, term: Expr) -> tuple[Any, ...]:
        """The term at the random values; None where it has no number there."""
        if term not in self.known:
            trials = TRIED_DELTAS if term.has(KroneckerDelta) else TRIED
            with workdps(DIGITS):
                self.known[term] = tuple(
                    apply_or_skip(lambda k=k: self._number(term, k))  # type: ignore[misc]
                    for k in range(trials)
                )
        return self.known[term]

    def _number(self, e: Any, trial: int) -> Any:
        if e.is_Rational:
            return mpc(e.p) / e.q
        if isinstance(e, MatrixExpr) or not isinstance(
            e, Add | Mul | Pow | Function | NumberSymbol
        ):
            return self._drawn(e)[trial]
        if isinstance(e, KroneckerDelta | AppliedUndef):
            return self._drawn(e)[trial]
        parts = [self._number(a, trial) for a in e.args]
        if isinstance(e, Add):
            return fsum(parts)
        if isinstance(e, Mul):
            return fprod(parts)
        if isinstance(e, Pow):
            return parts[0] ** parts[1]
        return mpc(N(e.func(*map(sympify, parts)), DIGITS))

    def _drawn(self, part: Any) -> tuple[Any, ...]:
        """Numbers for a part, the same whenever it is met; of both signs where that is allowed."""
        ranged = isinstance(part, Sum) or hasattr(part, "body")
        met = (type(part), self(part.args[0]), part.args[1:]) if ranged else part
        if met not in self.drawn:
            self.drawn[met] = tuple(_numbers(part, random.Random(len(self.drawn))))
        return self.drawn[met]


def _has_numbers(term: Any) -> bool:
    """Whether a side is a scalar, which is evaluated; matrices are compared as they stand."""
    return isinstance(term, Expr) and not isinstance(term, MatrixExpr)


def _rounded(value: Any) -> str:
    with workdps(DIGITS):
        return nstr(value, DIGITS // 2)


def _numbers(part: Any, rng: random.Random) -> Iterator[Any]:
    free = isinstance(part, Symbol) and not part.is_nonnegative
    for _ in range(TRIED_DELTAS):
        if isinstance(part, KroneckerDelta):
            yield mpc(rng.randint(0, 1))
        elif getattr(part, "is_integer", False):
            yield mpc(rng.randint(6, 40))
        else:
            yield mpc(rng.choice((1, -1) if free else (1,)) * rng.randint(1, 997)) / rng.randint(
                1, 997
            )
