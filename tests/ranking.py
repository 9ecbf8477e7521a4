"""Instances of the fact about ranks of Gram matrices, and terms for which it is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from instances import Point, Terms
from sympy import ImmutableDenseMatrix, Integer, KroneckerDelta, MatrixSymbol, Symbol, oo, sqrt
from sympy.core.function import UndefinedFunction

from claims.ranks import gram_rank
from claims.terms import entry
from proofs import facts

M, LEFT, RIGHT, FIRST, LAST = (MatrixSymbol(name, 4, 4) for name in ("M", "L", "R", "F", "G"))
RANK = gram_rank(r"\mathrm{{rank}}(MM^\top)", entry(M))
i, k, a, b = (Symbol(name, integer=True) for name in "ikab")
PLACES: Terms = {
    "left": entry(LEFT)(a, i), "right": entry(RIGHT)(k, b), "first": entry(FIRST)(i, a),
    "last": entry(LAST)(a, k), "i": i, "k": k, "a": a, "b": b,
}  # fmt: skip


def reflection(rng: Random, size: int) -> ImmutableDenseMatrix:
    """A rational orthogonal matrix."""
    v = ImmutableDenseMatrix([rng.randint(1, 3) for _ in range(size)])
    return ImmutableDenseMatrix.eye(size) - 2 * v * v.T / (v.T * v)[0]


def factored(rng: Random) -> Iterator[tuple[Terms, Point]]:
    """U D V with some of its first singular values for factors: too few, too many, or the right ones."""
    while True:
        rows, columns = rng.randint(1, 3), rng.randint(1, 3)
        size = rng.randint(-1, min(rows, columns))
        kept, least = max(size, 0), rng.choice((0, 1))
        others = rng.choice((0, 2))
        spectrum = [rng.randint(least, 2) if n < kept else rng.randint(0, others) for n in range(3)]
        u, v = reflection(rng, rows), reflection(rng, columns)
        middle = ImmutableDenseMatrix(rows, columns, lambda x, y: spectrum[x] * (x == y))  # noqa: B023
        scales = ImmutableDenseMatrix.diag(*(Integer(1) / (s or 1) for s in spectrum[:kept]))
        point = {
            M: u * middle * v, LEFT: scales * u.T[:kept, :], RIGHT: v.T[:, :kept],
            FIRST: u * middle[:, :kept], LAST: v[:kept, :],
        }  # fmt: skip
        yield {"rank": RANK(rows, columns), "size": Integer(size), **PLACES}, point


SAMPLERS: dict[str, Callable[[Random], Iterator[tuple[Terms, Point]]]] = {
    facts.GRAM_RANK.name: factored
}


def _of_one_row(place: Symbol) -> UndefinedFunction:
    """The rank of a matrix with a single row that is not zero: it has rank one, wherever that is."""
    return gram_rank(r"\mathrm{{rank}}(EE^\top)", lambda row, column: KroneckerDelta(column, place))


_x, _n = Symbol("x", real=True), Symbol("n", integer=True, positive=True)
_ALL: Terms = {"rank": RANK(_n, _n), "size": _n, **PLACES}
_OTHERWISE: list[Terms] = [
    {"rank": entry(M)(_n, _n)}, {"rank": 2 * RANK(_n, _n)}, {"rank": RANK(_n, oo)},
    {"rank": RANK(_x, _n)}, {"rank": RANK(k, _n)}, {"size": _x}, {"size": oo}, {"size": a},
    {"left": entry(LEFT)(a, k)}, {"left": b}, {"right": i}, {"right": entry(RIGHT)(a, b)},
    {"first": k}, {"first": b}, {"last": i}, {"last": entry(LAST)(a, b)}, {"left": sqrt(_x)},
    {"last": sqrt(_x)}, {"a": b}, {"i": k}, {"k": _x},
    *({"rank": _of_one_row(index)(1, 2), "size": Integer(2)} for index in (i, k, a, b)),
]  # fmt: skip
BEYOND: list[tuple[facts.Fact, Terms]] = [
    (facts.GRAM_RANK, {**_ALL, **other}) for other in _OTHERWISE
]
