"""The bigram map by arithmetic of finite sums over sequences and positions."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from inspect import signature
from typing import Any

from sympy import Expr, Integer, KroneckerDelta, Piecewise, Sum, Symbol, symbols

from claims.im2026 import bigrams as claims
from claims.im2026.corpora import CORPORA
from claims.im2026.notation import N, T, i, j, k, sequences, t, words
from claims.model import Claim
from claims.statement import Compare, Formula
from claims.terms import entry
from proofs.calculation import algebra, at_places, for_all, linked, place, summed_over
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import FUBINI
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    fact,
    joint,
    unfold,
)
from proofs.registry import proves
from proofs.wu2024.norms import picked

x = entry(sequences)
ONE_OF_EACH, NOT_NEGATIVE, SQUARES, APART = CORPORA.variables[-1].facts()
BINARY = (NOT_NEGATIVE, SQUARES)
SUMS = "sums over sequences and positions"


def mean(body: Any, position: Symbol = t) -> Expr:
    """The mean over the tokens of X: sequences i and positions."""
    return Sum(Sum(body, (position, 1, T)), (i, 0, N - 1)) / (N * T)


def means_compared(each: Theorem, position: Symbol = t) -> Theorem:
    """Sums over positions and sequences, compared token by token."""
    inner = summed_over(each, (position, T))
    return summed_over(inner, (i, 0, N - 1))


def swapped(body: Any, index: Symbol, high: Any) -> Theorem:
    """A sum from one of sums over sequences is one over sequences of sums."""
    return fact(FUBINI, a=body, j=index, k=i, rows=high, columns=N - 1, first=Integer(0))


def exchanged(body: Any, word: Symbol, position: Symbol = t) -> Theorem:
    """A sum over words of sums over sequences and positions is one over those of sums over words."""
    over_words, over_positions = (word, 1, words), (position, 1, T)
    each = fact(FUBINI, a=body, j=word, k=position, rows=words, columns=T)
    turned = summed_over(each, (i, 0, N - 1))
    outer = swapped(Sum(body, over_positions), word, words)
    left = Sum(Sum(Sum(body, over_positions), (i, 0, N - 1)), over_words)
    right = Sum(Sum(Sum(body, over_words), over_positions), (i, 0, N - 1))
    return linked(Compare(left, "=", right), outer, turned)


def summed_over_words(each: Theorem, word: Symbol, position: Symbol = t) -> Theorem:
    """sum_k of the means of a_k is the mean of b, where `each` says sum_k a_k = b of a token."""
    body = each.formula.left.args[0]
    goal = Compare(
        Sum(mean(body, position), (word, 1, words)), "=", mean(each.formula.right, position)
    )
    return linked(goal, exchanged(body, word, position), means_compared(each, position))


def fact_at(known: Formula, position: Any, *more: Any, within: Symbol = t) -> Theorem:
    """A fact of the corpus at sequence i, a position (in terms of one from 1 to T), and words."""
    inside = (assume(Compare(within, ">=", 1)), assume(Compare(within, "<=", T)))
    return cut(at_places(assume(known), i, position, *more), *inside)


def every_word(theorem: Theorem, *indices: Symbol) -> Theorem:
    """For all words, the first outermost."""
    return for_all(theorem, *((index, words) for index in indices))


def over(*indices: Symbol) -> tuple[Any, ...]:
    """Words, with their range."""
    return tuple((index, 1, words) for index in indices)


def of_words(prove: Callable[..., Theorem]) -> Callable[..., Theorem]:
    """A theorem about words, shown once and used at any: the arguments of `prove` are words."""
    names = [place(letter) for letter, _ in zip("pqr", signature(prove).parameters, strict=False)]

    @cache
    def every() -> Theorem:
        return every_word(prove(*names), *names)

    @cache
    def at(*where: Any) -> Theorem:
        return at_places(every(), *where)

    return wraps(prove)(at)


@of_words
def bigram(row: Any, column: Any) -> Theorem:
    """B_jk is the mean of x_tj (x_(t+1)k - 1/|V|)."""
    value = mean(x(i, t, row) * (x(i, t + 1, column) - 1 / words))
    return unfold(claims.bigram(row, column), value, CORPORA, over(row, column))


@cache
def frequency(row: Any, shift: int = 0, quantity: Any = claims.frequency) -> Theorem:
    """P(e_j) is the mean of x_tj, or of the token after it."""
    return unfold(quantity(row), mean(x(i, t + shift, row)), CORPORA, over(row))


def pairs(row: Any, column: Any) -> Expr:
    """The frequency of a pair."""
    return mean(x(i, t, row) * x(i, t + 1, column))


def below(row: Any, column: Any, shift: int) -> Theorem:
    """A pair is no more frequent than its first token (shift 0) or its second one (shift 1)."""
    one, other = x(i, t, row), x(i, t + 1, column)
    known = [
        fact_at(each, position, word)
        for each in BINARY
        for position, word in ((t, row), (t + 1, column))
    ]
    u, v = symbols("u v", real=True)
    given = (Compare(u, ">=", 0), Compare(v, ">=", 0), Compare(u**2, "=", u), Compare(v**2, "=", v))
    values = {u: one, v: other}
    kept = u if shift == 0 else v
    at_most = algebra(Compare(u * v, "<=", kept), given, values, *known)
    sign = algebra(Compare(u * v, ">=", 0), given, values, *known)
    product = pairs(row, column) * N * T
    total = mean(values[kept]) * N * T
    low = linked(Compare(product, ">=", 0), means_compared(sign))
    return both(linked(Compare(product, "<=", total), means_compared(at_most)), low)


def shared(quantity: Any, whole: Theorem, row: Any, column: Any, shift: int = 0) -> Theorem:
    """P(e_j) P(e_k|e_j) is the frequency of the pair, zero where e_j does not occur."""
    part, total = pairs(row, column), whole.formula.right
    value = Piecewise((part / total, total > 0), (0, True))
    read = unfold(quantity, value, CORPORA, over(row, column))
    goal = Compare(whole.formula.left * quantity, "=", part)
    return joint(goal, read, whole, below(row, column, shift))


@proves(claims.bigram_map_by_frequencies)
def by_counting_pairs(claim: Claim) -> Certificate:
    """The mean of x_tj x_(t+1)k is the frequency of the pair."""
    product = shared(claims.following(j, k), frequency(j), j, k)
    value = claims.frequency(j) * claims.following(j, k) - claims.frequency(j) / words
    theorem = linked(Compare(claims.bigram(j, k), "=", value), bigram(j, k), product, frequency(j))
    return conclude(claim, every_word(theorem, j, k), method=SUMS)


@proves(claims.rows_of_the_bigram_map_are_centred)
def by_one_next_token(claim: Claim) -> Certificate:
    """Exactly one word comes next, and the uniform part takes one away."""
    pair = Sum(x(i, t, j) * x(i, t + 1, k), (k, 1, words))
    each = linked(Compare(pair, "=", x(i, t, j)), fact_at(ONE_OF_EACH, t + 1))
    value = Sum(bigram(j, k).formula.right, (k, 1, words))
    read = unfold(claims.row_sum(j), value, CORPORA, over(j))
    theorem = linked(Compare(claims.row_sum(j), "=", 0), read, summed_over_words(each, k))
    return conclude(claim, every_word(theorem, j), method=SUMS)


@proves(claims.leading_output_is_a_row_of_the_bigram_map)
def by_picking_a_row(claim: Claim) -> Certificate:
    """Row j of the map, and its common factor P(e_j)."""

    one = place("l")
    value = Sum(KroneckerDelta(one, j) * claims.bigram(one, k), (one, 1, words))
    read = unfold(claims.leading_output(j, k), value, CORPORA, over(j, k))
    goal = Compare(claims.leading_output(j, k), "=", claims.bigram(j, k))
    output = linked(goal, read, picked(lambda n: claims.bigram(n, k), j, words))
    share = claims.following(j, k)
    factored = linked(
        Compare(claims.bigram(j, k), "=", claims.frequency(j) * (share - 1 / words)),
        bigram(j, k), shared(share, frequency(j), j, k), frequency(j),
    )  # fmt: skip
    sign = Compare(claims.leading_output(j, k), ">=", 0).iff(Compare(share, ">=", 1 / words))
    order = joint(Compare(claims.frequency(j), ">", 0).implies(sign), output, factored)
    theorem = both(output, factored, order)
    return conclude(claim, every_word(theorem, j, k), method=SUMS)
