"""Exact evaluation of definitions at concrete points: Gaussian moments, Jacobians, softmax.

These routines write everything out entry by entry in exact arithmetic.  They are slow, obvious and
meant for tiny sizes, where they are the claims' own reading of a left-hand side.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from sympy import (
    QQ,
    Add,
    Expr,
    ImmutableDenseMatrix,
    Integer,
    Matrix,
    Poly,
    Pow,
    Symbol,
    factorial2,
    prod,
    sympify,
)
from sympy.polys.rings import PolyRing

__all__ = [
    "centring",
    "correlated_expectation",
    "directional_jacobian",
    "entries",
    "expectation",
    "frobenius_square",
    "frobenius_square_expectation",
    "softmax_at",
    "vec_r",
]


def entries(name: str, rows: int, cols: int) -> ImmutableDenseMatrix:
    """A matrix of independent symbols name_{ij}.

    >>> entries("w", 1, 2)
    Matrix([[w_00, w_01]])
    """
    return ImmutableDenseMatrix(rows, cols, lambda i, j: Symbol(f"{name}_{i}{j}", real=True))


def centring(n: int) -> ImmutableDenseMatrix:
    """I_n - 11^T/n, the projection on what differs between tokens."""
    return ImmutableDenseMatrix.eye(n) - ImmutableDenseMatrix.ones(n, n) / Integer(n)


def vec_r(matrix: Any) -> list[Any]:
    """Entries row by row."""
    return list(matrix)


def directional_jacobian(
    differential: Callable[[ImmutableDenseMatrix], ImmutableDenseMatrix], rows: int, cols: int
) -> ImmutableDenseMatrix:
    """The matrix of a linear map W -> dY in row-wise vectorisation, one unit direction a column."""
    columns = []
    for k in range(rows):
        for m in range(cols):
            unit = ImmutableDenseMatrix(
                rows, cols, lambda i, j, k=k, m=m: Integer(i == k and j == m)
            )
            columns.append(vec_r(differential(unit)))
    return ImmutableDenseMatrix(columns).T


def frobenius_square(matrix: Any) -> Expr:
    """Sum of squared entries."""
    return sum((x**2 for x in matrix), start=Integer(0))


def expectation(expression: Any, variances: Mapping[Symbol, Any]) -> Expr:
    """E of a polynomial in independent zero-mean Gaussians with the given variances, exactly.

    >>> from sympy import symbols
    >>> x, y = symbols("x y")
    >>> expectation(x**4 + x * y + y**2, {x: 2, y: 3})
    15
    """
    present = [s for s in sympify(expression).free_symbols if s in variances]
    if not present:
        return sympify(expression)
    scales = [sympify(variances[s]) for s in present]
    total = Integer(0)
    for powers, coefficient in _monomials(expression, present):
        if all(p % 2 == 0 for p in powers):
            for p, scale in zip(powers, scales, strict=True):
                coefficient = coefficient * factorial2(p - 1) * scale ** (p // 2)
            total += coefficient
    return total


def _monomials(expression: Any, symbols: Sequence[Symbol]) -> list[tuple[tuple[int, ...], Expr]]:
    """Exponents and coefficient of every term of a polynomial in some of its symbols."""
    expression = sympify(expression)
    roots = {power for power in expression.atoms(Pow) if power.is_number}
    others = sorted((expression.free_symbols - set(symbols)) | roots, key=str)
    try:  # with rational coefficients this is many times faster
        terms = PolyRing([*symbols, *others], QQ).from_expr(expression).terms()
    except ValueError:
        return list(Poly(expression, *symbols).terms())
    grouped: dict[tuple[int, ...], list[Expr]] = {}
    for powers, coefficient in terms:
        factors = (s**p for s, p in zip(others, powers[len(symbols) :], strict=True) if p)
        term = prod(factors, start=QQ.to_sympy(coefficient))
        grouped.setdefault(powers[: len(symbols)], []).append(term)
    return [(powers, Add(*terms)) for powers, terms in grouped.items()]


def frobenius_square_expectation(matrix: Any, variances: Mapping[Symbol, Any]) -> Expr:
    """E of the squared Frobenius norm of a matrix polynomial in independent zero-mean variables.

    Where an entry is multilinear its monomials are uncorrelated, so that only squares remain and
    nothing beyond the variances is used; other entries are squared and need Gaussian moments.
    """
    return sum((_second_moment(x, variances) for x in matrix if x != 0), start=Integer(0))


def _second_moment(entry: Expr, variances: Mapping[Symbol, Any]) -> Expr:
    present = [s for s in entry.free_symbols if s in variances]
    if not present:
        return entry**2
    terms = _monomials(entry, present)
    if any(power > 1 for powers, _ in terms for power in powers):
        return expectation(entry**2, variances)
    scales = [sympify(variances[s]) for s in present]
    return sum(
        (c**2 * prod(v for p, v in zip(powers, scales, strict=True) if p) for powers, c in terms),
        start=Integer(0),
    )


def correlated_expectation(expression: Any, variables: Sequence[Symbol], covariance: Any) -> Expr:
    """E of a polynomial in jointly Gaussian zero-mean variables with a given covariance matrix.

    Uses E[x_1 f] = sum_j Cov(x_1, x_j) E[d f / d x_j], monomial by monomial.

    >>> from sympy import symbols
    >>> x, y = symbols("x y")
    >>> correlated_expectation(x**2 * y**2, [x, y], Matrix([[1, 1], [1, 1]]))
    3
    """
    covariance = Matrix(covariance)

    @cache
    def moment(powers: tuple[int, ...]) -> Expr:
        first = next((i for i, p in enumerate(powers) if p), None)
        if first is None:
            return Integer(1)
        if sum(powers) % 2:
            return Integer(0)
        rest = list(powers)
        rest[first] -= 1
        total = Integer(0)
        for j, power in enumerate(rest):
            if power and covariance[first, j] != 0:
                lower = tuple(p - (i == j) for i, p in enumerate(rest))
                total += covariance[first, j] * power * moment(lower)
        return total

    polynomial = Poly(expression, *variables)
    return sum((c * moment(p) for p, c in polynomial.terms()), start=Integer(0))


def softmax_at(logits: ImmutableDenseMatrix, base: Symbol) -> ImmutableDenseMatrix:
    """Row-wise softmax of rational multiples of one unit, by powers of base = e^unit.

    e^unit is transcendental for a non-zero algebraic unit, so an identity between rational
    functions of `base` holds if and only if it holds for the numbers.
    """
    weights = logits.applyfunc(lambda m: base**m)
    totals = [sum(weights.row(i)) for i in range(weights.rows)]
    return ImmutableDenseMatrix(
        weights.rows, weights.cols, lambda i, j: (weights[i, j] / totals[i]).cancel()
    )
