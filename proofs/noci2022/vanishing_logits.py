r"""Logits with summable mean squares vanish almost surely, and attention tends to uniform weights with them.

$r_k=\|M_k\|_F$ tends to zero by Beppo Levi's theorem.  No logit of network k is longer than $r_k$, so that

    e^{-2 r_k} / n <= A_ij <= e^{2 r_k} / n

for all tokens, and both ends tend to 1/n.  The softmax Jacobian is a polynomial in A.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from sympy import Expr, KroneckerDelta, Sum, Symbol, exp, oo, symbols, sympify

from claims.almost_surely import AlmostSureLimit, RandomMatrices
from claims.statement import Compare, Tends
from claims.terms import entry
from proofs.calculation import for_all, linked, place, summed_over
from proofs.facts import BEPPO_LEVI, EXP_INCREASES
from proofs.kernel import (
    Theorem,
    assume,
    congruent,
    cut,
    fact,
    generalise,
    induction,
    instance,
    joint,
    limit_combined,
    squeezed,
    substitute,
    sum_at_least_term,
    sum_split,
    sure_limit,
    surely,
    unfold,
)

__all__ = [
    "attention_limit",
    "attention_tends",
    "jacobian_limit",
    "jacobian_of",
    "norms_vanish",
    "weights_of",
]

a, b, e, s = symbols("a b e s", real=True)
last = Symbol("N", integer=True, positive=True)


def _single(term: Callable[[Any], Expr]) -> Theorem:
    """A sum over one index is its term."""
    j, u = place("j"), place("u")
    there = joint(Compare(j, "=", 1), given=(Compare(j, ">=", 1), Compare(j, "<=", 1)))
    total = summed_over(cut(congruent(term(u), u, j, sympify(1)), there), (j, sympify(1)))
    return linked(Compare(Sum(term(j), (j, 1, 1)), "=", term(sympify(1))), total)


def norms_vanish(k: Symbol, width: Symbol, mean_square: Theorem, constant: Theorem) -> Theorem:
    r"""$\|M_k\|_F\to0$ almost surely, from $\mathbb E\|M_k\|_F^2=c/(k+d)^2$ and $c\ge0$.

    $\sum_{k\le N}(k+d)^{-2}\le1/d-1/(N+d)$, since $(k+d)^{-2}\le1/(k+d-1)-1/(k+d)$.
    """
    c = constant.formula.left  # type: ignore[attr-defined]
    square = mean_square.formula.left  # type: ignore[attr-defined]
    mean = lambda at: square.func(at, *square.args[1:])  # noqa: E731
    every = generalise(mean_square, k, 1, oo)
    partial = lambda end: Sum(square, (k, 1, end))  # noqa: E731
    bound = lambda end: Compare(partial(end), "<=", c * (1 / width - 1 / (end + width)))  # noqa: E731
    least = (Compare(width, ">=", 1), Compare(last, ">=", 1))

    def one_more(before: Any) -> Theorem:
        """c/(N + 1 + d)^2 <= c (1/(N + d) - 1/(N + 1 + d))."""
        x = Symbol("x", real=True)
        gap = 1 / x - 1 / (x + 1) - 1 / (x + 1) ** 2
        share = joint(Compare(gap, ">=", 0), given=(Compare(x, ">=", 1),))
        above = joint(
            Compare(before + width, ">=", 1), given=least if before == last else least[:1]
        )
        there = cut(substitute(share, {x: before + width}), above)
        return joint(Compare(c * there.formula.left, ">=", 0), there, constant)  # type: ignore[attr-defined]

    start = joint(
        bound(sympify(1)), one_more(sympify(0)), instance(every, 1), _single(mean), given=least[:1]
    )
    step = joint(
        bound(last + 1), one_more(last), instance(every, last + 1), sum_split(partial(last + 1)),
        assume(bound(last)),
    )  # fmt: skip
    whole = instance(induction(start, step, last, 1), last)
    rest = joint(Compare(1 / (last + width), ">=", 0), given=least)
    positive = joint(Compare(c / (last + width), ">=", 0), rest, constant)
    below = joint(Compare(partial(last), "<=", c / width), whole, positive)
    sure = fact(BEPPO_LEVI, mean=square, k=k, last=last, bound=c / width)
    return cut(sure, generalise(below, last, 1, oo))


# Attention ----------------------------------------------------------------------------------------


def softmax_entry(logit: Callable[[Any, Any], Expr], i: Any, j: Any, size: Any) -> Expr:
    """exp(M_ij) / sum_l exp(M_il)."""
    l = place("l")  # noqa: E741
    return exp(logit(i, j)) / Sum(exp(logit(i, l)), (l, 1, size))


@cache
def attention_tends(
    matrices: RandomMatrices, size: Symbol, k: Symbol, i: Symbol, j: Symbol
) -> Theorem:
    r"""$A_{ij}\to1/n$ as k grows, where $\|M_k\|_F\to0$, for tokens in their ranges."""
    r, logit = matrices.norm(k, size, size), matrices.entries(k, i, j)
    given = (
        Compare(a, "<=", e), Compare(e, "<=", b), Compare(size * a, "<=", s),
        Compare(s, "<=", size * b), Compare(a, ">", 0), Compare(size, ">=", 1), Compare(a * b, "=", 1),
    )  # fmt: skip
    l = place("l")  # noqa: E741
    own, others = _exponentials(logit, r), _exponentials(matrices.entries(k, i, l), r)
    sums = [summed_over(each, (l, size)) for each in others]
    total = sums[0].formula.right  # type: ignore[attr-defined]
    known = (
        *own,
        linked(Compare(size * exp(-r), "<=", total), sums[0]),
        linked(Compare(total, "<=", size * exp(r)), sums[1]),
        joint(Compare(exp(-r), ">", 0)),
    )
    terms = {a: exp(-r), b: exp(r), e: exp(logit), s: total}
    positive = joint(Compare(s, ">", 0), given=given)
    lower = joint(Compare(a**2 / size, "<=", e / s), positive, given=given)
    upper = joint(Compare(e / s, "<=", b**2 / size), positive, given=given)
    below, above = (cut(substitute(each, terms), *known) for each in (lower, upper))
    vanishes = assume(Tends(r, k, sympify(0)))
    u = Symbol("u", real=True)
    ends = (limit_combined(exp(sign * 2 * u) / size, {u: vanishes}) for sign in (-1, 1))
    return squeezed(*(generalise(each, k, 1, oo) for each in (below, above)), *ends)


def _exponentials(logit: Expr, norm: Expr) -> tuple[Theorem, Theorem]:
    """e^-r <= e^M_ij <= e^r for the norm r of M."""
    ends = _below_norm(logit, norm)
    pairs = ((-norm, logit), (logit, norm))
    increases = (fact(EXP_INCREASES, a=low, b=high) for low, high in pairs)
    one, other = (cut(each, end) for each, end in zip(increases, ends, strict=True))
    return one, other


def _below_norm(logit: Expr, norm: Expr) -> tuple[Theorem, Theorem]:
    """-r <= M_ij <= r: a square is at most the sum of its row, and that at most the sum of all."""
    (k, i, j), (p, q) = logit.args, (place("p"), place("q"))
    _, (_, _, columns), (_, _, rows) = norm.base.args  # type: ignore[attr-defined]
    square = joint(Compare(logit.func(k, p, q) ** 2, ">=", 0))
    row = summed_over(square, (q, columns))
    row = linked(Compare(row.formula.left, ">=", 0), row)  # type: ignore[attr-defined]
    own = instance(generalise(square, p, 1, rows), i)
    one = sum_at_least_term(generalise(own, q, 1, columns), j)
    all_rows = sum_at_least_term(generalise(row, p, 1, rows), i)
    ends = (Compare(-norm, "<=", logit), Compare(logit, "<=", norm))
    low, high = (linked(end, one, all_rows) for end in ends)
    return low, high


def attention_limit(limit: AlmostSureLimit, value: Any, k: Symbol, vanish: Theorem) -> Theorem:
    """The limit of attention: the weights of any logits, and their limits where norms vanish."""
    (i, _, size), (j, *_) = limit.indices
    tends = for_all(attention_tends(limit.of, size, k, i, j), *limit.indices)
    return sure_limit(limit, value, weights_of(limit), surely(vanish, tends))


def jacobian_entry(limit: AlmostSureLimit, one: Any, other: Any) -> Expr:
    r"""$\delta_{ip}(\delta_{jq}A_{ij}-A_{ij}A_{iq})$ for two weights of a row."""
    i, j, p, q = (index for index, *_ in limit.indices)
    return KroneckerDelta(i, p) * (KroneckerDelta(j, q) * one - one * other)


def jacobian_limit(limit: AlmostSureLimit, value: Any, k: Symbol, vanish: Theorem) -> Theorem:
    """The limit of the Jacobian, a polynomial in the weights."""
    (i, _, size), (j, *_), _, (q, *_) = limit.indices
    u, v = symbols("u v", real=True)
    term = jacobian_entry(limit, u, v)
    parts = {w: attention_tends(limit.of, size, k, i, at) for w, at in ((u, j), (v, q))}
    tends = for_all(limit_combined(term, parts), *limit.indices)
    return sure_limit(limit, value, jacobian_of(limit), surely(vanish, tends))


def weights_of(limit: AlmostSureLimit) -> Theorem:
    """A_ij = exp(M_ij) / sum_l exp(M_il) for any logits M."""
    (i, _, size), (j, *_) = limit.indices
    term = softmax_entry(entry(limit.one), i, j, size)
    return unfold(limit.entry_of(i, j), term, limit.anywhere, limit.indices)


def jacobian_of(limit: AlmostSureLimit) -> Theorem:
    r"""$\partial A_{ij}/\partial M_{pq}=\delta_{ip}(\delta_{jq}A_{ij}-A_{ij}A_{iq})$ for any logits M."""
    (i, _, size), (j, *_), (p, *_), (q, *_) = limit.indices
    one, other = (softmax_entry(entry(limit.one), i, at, size) for at in (j, q))
    term = jacobian_entry(limit, one, other)
    return unfold(limit.entry_of(i, j, p, q), term, limit.anywhere, limit.indices)
