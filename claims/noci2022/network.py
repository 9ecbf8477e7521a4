r"""The network of Noci et al. (2022), Sec. 3.2: uniform attention, linear activation.

    S = (1/n) 1 1^T X W^V,   Z = alpha_1 S + X,   Y = Z W^F1 W^F2,   X' = alpha_2 Y + Z

Weights are i.i.d. with mean zero and variance 1/d_v, independent between matrices and layers.
Every quantity of Sec. 3.2 is a function of the second moments E[X_kj X_k'j'] of the tokens.  They
are carried through a block here matrix by matrix and entry by entry, from
E[W_zj W_z'j'] = delta_zz' delta_jj' / d_v, E[W_zj] = 0 and independence alone; the law of the
weights enters in no other way.  `expanded_gram` writes whole networks out as polynomials in their weights
instead, and the two are held to each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from random import Random
from typing import Any

from sympy import (
    QQ,
    Expr,
    ImmutableDenseMatrix,
    Integer,
    MatrixBase,
    Poly,
    Rational,
    Sum,
    Symbol,
    exp,
    sqrt,
    sympify,
)
from sympy.polys.matrices import DomainMatrix

from claims.definitions import entries, expectation
from claims.domain import Array, Condition, Domain, Point, Real, Size
from claims.expressions import explicit
from claims.model import Hypothesis, Understood
from claims.noci2022.notation import C, X, alpha1, alpha2, atilde1, atilde2, d_v, depth, n, normX
from claims.statement import Compare, ForAll
from claims.terms import entry

__all__ = ["Moments", "Network", "Propagated", "Strength", "Tied", "expanded_gram"]

LINEAR = Hypothesis(r"\sigma(z)=z")
XAVIER = Hypothesis(
    r"W^V,W^{F_1},W^{F_2}\ \text{independent, i.i.d. zero-mean entries of variance } 1/d_v,"
    r"\ \text{fresh in every layer}"
)
SCALING = Hypothesis(
    r"\alpha_i^2=\tilde\alpha_i/L,\ \tilde\alpha_i\ge0\ \text{independent of the depth } L"
)
REAL_STRENGTHS = Understood(
    r"$\tilde\alpha_i\ge0$, where the print has $\tilde\alpha_i\in\mathbb R$.",
    r"$\tilde\alpha_1=-1$: no real $\alpha_1$ has $\alpha_1^2=-1/L$.",
)
EQUAL_NORMS = Hypothesis(r"\|X_k\|=\|x\|\ \text{for all tokens } k,\ x\ne0")


# Where the claims of Sec. 3.2 are asserted --------------------------------------------------------


@dataclass(frozen=True)
class Strength(Real):
    """A residual strength: any real, drawn in [-2/3, 2/3] so that products of layers stay light."""

    def draw(self, rng: Random, point: Point) -> Any:
        while True:
            value = Rational(rng.randint(-4, 4), 6)
            if self.objection(value, point) is None:
                return value


@dataclass(frozen=True)
class Tied:
    """A variable that the variables before it determine."""

    symbol: Symbol
    expression: Expr

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        if weight == 0:
            yield explicit(self.expression, point)

    def draw(self, rng: Random, point: Point) -> Any:
        return explicit(self.expression, point)

    def objection(self, value: Any, point: Point) -> str | None:
        expected = explicit(self.expression, point)
        return None if value == expected else f"{self.symbol} = {value}: must be {expected}"


token, other, feature = (Symbol(name, integer=True, positive=True) for name in ("k", "k'", "z"))


def product_of_tokens(k: Any, l: Any) -> Expr:  # noqa: E741
    """<X_k, X_l> in entries."""
    x = entry(X)
    return Sum(x(k, feature) * x(l, feature), (feature, 1, d_v))


NONZERO = Condition(r"X\ne0", lambda p: not p[X].is_zero_matrix, Compare(normX, ">", 0))
EVERY_TOKEN_NONZERO = Condition(
    r"X_k\ne0",
    lambda p: all(any(p[X].row(k)) for k in range(p[X].rows)),
    ForAll(token, 1, n, Compare(product_of_tokens(token, token), ">", 0)),
)
POSITIVE_MEAN = Condition(
    r"C(X)>0",
    lambda p: any(sum(p[X].col(j)) for j in range(p[X].cols)),
    Compare(C(), ">", 0),
)
TWO_TOKENS = (Size(token, 1, 3), Size(other, 1, 3))
IN_RANGE = Condition(
    r"k,k'\le n",
    lambda p: p[token] <= p[n] and p[other] <= p[n],
    Compare(token, "<=", n) & Compare(other, "<=", n),
)

SIZES = (Size(n, 2, 4), Size(d_v, 1, 3))
SMALL_SIZES = (Size(n, 2, 3), Size(d_v, 1, 2))
STRENGTHS = (Strength(alpha1), Strength(alpha2))
SCALED = (Real(atilde1, low=0), Real(atilde2, low=0))

network = Domain((*SIZES, Size(depth, 1, 3), *STRENGTHS, Array(X)))
scaled_network = Domain((*SIZES, *SCALED, Array(X)))


# Second moments -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Moments:
    """E[X_kj X_k'j'] for n tokens of width d, as rows over (k, j) and columns over (k', j')."""

    n: int
    d: int
    rows: tuple[tuple[Fraction, ...], ...]

    @classmethod
    def of(cls, tokens: Any) -> Moments:
        """The second moments of fixed tokens."""
        x = [Fraction(int(e.p), int(e.q)) for e in tokens]
        return cls(tokens.rows, tokens.cols, tuple(tuple(a * b for b in x) for a in x))

    def _built(self, entry: Callable[[int, int, int, int], Any]) -> Moments:
        places = [(k, j) for k in range(self.n) for j in range(self.d)]
        rows = tuple(tuple(entry(*a, *b) for b in places) for a in places)
        return Moments(self.n, self.d, rows)

    def at(self, k: int, j: int, k2: int, j2: int) -> Fraction:
        return self.rows[k * self.d + j][k2 * self.d + j2]

    def through_weights(self) -> Moments:
        """Of D = X W: E[D_kj D_k'j'] = sum_zz' E[X_kz X_k'z'] E[W_zj W_z'j']."""

        gram = [[g / self.d for g in row] for row in self.gram()]  # z = z', at variance 1/d

        def entry(k: int, j: int, k2: int, j2: int) -> Fraction:
            return gram[k][k2] if j == j2 else Fraction(0)  # other columns are independent

        return self._built(entry)

    def through_uniform_attention(self) -> Moments:
        """Of (1/n) 1 1^T X: every row is the mean token."""

        def mean(j: int, j2: int) -> Fraction:
            pairs = ((a, b) for a in range(self.n) for b in range(self.n))
            return sum((self.at(a, j, b, j2) for a, b in pairs), Fraction(0)) / self.n**2

        means = [[mean(j, j2) for j2 in range(self.d)] for j in range(self.d)]
        return self._built(lambda _k, j, _k2, j2: means[j][j2])

    def plus(self, factor: Fraction, other: Moments) -> Moments:
        """These plus factor times other."""
        pairs = zip(self.rows, other.rows, strict=True)
        rows = tuple(tuple(a + factor * b for a, b in zip(r, s, strict=True)) for r, s in pairs)
        return Moments(self.n, self.d, rows)

    def after_attention(self, square1: Fraction) -> Moments:
        """Of Z = alpha_1 S + X; E[S_kj X_k'j'] = 0, for W^V has mean zero and X is free of it."""
        return self.plus(square1, self.through_uniform_attention().through_weights())

    def after_block(self, square1: Fraction, square2: Fraction) -> Moments:
        """Of X' = alpha_2 Z W^F1 W^F2 + Z; the cross terms vanish for the same reason."""
        z = self.after_attention(square1)
        return z.plus(square2, z.through_weights().through_weights())

    def gram(self) -> list[list[Fraction]]:
        """E <X_k, X_k'>."""
        tokens, columns = range(self.n), range(self.d)
        return [
            [sum((self.at(k, j, l, j) for j in columns), Fraction(0)) for l in tokens]  # noqa: E741
            for k in tokens
        ]


def inner_products(gram: list[list[Any]]) -> Any:
    """C, the sum of all entries of a Gram matrix."""
    return sum(sum(row[1:], row[0]) for row in gram)


def squared_norm(gram: list[list[Any]]) -> Any:
    """The squared Frobenius norm of the tokens: the trace of their Gram matrix."""
    return sum(gram[k][k] for k in range(len(gram)))


def correlation(gram: list[list[Any]]) -> Expr:
    """Eqs. (5) and (14): the mean over pairs k != k' of G_kk' / sqrt(G_kk G_k'k')."""
    tokens = range(len(gram))
    pairs = [(k, l) for k in tokens for l in tokens if k != l]  # noqa: E741
    terms = (gram[k][l] / sqrt(gram[k][k] * gram[l][l]) for k, l in pairs)  # noqa: E741
    return sum(terms, start=Integer(0)) / len(pairs)


def number(value: Fraction) -> Rational:
    return Rational(value.numerator, value.denominator)


def numbers(gram: list[list[Fraction]]) -> list[list[Rational]]:
    return [[number(value) for value in row] for row in gram]


def _fraction(value: Any) -> Fraction:
    return Fraction(int(value.p), int(value.q))


# Networks of a given depth, and of infinite depth -------------------------------------------------


@dataclass(frozen=True)
class Network:
    """The tokens and squared residual strengths of a point."""

    start: Moments
    square1: Fraction
    square2: Fraction

    @classmethod
    def unscaled(cls, point: Point) -> Network:
        """Strengths alpha_1, alpha_2 that do not depend on the depth."""
        return cls(
            Moments.of(point[X]), _fraction(point[alpha1] ** 2), _fraction(point[alpha2] ** 2)
        )

    @classmethod
    def scaled(cls, point: Point, layers: Any = 1) -> Network:
        """Squared strengths atilde_i / layers."""
        squares = (_fraction(sympify(point[a]) / layers) for a in (atilde1, atilde2))
        return cls(Moments.of(point[X]), *squares)

    def after(self, layers: int) -> Moments:
        moments = self.start
        for _ in range(layers):
            moments = moments.after_block(self.square1, self.square2)
        return moments

    def growing(self) -> list[tuple[Rational, list[list[Rational]]]]:
        """Pairs (lambda, G) with E X^l (X^l)^T = sum of lambda^l G, for every l."""
        return _modes(lambda m: m.after_block(self.square1, self.square2), self.start)

    def flowing(self) -> list[list[Expr]]:
        """lim E X^L (X^L)^T as L -> oo, where this network holds atilde_1, atilde_2 as its squares.

        A block at squared strengths e atilde_i maps moments by I + e B + e^2 C, so that L blocks at
        e = 1/L tend to exp(B); and B is half the difference of the blocks at e = 1 and e = -1.
        """

        def step(m: Moments) -> Moments:
            ahead = m.after_block(self.square1, self.square2)
            behind = m.after_block(-self.square1, -self.square2)
            zero = m.plus(Fraction(-1), m)
            return zero.plus(Fraction(1, 2), ahead).plus(Fraction(-1, 2), behind)

        parts = _modes(step, self.start)
        tokens = range(self.start.n)
        return [
            [sum((exp(rate) * g[k][l] for rate, g in parts), start=Integer(0)) for l in tokens]  # noqa: E741
            for k in tokens
        ]


def _modes(
    step: Callable[[Moments], Moments], start: Moments
) -> list[tuple[Rational, list[list[Rational]]]]:
    """Split `start` into eigenvectors of a linear map: their eigenvalues and Gram matrices.

    The least polynomial p with p(step) start = 0 is found exactly.  Each of its roots r has the
    part prod over the other roots s of (step - s)/(r - s), applied to start.

    Raises `ValueError` when a root is multiple or irrational.
    """
    orbit = [start]
    while (relation := _relation(orbit)) is None:
        orbit.append(step(orbit[-1]))
    t = Symbol("t")
    least = Poly(list(reversed(relation)), t, domain="QQ")
    roots = least.ground_roots()
    if sum(roots.values()) != least.degree() or any(m > 1 for m in roots.values()):
        raise ValueError(f"{least.as_expr()} has multiple or irrational roots: {roots}")
    grams = [numbers(m.gram()) for m in orbit]
    tokens = range(start.n)
    parts = []
    for root in roots:
        others = [Poly(t - s, t) / (root - s) for s in roots if s != root]
        part = Poly(1, t, domain="QQ")
        for factor in others:
            part = part * Poly(factor, t, domain="QQ")
        powers = list(zip(reversed(part.all_coeffs()), grams, strict=False))
        gram = [[sum(c * g[k][l] for c, g in powers) for l in tokens] for k in tokens]  # noqa: E741
        if any(any(row) for row in gram):
            parts.append((root, gram))
    return parts


def _relation(orbit: list[Moments]) -> list[Rational] | None:
    """Coefficients c_0, ..., c_m = 1 with sum of c_i orbit[i] = 0, or None when independent."""
    columns = [[x for row in m.rows for x in row] for m in orbit]
    rows = sorted(set(zip(*columns, strict=True)))
    matrix = DomainMatrix(
        [[QQ(x.numerator, x.denominator) for x in row] for row in rows], (len(rows), len(orbit)), QQ
    )
    kernel = matrix.nullspace().to_Matrix()
    if not kernel.rows:
        return None
    return [c / kernel[0, -1] for c in kernel.row(0)]


# Quantities that stand on right-hand sides --------------------------------------------------------


class Propagated(Expr):
    r"""E C or E\|.\|_F^2 of X^\ell or Z^\ell, as a function of the input tokens X.

    >>> Propagated("C", "X", X, alpha1, alpha2, 0).subs(X, X)
    Propagated(C, X, X, alpha_1, alpha_2, 0)
    """

    is_commutative = True

    @property
    def own_indices(self) -> set[Any]:
        """The words among its arguments."""
        return set(self.args[:2])

    @property
    def free_symbols(self) -> set[Any]:
        return set().union(*(part.free_symbols for part in self.args[2:]))

    def __new__(cls, quantity: Any, stage: Any, tokens: Any, *strengths_and_layers: Any) -> Any:
        if isinstance(tokens, MatrixBase):
            return _propagated(str(quantity), str(stage), tokens, *strengths_and_layers)
        labels = Symbol(str(quantity)), Symbol(str(stage))
        return super().__new__(cls, *labels, tokens, *map(sympify, strengths_and_layers))

    def _latex(self, printer: Any, **_: Any) -> str:
        quantity, stage, *_rest, layers = self.args
        inner = f"{stage}^{{{printer._print(layers)}}}"
        body = rf"C({inner})" if str(quantity) == "C" else rf"\left\|{inner}\right\|_F^2"
        return rf"\mathbb E{body}"


@lru_cache(maxsize=4096)
def _propagated(quantity: str, stage: str, tokens: Any, a1: Any, a2: Any, layers: Any) -> Rational:
    moments = Network(Moments.of(tokens), _fraction(a1**2), _fraction(a2**2)).after(int(layers))
    if stage == "Z":
        moments = moments.after_attention(_fraction(a1**2))
    summary = inner_products if quantity == "C" else squared_norm
    return number(summary(moments.gram()))


def expanded_gram(tokens: Any, strength1: Any, strength2: Any, layers: int) -> ImmutableDenseMatrix:
    """E X^l (X^l)^T with every layer's weights written out as symbols, Gaussian moments taken."""
    x = ImmutableDenseMatrix(tokens)
    size, width = x.shape
    uniform = ImmutableDenseMatrix.ones(size, size) / size
    variances: dict[Symbol, Rational] = {}
    for layer in range(layers):
        v, f1, f2 = (entries(f"{name}{layer}", width, width) for name in ("v", "f", "g"))
        variances |= {w: Rational(1, width) for matrix in (v, f1, f2) for w in matrix}
        z = strength1 * uniform * x * v + x
        x = strength2 * z * f1 * f2 + z
    return (x * x.T).applyfunc(lambda entry: expectation(entry, variances))
