"""The interchangeability map by the frequencies of pairs, word by word."""

from __future__ import annotations

from typing import Any

from sympy import Sum

from claims.im2026 import bigrams
from claims.im2026 import interchangeability as claims
from claims.im2026.corpora import CORPORA
from claims.im2026.notation import j, k, words
from claims.model import Claim
from claims.statement import Compare
from proofs.calculation import linked, multiplied, place
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.im2026.bigrams import (
    SUMS,
    bigram,
    every_word,
    frequency,
    over,
    pairs,
    shared,
)  # fmt: skip
from proofs.kernel import Theorem, both, joint, unfold
from proofs.registry import proves

METHOD = f"{SUMS}; word by word"


def products(quantity: Any, term: Any) -> Theorem:
    """An entry as a sum over words of products: `term(l, j) term(l, k)`."""
    l = place("l")  # noqa: E741
    value = Sum(term(l, j) * term(l, k), (l, 1, words))
    return unfold(quantity(j, k), value, CORPORA, over(j, k))


@proves(claims.bigrams_by_the_frequency_of_current_tokens)
def by_pairs_of_previous_tokens(claim: Claim) -> Certificate:
    """A pair is as frequent as its second token times the share of its first one before that."""

    def pair(word: Any, before: Any) -> Theorem:
        whole = frequency(word, 1, claims.next_frequency)
        return shared(claims.previous(before, word), whole, before, word, 1)

    matrix = products(claims.sigma_uncentred, pairs)
    read = products(claims.similarity, claims.previous)
    terms = multiplied(lambda n: pair(j, n), lambda n: pair(k, n), words)
    value = claims.next_frequency(j) * claims.next_frequency(k) * claims.similarity(j, k)
    theorem = linked(Compare(claims.sigma_uncentred(j, k), "=", value), matrix, read, terms)
    return conclude(claim, every_word(theorem, j, k), method=METHOD)


@proves(claims.interchangeability_is_symmetric)
def by_exchanging_factors(claim: Claim) -> Certificate:
    """Factors of each product commute."""

    def symmetric(quantity: Any, term: Any) -> Theorem:
        l = place("l")  # noqa: E741
        value = Sum(term(l, j) * term(l, k), (l, 1, words))
        sides = (unfold(quantity(*order), value, CORPORA, over(j, k)) for order in ((j, k), (k, j)))
        return joint(Compare(quantity(j, k), "=", quantity(k, j)), *sides)

    theorem = both(
        symmetric(claims.sigma, bigrams.bigram), symmetric(claims.similarity, claims.previous)
    )
    return conclude(claim, every_word(theorem, j, k), method=METHOD)


@proves(claims.entries_of_the_interchangeability_map)
def by_rows_of_the_bigram_map(claim: Claim) -> Certificate:
    """Row l of the bigram map is alpha_l times the centred next-token distribution of e_l."""

    def row(word: Any, column: Any) -> Theorem:
        share, centred = bigrams.following(word, column), claims.centred_following(word, column)
        read = unfold(centred, share - 1 / words, CORPORA, over(word, column))
        return linked(
            Compare(bigrams.bigram(word, column), "=", bigrams.frequency(word) * centred),
            bigram(word, column), shared(share, frequency(word), word, column), frequency(word),
            read,
        )  # fmt: skip

    def weighted(word: Any, column: Any) -> Any:
        return bigrams.frequency(word) * claims.centred_following(word, column)

    matrix = products(claims.sigma, bigrams.bigram)
    read = products(claims.weighted_similarity, weighted)
    terms = multiplied(lambda n: row(n, j), lambda n: row(n, k), words)
    goal = Compare(claims.sigma(j, k), "=", claims.weighted_similarity(j, k))
    theorem = linked(goal, matrix, read, terms)
    return conclude(claim, every_word(theorem, j, k), method=METHOD)
