r"""Lemmas on two vectors a and b with entries given as terms: when are they parallel?

Vectors are indexed by one range, or by several nested ones (outcomes and features).  With

    p = sum a^2,   q = sum b^2,   r = sum a b,   p, q > 0,

r <= sqrt(p q), with equality exactly when b = c a for c = sqrt(q/p).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sympy import Expr, Sum, Symbol, sqrt

from claims.statement import Compare
from proofs import kernel
from proofs.calculation import linked, summed_over
from proofs.kernel import (
    Theorem,
    assume,
    generalise,
    joint,
    sum_at_least_term,
    sum_rearranged,
)

__all__ = [
    "at_most_one",
    "inner",
    "ratio_of_parallel",
    "scaled_sums",
    "squares_bound",
    "sum_is_positive",
    "terms_vanish",
]

Range = tuple[Any, Any, Any]


def inner(a: Expr, b: Expr, ranges: Sequence[Range]) -> Expr:
    """sum of a b, the first range innermost; its indices get names that nothing is assumed of."""
    own = {index: Symbol(rf"\bar {index.name}", **index._assumptions_orig) for index, *_ in ranges}
    total = (a * b).xreplace(own)
    for index, low, high in ranges:
        total = Sum(total, (own[index], low, high))
    return total


def _sums(start: Theorem, ranges: Sequence[Range]) -> list[Theorem]:
    """Partial sums of a term that is not negative: term >= 0, sum term >= 0, and so on outwards."""
    found = [start]
    for limits in ranges:
        summed = summed_over(found[-1], limits)
        found.append(linked(Compare(summed.formula.left, ">=", 0), summed))
    return found


def terms_vanish(term: Expr, ranges: Sequence[Range], start: Theorem, whole: Theorem) -> Theorem:
    """term = 0 for indices in their ranges, from term >= 0 and a theorem that its sum is zero."""
    partial = _sums(start, ranges)
    below = [
        sum_at_least_term(generalise(partial[k], *limits), limits[0])
        for k, limits in enumerate(ranges)
    ]
    return joint(Compare(term, "=", 0), whole, start, *below)


def sum_is_positive(term: Expr, limits: Range, positive: Theorem, place: Any) -> Theorem:
    """sum term > 0 from term > 0 for all indices of a range that holds `place`."""
    weak = joint(Compare(term, ">=", 0), kernel.instance(positive, limits[0]))
    one = sum_at_least_term(generalise(weak, *limits), place)
    at_place = kernel.instance(positive, place)
    return joint(Compare(Sum(term, limits), ">", 0), one, at_place)


def scaled_sums(a: Expr, b: Expr, c: Expr, ranges: Sequence[Range], tied: Theorem) -> Theorem:
    """sum a b = c sum a^2 and sum b^2 = c^2 sum a^2, from b = c a for all indices."""
    wanted = ((a * b, c * a**2), (b**2, c**2 * a**2))
    links = []
    for left, right in wanted:
        step = joint(Compare(left, "=", right), tied)
        for limits in ranges:
            step = summed_over(step, limits)
        outside = c if right == c * a**2 else c**2
        pulled = sum_rearranged(step.formula.right, outside * inner(a, a, ranges))
        links.append(joint(Compare(step.formula.left, "=", pulled.formula.right), step, pulled))
    return kernel.both(*links)


def ratio_of_parallel(
    a: Expr, b: Expr, c: Expr, ranges: Sequence[Range], *known: Theorem
) -> Theorem:
    """b = c a at indices in range; `known` gives c^2 p = q and c p = r."""
    square = inner(b - c * a, b - c * a, ranges)
    gap = linked(Compare(square, "=", 0), *known)
    vanish = terms_vanish((b - c * a) ** 2, ranges, joint(Compare((b - c * a) ** 2, ">=", 0)), gap)
    return joint(Compare(b, "=", c * a), vanish)


def squares_bound(a: Expr, b: Expr, ranges: Sequence[Range]) -> Theorem:
    """r^2 <= p q under p > 0: the sum of (b - c a)^2 is not negative for c = r / p."""
    p, q, r = inner(a, a, ranges), inner(b, b, ranges), inner(a, b, ranges)
    c = Symbol("c", real=True)
    square = inner(b - c * a, b - c * a, ranges)
    expanded = sum_rearranged(square, q - 2 * c * r + c**2 * p)
    start = joint(Compare((b - c * a) ** 2, ">=", 0))
    above = joint(Compare(expanded.formula.right, ">=", 0), _sums(start, ranges)[-1], expanded)
    positive = assume(Compare(p, ">", 0))
    return joint(Compare(r**2, "<=", p * q), kernel.substitute(above, {c: r / p}), positive)


def at_most_one(a: Expr, b: Expr, ranges: Sequence[Range]) -> Theorem:
    """r / sqrt(p q) <= 1 under p > 0 and q > 0."""
    p, q, r = inner(a, a, ranges), inner(b, b, ranges), inner(a, b, ranges)
    positive = (assume(Compare(p, ">", 0)), assume(Compare(q, ">", 0)))
    root = joint(Compare(sqrt(p * q), ">", 0), *positive)
    below = joint(Compare(r, "<=", sqrt(p * q)), squares_bound(a, b, ranges), root, *positive)
    return joint(Compare(r / sqrt(p * q), "<=", 1), below, root)
