r"""Entries of $\bar Q$ and $\Delta$: products of maps of Frobenius norm at most one, then means."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from sympy import Abs, Expr, Sum, Symbol, symbols

from claims.im2026 import score_norms as claims
from claims.im2026.corpora import CORPORA
from claims.im2026.first_steps import bigram
from claims.im2026.notation import N, T, words
from claims.im2026.score_norms import centred, context, feature, score, similarity
from claims.model import Claim
from claims.statement import Compare
from proofs.calculation import algebra, at_places, for_all, linked, square_at, summed_over
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import CAUCHY_SCHWARZ, FUBINI, JENSEN
from proofs.im2026.corpus_norms import (
    SIGN,
    SQUARE,
    TOTAL,
    at_sequence,
    context_norm,
    first_residual_row,
    i,
    j,
    k,
    known,
    m,
    mean_of_products,
    mean_of_squares,
    mean_square,
    nest,
    prefix_share,
    squares,
    t,
    token,
)
from proofs.im2026.first_steps import PLACE, S, bigram_norm, for_entries, residual
from proofs.kernel import (
    Theorem,
    both,
    cut,
    fact,
    generalise,
    joint,
    substitute,
    sum_at_least_term,
    sum_rearranged,
    unfold,
)
from proofs.registry import proves

a, b, c, n, w = (Symbol(name, integer=True, positive=True) for name in "abcnw")
ROWS, COLUMNS, INNER = (a, words), (b, words), (c, words)
Entries = Callable[[Any, Any], Expr]


def product_norm(left: Entries, right: Entries, one: Theorem, other: Theorem) -> Theorem:
    """$\\|MN\\|_F^2\\le1$ where $\\|M\\|_F^2\\le1$ (rows outside) and $\\|N\\|_F^2\\le1$ (rows outside)."""
    inner = fact(CAUCHY_SCHWARZ, a=left(a, c), b=right(c, b), k=c, low=1, high=words)
    total = summed_over(inner, ROWS, COLUMNS)
    rows, columns = nest(left(a, c) ** 2, ROWS, INNER), nest(right(c, b) ** 2, COLUMNS, INNER)
    x, y = symbols("x y", real=True)
    row, column = Sum(left(a, c) ** 2, (c, 1, words)), Sum(right(c, b) ** 2, (c, 1, words))
    inside = substitute(sum_rearranged(Sum(x * column, (b, 1, words)), x * columns), {x: row})
    outside = substitute(sum_rearranged(Sum(y * row, (a, 1, words)), y * rows), {y: columns})
    pulled = joint(
        Compare(total.formula.right, "=", rows * columns), summed_over(inside, ROWS), outside
    )
    turned = fact(FUBINI, a=right(c, b) ** 2, j=b, k=c, rows=words, columns=words)
    given = (Compare(x, "<=", 1), Compare(y, "<=", 1), Compare(x, ">=", 0), Compare(y, ">=", 0))
    terms = {x: rows, y: columns}
    signs = squares(left(a, c), ROWS, INNER), squares(right(c, b), COLUMNS, INNER)
    below = algebra(
        Compare(x * y, "<=", 1),
        given,
        terms,
        one,
        joint(Compare(columns, "<=", 1), turned, other),
        *signs,
    )
    return joint(Compare(total.formula.left, "<=", 1), total, pulled, below)


def read(quantity: Any, term: Expr) -> Theorem:
    """An entry in row a and column b."""
    return unfold(quantity(a, b), term, CORPORA, ((a, 1, words), (b, 1, words)))


def norm_of(quantity: Any, term: Expr, bound: Theorem) -> Theorem:
    """$\\|M\\|_F^2\\le1$ for a named matrix with these entries."""
    each = joint(Compare(quantity(a, b) ** 2, "=", term**2), read(quantity, term))
    return joint(
        Compare(nest(quantity(a, b) ** 2, ROWS, COLUMNS), "<=", 1),
        summed_over(each, ROWS, COLUMNS),
        bound,
    )


@cache
def feature_norm() -> Theorem:
    """$\\|\\Sigma_{\\bar B}\\bar\\Phi\\|_F\\le1$."""
    turned = fact(FUBINI, a=bigram(c, a) ** 2, j=a, k=c, rows=words, columns=words)
    transposed = joint(Compare(turned.formula.left, "<=", 1), turned, bigram_norm())
    own = product_norm(lambda x, y: bigram(y, x), bigram, transposed, bigram_norm())
    similar = norm_of(similarity, Sum(bigram(c, a) * bigram(c, b), (c, 1, words)), own)
    contexts = norm_of(context, context_norm_term(), context_norm_at())
    return norm_of(
        feature, Sum(similarity(a, c) * context(c, b), (c, 1, words)),
        product_norm(similarity, context, similar, contexts),
    )  # fmt: skip


def context_norm_term() -> Expr:
    """An entry of the context map: row the current word a, column the word b of the prefix."""
    return nest(prefix_share(b) * residual(a), S, PLACE) / (N * T)


def context_norm_at() -> Theorem:
    """$\\|\\bar\\Phi\\|_F\\le1$, current words outside."""
    found = context_norm()
    moved = fact(FUBINI, a=context_norm_term() ** 2, j=a, k=b, rows=words, columns=words)
    return joint(Compare(moved.formula.left, "<=", 1), moved, found)


# Scores -------------------------------------------------------------------------------------------


@cache
def score_is_small() -> Theorem:
    """$g_{tn}^2\\le1$ at sequence i."""
    carried = lambda column: Sum(residual(a) * feature(a, column), (a, 1, words))  # noqa: E731
    inner = fact(CAUCHY_SCHWARZ, a=residual(a), b=feature(a, b), k=a, low=1, high=words)
    total = summed_over(inner, COLUMNS)
    size, column = Sum(residual(a) ** 2, (a, 1, words)), nest(feature(a, b) ** 2, COLUMNS, ROWS)
    pulled = sum_rearranged(total.formula.right, size * column)
    turned = fact(FUBINI, a=feature(a, b) ** 2, j=b, k=a, rows=words, columns=words)
    x, y = symbols("x y", real=True)
    given = (Compare(x, "<=", 1), Compare(y, "<=", 1), Compare(x, ">=", 0), Compare(y, ">=", 0))
    _, short = first_residual_row(i)
    below = algebra(
        Compare(x * y, "<=", 1), given, {x: size, y: column}, short,
        joint(Compare(column, "<=", 1), turned, feature_norm()),
        squares(residual(a), ROWS), squares(feature(a, b), COLUMNS, ROWS),
    )  # fmt: skip
    weight = token(i, n, b)
    signs = generalise(known(SIGN, i, n, b), b, 1, words)
    jensen = cut(
        fact(JENSEN, w=weight, x=carried(b), k=b, low=1, high=words), signs, known(TOTAL, i, n)
    )
    v, u = symbols("v u", real=True)
    inside = (Compare(v**2, "=", v), Compare(v, ">=", 0))
    each = joint(Compare(v * u**2, "<=", u**2), given=inside)
    each = cut(
        substitute(each, {v: weight, u: carried(b)}), known(SQUARE, i, n, b), known(SIGN, i, n, b)
    )
    mixed = joint(
        Compare(jensen.formula.left, "<=", 1),
        jensen,
        summed_over(each, COLUMNS),
        total,
        pulled,
        below,
    )
    h = Symbol("h", integer=True)
    gap = token(h + 1, t + 1, a) - 1 / words
    term = Sum(token(h + 1, n, b) * Sum(gap * feature(a, b), (a, 1, words)), (b, 1, words))
    over = ((h, 0, N - 1), (t, 1, T), (n, 1, T))
    every = unfold(score(h, t, n), term, CORPORA, over)
    every = for_all(every, *over)
    return joint(Compare(score(i - 1, t, n) ** 2, "<=", 1), at_sequence(every, i, t, n), mixed)


# Centred scores -----------------------------------------------------------------------------------

EARLIER = (n, t)
MEAN = Sum(score(i - 1, t, c), (c, 1, t)) / t
GAP = score(i - 1, t, n) - MEAN


@cache
def gaps_are_small() -> Theorem:
    """$\\sum_{n\\le t}(g_n-\\bar g)^2\\le t$ at sequence i and token t."""
    g, mu = score(i - 1, t, n), Symbol("mu", real=True)
    here = joint(Compare(n, "<=", T), given=(Compare(n, "<=", t), Compare(t, "<=", T)))
    total = summed_over(cut(score_is_small(), here), EARLIER)
    bound = linked(Compare(total.formula.left, "<=", t), total)
    centre = linked(
        Compare(Sum((g - mu) ** 2, (n, 1, t)), "<=", Sum(g**2, (n, 1, t))),
        given=(Compare(mu * t, "=", Sum(g, (n, 1, t))),),
    )  # fmt: skip
    centre = cut(substitute(centre, {mu: MEAN}), joint(Compare(MEAN * t, "=", Sum(g, (n, 1, t)))))
    return joint(Compare(Sum(GAP**2, (n, 1, t)), "<=", t), centre, bound)


@cache
def centred_entry() -> Theorem:
    """$(Q_i)_{tn}=(g_n-\\bar g)/t$ for n up to t, at sequence i."""
    h = Symbol("h", integer=True)
    own = (score(h, t, n) - Sum(score(h, t, c), (c, 1, t)) / t) / t
    over = ((h, 0, N - 1), (t, 1, T), (n, 1, t))
    every = unfold(centred(h, t, n), own, CORPORA, over)
    every = for_all(every, *over)
    return at_sequence(every, i, t, n)


@cache
def entry_as_a_mean() -> Theorem:
    """$\\bar Q_{jk}$: a mean over sequences and tokens of means over the tokens before."""
    own, other = token(i, t, j), token(i, n, k)
    term = own * other * GAP
    row = Sum(term, (n, 1, t)) / t
    means = nest(row, S, PLACE) / (N * T)
    inner = Sum(own * centred(i - 1, t, n) * other, (n, 1, t))
    read = unfold(
        claims.by_words(j, k),
        nest(inner, S, PLACE) / (N * T),
        CORPORA,
        ((j, 1, words), (k, 1, words)),
    )
    same = joint(Compare(own * centred(i - 1, t, n) * other, "=", term / t), centred_entry())
    rows = summed_over(same, EARLIER)
    pulled = sum_rearranged(rows.formula.right, row)
    rows = summed_over(joint(Compare(inner, "=", row), rows, pulled), S, PLACE)
    value = joint(Compare(claims.by_words(j, k), "=", means), read, rows)
    return value


def by_two_words() -> Theorem:
    """$|\\bar Q_{jk}|\\le1$: a mean over sequences and tokens of means over the tokens before."""
    own, other = token(i, t, j), token(i, n, k)
    term = own * other * GAP
    x, y, z = symbols("x y z", real=True)
    given = [f for u in (x, y) for f in (Compare(u**2, "=", u), Compare(u, ">=", 0))]
    less = joint(Compare((x * y) ** 2, "<=", 1), given=given)
    less = joint(Compare((x * y * z) ** 2, "<=", z**2), less)
    here = joint(Compare(n, "<=", T), given=(Compare(n, "<=", t), Compare(t, "<=", T)))
    hot = [
        *(known(f, i, t, j) for f in (SQUARE, SIGN)), *(cut(known(f, i, n, k), here) for f in (SQUARE, SIGN))
    ]  # fmt: skip
    each = cut(substitute(less, {x: own, y: other, z: GAP}), *hot)
    squared, total = mean_square(term, n, t), summed_over(each, EARLIER)
    row = Sum(term, (n, 1, t)) / t
    small = joint(Compare(row**2, "<=", 1), squared, total, gaps_are_small())
    means = nest(row, S, PLACE) / (N * T)
    outer = mean_of_squares(row, (S, PLACE))
    ones = summed_over(small, S, PLACE)
    whole = sum_rearranged(ones.formula.right, N * T)
    bound = joint(Compare(means**2, "<=", 1), outer, ones, whole)
    value = entry_as_a_mean()
    return for_entries(joint(Compare(Abs(claims.by_words(j, k)), "<=", 1), bound, value))


def by_differences() -> Theorem:
    """$|\\Delta_m|\\le1$: entries of $Q_i$ are at most one, and there are at most T on a sub-diagonal."""
    sign = generalise(square_at(GAP), n, 1, t)
    one = joint(Compare(GAP**2, "<=", t), sum_at_least_term(sign, n), gaps_are_small())
    x = Symbol("x", real=True)
    bound = joint(Compare(Abs(x / t), "<=", 1), given=(Compare(x**2, "<=", t), Compare(t, ">=", 1)))
    bound = cut(substitute(bound, {x: GAP}), one)
    entry = joint(Compare(Abs(centred(i - 1, t, n)), "<=", 1), bound, centred_entry())
    within = joint(Compare(w, "<=", T), given=(Compare(w, "<=", T - m + 1), Compare(m, ">=", 1)))
    every = for_all(entry, (t, T), (n, t))
    row = w + m - 1
    place = (
        joint(Compare(row, ">=", 1)), joint(Compare(row, "<=", T), given=(Compare(w, "<=", T - m + 1),)),
        joint(Compare(w, "<=", row)), joint(Compare(w, ">=", 1)), within,
    )  # fmt: skip
    entry, own = cut(at_places(every, row, w), *place), centred(i - 1, row, w)
    count = Symbol("l", integer=True, positive=True)
    ones = substitute(sum_rearranged(Sum(1, (w, 1, count)), count), {count: T - m + 1})
    ones = cut(ones, joint(Compare(T - m + 1, ">=", 1), given=(Compare(m, "<=", T),)))
    ends = []
    for goal in (Compare(own, "<=", 1), Compare(-own, "<=", 1)):
        total = summed_over(joint(goal, entry), (w, T - m + 1))
        total = joint(
            Compare(total.formula.left, "<=", T), total, ones, given=(Compare(m, ">=", 1),)
        )
        ends.append(summed_over(total, S))
    diagonal = nest(own, S, (w, T - m + 1))
    read = unfold(claims.by_positions(m), diagonal / (N * T), CORPORA, ((m, 1, T),))
    above = linked(Compare(diagonal, "<=", N * T), ends[0])
    below = linked(Compare(diagonal, ">=", -N * T), ends[1])
    u = Symbol("u", real=True)
    share = joint(
        Compare(Abs(u / (N * T)), "<=", 1),
        given=(Compare(u, "<=", N * T), Compare(u, ">=", -N * T)),
    )
    share = cut(substitute(share, {u: diagonal}), above, below)
    found = joint(Compare(Abs(claims.by_positions(m)), "<=", 1), share, read)
    return generalise(found, m, 1, T)


def weighed_gap(column: Any) -> Expr:
    """The mean over the tokens before of a one-hot entry times the centred score."""
    return Sum(token(i, n, column) * GAP, (n, 1, t)) / t


def weighed_gaps_are_short() -> Theorem:
    """$\\sum_kr_k^2\\le1$ for the mean r of one-hot rows times centred scores."""
    term = token(i, n, k) * GAP
    square = mean_square(term, n, t)
    total = summed_over(square, (k, words))
    moved = fact(FUBINI, a=term**2, j=k, k=n, rows=words, columns=t)
    here = joint(Compare(n, "<=", T), given=(Compare(n, "<=", t), Compare(t, "<=", T)))
    one = linked(
        Compare(Sum(token(i, n, k) ** 2, (k, 1, words)), "=", 1),
        summed_over(cut(known(SQUARE, i, n, k), here), (k, words)), cut(known(TOTAL, i, n), here),
    )  # fmt: skip
    y = Symbol("y", real=True)
    pulled = substitute(
        sum_rearranged(
            Sum((token(i, n, k) * y) ** 2, (k, 1, words)),
            y**2 * Sum(token(i, n, k) ** 2, (k, 1, words)),
        ),
        {y: GAP},
    )
    each = joint(Compare(Sum(term**2, (k, 1, words)), "=", GAP**2), pulled, one)
    rows = summed_over(each, (n, t))
    return linked(
        Compare(Sum(weighed_gap(k) ** 2, (k, 1, words)), "<=", 1), total, moved, rows, gaps_are_small(),
        given=(Compare(t, ">=", 1),),
    )  # fmt: skip


@proves(claims.norm_of_the_attention_map)
def by_means_of_products(claim: Claim) -> Certificate:
    """A mean of products of two vectors of norm at most one."""
    one = linked(
        Compare(Sum(token(i, t, j) ** 2, (j, 1, words)), "<=", 1),
        summed_over(known(SQUARE, i, t, j), (j, words)), known(TOTAL, i, t),
    )  # fmt: skip
    found = mean_of_products(lambda column: token(i, t, column), weighed_gap, one)
    whole = linked(
        Compare(found.formula.right, "<=", 1), summed_over(weighed_gaps_are_short(), S, PLACE)
    )
    means = nest(token(i, t, j) * weighed_gap(k), S, PLACE) / (N * T)
    value = linked(Compare(claims.by_words(j, k), "=", means), entry_as_a_mean())
    each = joint(Compare(claims.by_words(j, k) ** 2, "=", means**2), value)
    squared = summed_over(each, (j, words), (k, words))
    entries = nest(claims.by_words(j, k) ** 2, (j, words), (k, words))
    read = unfold(claims.attention_map_norm, entries, CORPORA)
    theorem = joint(Compare(claims.attention_map_norm, "<=", 1), read, squared, found, whole)
    return conclude(claim, theorem, method="maps of Frobenius norm at most one")


@proves(claims.leading_terms_have_entries_at_most_one)
def by_maps_of_norm_one(claim: Claim) -> Certificate:
    """Scores are at most one, their spread over t tokens at most t, and entries are means."""
    theorem = both(by_two_words(), by_differences())
    return conclude(claim, theorem, method="maps of Frobenius norm at most one")
