"""Eq. (105) with its mean: the triangle inequality in the Frobenius norm, by Cauchy-Schwarz."""

from __future__ import annotations

from sympy import Sum, Symbol, sqrt, symbols

from claims.im2026 import mean_errors as errors
from claims.im2026 import one_layer_updates as claims
from claims.im2026.mean_errors import ENTRIES, k
from claims.im2026.notation import N, T, i
from claims.model import Claim
from claims.statement import Compare
from claims.terms import entry
from proofs.calculation import algebra, linked, summed_over
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import CAUCHY_SCHWARZ, FUBINI
from proofs.kernel import (
    Theorem,
    assume,
    fact,
    instance,
    joint,
    substitute,
    sum_rearranged,
    unfold,
)
from proofs.registry import proves

n, m = (Symbol(name, integer=True, positive=True) for name in "nm")
TOTAL = Sum(errors.error_of(n, k), (n, 1, N))
"""An entry of the sum of all errors."""
SQUARE = Sum(TOTAL**2, (k, 1, ENTRIES))
x = Symbol("x", real=True)


def not_negative() -> Theorem:
    """A sum of squares, and its root."""
    below = summed_over(joint(Compare(0, "<=", TOTAL**2)), (k, ENTRIES))
    return linked(Compare(SQUARE, ">=", 0), below)


def bound_is_not_negative(which: int) -> Theorem:
    """A product of norms, of sequence m."""
    signs = [instance(assume(formula), m) for formula in errors.POSITIVE]
    vectors = [entry(vector)(m) for vector in errors.LENGTHS_OF]
    names = dict(zip(symbols("a:5", real=True), vectors, strict=True))
    fixed = dict(zip(symbols("b:3", nonnegative=True), errors.FIXED, strict=True))
    term = errors.BOUNDS[which](m)
    for symbol, vector in {**names, **fixed}.items():
        term = term.subs(vector, symbol)
    given = [Compare(symbol, ">=", 0) for symbol in names]
    return algebra(Compare(term, ">=", 0), given, {**names, **fixed}, *signs)


def along_the_total(which: int) -> Theorem:
    """The product of an error of sequence m with the total is at most the total's norm times its bound."""
    error = entry(errors.ERROR_MATRICES[which])(m, k)
    schwarz = fact(CAUCHY_SCHWARZ, a=TOTAL, b=error, k=k, low=1, high=ENTRIES)
    product, root = Sum(TOTAL * error, (k, 1, ENTRIES)), sqrt(SQUARE)
    s, h, q, b, g = symbols("s h q b g", real=True)
    given = (
        Compare(s**2, "<=", g * q), Compare(g, "=", h**2), Compare(h, ">=", 0), Compare(q, "<=", b**2),
        Compare(b, ">=", 0),
    )  # fmt: skip
    terms = {
        s: product,
        h: root,
        q: Sum(error**2, (k, 1, ENTRIES)),
        b: errors.BOUNDS[which](m),
        g: SQUARE,
    }
    positive = not_negative()
    square = joint(Compare(SQUARE, "=", root**2), positive)
    return algebra(
        Compare(s, "<=", h * b), given, terms, schwarz, square, joint(Compare(root, ">=", 0), positive),
        instance(assume(errors.SHORT[which]), m), bound_is_not_negative(which),
    )  # fmt: skip


def sequence_along_the_total() -> Theorem:
    """The same for the sum of the three errors of a sequence."""
    parts = [along_the_total(which) for which in range(3)]
    whole = Sum(TOTAL * errors.error_of(m, k), (k, 1, ENTRIES))
    added = sum_rearranged(whole, sum(part.formula.left for part in parts))
    return joint(Compare(whole, "<=", sqrt(SQUARE) * errors.bound_of(m)), added, *parts)


def total_along_itself() -> Theorem:
    """Summed over sequences, products with the total are its square."""
    term = TOTAL * errors.error_of(m, k)
    turned = fact(FUBINI, a=term, j=m, k=k, rows=N, columns=ENTRIES)
    pulled = sum_rearranged(
        Sum(x * errors.error_of(m, k), (m, 1, N)), x * Sum(errors.error_of(m, k), (m, 1, N))
    )
    each = joint(Compare(Sum(term, (m, 1, N)), "=", TOTAL**2), substitute(pulled, {x: TOTAL}))
    return joint(Compare(turned.formula.left, "=", SQUARE), turned, summed_over(each, (k, ENTRIES)))


@proves(claims.slope_of_the_value_matrix_by_a_mean)
def by_the_triangle_inequality(claim: Claim) -> Certificate:
    """H^2 <= H B for the norm H of the total and the sum B of the bounds."""
    root, every = sqrt(SQUARE), Sum(errors.bound_of(m), (m, 1, N))
    summed = summed_over(sequence_along_the_total(), (m, N))
    h, b, size = symbols("h b size", real=True)
    pulled = substitute(
        sum_rearranged(Sum(x * errors.bound_of(m), (m, 1, N)), x * every), {x: root}
    )
    positive = not_negative()
    square = joint(
        Compare(root**2, "<=", root * every), summed, pulled, total_along_itself(), positive
    )
    signs = summed_over(bounds_are_not_negative(), (m, N))
    below = algebra(
        Compare(h, "<=", b), (Compare(h**2, "<=", h * b), Compare(h, ">=", 0), Compare(b, ">=", 0)),
        {h: root, b: every}, square, joint(Compare(root, ">=", 0), positive),
        linked(Compare(every, ">=", 0), signs),
    )  # fmt: skip
    mean = algebra(
        Compare(h / size, "<=", b / size), (Compare(h, "<=", b), Compare(size, ">", 0)),
        {h: root, b: every, size: N * T}, below, joint(Compare(N * T, ">", 0)),
    )  # fmt: skip
    own = claim.base or claim
    named = unfold(errors.any_slope, errors.SLOPE, own.domain)
    total = Sum(errors.bound_of(i), (i, 1, N))
    theorem = joint(Compare(errors.any_slope, "<=", total / (N * T)), named, mean)
    return conclude(claim, theorem, method="triangle inequality, by Cauchy-Schwarz")


def bounds_are_not_negative() -> Theorem:
    """The sum of the three bounds of sequence m."""
    parts = [bound_is_not_negative(which) for which in range(3)]
    return joint(Compare(0, "<=", errors.bound_of(m)), *parts)
