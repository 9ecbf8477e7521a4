"""Instances of facts about growth behind Gaussian matrices, and terms for which those are refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from instances import Point, Terms, sixths
from sympy import ImmutableDenseMatrix, Integer, Rational, Symbol

from claims.gaussian_growth import Growth, Shares
from claims.terms import entry
from proofs import facts

FACTORS = Symbol("R")
GROWN = Growth("N", lambda at, place: at[FACTORS][place - 1])
EQUAL = tuple(map(Shares.equal, (1, 2, 3)))
UNEQUAL = Shares(ImmutableDenseMatrix([[Rational(2, 3), 0], [0, Rational(1, 3)]]))


def growth(rng: Random, fewest: int, most: int, least: int = 2) -> tuple[Terms, Point]:
    """Even degrees of freedom, and factors of which one may have unequal shares where it is alone."""
    factors = rng.randint(fewest, most)
    kinds = EQUAL if factors > 1 else (*EQUAL, UNEQUAL)
    shares = tuple(rng.choice(kinds) for _ in range(max(1, factors)))
    return {"d": Integer(2 * rng.randint(least // 2, 4)), "k": Integer(factors)}, {FACTORS: shares}


def products_of_two(rng: Random) -> Iterator[tuple[Terms, Point]]:
    """The level is the product of the two, or anywhere."""
    while True:
        sizes, point = growth(rng, 1, 2)
        sizes["k"] -= 1
        a, b = sixths(rng, -1, 4), sixths(rng, -1, 8)
        c = a * b if rng.random() < 0.7 else sixths(rng, -4, 4)
        yield {"tail": GROWN.below, **sizes, "a": a, "b": b, "c": c}, point


def tails_of_factors(rng: Random) -> Iterator[tuple[Terms, Point]]:
    """One factor from below and several from above, at levels around the mean and at any rate but zero."""
    while True:
        tail, most = rng.choice(((GROWN.factor, 1), (GROWN.above, 2)))
        sizes, point = growth(rng, 1, most)
        y = sixths(rng, -1, 3)
        if y != 0:
            yield {"tail": tail, **sizes, "b": sizes["d"] * sixths(rng, 0, 3), "y": y}, point


def levels_below(rng: Random) -> Iterator[tuple[Terms, Point]]:
    """Of no factor, one or two; of one with any number of degrees of freedom."""
    while True:
        sizes, point = growth(rng, 0, 2)
        if sizes["k"] == 1:
            sizes["d"] = Integer(rng.randint(1, 8))
        yield {"tail": GROWN.below, **sizes, "a": sizes["d"] * sixths(rng, -1, 2)}, point


SAMPLERS: dict[str, Callable[[Random], Iterator[tuple[Terms, Point]]]] = {
    facts.UNION.name: products_of_two,
    facts.CHERNOFF_OF_FACTORS.name: tails_of_factors,
    facts.INVERSE_MEAN.name: levels_below,
}

_k, _x = Symbol("k", integer=True), Symbol("x", real=True)
_n = Symbol("n", integer=True, positive=True)
_LEVELS, _RATE = {"a": _x, "b": _x, "c": _x}, {"b": _x, "y": _x}
BEYOND: list[tuple[facts.Fact, Terms]] = [
    *(
        (facts.UNION, {"tail": tail, "d": _n, "k": _n, **_LEVELS})
        for tail in (GROWN.above, GROWN.factor, entry(FACTORS))
    ),
    *(
        (facts.UNION, {"tail": GROWN.below, "d": d, "k": k, **_LEVELS})
        for d, k in ((_n, _k), (_k, _n))
    ),
    *(
        (facts.CHERNOFF_OF_FACTORS, {"tail": tail, "d": _n, "k": _n, **_RATE})
        for tail in (GROWN.below, entry(FACTORS))
    ),
    (facts.CHERNOFF_OF_FACTORS, {"tail": GROWN.above, "d": _n, "k": 0, **_RATE}),
    (facts.CHERNOFF_OF_FACTORS, {"tail": GROWN.above, "d": _x, "k": _n, **_RATE}),
    *(
        (facts.INVERSE_MEAN, {"tail": tail, "d": _n, "k": _n, "a": _x})
        for tail in (GROWN.above, GROWN.factor, entry(FACTORS))
    ),
    (facts.INVERSE_MEAN, {"tail": GROWN.below, "d": _x, "k": _n, "a": _x}),
    (facts.INVERSE_MEAN, {"tail": GROWN.below, "d": _n, "k": _k, "a": _x}),
]
