"""Instances of the facts about singular values, of small matrices and of large drawn ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from typing import Any

import numpy as np
from instances import Point, Terms, sixths
from ranking import reflection
from sympy import (
    Add,
    ImmutableDenseMatrix,
    Integer,
    MatrixSymbol,
    Mul,
    Pow,
    Rational,
    Sum,
    Symbol,
    oo,
    sqrt,
)
from sympy.core.function import AppliedUndef

from claims.almost_surely import AlmostSurely
from claims.iid_tables import Tables
from claims.singular import eigenvalue_moduli, singular_values, written_of
from claims.statement import And, ForAll, Implies, Quantity, Tends
from claims.terms import MaxOver, MinOver, Recursion, entry
from proofs import facts

i, k, inner = (Symbol(name, integer=True) for name in "ikm")
M, N, B = (MatrixSymbol(name, 5, 5) for name in "MNB")
D, V, U = (MatrixSymbol(name, 5, 1) for name in "dvu")
S = {of: singular_values(rf"s_{{{{{{}}}}}}({of})", entry(of)) for of in (M, N, B)}
MODULI = eigenvalue_moduli(r"|\lambda_{{{}}}|", entry(M))
INDICES: Terms = {"i": i, "k": k}


def block(rng: Random, rows: int, columns: int) -> ImmutableDenseMatrix:
    """Small integers, or with singular values that are equal or zero."""
    if rng.random() < 0.5:
        return ImmutableDenseMatrix(rows, columns, lambda a, b: rng.randint(-3, 3))
    spectrum = [rng.choice((0, 1, 2, 2)) for _ in range(max(rows, columns))]
    middle = ImmutableDenseMatrix(rows, columns, lambda a, b: spectrum[a] * (a == b))
    return reflection(rng, rows) * middle * reflection(rng, columns)


def shaken(rng: Random, matrix: ImmutableDenseMatrix, often: float) -> ImmutableDenseMatrix:
    """Sometimes with a large entry that is wrong."""
    if rng.random() > often:
        return matrix
    return matrix + 5 * ImmutableDenseMatrix(*matrix.shape, lambda a, b: int((a, b) == (0, 0)))


def column(rng: Random, size: int, top: int) -> ImmutableDenseMatrix:
    return ImmutableDenseMatrix([sixths(rng, -top, top) for _ in range(size)])


def scaled(rng: Random) -> Iterator[tuple[Terms, Point]]:
    """D N (I - v v^T): directions that are longer than one too, bounds that hold or do not."""
    while True:
        rows, columns = rng.randint(1, 3), rng.randint(1, 3)
        own, direction = block(rng, rows, columns), column(rng, columns, rng.choice((0, 1, 3)))
        if rng.random() < 0.5:
            direction = ImmutableDenseMatrix([int(a == 0) for a in range(columns)])
        scales = ImmutableDenseMatrix([sixths(rng, rng.choice((0, -4)), 3) for _ in range(rows)])
        whole = ImmutableDenseMatrix.diag(*scales) * (own - own * direction * direction.T)
        slack = [rng.choice((0, 0, 1)) for _ in range(2)]
        low, high = min(scales) - slack[0], max(scales) + slack[1]
        if rng.random() < 0.2:
            low, high = low + 1, high - 1
        place = Integer(rng.randint(1, 3))
        args = place, Integer(rows), Integer(columns)
        terms = {
            "values": S[M](*args), "other": S[N](*args), "scale": entry(D)(i, 1),
            "direction": entry(V)(k, 1), "low": low, "high": high, **INDICES,
        }  # fmt: skip
        yield terms, {M: shaken(rng, whole, 0.2), N: own, D: scales, V: direction}


def changed(rng: Random) -> Iterator[tuple[Terms, Point]]:
    """N + u v^T, where N v vanishes half of the time, and numbers below and above |u|^2 |v|^2."""
    while True:
        rows, columns = rng.randint(1, 3), rng.randint(1, 3)
        own, left, right = block(rng, rows, columns), column(rng, rows, 2), column(rng, columns, 2)
        if rng.random() < 0.5 and any(right):
            own = own - own * right * right.T / (right.T * right)[0]
        norm = (left.T * left)[0] * (right.T * right)[0] * rng.choice((1, 1, 2, Rational(1, 9)))
        args = Integer(rng.randint(1, 3)), Integer(rows), Integer(columns)
        terms = {
            "values": S[M](*args), "other": S[N](*args), "left": entry(U)(i, 1),
            "right": entry(V)(k, 1), "norm": norm, **INDICES,
        }  # fmt: skip
        whole = shaken(rng, own + left * right.T, 0.2)
        yield terms, {M: whole, N: own, U: left, V: right}


def multiplied(rng: Random) -> Iterator[tuple[Terms, Point]]:
    while True:
        rows, middle, columns = (rng.randint(1, 3) for _ in range(3))
        left, right = block(rng, rows, middle), block(rng, middle, columns)
        one, other = (Integer(rng.choice((1, 1, 2))) for _ in range(2))
        terms = {
            "values": S[M](one + other - 1, Integer(rows), Integer(columns)),
            "left": S[B](one, Integer(rows), Integer(middle)),
            "right": S[N](other, Integer(middle), Integer(columns)), "l": inner, **INDICES,
        }  # fmt: skip
        yield terms, {M: shaken(rng, left * right, 0.2), B: left, N: right}


def measured_rows(rng: Random) -> Iterator[tuple[Terms, Point]]:
    while True:
        rows, columns = rng.randint(1, 3), rng.randint(1, 3)
        args = Integer(rng.randint(1, 4)), Integer(rows), Integer(columns)
        point = {M: block(rng, rows, columns), U: column(rng, rows, 3)}
        yield {"values": S[M](*args), "x": entry(U)(i, 1), **INDICES}, point


def spectra(rng: Random) -> Iterator[tuple[Terms, Point]]:
    """Square matrices, of which some have rows that sum to one."""
    while True:
        size = rng.randint(1, 3)
        whole = ImmutableDenseMatrix(size, size, lambda a, b: rng.randint(-3, 3))
        if rng.random() < 0.5 and all(sum(whole.row(a)) for a in range(size)):
            whole = ImmutableDenseMatrix([whole.row(a) / sum(whole.row(a)) for a in range(size)])
        args = Integer(2), Integer(size), Integer(size)
        yield {"modulus": MODULI(*args), "values": S[M](*args), **INDICES}, {M: whole}


# Large matrices -----------------------------------------------------------------------------------

n, layer, place = (Symbol(name, integer=True, positive=True) for name in "nlj")
Law = Callable[[Any, tuple[int, int]], Any]
LAWS: list[tuple[Law, Any, Any, Any]] = [
    (lambda rng, shape: rng.exponential(size=shape), Integer(1), Integer(1), Integer(24)),
    (lambda rng, shape: 3 * rng.random(size=shape), Rational(3, 2), sqrt(3) / 2, Rational(81, 5)),
    (lambda rng, shape: rng.gamma(4, size=shape), Integer(4), Integer(2), Integer(840)),
    (lambda rng, shape: 1.0 + rng.integers(0, 2, size=shape), Rational(3, 2), Rational(1, 2), Rational(17, 2)),
    (lambda rng, shape: 1.0 + rng.pareto(2.2, size=shape), Rational(11, 6), sqrt(Rational(275, 36)), oo),
    (lambda rng, shape: 1.0 + rng.pareto(1.5, size=shape), Integer(3), Integer(1), oo),
]  # fmt: skip
"""Positive laws with mean, deviation and fourth moment; the last has no variance, so that one is made up."""


class Drawn:
    """Tables of which one outcome is drawn."""

    def __init__(self, place: int):
        self.law, *moments = LAWS[place]
        self.tables = Tables("Z", *moments)
        self.entries, self.weights = self.tables.entries, self.tables.weights
        self.mean, self.deviation = self.tables.mean, self.tables.deviation
        self.noise = singular_values(
            "s_{{{}}}", lambda i, k, layer: self.entries(layer, i, k) - self.mean
        )
        self.gaussian = singular_values(
            "s_{{{}}}", lambda i, k, layer, size: self.weights(layer, size, i, k)
        )

    @cache  # noqa: B019 - few, and as many as laws
    def outcome(self, rows: int, columns: int, weights: bool = False) -> Any:
        rng = np.random.default_rng(rows + columns)
        return rng.normal(size=(rows, columns)) if weights else self.law(rng, (rows, columns))

    @cache  # noqa: B019
    def spectrum(self, rows: int, columns: int, weights: bool) -> Any:
        table = self.outcome(rows, columns, weights)
        return np.linalg.svd(table - (0 if weights else float(self.mean)), compute_uv=False)

    @cache  # noqa: B019
    def weights_to(self, count: int, size: int) -> Any:
        """W_1...W_(count + 1), the first of which has as many rows as `size`, all twice as many columns."""
        rng = np.random.default_rng(count)
        found = rng.normal(size=(size, 2 * size))
        for _ in range(count):
            found = found @ rng.normal(size=(2 * size, 2 * size))
        return found


TABLES = [Drawn(at) for at in range(len(LAWS))]
DRAWN: dict[Any, Drawn] = {each.tables: each for each in TABLES}
SIZE, DRAWS = 300, 160


def large(rng: Random) -> Iterator[tuple[Terms, Point]]:
    for _ in range(DRAWS):
        tables = rng.choice(TABLES[:5])
        a, b = rng.choice(((1, 1), (1, 2), (2, 1)))
        j = Integer(rng.randint(1, 2))
        values = tables.noise(j, a * n, b * n, layer)
        if rng.random() < 0.2:
            values = tables.gaussian(j, a * n, b * n, layer, n)
        yield {"values": values, "size": n, "layer": layer}, {}


def bulks(rng: Random) -> Iterator[tuple[Terms, Point]]:
    for _ in range(DRAWS):
        values = rng.choice(TABLES[:5]).noise(place, n, n, layer)
        power = Integer(rng.randint(1, 3))
        yield {"values": values, "place": place, "size": n, "layer": layer, "power": power}, {}


def rows_of_tables(rng: Random) -> Iterator[tuple[Terms, Point]]:
    for _ in range(DRAWS):
        own = rng.choice(TABLES).entries(layer, i, k)
        yield {"entry": own, "row": i, "column": k, "size": n, "layer": layer}, {}


count = Symbol("t", integer=True, nonnegative=True)


def behind(tables: Drawn, wide: Any = 2, first: Any = 1, following: int = 2) -> Recursion:
    """Products of weights; others than the facts ask for, if so wished."""
    return Recursion(
        "V", lambda size, row, side: tables.weights(first, size, row, side),
        lambda t, size, row, side, before: Sum(
            before(size, row, inner) * tables.weights(t + following, size, inner, side),
            (inner, 1, wide * size),
        ),
    )  # fmt: skip


PRODUCTS = [behind(tables) for tables in TABLES]


def lengths(rng: Random) -> Iterator[tuple[Terms, Point]]:
    """Rows of numbers, of a table, and one that vanishes."""
    for _ in range(DRAWS):
        at = rng.randrange(4)
        own = TABLES[at].entries(2, 1, i)
        row = rng.choice((Integer(1), own, own / n - 1, i, Integer(0)))
        yield (
            {
                "row": row,
                "product": PRODUCTS[at](count, n, i, k),
                **INDICES,
                "size": n,
                "count": count,
            },
            {},
        )


def number(e: Any, at: dict[Any, Any], tables: Drawn, axis: int = 0) -> Any:
    """A term for one outcome, with an array of all values for each index."""
    if isinstance(e, Sum | MaxOver | MinOver):
        index, low, high = e.args[1]
        ends = (int(number(end, at, tables)) for end in (low, high + 1))
        shape = [1, 1]
        shape[axis] = -1
        places = np.arange(*ends).reshape(shape)
        inside = number(e.args[0], {**at, index: places}, tables, axis + 1) + 0 * places
        kind = {MaxOver: np.max, MinOver: np.min}.get(type(e), np.sum)
        return kind(inside, axis=axis, keepdims=True)
    if isinstance(e, AppliedUndef):
        places = [number(a, at, tables) for a in e.args]
        if hasattr(e.func, "recursion"):
            return tables.weights_to(int(places[0]), int(places[1]))[places[2] - 1, places[3] - 1]
        if (matrix := written_of(e.func)) is not None:
            weights = tables.weights in {f.func for f in matrix.entry.atoms(AppliedUndef)}
            return tables.spectrum(int(places[1]), int(places[2]), weights)[
                np.asarray(places[0]) - 1
            ]
        size = int(at[n])
        return tables.outcome(size, size)[places[-2] - 1, places[-1] - 1]
    if isinstance(e, Add | Mul):
        parts = [number(a, at, tables, axis) for a in e.args]
        found = parts[0]
        for each in parts[1:]:
            found = found + each if isinstance(e, Add) else found * each
        return found
    if isinstance(e, Pow) and e.free_symbols:
        return number(e.base, at, tables, axis) ** float(e.exp)
    return at[e] if e in at else int(e) if e.is_Integer else float(e)


@cache
def settled_surely(formula: AlmostSurely) -> bool:
    """Whether what is said of the first layer is so of the outcome that is drawn, a size far out."""
    every, tables = formula.body, DRAWN[formula.matrices]
    assert isinstance(every, ForAll)
    first = every.body.substitute({every.index: Integer(1)})
    if isinstance(first, Implies):  # lengths of rows
        kept, each = first.conclusion.formulas
        if not np.any(number(first.premise.body.left, {n: SIZE}, tables)):
            return True
        positive = np.all(number(kept.body.left, {n: SIZE}, tables) > 0)
        return bool(positive) and _near(each, tables)
    parts = first.formulas if isinstance(first, And) else (first,)
    return all(_near(part, tables) for part in parts)


def _near(formula: Any, tables: Drawn) -> bool:
    if isinstance(formula, ForAll):  # that sums of positive numbers are positive
        return bool((tables.outcome(SIZE, SIZE) > 0).all())
    assert isinstance(formula, Tends)
    found = float(np.squeeze(number(formula.term, {formula.index: SIZE}, tables)))
    end = float(formula.limit)
    return abs(found - end) < 0.25 * end


SAMPLERS: dict[str, Callable[[Random], Iterator[tuple[Terms, Point]]]] = {
    facts.INTERLACING.name: scaled, facts.RANK_ONE.name: changed, facts.PRODUCT.name: multiplied,
    facts.NORMS.name: measured_rows, facts.WEYL.name: spectra, facts.SOFT_EDGE.name: large,
    facts.QUARTER_CIRCLE.name: bulks, facts.ROW_SUMS.name: rows_of_tables,
    facts.GAUSSIAN_LENGTH.name: lengths,
}  # fmt: skip
NEVER_ALONE = {
    # Every positive law has a positive mean, and a deviation that is not negative.
    (fact.name, place)
    for fact in (facts.SOFT_EDGE, facts.QUARTER_CIRCLE, facts.ROW_SUMS)
    for place in range(2)
}
BARE = (facts.NORMS, facts.WEYL, facts.GAUSSIAN_LENGTH)
"""Facts without premises."""

_x, _n = Symbol("x", real=True), Symbol("n", integer=True, positive=True)
_T, _OTHER = TABLES[0], TABLES[1]
_ONE = S[M](1, _n, _n)
_SCALED: Terms = {
    "values": _ONE, "other": S[N](1, _n, _n), "scale": entry(D)(i, 1), "direction": entry(V)(k, 1),
    "low": 0, "high": 1, **INDICES,
}  # fmt: skip
_CHANGED: Terms = {
    "values": _ONE, "other": S[N](1, _n, _n), "left": entry(U)(i, 1), "right": entry(V)(k, 1),
    "norm": 1, **INDICES,
}  # fmt: skip
_PRODUCT: Terms = {
    "values": _ONE,
    "left": S[B](1, _n, _n),
    "right": S[N](1, _n, _n),
    "l": inner,
    **INDICES,
}
_WEYL: Terms = {"modulus": MODULI(2, _n, _n), "values": S[M](2, _n, _n), **INDICES}
_LARGE: Terms = {"values": _T.noise(1, n, n, layer), "size": n, "layer": layer}
_BULK: Terms = {**_LARGE, "values": _T.noise(place, n, n, layer), "place": place, "power": 2}
_ROWS: Terms = {"entry": _T.entries(layer, i, k), "row": i, "column": k, "size": n, "layer": layer}
_SHIFTED = singular_values("s_{{{}}}", lambda i, k, layer: _T.entries(layer, i, k))
_TURNED = singular_values("s_{{{}}}", lambda i, k, layer: _T.entries(layer, k, k) - _T.mean)
_MIXED = singular_values(
    "s_{{{}}}", lambda i, k, layer: _T.entries(layer, i, k) - _OTHER.entries(layer, i, k)
)
_OTHER_MEAN = singular_values(
    "s_{{{}}}", lambda i, k, layer: _T.entries(layer, i, k) - _OTHER.mean - _T.mean / 5
)
_FIRST = singular_values("s_{{{}}}", lambda a, b: entry(M)(i, b))
_LONG: Terms = {
    "row": _T.entries(2, 1, i), "product": PRODUCTS[0](count, n, i, k), **INDICES, "size": n, "count": count,
}  # fmt: skip


def _product(*args: Any, **other: Any) -> Any:
    return behind(*args, **other)(count, n, i, k)


_SUMMED = Recursion(
    "V", lambda size, row, side: _T.weights(1, size, row, side),
    lambda t, size, row, side, before: before(size, row, side) + _T.weights(t + 2, size, row, side),
)  # fmt: skip
_OTHERWISE: dict[Any, list[Terms]] = {
    facts.GAUSSIAN_LENGTH: [
        {**_LONG, **other} for other in (
            {"product": _product(_T, following=1)}, {"product": _product(_T, first=2)},
            {"product": _product(_T, wide=Rational(1, 2))}, {"product": _product(_T, wide=_n)},
            {"product": _SUMMED(count, n, i, k)}, {"product": PRODUCTS[0](count + 1, n, i, k)},
            {"product": PRODUCTS[0](count, n, k, i)}, {"product": _T.weights(1, n, i, k)},
            {"product": PRODUCTS[1](count, n, i, k)}, {"row": _T.weights(1, n, 1, i)},
            {"row": PRODUCTS[0](3, n, 1, i)}, {"row": _T.gaussian(i, n, n, 1, n)}, {"row": count},
            {"row": k}, {"row": sqrt(_x)}, {"row": _T.deviation * Quantity("q", lambda at: at)}, {"i": k},
        )
    ],
    facts.INTERLACING: [
        {**_SCALED, **other} for other in (
            {"values": entry(M)(1, 1)}, {"values": 2 * _ONE}, {"values": S[M](0, _n, _n)},
            {"values": S[M](_x, _n, _n)}, {"values": S[M](1, _n, oo)}, {"values": MODULI(1, _n, _n)},
            {"other": S[N](2, _n, _n)}, {"other": S[N](1, _n, 2 * _n)}, {"scale": k}, {"scale": sqrt(_x)},
            {"direction": i}, {"low": i}, {"high": k}, {"k": i}, {"i": _x}, {"values": _FIRST(1, _n, _n)},
        )
    ],
    facts.RANK_ONE: [
        {**_CHANGED, **other} for other in (
            {"values": 2 * _ONE}, {"other": S[N](2, _n, _n)}, {"left": k}, {"right": i}, {"norm": i},
            {"norm": k}, {"left": sqrt(_x)}, {"i": k}, {"values": S[M](i, _n, _n), "other": S[N](i, _n, _n)},
        )
    ],
    facts.PRODUCT: [
        {**_PRODUCT, **other} for other in (
            {"values": S[M](2, _n, _n)}, {"left": S[B](2, _n, _n)}, {"right": S[N](1, 2 * _n, _n)},
            {"left": S[B](1, 2 * _n, _n)}, {"values": S[M](1, _n, 2 * _n)}, {"l": i}, {"left": _n},
            {"right": MODULI(1, _n, _n)},
        )
    ],
    facts.NORMS: [
        {"values": _ONE, "x": _x, **INDICES, **other}
        for other in ({"x": k}, {"x": sqrt(_x)}, {"values": MODULI(1, _n, _n)}, {"k": i})
    ],
    facts.WEYL: [
        {**_WEYL, **other} for other in (
            {"modulus": S[M](2, _n, _n)}, {"values": S[N](2, _n, _n)}, {"values": S[M](1, _n, _n)},
            {"modulus": MODULI(2, _n, 2 * _n), "values": S[M](2, _n, 2 * _n)},
            {"modulus": MODULI(3, _n, _n), "values": S[M](3, _n, _n)},
        )
    ],
    facts.SOFT_EDGE: [
        {**_LARGE, **other} for other in (
            {"values": _SHIFTED(1, n, n, layer)}, {"values": _TURNED(1, n, n, layer)},
            {"values": _MIXED(1, n, n, layer)}, {"values": _OTHER_MEAN(1, n, n, layer)},
            {"values": _T.noise(n, n, n, layer)}, {"values": _T.noise(1, n, 2, layer)},
            {"values": _T.noise(1, n, n**2, layer)}, {"values": _T.noise(1, n, n / 2, layer)},
            {"values": _T.noise(1, n, n, 2 * layer)}, {"values": _T.noise(layer, n, n, layer)},
            {"values": _T.gaussian(1, n, n, layer, 2 * n)}, {"values": _T.gaussian(1, n, n, n, n)},
            {"values": S[M](1, n, n)}, {"size": layer}, {"layer": Integer(1)},
        )
    ],
    facts.QUARTER_CIRCLE: [
        {**_BULK, **other} for other in (
            {"power": 0}, {"power": Rational(1, 2)}, {"power": n}, {"power": place}, {"place": n},
            {"values": _T.noise(place, n, 2 * n, layer)}, {"values": _T.noise(1, n, n, layer)},
            {"values": _SHIFTED(place, n, n, layer)},
        )
    ],
    facts.ROW_SUMS: [
        {**_ROWS, **other} for other in (
            {"entry": _T.entries(layer, k, i)}, {"entry": _T.entries(layer, i, i)},
            {"entry": _T.entries(layer, i, k) ** 2}, {"entry": _T.weights(layer, n, i, k)},
            {"entry": entry(M)(i, k)}, {"row": k}, {"size": i}, {"layer": n},
        )
    ],
}  # fmt: skip
BEYOND: list[tuple[facts.Fact, Terms]] = [
    (fact, terms) for fact, all_of in _OTHERWISE.items() for terms in all_of
]
