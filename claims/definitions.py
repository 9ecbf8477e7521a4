"""Exact evaluation of definitions at concrete points: Gaussian moments, Jacobians, softmax.

These routines write everything out entry by entry in exact arithmetic.  They are slow, obvious and
meant for tiny sizes, where they are the claims' own reading of a left-hand side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, reduce
from operator import add, mul
from typing import Any

import flint
from sympy import (
    Add,
    Expr,
    ImmutableDenseMatrix,
    Integer,
    Matrix,
    Mul,
    Poly,
    Pow,
    Symbol,
    factorial2,
    prod,
    sympify,
)

from claims.exact import rational

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
    """A matrix of independent symbols name_{ij}; a comma keeps indices of two digits apart.

    >>> entries("w", 1, 2)
    Matrix([[w_00, w_01]])
    """
    between = "," if max(rows, cols) > 10 else ""
    return ImmutableDenseMatrix(
        rows, cols, lambda i, j: Symbol(f"{name}_{i}{between}{j}", real=True)
    )


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
    return sum((x**2 for x in matrix.flat()), start=Integer(0))


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
    others = _others([expression], symbols)
    try:  # with rational coefficients this is many times faster
        grouped = _grouped(expression, symbols, others)
    except ValueError:
        return list(Poly(expression, *symbols).terms())
    return [(powers, _written(found, others)) for powers, found in grouped.items()]


def frobenius_square_expectation(matrix: Any, variances: Mapping[Symbol, Any]) -> Expr:
    """E of the squared Frobenius norm of a matrix polynomial in independent zero-mean variables.

    Where an entry is multilinear its monomials are uncorrelated, so that only squares remain and
    nothing beyond the variances is used; other entries are squared and need Gaussian moments.
    """
    present = [sympify(x) for x in matrix.flat() if x != 0]
    others = _others(present, variances)
    totals: dict[Expr, flint.fmpq_mpoly] = {}
    left = Integer(0)
    for entry in present:
        try:
            for scale, squares in _mean_square(entry, variances, others).items():
                totals[scale] = totals[scale] + squares if scale in totals else squares
        except ValueError:  # no polynomial, or not multilinear
            left += _second_moment(entry, variances)
    return left + Add(*(scale * _written(total, others) for scale, total in totals.items()))


def _others(present: Sequence[Expr], symbols: Iterable[Symbol]) -> list[Expr]:
    """What polynomials are made of besides some symbols: others, and roots of numbers."""
    names = set[Expr]().union(*(entry.free_symbols for entry in present)).difference(symbols)
    roots = (power for entry in present for power in entry.atoms(Pow) if power.is_number)
    return sorted(names.union(roots), key=str)


def _mean_square(
    entry: Expr, variances: Mapping[Symbol, Any], others: Sequence[Expr]
) -> dict[Expr, flint.fmpq_mpoly]:
    """Sums of squared coefficients, polynomials in `others`, by the variance of their monomials.

    Raises `ValueError` for what is no multilinear polynomial in the random variables.
    """
    present = sorted((s for s in entry.free_symbols if s in variances), key=str)
    scales = [sympify(variances[s]) for s in present]
    grouped = _grouped(entry, present, others)
    if any(power > 1 for powers in grouped for power in powers):
        raise ValueError(f"{entry}: is not multilinear")
    squares: dict[Expr, flint.fmpq_mpoly] = {}
    for powers, found in grouped.items():
        scale = Mul(*(v for p, v in zip(powers, scales, strict=True) if p))
        squares[scale] = squares[scale] + found**2 if scale in squares else found**2
    return squares


def _grouped(
    expression: Expr, symbols: Sequence[Symbol], others: Sequence[Expr]
) -> dict[tuple[int, ...], flint.fmpq_mpoly]:
    """The coefficients of a polynomial in some symbols, polynomials in all others."""
    count, ring = len(symbols), _ring(len(others))
    grouped: dict[tuple[int, ...], dict[tuple[int, ...], Any]] = {}
    for powers, coefficient in _terms(_polynomial(expression, [*symbols, *others])):
        grouped.setdefault(powers[:count], {})[powers[count:]] = coefficient
    return {powers: ring.from_dict(terms) for powers, terms in grouped.items()}


def _terms(polynomial: flint.fmpq_mpoly) -> Iterator[tuple[tuple[int, ...], flint.fmpq]]:
    """Exponents, which SymPy takes for integers whatever it calculates with, and coefficients."""
    return ((tuple(map(int, powers)), c) for powers, c in polynomial.terms())


def _ring(count: int) -> flint.fmpq_mpoly_ctx:
    """Polynomials in so many variables."""
    return flint.fmpq_mpoly_ctx.get([f"x{place}" for place in range(count)], "lex")


def _polynomial(expression: Expr, variables: Sequence[Expr]) -> flint.fmpq_mpoly:
    """A polynomial with rational coefficients, multiplied out.

    Raises `ValueError` for any other expression.
    """
    ring = _ring(len(variables))
    known = dict(zip(variables, ring.gens(), strict=True))

    def of(e: Expr) -> Any:
        if e in known:
            return known[e]
        if e.is_Rational:
            return ring.constant(flint.fmpq(int(e.p), int(e.q)))
        if isinstance(e, Add):
            return reduce(add, map(of, e.args))
        if isinstance(e, Mul):
            return reduce(mul, map(of, e.args))
        if isinstance(e, Pow) and e.exp.is_Integer and e.exp >= 0:
            return of(e.base) ** int(e.exp)
        raise ValueError(f"{e}: is no polynomial in {variables}")

    return of(expression)


def _written(polynomial: flint.fmpq_mpoly, variables: Sequence[Expr]) -> Expr:
    """The same for SymPy."""
    return Add(
        *(
            Mul(
                rational(c),
                *(v**p for v, p in zip(variables, at, strict=True) if p),
            )
            for at, c in _terms(polynomial)
        )
    )


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
