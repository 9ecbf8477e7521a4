"""The context map by arithmetic of finite sums over sequences, positions and prefixes."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Min, Sum, Symbol, symbols

from claims.im2026 import contexts as claims
from claims.im2026 import interchangeability
from claims.im2026.corpora import CORPORA
from claims.im2026.notation import N, T, i, j, k, m, words
from claims.model import Claim
from claims.statement import Compare
from proofs.calculation import algebra, at_places, for_all, linked, place, summed_over
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.im2026.bigrams import (
    NOT_NEGATIVE,
    ONE_OF_EACH,
    SQUARES,
    every_word,
    fact_at,
    mean,
    means_compared,
    of_words,
    over,
    summed_over_words,
    swapped,
    x,
)  # fmt: skip
from proofs.kernel import Theorem, assume, both, cut, generalise, joint, unfold
from proofs.registry import proves

METHOD = "sums over sequences, positions and prefixes"
t = Symbol("t", integer=True, positive=True)
"""A position, which may divide."""


def divided(theorem: Theorem) -> Theorem:
    """A theorem whose positions divide: none of them is zero."""
    n = place()
    divides = joint(Compare(n, "!=", 0), given=(Compare(n, ">=", 1),))
    return cut(theorem, generalise(divides, n, 1, T))


def concluded(claim: Claim, theorem: Theorem) -> Certificate:
    """Judged by such a theorem."""
    return conclude(claim, divided(theorem), method=METHOD)


def share(word: Any) -> Expr:
    """The share of a word in the first t tokens of sequence i."""
    return Sum(x(i, m, word), (m, 1, t)) / t


def token_mean(body: Any) -> Expr:
    """The mean over sequences and positions."""
    return mean(body, t)


def by_positions(body: Any) -> tuple[Expr, Theorem]:
    """The mean over positions, those of the prefix, and sequences last; it is that of shares."""
    found = Sum(Sum(Sum(body, (i, 0, N - 1)), (m, 1, t)) / t, (t, 1, T)) / (N * T)
    prefix = swapped(body, m, t)
    sides = (prefix.formula.left / t, prefix.formula.right / t)
    each = summed_over(joint(Compare(sides[0], "=", sides[1]), prefix), (t, T))
    mixed = Sum(body, (m, 1, t)) / t
    outer = swapped(mixed, t, T)
    return found, linked(Compare(found, "=", token_mean(mixed)), each, outer)


@of_words
def average(row: Any, column: Any) -> Theorem:
    """The mean of P(x_(t+1) = e_j, x_m = e_k) is that of x_(t+1)j times the share of e_k."""
    value, same = by_positions(x(i, t + 1, row) * x(i, m, column))
    read = unfold(claims.average(row, column), value, CORPORA, over(row, column))
    return linked(Compare(claims.average(row, column), "=", entry_mean(row, column)), read, same)


@of_words
def prefix_share(word: Any) -> Theorem:
    """The mean of P(x_m = e_k) is that of the share of e_k."""
    value, same = by_positions(x(i, m, word))
    read = unfold(claims.prefix_share(word), value, CORPORA, over(word))
    return linked(Compare(claims.prefix_share(word), "=", token_mean(share(word))), read, same)


def entry_mean(row: Any, column: Any) -> Expr:
    """The mean of x_(t+1)j times the share of e_k."""
    return token_mean(x(i, t + 1, row) * share(column))


@of_words
def one_word_is_current(column: Any) -> Theorem:
    """Summed over current words only the share is left."""
    n = place("l")
    body = Sum(x(i, t + 1, n) * share(column), (n, 1, words))
    total = fact_at(ONE_OF_EACH, t + 1, within=t)
    each = linked(Compare(body, "=", share(column)), total)
    return summed_over_words(each, n, t)


@of_words
def mu(column: Any) -> Theorem:
    """mu_k is the mean share of e_k over |V|."""
    n = place("l")
    value = Sum(claims.average(n, column), (n, 1, words)) / words
    read = unfold(claims.mu(column), value, CORPORA, over(column))
    each = summed_over(average(n, column), (n, words))
    goal = Compare(claims.mu(column), "=", token_mean(share(column)) / words)
    return linked(goal, read, each, one_word_is_current(column))


@of_words
def centred(row: Any, column: Any) -> Theorem:
    """An entry of the context map: the mean of P less mu."""
    value = token_mean((x(i, t + 1, row) - 1 / words) * share(column))
    read = unfold(claims.context(row, column), value, CORPORA, over(row, column))
    goal = claims.average(row, column) - claims.mu(column)
    return linked(
        Compare(claims.context(row, column), "=", goal), read, average(row, column), mu(column)
    )


@proves(claims.context_map_by_shares_of_prefixes)
def by_uniform_attention(claim: Claim) -> Certificate:
    """Row t of A_0 X is the share of each word in the prefix."""
    return concluded(claim, every_word(centred(j, k), j, k))


@proves(claims.columns_of_the_context_map_are_centred)
def by_one_current_word(claim: Claim) -> Certificate:
    """Exactly one word is current, and the uniform part takes one away."""
    body = token_mean((x(i, t + 1, j) - 1 / words) * share(k))
    read = unfold(claims.column_sum(k), Sum(body, (j, 1, words)), CORPORA, over(k))
    none = linked(Compare(claims.column_sum(k), "=", 0), read, one_word_is_current(k))
    value = Compare(claims.mu(k), "=", claims.prefix_share(k) / words)
    theorem = both(none, joint(value, mu(k), prefix_share(k)))
    return concluded(claim, every_word(theorem, k))


def matrix_entry(row: Any, column: Any) -> Theorem:
    """An entry of the uncentred map."""
    return unfold(
        claims.uncentred(row, column), entry_mean(row, column), CORPORA, over(row, column)
    )


def count_in_prefix() -> Theorem:
    """A word is among the first t tokens at least never and at most t times."""
    u = Symbol("u", real=True)
    values = {u: x(i, m, k)}
    ranges = tuple(map(assume, (Compare(m, ">=", 1), Compare(m, "<=", t), Compare(t, "<=", T))))
    signs = [cut(at_places(assume(known), i, m, k), *ranges) for known in (NOT_NEGATIVE, SQUARES)]
    given = (Compare(u, ">=", 0), Compare(u**2, "=", u))
    low, high = (
        summed_over(algebra(goal, given, values, *signs), (m, t))
        for goal in (Compare(0, "<=", u), Compare(u, "<=", 1))
    )
    count = Sum(x(i, m, k), (m, 1, t))
    return linked(Compare(count, ">=", 0) & Compare(count, "<=", t), low, high)


def share_below_occurrence() -> Theorem:
    """x_(t+1)j times the share of e_k is at most x_(t+1)j where e_k occurs."""
    u, c, f = symbols("u c f", real=True)
    count = Sum(x(i, m, k), (m, 1, t))
    small = joint(Compare(count / t, "<=", Min(1, count)), count_in_prefix())
    sign = fact_at(NOT_NEGATIVE, t + 1, j, within=t)
    given = (Compare(c, "<=", f), Compare(u, ">=", 0))
    values = {u: x(i, t + 1, j), c: count / t, f: Min(1, count)}
    return algebra(Compare(u * c, "<=", u * f), given, values, small, sign)


@proves(claims.context_map_as_a_probability)
def by_shares_and_occurrences(claim: Claim) -> Certificate:
    """A share is at most one, and none where the word does not occur."""
    value = token_mean(x(i, t + 1, j) * Min(1, Sum(x(i, m, k), (m, 1, t))))
    event = unfold(claims.together(j, k), value, CORPORA, over(j, k))
    below = means_compared(share_below_occurrence(), t)
    entry_ = matrix_entry(j, k)
    same = joint(Compare(claims.uncentred(j, k), "=", claims.average(j, k)), entry_, average(j, k))
    most = linked(
        Compare(claims.uncentred(j, k), "<=", claims.together(j, k)), entry_, event, below
    )
    return concluded(claim, every_word(both(same, most), j, k))


@proves(claims.context_map_by_counts)
def by_counting_prefixes(claim: Claim) -> Certificate:
    """Sums over sequences and positions change places."""
    places = ((i, 0, N - 1), (j, 1, words), (t, 1, T))
    mixed = unfold(claims.mixed_entry(i, j, t), share(j), CORPORA, places)
    count = Sum(x(i, m, j), (m, 1, t))
    counted = unfold(claims.prefix_count(i, j, t), count, CORPORA, places)
    goal = Compare(claims.mixed_entry(i, j, t), "=", claims.prefix_count(i, j, t) / t)
    shares = for_all(generalise(joint(goal, mixed, counted), j, 1, words), (i, 0, N - 1), (t, T))
    entry_, mean_ = matrix_entry(k, j), average(k, j)
    counts = unfold(claims.by_counts(k, j), entry_mean(k, j), CORPORA, over(k, j))
    first, second = (
        joint(Compare(claims.uncentred(k, j), "=", side(k, j)), entry_, found)
        for side, found in ((claims.by_counts, counts), (claims.average, mean_))
    )
    theorem = both(shares, every_word(both(first, second), j, k))
    return concluded(claim, theorem)


@proves(claims.what_is_taken_off_the_context_map)
def by_the_uniform_output(claim: Claim) -> Certificate:
    """The uniform output takes 1/|V| of every share, and one word is current."""
    part = token_mean(share(j) / words)
    read = unfold(claims.uniform_entry(j, k), part, CORPORA, over(j, k))
    goal = Compare(claims.uniform_entry(j, k), "=", claims.prefix_share(j) / words)
    counts = unfold(claims.uniform_by_counts(j), part, CORPORA, over(j))
    counted = joint(Compare(read.formula.left, "=", counts.formula.left), read, counts)
    entry_ = both(counted, linked(goal, read, prefix_share(j)))
    uniform = unfold(claims.uniform_row_sum(j), Sum(part, (k, 1, words)), CORPORA, over(j))
    own = Sum(entry_mean(k, j), (k, 1, words))
    total = unfold(claims.uncentred_row_sum(j), own, CORPORA, over(j))
    sums = Compare(claims.uniform_row_sum(j), "=", claims.uncentred_row_sum(j))
    theorem = both(entry_, linked(sums, uniform, total, one_word_is_current(j)))
    return concluded(claim, every_word(theorem, j, k))


@proves(claims.composed_feature_looks_ahead)
def by_the_product_of_the_maps(claim: Claim) -> Certificate:
    """Row j of the one map times column k of the other, whose prefix word is k."""
    n = place("l")
    weight = interchangeability.sigma(j, n)

    def chained(quantity: Any, term: Any) -> Theorem:
        return unfold(quantity, Sum(weight * term, (n, 1, words)), CORPORA, over(j, k))

    arrow = claims.centred_arrow(k, n)
    value = claims.average(n, k) - claims.mu(k)
    same = joint(
        Compare(claims.context(n, k), "=", arrow), centred(n, k),
        unfold(arrow, value, CORPORA, over(k, n)),
    )  # fmt: skip
    sides = [weight * side for side in (same.formula.left, same.formula.right)]
    terms = summed_over(joint(Compare(sides[0], "=", sides[1]), same), (n, words))
    theorem = joint(
        Compare(claims.composed(j, k), "=", claims.chain_out_of(j, k)), terms,
        chained(claims.composed(j, k), claims.context(n, k)),
        chained(claims.chain_out_of(j, k), arrow),
    )  # fmt: skip
    return concluded(claim, every_word(theorem, j, k))


@proves(claims.composed_feature_averages_paths)
def by_the_product_of_matrices(claim: Claim) -> Certificate:
    """Row j of the one map times column k of the other."""
    n = place("l")
    total = Sum(interchangeability.sigma(j, n) * claims.context(n, k), (n, 1, words))
    product, average = claims.composed(j, k), claims.path_average(j, k)
    goal = Compare(product, "=", words * average)
    sides = (
        unfold(quantity, term, CORPORA, over(j, k))
        for quantity, term in ((product, total), (average, total / words))
    )
    return concluded(claim, every_word(joint(goal, *sides), j, k))
