r"""The first step from zero, entry by entry, and outputs after it: all sizes and every corpus.

Rows of outputs after one step are near uniform by the bound of `near_uniform`; rows of $\bar B$ have
norm at most one.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Expr, Integer, Sum, Symbol, exp, sqrt, symbols

from claims.im2026 import first_steps as claims
from claims.im2026.corpora import CORPORA
from claims.im2026.first_steps import ANY_RATE, bigram, logit, looked_up, probability
from claims.im2026.notation import N, T, eta, words
from claims.model import Claim
from claims.statement import Compare, ForAll
from claims.terms import MaxOver, MinOver
from proofs.calculation import algebra, at_places, for_all, linked, rooted, summed_over
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import EXP_ABOVE_TANGENT, FUBINI, JENSEN
from proofs.im2026.corpus_norms import (
    SIGN,
    SQUARE,
    TOTAL,
    at_sequence,
    first_residual_row,
    i,
    j,
    k,
    known,
    m,
    mean_of_products,
    nest,
    prefix_share,
    squares,
    t,
    token,
)
from proofs.im2026.near_uniform import Logits, n, r, v
from proofs.kernel import (
    Theorem,
    assume,
    both,
    compute,
    cut,
    extremum_compared,
    fact,
    generalise,
    instance,
    joint,
    substitute,
    sum_at_least_term,
    sum_rearranged,
    unfold,
)
from proofs.registry import proves

S, WORD, NEXT, PLACE = (i, N), (j, words), (k, words), (t, T)
l = Symbol("l", integer=True, positive=True)  # noqa: E741
h = claims.i
"""A sequence, from zero."""
ROW = ((h, 0, N - 1), (t, 1, T), (k, 1, words))
ENTRY = ((j, 1, words), (k, 1, words))


def for_entries(theorem: Theorem) -> Theorem:
    """For all words j and k."""
    return for_all(theorem, (j, words), (k, words))


def mean(term: Expr) -> Expr:
    """Over sequences and tokens."""
    return nest(term, S, PLACE) / (N * T)


def residual(column: Any) -> Expr:
    """$Y-U_O$ at sequence i and token t."""
    return token(i, t + 1, column) - 1 / words


# The first step -----------------------------------------------------------------------------------


def bigram_entry() -> Theorem:
    """$\\bar B_{jk}$ as a mean."""
    return unfold(bigram(j, k), mean(token(i, t, j) * residual(k)), CORPORA, ENTRY)


def weights_are_bigrams() -> Theorem:
    """$W_O=\\eta\\bar B$ after one step."""
    moved = eta * mean(token(i, t, j) * residual(k))
    step = unfold(claims.output_weight(j, k), moved, ANY_RATE, ENTRY)
    return joint(Compare(claims.output_weight(j, k), "=", eta * bigram(j, k)), step, bigram_entry())


@proves(claims.output_weights_after_one_step)
def by_uniform_output(claim: Claim) -> Certificate:
    """The gradient at zero is a sum over the tokens, counted by words."""
    own, following = token(i, t, j), token(i, t + 1, k)
    first = weights_are_bigrams()
    pairs = unfold(claims.pair_share(j, j, k), mean(own * following), ANY_RATE, ENTRY)
    share = unfold(claims.share(j), mean(own), ANY_RATE, ENTRY[:1])
    goal = Compare(bigram(j, k), "=", claims.pair_share(j, j, k) - claims.share(j) / words)
    second = linked(goal, bigram_entry(), pairs, share)
    theorem = for_entries(both(first, second))
    return conclude(claim, theorem, method="the gradient at zero")


def vanishing(theorem: Theorem) -> Theorem:
    """A sum of zeros."""
    return linked(Compare(theorem.formula.left, "=", 0), theorem)


def zero(quantity: Any) -> Theorem:
    """An entry of the start, which is zero by hypothesis."""
    return unfold(quantity(j, k), Integer(0), ANY_RATE, ENTRY)


def carried_vanishes(carried: Any, left: Any, output: Any, value: Any, none: Theorem) -> Theorem:
    """$(R_iW_O^\\top V^\\top X_i^\\top)_{tn}=0$ at sequence i, since entries of V are."""
    inner = Sum(left(l) * output(k, l), (l, 1, words))
    term = Sum(token(h + 1, n, j) * Sum(value(j, k) * inner, (k, 1, words)), (j, 1, words))
    over = ((h, 0, N - 1), (t, 1, T), (n, 1, T))
    row = vanishing(summed_over(joint(Compare(value(j, k) * inner, "=", 0), none), NEXT))
    body = token(h + 1, n, j) * row.formula.left
    total = vanishing(summed_over(joint(Compare(body, "=", 0), row), WORD))
    found = joint(
        Compare(carried(h, t, n), "=", 0), unfold(carried(h, t, n), term, ANY_RATE, over), total
    )
    found = for_all(found, *over)
    return at_sequence(found, i, t, n)


def unmoved(attention: Any, positions: Any, carried: Any, none: Theorem) -> tuple[Theorem, Theorem]:
    """Attention weights and position scores whose gradient comes from scores that vanish."""
    c, w = (Symbol(name, integer=True, positive=True) for name in "cw")
    every = generalise(none, n, 1, T)
    to_row = joint(Compare(c, "<=", T), given=(Compare(c, "<=", t), Compare(t, "<=", T)))
    others = vanishing(summed_over(cut(instance(every, c), to_row), (c, t)))
    slope = (carried(i - 1, t, n) - others.formula.left / t) / t
    flat = joint(Compare(slope, "=", 0), none, others)
    earlier = joint(Compare(n, "<=", T), given=(Compare(n, "<=", t), Compare(t, "<=", T)))
    each = joint(Compare(token(i, t, j) * slope * token(i, n, k), "=", 0), cut(flat, earlier))
    total = vanishing(summed_over(each, S, PLACE, (n, t)))
    read = unfold(attention(j, k), eta * total.formula.left / (N * T), ANY_RATE, ENTRY)
    weights = joint(Compare(attention(j, k), "=", 0), read, total)
    row = w + m - 1
    inside = (
        joint(Compare(row, ">=", 1)), joint(Compare(row, "<=", T), given=(Compare(w, "<=", T - m + 1),)),
        joint(Compare(w, ">=", 1)),
        joint(Compare(w, "<=", T), given=(Compare(w, "<=", T - m + 1), Compare(m, ">=", 1))),
    )  # fmt: skip
    there = cut(at_places(for_all(flat, (t, T), (n, T)), row, w), *inside)
    diagonal = vanishing(summed_over(there, S, (w, T - m + 1)))
    shown = unfold(positions(m), eta * diagonal.formula.left / (N * T), ANY_RATE, ((m, 1, T),))
    return weights, joint(Compare(positions(m), "=", 0), shown, diagonal)


@cache
def value_vanishes() -> Theorem:
    """Values after one step: their gradient has $W_O=0$ as a factor."""
    start = at_places(for_entries(zero(claims.start_output)), k, l)
    term = residual(l) * claims.start_output(k, l)
    inner = vanishing(summed_over(joint(Compare(term, "=", 0), start), (l, words)))
    body = prefix_share(j) * inner.formula.left
    total = vanishing(summed_over(joint(Compare(body, "=", 0), inner), S, PLACE))
    read = unfold(claims.value_1(j, k), eta * total.formula.left / (N * T), ANY_RATE, ENTRY)
    return joint(Compare(claims.value_1(j, k), "=", 0), read, total)


@proves(claims.other_weights_after_one_step)
def by_a_factor_that_is_zero(claim: Claim) -> Certificate:
    """Gradients have $W_O=0$ or $V^{(1)}=0$ as a factor."""
    left = lambda column: token(h + 1, t + 1, column) - 1 / words  # noqa: E731
    none = carried_vanishes(
        claims.carried_0, left, claims.start_output, claims.start_value, zero(claims.start_value)
    )
    weights, scores = unmoved(claims.attention_1, claims.positions_1, claims.carried_0, none)
    theorem = both(for_entries(both(weights, value_vanishes())), generalise(scores, m, 1, T))
    return conclude(claim, theorem, method="a factor that is zero")


@proves(claims.attention_weights_after_two_steps)
def by_values_that_are_zero(claim: Claim) -> Certificate:
    """Their gradients have $V^{(1)}=0$ as a factor."""
    left = lambda column: token(h + 1, t + 1, column) - probability(h, t, column)  # noqa: E731
    none = carried_vanishes(
        claims.carried_1, left, claims.output_weight, claims.value_1, value_vanishes()
    )
    weights, scores = unmoved(claims.attention_2, claims.positions_2, claims.carried_1, none)
    theorem = both(for_entries(weights), generalise(scores, m, 1, T))
    return conclude(claim, theorem, method="a factor that is zero")


# The forward pass after one step ------------------------------------------------------------------


@cache
def lookup() -> Theorem:
    """$(X_i\\bar B)_{tk}=\\sum_jX_{tj}\\bar B_{jk}$."""
    return unfold(
        looked_up(h, t, k), Sum(token(h + 1, t, j) * bigram(j, k), (j, 1, words)), ANY_RATE, ROW
    )


@cache
def forward() -> Theorem:
    """$F(X_i)_{tk}=\\eta(X_i\\bar B)_{tk}$."""
    term = eta * Sum(token(h + 1, t, j) * bigram(j, k), (j, 1, words))
    read = unfold(logit(h, t, k), term, ANY_RATE, ROW)
    return joint(Compare(logit(h, t, k), "=", eta * looked_up(h, t, k)), read, lookup())


def everywhere(theorem: Theorem) -> Theorem:
    """For all sequences, tokens and words k."""
    return for_all(theorem, (h, 0, N - 1), (t, T), (k, words))


def here(theorem: Theorem, column: Any = k) -> Theorem:
    """At sequence i (from one), token t and a word."""
    return at_sequence(everywhere(theorem), i, t, column)


@cache
def entries_are_close() -> Theorem:
    """$\\bar B_{jk}-\\bar B_{jl}\\le1$."""
    own, one, other = token(i, t, j), token(i, t + 1, k), token(i, t + 1, l)
    places = ((t, j), (t + 1, k), (t + 1, l))
    facts = [known(f, i, *place) for f in (SQUARE, SIGN) for place in places]
    a, b, c = symbols("a b c", real=True)
    given = [f for x in (a, b, c) for f in (Compare(x**2, "=", x), Compare(x, ">=", 0))]
    each = algebra(Compare(a * b - a * c, "<=", 1), given, {a: own, b: one, c: other}, *facts)
    total = summed_over(each, S, PLACE)
    first = bigram_entry()
    second = at_places(for_entries(first), j, l)
    gap = linked(Compare(mean(own * residual(k)) - mean(own * residual(l)), "<=", 1), total)
    return joint(Compare(bigram(j, k) - bigram(j, l), "<=", 1), first, second, gap)


def rows_are_close() -> Theorem:
    """$F(X_i)_{tk}-F(X_i)_{tl}\\le\\eta$."""
    x = token(h + 1, t, j)
    sign, whole = at_sequence(assume(SIGN), h + 1, t, j), at_sequence(assume(TOTAL), h + 1, t)
    w, b, c = symbols("w b c", real=True)
    given = (Compare(b - c, "<=", 1), Compare(w, ">=", 0))
    terms = {w: x, b: bigram(j, k), c: bigram(j, l)}
    each = algebra(Compare(w * b - w * c, "<=", w), given, terms, entries_are_close(), sign)
    total = linked(
        Compare(lookup().formula.right - lookup().formula.right.subs(k, l), "<=", 1),
        summed_over(each, WORD), whole,
    )  # fmt: skip
    other = at_places(everywhere(lookup()), h, t, l)
    gap = joint(Compare(looked_up(h, t, k) - looked_up(h, t, l), "<=", 1), total, lookup(), other)
    own, others = forward(), at_places(everywhere(forward()), h, t, l)
    return joint(Compare(logit(h, t, k) - logit(h, t, l), "<=", eta), gap, own, others)


@proves(claims.forward_pass_after_one_step)
def by_looking_up(claim: Claim) -> Certificate:
    """Values are zero, so that logits are rows of W_O; entries of a row of B differ by at most one."""
    top, low = (kind(logit(h, t, k), (k, 1, words)) for kind in (MaxOver, MinOver))
    below = joint(Compare(logit(h, t, k), "<=", logit(h, t, l) + eta), rows_are_close())
    below = extremum_compared(generalise(below, k, 1, words), MaxOver)
    above = joint(Compare(logit(h, t, l), ">=", top - eta), below)
    above = extremum_compared(generalise(above, l, 1, words), MinOver)
    read = unfold(claims.spread(h, t), top - low, ANY_RATE, ROW[:2])
    close = joint(Compare(claims.spread(h, t), "<=", eta), above, read)
    rows = both(generalise(forward(), k, 1, words), close)
    theorem = for_all(rows, (h, 0, N - 1), (t, T))
    return conclude(claim, theorem, method="entries of the bigram map")


# Outputs after one step ---------------------------------------------------------------------------


def bigram_rows() -> Theorem:
    """$\\sum_k\\bar B_{jk}^2\\le1$ for every word j."""
    square = Sum(bigram(j, k) ** 2, (k, 1, words))
    sign = generalise(squares(bigram(j, k), NEXT), j, 1, words)
    return joint(Compare(square, "<=", 1), bigram_norm(), sum_at_least_term(sign, j))


@cache
def bigram_norm() -> Theorem:
    """$\\|\\bar B\\|_F\\le1$: a mean of products of one-hot vectors and centred ones."""
    own = lambda column: token(i, t, column)  # noqa: E731
    found = mean_of_products(own, residual, one_hot_is_short())
    _, short = first_residual_row(i)
    total = linked(Compare(found.formula.right, "<=", 1), summed_over(short, S, PLACE))
    entry, means = bigram_entry(), mean(own(j) * residual(k))
    each = joint(Compare(bigram(j, k) ** 2, "=", means**2), entry)
    return joint(
        Compare(nest(bigram(j, k) ** 2, *PAIR), "<=", 1), summed_over(each, *PAIR), found, total
    )


PAIR = (WORD, NEXT)


def one_hot_is_short() -> Theorem:
    """$\\sum_jX_{tj}^2\\le1$."""
    square, whole = known(SQUARE, i, t, j), known(TOTAL, i, t)
    own = Sum(token(i, t, j) ** 2, (j, 1, words))
    return linked(Compare(own, "<=", 1), summed_over(square, WORD), whole)


@cache
def looked_up_rows() -> Theorem:
    """$\\sum_k(X_i\\bar B)_{tk}^2\\le1$ at sequence i and token t."""
    x = token(i, t, j)
    signs = generalise(known(SIGN, i, t, j), j, 1, words)
    jensen = fact(JENSEN, w=x, x=bigram(j, k), k=j, low=1, high=words)
    mixed = cut(jensen, signs, known(TOTAL, i, t))
    total = summed_over(mixed, NEXT)
    moved = fact(FUBINI, a=x * bigram(j, k) ** 2, j=k, k=j, rows=words, columns=words)
    row = Sum(bigram(j, k) ** 2, (k, 1, words))
    w, b = symbols("w b", real=True)
    product = joint(Compare(w * b, "<=", w), given=(Compare(b, "<=", 1), Compare(w, ">=", 0)))
    product = cut(substitute(product, {w: x, b: row}), bigram_rows(), known(SIGN, i, t, j))
    pulled = sum_rearranged(Sum(x * bigram(j, k) ** 2, (k, 1, words)), x * row)
    each = joint(Compare(pulled.formula.left, "<=", x), pulled, product)
    own = joint(
        Compare(looked_up(i - 1, t, k) ** 2, "=", here(lookup()).formula.right ** 2), here(lookup())
    )
    goal = Compare(Sum(looked_up(i - 1, t, k) ** 2, (k, 1, words)), "<=", 1)
    return joint(
        goal, summed_over(own, NEXT), total, moved, summed_over(each, WORD), known(TOTAL, i, t)
    )


def change(column: Any) -> Expr:
    """$\\mathcal S(F)-U_O$ at sequence i and token t."""
    return probability(i - 1, t, column) - 1 / words


@cache
def outputs_are_close(bound: Any) -> Theorem:
    """$\\sum_k(p_k-1/|V|)^2\\le(e^r\\eta/|V|)^2\\sum_k(X_i\\bar B)_{tk}^2$ for $\\eta\\le r$."""
    z = Logits(lambda column: logit(i - 1, t, column), words, k)
    a, b = Symbol("a", integer=True), Symbol("b", integer=True)
    close = ForAll(a, 1, words, ForAll(b, 1, words, Compare(z.logit(a) - z.logit(b), "<=", eta)))
    one = summed_over(at_places(assume(close), n, l), (l, words))
    average = linked(Compare(z.logit(n), "<=", v + eta), one, given=(z.is_mean,))
    gap = joint(Compare(z.logit(n), "<=", v + r), average, given=(Compare(eta, "<=", r),))
    found = z.squares(exp(r), z.growth(gap), fact(EXP_ABOVE_TANGENT, x=r))
    found = substitute(found, {r: bound})
    ranges = at_sequence(everywhere(generalise(rows_are_close(), l, 1, words)), i, t)
    found = cut(found, ranges)
    term = exp(logit(h, t, k)) / Sum(exp(logit(h, t, l)), (l, 1, words))
    read = here(unfold(probability(h, t, k), term, ANY_RATE, ROW))
    same = joint(Compare(change(k) ** 2, "=", (z.share - 1 / words) ** 2), read)
    own = joint(
        Compare(z.logit(k) ** 2, "=", eta**2 * looked_up(i - 1, t, k) ** 2), here(forward())
    )
    left, right = (
        Sum(change(k) ** 2, (k, 1, words)),
        Sum(looked_up(i - 1, t, k) ** 2, (k, 1, words)),
    )
    logits = linked(Compare(z.total(z.logit(k) ** 2), "=", eta**2 * right), summed_over(own, NEXT))
    factor = exp(bound) / words
    f, a, b, c = symbols("f a b c", real=True)
    goal = Compare(a, "<=", (f * eta) ** 2 * b)
    given = (Compare(a, "<=", f**2 * c), Compare(c, "=", eta**2 * b))
    terms = {a: left, b: right, c: logits.formula.left, f: factor}
    total = joint(Compare(left, "<=", found.formula.right), summed_over(same, NEXT), found)
    return algebra(goal, given, terms, total, logits)


E1 = exp(Integer(1))
LARGE = Compare(words, ">=", 8)


def slope(bound: Any) -> Theorem:
    """$e^r\\eta/|V|\\ge0$."""
    sign = fact(EXP_ABOVE_TANGENT, x=bound)
    return joint(Compare(exp(bound) * eta / words, ">=", 0), sign)


def below_the_root() -> Theorem:
    """$e\\eta/|V|\\le\\eta/\\sqrt{|V|}$ from $|V|=8$ on."""
    e = Symbol("e", real=True)
    given = (Compare(e**2, "<=", 8), LARGE, Compare(e, ">=", 0))
    goal = Compare(e * eta / words, "<=", eta / sqrt(words))
    root = joint(Compare(e / words, "<=", 1 / sqrt(words)), given=given)
    square = compute(Compare(exp(Integer(2)), "<=", 8))
    found = joint(goal, root)
    return cut(substitute(found, {e: E1}), square, compute(Compare(E1, ">=", 0)))


@cache
def sample_change(bound: Any) -> tuple[Theorem, Theorem]:
    """At sequence i: $\\|\\mathcal S(F)-U_O\\|_F^2$ by $\\|X_i\\bar B\\|_F^2$, and that by T."""
    rows = outputs_are_close(bound)
    total = summed_over(rows, PLACE)
    left, right = nest(change(k) ** 2, PLACE, NEXT), nest(looked_up(i - 1, t, k) ** 2, PLACE, NEXT)
    pulled = sum_rearranged(total.formula.right, (exp(bound) * eta / words) ** 2 * right)
    first = joint(Compare(left, "<=", pulled.formula.right), total, pulled)
    second = linked(Compare(right, "<=", T), summed_over(looked_up_rows(), PLACE))
    return first, second


@cache
def at_sample(theorem: Theorem) -> Theorem:
    """At sequence h, counted from zero."""
    return instance(generalise(theorem, i, 1, N), h + 1)


@proves(claims.outputs_are_near_uniform_after_one_step)
def by_softmax_bounds(claim: Claim) -> Certificate:
    """Lemma D.2 row by row; rows of $X_i\\bar B$ have norm at most one; $e^2\\le8$."""
    first, second = (at_sample(found) for found in sample_change(Integer(1)))
    own, gap = looked_up(h, t, k), probability(h, t, k) - 1 / words
    left, right = nest(gap**2, PLACE, NEXT), nest(own**2, PLACE, NEXT)
    factor, signs = (
        E1 * eta / words,
        (squares(gap, PLACE, NEXT), squares(own, PLACE, NEXT), slope(Integer(1))),
    )
    one = rooted(left, factor, right, first, *signs)
    two = rooted(right, Integer(1), T, second, *signs)
    over = ((h, 0, N - 1),)
    read = [
        unfold(claims.output_change(h), sqrt(left), ANY_RATE, over),
        unfold(claims.looked_up_norm(h), sqrt(right), ANY_RATE, over),
        unfold(claims.residual_change(h), sqrt(left), ANY_RATE, over),
    ]
    norm = joint(Compare(claims.looked_up_norm(h), "<=", sqrt(T)), two, read[1])
    links = (
        joint(
            Compare(claims.output_change(h), "<=", factor * claims.looked_up_norm(h)), one, *read
        ),
        joint(Compare(factor * claims.looked_up_norm(h), "<=", factor * sqrt(T)), norm, signs[2]),
    )
    a, b, f, g, root = symbols("a b f g w", real=True)
    given = (
        Compare(a, "<=", f * b), Compare(b, "<=", root), Compare(f, "<=", g), Compare(f, ">=", 0),
        Compare(root, ">=", 0),
    )  # fmt: skip
    terms = {
        a: claims.residual_change(h), b: claims.looked_up_norm(h), f: factor,
        g: eta / sqrt(words), root: sqrt(T),
    }  # fmt: skip
    last = algebra(
        Compare(a, "<=", g * root),
        given,
        terms,
        joint(
            Compare(claims.residual_change(h), "<=", factor * claims.looked_up_norm(h)), one, *read
        ),
        norm,
        below_the_root(),
        signs[2],
        joint(Compare(sqrt(T), ">=", 0)),
    )
    theorem = generalise(both(*links, last), h, 0, N - 1)
    return conclude(claim, theorem, method="Lemma D.2 row by row")
