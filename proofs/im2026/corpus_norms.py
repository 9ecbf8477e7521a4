r"""Norms of what corpora and one-hot rows make, entry by entry, for all sizes.

A sum over sequences runs from one here: token $(i,t,j)$ is entry $(i-1,t,j)$ of the sequences.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import prod
from typing import Any

from sympy import Expr, Integer, Sum, Symbol, exp, sqrt, symbols

from claims.domain import Domain
from claims.im2026 import corpus_norms as claims
from claims.im2026.corpora import CORPORA
from claims.im2026.notation import N, T, sequences, words
from claims.model import Claim
from claims.statement import Compare
from claims.terms import entry
from proofs.calculation import algebra, at_places, linked, place, rooted, summed_over
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import CAUCHY_SCHWARZ, FUBINI, JENSEN
from proofs.kernel import (
    Theorem,
    assume,
    both,
    congruent,
    cut,
    fact,
    generalise,
    induction,
    instance,
    joint,
    substitute,
    sum_at_least_term,
    sum_rearranged,
    sum_split,
    unfold,
)
from proofs.registry import proves

Range = tuple[Symbol, Any]

# Nested sums --------------------------------------------------------------------------------------


def nest(term: Expr, *ranges: Range) -> Expr:
    """Sums over indices from one, the first outermost."""
    for index, high in reversed(ranges):
        term = Sum(term, (index, 1, high))
    return term


def reordered(term: Expr, ranges: Sequence[Range], order: Sequence[int]) -> Theorem:
    """Nested sums in another order, by exchanges of neighbours."""
    now, steps = list(range(len(ranges))), []
    while places := [
        p for p in range(len(now) - 1) if order.index(now[p]) > order.index(now[p + 1])
    ]:
        first = places[0]
        placed = [ranges[n] for n in now]
        (one, rows), (other, columns) = placed[first], placed[first + 1]
        inside = nest(term, *placed[first + 2 :])
        swap = fact(FUBINI, a=inside, j=one, k=other, rows=rows, columns=columns)
        steps.append(summed_over(swap, *placed[:first]))
        now[first], now[first + 1] = now[first + 1], now[first]
    goal = Compare(nest(term, *ranges), "=", nest(term, *(ranges[n] for n in order)))
    return joint(goal, *steps)


def squares(term: Expr, *ranges: Range) -> Theorem:
    """Sums of squares are not negative."""
    y = Symbol("y", real=True)
    inside = [joint(Compare(k, ">", 0), given=(Compare(k, ">=", 1),)) for k, _ in ranges]
    each = summed_over(cut(substitute(joint(Compare(0, "<=", y**2)), {y: term}), *inside), *ranges)
    return linked(Compare(nest(term**2, *ranges), ">=", 0), each)


# The discrete Hardy inequality ---------------------------------------------------------------------

n = Symbol("n", integer=True)
x = entry(claims.x)


def single(term: Callable[[Any], Expr]) -> Theorem:
    """A sum over one index is its term."""
    m, u = place("m"), place("u")
    there = joint(Compare(m, "=", 1), given=(Compare(m, ">=", 1), Compare(m, "<=", 1)))
    total = summed_over(cut(congruent(term(u), u, m, Integer(1)), there), (m, Integer(1)))
    return linked(Compare(Sum(term(m), (m, 1, 1)), "=", term(Integer(1))), total)


def prefix(t: Any) -> Sum:
    """The sum of the first t entries."""
    m = place("m")
    return Sum(x(m), (m, 1, t))


def change(t: Any) -> Expr:
    """$c_t^2-2c_tx_t$, c the means of prefixes."""
    return (prefix(t) / t) ** 2 - 2 * prefix(t) / t * x(t)


def changes(end: Any) -> Sum:
    m = place("t")
    return Sum(change(m), (m, 1, end))


def telescoped() -> Theorem:
    """$\\sum_{t\\le n}(c_t^2-2c_tx_t)\\le-nc_n^2$."""
    bound = lambda end: Compare(changes(end), "<=", -(prefix(end) ** 2) / end)  # noqa: E731
    start = joint(bound(Integer(1)), single(change), single(x))
    before, after, y, total = symbols("p q y g", real=True)
    given = (
        Compare(total, "<=", -(before**2) / n), Compare(after, "=", before + y), Compare(n, ">=", 1),
    )  # fmt: skip
    goal = Compare(
        total + (after / (n + 1)) ** 2 - 2 * after / (n + 1) * y, "<=", -(after**2) / (n + 1)
    )
    one, other = symbols("a b", real=True)
    square = joint(
        Compare(-n * one**2 + other**2 - 2 * other * ((n + 1) * other - n * one), "<=", -(n + 1) * other**2),
        given=given[2:],
    )  # fmt: skip
    means = substitute(square, {one: before / n, other: after / (n + 1)})
    step = joint(goal, means, given=given)
    step = substitute(
        step, {before: prefix(n), after: prefix(n + 1), y: x(n + 1), total: changes(n)}
    )
    step = cut(step, sum_split(prefix(n + 1)), assume(bound(n)))
    step = joint(bound(n + 1), step, sum_split(changes(n + 1)))
    signs = [joint(Compare(c, ">", 0), given=given[2:]) for c in (n, n + 1)]
    step = cut(step, joint(Compare(1, "<=", n + 1), given=given[2:]), *signs, assume(bound(n)))
    return instance(induction(start, step, n, 1), T)


@proves(claims.uniform_attention_has_norm_two)
def by_telescoping(claim: Claim) -> Certificate:
    """$\\sum c_t^2\\le2\\sum c_tx_t$, and Cauchy-Schwarz."""
    domain, t = claims.uniform_attention_has_norm_two.domain, Symbol("t", integer=True)
    mean, ranges = prefix(t) / t, (t, 1, T)
    above = cut(telescoped(), joint(Compare(1, "<=", T)))
    a, b, c = symbols("a b c", real=True)
    first = linked(Compare(Sum(mean**2, ranges), "<=", 2 * Sum(mean * x(t), ranges)), above)
    product = fact(CAUCHY_SCHWARZ, a=mean, b=x(t), k=t, low=1, high=T)
    given = (
        Compare(a, "<=", 2 * b), Compare(b**2, "<=", a * c), Compare(a, ">=", 0), Compare(c, ">=", 0),
    )  # fmt: skip
    terms = {a: Sum(mean**2, ranges), b: Sum(mean * x(t), ranges), c: Sum(x(t) ** 2, ranges)}
    signs = squares(mean, (t, T)), squares(x(t), (t, T))
    found = algebra(Compare(a, "<=", 4 * c), given, terms, first, product, *signs)
    root = rooted(terms[a], Integer(2), terms[c], found, *signs)
    read = (
        unfold(claims.mixed, sqrt(terms[a]), domain),
        unfold(claims.length, sqrt(terms[c]), domain),
    )
    apart = joint(Compare(t, "!=", 0), given=(Compare(t, ">=", 1),))
    theorem = joint(claims.uniform_attention_has_norm_two.formula, root, *read)
    theorem = cut(theorem, generalise(apart, t, 1, T))
    return conclude(claim, theorem, method="telescoping sum")


# Residuals ----------------------------------------------------------------------------------------

i, t, j, k, m = (Symbol(name, integer=True, positive=True) for name in "itjkm")
_tokens = entry(sequences)
TOTAL, SIGN, SQUARE, _APART = CORPORA.variables[-1].facts()


def token(a: Any, b: Any, c: Any) -> Expr:
    """Entry c of token b of sequence a, from one."""
    return _tokens(a - 1, b, c)


def inside(*bounds: tuple[Any, Any]) -> tuple[Any, ...]:
    """Indices between one and their ends."""
    return tuple(
        f for index, high in bounds for f in (Compare(index, ">=", 1), Compare(index, "<=", high))
    )


def known(formula: Any, *places: Any) -> Theorem:
    """A fact of one-hot rows at sequence i in 1..N and a token up to T + 1."""
    return at_sequence(assume(formula), *places)


def at_sequence(every: Theorem, first: Any, *places: Any) -> Theorem:
    """A statement for all sequences (from zero) and places, at sequence `first` - 1."""
    here = [
        joint(Compare(first - 1, ">=", 0), given=(Compare(first, ">=", 1),)),
        joint(Compare(first - 1, "<=", N - 1), given=(Compare(first, "<=", N),)),
    ]
    for row in places[:1]:
        before = row - 1 if row == t + 1 else row
        given = (Compare(before, ">=", 1), Compare(before, "<=", T))
        here += [
            joint(Compare(row, ">=", 1), given=given),
            joint(Compare(row, "<=", T + 1), given=given),
        ]
    return cut(at_places(every, first - 1, *places), *here)


def one_hot_row(a: Any, b: Any) -> tuple[Theorem, Theorem, Theorem]:
    """Entries of a row: at least zero, equal to their squares (for index k), of sum one."""
    return (known(SIGN, a, b, k), known(SQUARE, a, b, k), known(TOTAL, a, b))


def softmax_row(logits: Callable[[Any], Expr]) -> tuple[Expr, Theorem, Theorem, Theorem]:
    """An entry p at k of a softmax row, with $p\\ge0$, $p^2\\le p$ and $\\sum_kp_k=1$."""
    own, f = exp(logits(k)), Symbol("f", real=True)
    total = Sum(own, (k, 1, words))
    signs = generalise(joint(Compare(own, ">=", 0)), k, 1, words)
    first = joint(Compare(exp(logits(Integer(1))), ">", 0))
    positive = joint(Compare(total, ">", 0), sum_at_least_term(signs, Integer(1)), first)
    e, whole = symbols("e S", real=True)
    given = (Compare(e, ">", 0), Compare(e, "<=", whole))
    least = joint(Compare(e / whole, ">=", 0), given=given)
    below = joint(Compare((e / whole) ** 2, "<=", e / whole), given=given)
    known = joint(Compare(own, ">", 0)), sum_at_least_term(signs, k), positive
    ends = [cut(substitute(found, {e: own, whole: total}), *known) for found in (least, below)]
    pulled = sum_rearranged(Sum(f * own, (k, 1, words)), f * total)
    shared = cut(substitute(pulled, {f: 1 / total}), positive)
    return own / total, *ends, joint(Compare(shared.formula.left, "=", 1), shared, positive)


def residual_rows(a: Any, logits: Callable[[Any, Any], Expr]) -> tuple[Expr, Theorem]:
    """The squared residual of sequence a, at most two for each token."""
    p, least, below, whole = softmax_row(lambda column: logits(t, column))
    sign, square, total = one_hot_row(a, t + 1)
    y = token(a, t + 1, k)
    u, v = symbols("u v", real=True)
    given = (
        Compare(u, ">=", 0),
        Compare(u**2, "=", u),
        Compare(v, ">=", 0),
        Compare(v**2, "<=", v),
    )
    goal, terms = Compare((u - v) ** 2, "<=", u + v), {u: y, v: p}
    each = algebra(goal, given, terms, sign, square, least, below)
    row = linked(
        Compare(Sum((y - p) ** 2, (k, 1, words)), "<=", 2),
        summed_over(each, (k, words)),
        total,
        whole,
    )
    size = nest((y - p) ** 2, (t, T), (k, words))
    return size, linked(Compare(size, "<=", 2 * T), summed_over(row, (t, T)))


def first_residual_row(a: Any) -> tuple[Expr, Theorem]:
    """The squared residual of a token under uniform output, at most one."""
    _, square, total = one_hot_row(a, t + 1)
    y = token(a, t + 1, k)
    size = Sum((y - 1 / words) ** 2, (k, 1, words))
    squared = linked(
        Compare(Sum(y**2, (k, 1, words)), "=", 1), summed_over(square, (k, words)), total
    )
    return size, linked(Compare(size, "<=", 1), squared, total)


@proves(claims.residuals_are_bounded)
def by_the_sum_of_a_row(claim: Claim) -> Certificate:
    """$\\sum_k(y_k-p_k)^2\\le\\sum_k(y_k+p_k)=2$, and $\\sum_k(y_k-1/|V|)^2=1-1/|V|$."""
    domain, over = claims.RESIDUALS, ((claims.i, 0, N - 1),)
    logits, here = entry(claims.logits), claims.i
    size, bound = residual_rows(here + 1, logits)
    row, least = first_residual_row(here + 1)
    first = Sum(row, (t, 1, T))
    gaps = softmax_row(lambda column: logits(t, column))[0], 1 / words
    signs = [squares(token(here + 1, t + 1, k) - gap, (t, T), (k, words)) for gap in gaps]
    a, b = symbols("a b", real=True)
    root = joint(Compare(sqrt(a), "<=", sqrt(b)), given=(Compare(a, "<=", b), Compare(a, ">=", 0)))
    two = cut(substitute(root, {a: size, b: 2 * T}), bound, signs[0])
    below = linked(Compare(first, "<=", T), summed_over(least, (t, T)))
    one = cut(substitute(root, {a: first, b: T}), below, signs[1])
    read = unfold(claims.residual(here), sqrt(size), domain, over)
    read_first = unfold(claims.first_residual(here), sqrt(first), domain, over)
    bounds = both(
        joint(Compare(claims.residual(here), "<=", sqrt(2 * T)), two, read),
        joint(Compare(claims.first_residual(here), "<=", sqrt(T)), one, read_first),
    )
    theorem = generalise(bounds, here, 0, N - 1)
    return conclude(claim, theorem, method="sums of rows")


# The context map ----------------------------------------------------------------------------------


def mean_square(term: Expr, index: Symbol, size: Any) -> Theorem:
    """The square of a mean is at most the mean of the squares; the size is positive."""
    over = (index, 1, size)
    given = (Compare(size, ">=", 1),)
    one = linked(Compare(Sum(1 / size, over), "=", 1), given=given)
    weight = generalise(joint(Compare(1 / size, ">=", 0), given=given), index, 1, size)
    jensen = cut(fact(JENSEN, w=1 / size, x=term, k=index, low=1, high=size), one, weight)
    return joint(
        Compare((Sum(term, over) / size) ** 2, "<=", Sum(term**2, over) / size), jensen,
        sum_rearranged(jensen.formula.left.base, Sum(term, over) / size),
        sum_rearranged(jensen.formula.right, Sum(term**2, over) / size),
    )  # fmt: skip


def mean_of_products(
    q: Callable[[Any], Expr], r: Callable[[Any], Expr], short: Theorem,
    over: tuple[Range, ...] = ((i, N), (t, T)),
) -> Theorem:  # fmt: skip
    """$\\sum_{jk}(\\mathrm{mean}\\,q_jr_k)^2\\le\\mathrm{mean}\\sum_kr_k^2$, means over the given indices.

    Terms are of sequence i and token t; `short` says that $\\sum_jq_j^2\\le1$.
    """
    term, entries = q(j) * r(k), ((j, words), (k, words))
    size = prod(high for _, high in over)
    means = nest(term, *over) / size
    total = summed_over(mean_of_squares(term, over), *entries)
    moved = reordered(term**2, (*entries, *over), (*range(2, 2 + len(over)), 0, 1))
    own, other = Sum(q(j) ** 2, (j, 1, words)), Sum(r(k) ** 2, (k, 1, words))
    a, b = symbols("a b", real=True)
    product = joint(Compare(a * b, "<=", b), given=(Compare(a, "<=", 1), Compare(b, ">=", 0)))
    product = cut(substitute(product, {a: own, b: other}), short, squares(r(k), (k, words)))
    split = sum_rearranged(nest(term**2, *entries), own * other)
    each = joint(Compare(nest(term**2, *entries), "<=", other), split, product)
    below = summed_over(each, *over)
    pulled = sum_rearranged(total.formula.right, nest(term**2, *entries, *over) / size)
    goal = Compare(nest(means**2, *entries), "<=", nest(r(k) ** 2, *over, (k, words)) / size)
    return joint(goal, total, pulled, moved, below)


def mean_of_squares(term: Expr, over: tuple[Range, ...]) -> Theorem:
    """The square of a mean over several indices is at most the mean of the squares."""
    (index, high), *inner = over
    rest = tuple(inner)
    if not rest:
        return mean_square(term, index, high)
    size = prod(top for _, top in rest)
    row = nest(term, *rest) / size
    rows, outer = (
        summed_over(mean_of_squares(term, rest), (index, high)),
        mean_square(row, index, high),
    )
    pulled = sum_rearranged(rows.formula.right, nest(term**2, *over) / size)
    means = nest(term, *over) / (high * size)
    same = sum_rearranged(Sum(row, (index, 1, high)) / high, means)
    goal = Compare(means**2, "<=", nest(term**2, *over) / (high * size))
    return joint(goal, outer, rows, pulled, same)


def prefix_share(column: Any) -> Expr:
    """How often a word is among the first t tokens of sequence i, over t."""
    return Sum(token(i, m, column), (m, 1, t)) / t


def prefix_is_short() -> Theorem:
    """$\\sum_jq_j^2\\le1$ for the mean q of the first t one-hot rows."""
    square = mean_square(token(i, m, j), m, t)
    total = summed_over(square, (j, words))
    moved = fact(FUBINI, a=token(i, m, j) ** 2, j=j, k=m, rows=words, columns=t)
    here = joint(Compare(m, "<=", T), given=(Compare(m, "<=", t), Compare(t, "<=", T)))
    one = linked(
        Compare(Sum(token(i, m, j) ** 2, (j, 1, words)), "=", 1),
        summed_over(cut(known(SQUARE, i, m, j), here), (j, words)), cut(known(TOTAL, i, m), here),
    )  # fmt: skip
    rows = summed_over(one, (m, t))
    return linked(
        Compare(Sum(prefix_share(j) ** 2, (j, 1, words)), "<=", 1), total, moved, rows,
        given=(Compare(t, ">=", 1),),
    )  # fmt: skip


@cache
def context_norm() -> Theorem:
    """$\\|\\bar\\Phi\\|_F^2\\le1$: a mean of products of two vectors of norm at most one."""
    residual = lambda column: token(i, t + 1, column) - 1 / words  # noqa: E731
    found = mean_of_products(prefix_share, residual, prefix_is_short())
    _, short = first_residual_row(i)
    total = linked(Compare(found.formula.right, "<=", 1), summed_over(short, (i, N), (t, T)))
    return joint(Compare(found.formula.left, "<=", 1), found, total)


def norm_of_the_context_map(domain: Domain) -> Theorem:
    """$\\|\\bar\\Phi\\|_F\\le2$, as the square of it is at most one."""
    below = context_norm()
    size, a = below.formula.left, Symbol("a", real=True)
    root = joint(Compare(sqrt(a), "<=", 2), given=(Compare(a, "<=", 1), Compare(a, ">=", 0)))
    means = nest(prefix_share(j) * (token(i, t + 1, k) - 1 / words), (i, N), (t, T)) / (N * T)
    root = cut(substitute(root, {a: size}), below, squares(means, (j, words), (k, words)))
    read = unfold(claims.context_map_norm, sqrt(size), domain)
    return joint(Compare(claims.context_map_norm, "<=", 2), root, read)
