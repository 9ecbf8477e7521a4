"""Norms of maps that are a distribution over pairs of words, centred along one of the two."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sympy import Sum, symbols

from claims.im2026 import bigrams, contexts
from claims.im2026 import map_norms as claims
from claims.im2026.corpora import CORPORA
from claims.im2026.interchangeability import next_frequency, sigma, sigma_uncentred
from claims.im2026.notation import T, i, j, k, m, t, words
from claims.model import Claim
from claims.statement import Compare
from proofs.calculation import (
    algebra,
    at_places,
    linked,
    multiplied,
    place,
    square_at,
    squared,
    summed_over,
    sums_compared,
)
from proofs.certificate import Certificate
from proofs.facts import FUBINI
from proofs.im2026 import bigrams as pairs_of
from proofs.im2026 import contexts as prefixes
from proofs.im2026.bigrams import (
    NOT_NEGATIVE,
    ONE_OF_EACH,
    every_word,
    fact_at,
    means_compared,
    of_words,
    over,
    x,
)
from proofs.im2026.contexts import concluded, share
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    fact,
    generalise,
    joint,
    sum_at_least_term,
    sum_rearranged,
    unfold,
)  # fmt: skip
from proofs.registry import proves


@dataclass(frozen=True)
class Centred:
    """A map with entries A_ab - f_a/|V|, where A is a distribution over pairs of words.

    `term(a, b)` is A_ab and `single(a)` is f_a, the sum of A_ab over b.  Theorems: what an `entry` of the
    map is; `signs`, that A_ab is between 0 and f_a; `total`, that A_ab sum to f_a; `whole`, that f_a sum
    to one.
    """

    term: Callable[[Any, Any], Any]
    single: Callable[[Any], Any]
    entry: Callable[[Any, Any], Theorem]
    signs: Callable[[Any, Any], Theorem]
    total: Callable[[Any], Theorem]
    whole: Theorem

    def size(self, norm: Any, pairs: Any, single: Any) -> Theorem:
        """The norm, its bound and where that is reached."""
        a, b = place("a"), place("b")
        square = self.entry(a, b).formula.left ** 2

        def read(quantity: Any, term: Any, *indices: Any) -> Theorem:
            ranges = [(index, 1, words) for index in reversed(indices)]
            return unfold(quantity, Sum(term, *ranges), CORPORA)

        known = [
            read(norm, square, a, b), read(pairs, self.term(a, b) ** 2, a, b),
            read(single, self.single(a) ** 2, a),
        ]  # fmt: skip
        same = linked(norm.equals(pairs - single / words), sums_compared(self.row, words), *known)
        below = linked(Compare(pairs, "<=", single), sums_compared(self.row_below, words), *known)
        least = sums_compared(self.at_most_itself, words)
        one = linked(Compare(single, "<=", 1), least, self.whole, *known)
        most = joint(norm.at_most(1 - 1 / words), same, below, one)
        reached = Compare(pairs, "=", 1).implies(norm.equals(1 - 1 / words))
        return both(same, most, joint(reached, same, below, one))

    def row(self, a: Any) -> Theorem:
        """sum_b M_ab^2 = sum_b A_ab^2 - f_a^2/|V|."""
        b = place("b")
        squares = squared(lambda n: self.entry(a, n), words)
        value = Sum(self.term(a, b) ** 2, (b, 1, words)) - self.single(a) ** 2 / words
        return linked(Compare(squares.formula.left, "=", value), squares, self.total(a))

    def row_below(self, a: Any) -> Theorem:
        """sum_b A_ab^2 <= f_a sum_b A_ab = f_a^2."""

        def product(b: Any) -> Theorem:
            p, f = symbols("p f", real=True)
            given = (Compare(p, ">=", 0), Compare(p, "<=", f))
            values = {p: self.term(a, b), f: self.single(a)}
            return algebra(Compare(p**2, "<=", f * p), given, values, self.signs(a, b))

        squares = sums_compared(product, words)
        goal = Compare(squares.formula.left, "<=", self.single(a) ** 2)
        return linked(goal, squares, self.total(a))

    def at_most_itself(self, a: Any) -> Theorem:
        """f_a^2 <= f_a, since f_a is one term of a sum that is one."""
        n = place("a")

        def sign(word: Any) -> Theorem:
            low = sums_compared(
                lambda b: joint(Compare(0, "<=", self.term(word, b)), self.signs(word, b)), words
            )
            return linked(Compare(self.single(word), ">=", 0), low, self.total(word))

        term = sum_at_least_term(generalise(sign(n), n, 1, words), a)
        f = symbols("f", real=True)
        given = (Compare(f, ">=", 0), Compare(f, "<=", 1))
        small = joint(Compare(self.single(a), "<=", 1), term, self.whole)
        return algebra(Compare(f**2, "<=", f), given, {f: self.single(a)}, sign(a), small)


@of_words
def pair(word: Any, after: Any) -> Theorem:
    """The frequency of a pair is the mean of x_tj x_(t+1)k."""
    term = claims.pair_frequency(word, after)
    return unfold(term, pairs_of.pairs(word, after), CORPORA, over(word, after))


def one_word_at_a_time(share_of: Any, body: Any, position: Any, word: Any) -> Theorem:
    """Shares of words sum to one: `body` of a token sums to one over `word`."""
    summed = summed_over(share_of(word), (word, words))
    mean = pairs_of.summed_over_words(body, word, position)
    return linked(Compare(summed.formula.left, "=", 1), summed, mean)


@of_words
def centred_pair(a: Any, b: Any) -> Theorem:
    """An entry of the bigram map is the frequency of a pair less that of its first word over |V|."""
    value = claims.pair_frequency(a, b) - bigrams.frequency(a) / words
    goal = Compare(bigrams.bigram(a, b), "=", value)
    return linked(goal, pairs_of.bigram(a, b), pair(a, b), pairs_of.frequency(a))


@proves(claims.what_centring_takes_off)
def by_centred_pairs(claim: Claim) -> Certificate:
    """The product of two centred frequencies, term by term."""
    a = place("a")
    term = claims.pair_frequency

    def read(quantity: Any, body: Any, *indices: Any) -> Theorem:
        return unfold(quantity, Sum(body, (a, 1, words)), CORPORA, over(*indices))

    squares = read(claims.same_word, bigrams.frequency(a) ** 2)
    columns = [read(claims.weighed_pairs(n), bigrams.frequency(a) * term(a, n), n) for n in (j, k)]
    uncentred = read(sigma_uncentred(j, k), term(a, j) * term(a, k), j, k)
    centred = read(sigma(j, k), bigrams.bigram(a, j) * bigrams.bigram(a, k), j, k)
    products = multiplied(lambda n: centred_pair(n, j), lambda n: centred_pair(n, k), words)
    value = (
        sigma_uncentred(j, k)
        - (claims.weighed_pairs(j) + claims.weighed_pairs(k)) / words
        + claims.same_word / words**2
    )
    goal = Compare(sigma(j, k), "=", value)
    theorem = linked(goal, centred, uncentred, products, squares, *columns)
    return concluded(claim, every_word(theorem, j, k))


@proves(claims.what_centring_makes_of_one_class)
def by_independent_pairs(claim: Claim) -> Certificate:
    """Every row of the map is a multiple of one row."""
    term, a = claims.pair_frequency, place("a")

    def pair_at(word: Any, after: Any) -> Theorem:
        return at_places(assume(claims.INDEPENDENT), word, after)

    def centred(word: Any, after: Any) -> Theorem:
        value = bigrams.frequency(word) * (next_frequency(after) - 1 / words)
        goal = Compare(bigrams.bigram(word, after), "=", value)
        return joint(goal, centred_pair(word, after), pair_at(word, after))

    def multiple(quantity: Any, entry: Any, row: Any, factor: Any) -> Theorem:
        read = unfold(
            quantity(j, k), Sum(entry(a, j) * entry(a, k), (a, 1, words)), CORPORA, over(j, k)
        )
        products = multiplied(lambda n: row(n, j), lambda n: row(n, k), words)
        goal = Compare(quantity(j, k), "=", claims.same_word * factor(j) * factor(k))
        return linked(goal, read, products, squares)

    squares = unfold(claims.same_word, Sum(bigrams.frequency(a) ** 2, (a, 1, words)), CORPORA)
    excess = lambda word: next_frequency(word) - 1 / words  # noqa: E731
    uncentred = multiple(sigma_uncentred, term, pair_at, next_frequency)
    entry = multiple(sigma, bigrams.bigram, centred, excess)
    positive = some_word_occurs(squares)
    below = Compare(excess(j) * excess(k), "<", 0).implies(Compare(sigma(j, k), "<", 0))
    theorem = both(uncentred, entry, joint(below, entry, positive))
    return concluded(claim, every_word(theorem, j, k))


def some_word_occurs(squares: Theorem) -> Theorem:
    """The sum of squared frequencies is positive, as frequencies sum to one."""
    a = place("a")
    each = linked(Compare(Sum(x(i, t, a), (a, 1, words)), "=", 1), fact_at(ONE_OF_EACH, t))
    whole = one_word_at_a_time(pairs_of.frequency, each, t, a)
    f = bigrams.frequency(a)
    above = joint(Compare(2 * f / words - 1 / words**2, "<=", f**2), square_at(f - 1 / words))
    total = summed_over(above, (a, words))
    ones = sum_rearranged(Sum(1 / words**2, (a, 1, words)), 1 / words)
    return linked(Compare(claims.same_word, ">", 0), squares, whole, total, ones)


@proves(claims.norm_of_the_bigram_map)
def by_pairs_of_neighbours(claim: Claim) -> Certificate:
    """Frequencies of pairs, centred over the second word."""

    @of_words
    def signs(a: Any, b: Any) -> Theorem:
        term = claims.pair_frequency(a, b)
        goal = Compare(term, ">=", 0) & Compare(term, "<=", bigrams.frequency(a))
        return joint(goal, pairs_of.below(a, b, 0), pair(a, b), pairs_of.frequency(a))

    @of_words
    def total(a: Any) -> Theorem:
        b = place("b")
        body = Sum(x(i, t, a) * x(i, t + 1, b), (b, 1, words))
        each = linked(Compare(body, "=", x(i, t, a)), fact_at(ONE_OF_EACH, t + 1))
        summed = summed_over(pair(a, b), (b, words))
        goal = Compare(summed.formula.left, "=", bigrams.frequency(a))
        return linked(goal, summed, pairs_of.summed_over_words(each, b), pairs_of.frequency(a))

    n = place("a")
    each = linked(Compare(Sum(x(i, t, n), (n, 1, words)), "=", 1), fact_at(ONE_OF_EACH, t))
    whole = one_word_at_a_time(pairs_of.frequency, each, t, n)
    found = Centred(claims.pair_frequency, bigrams.frequency, centred_pair, signs, total, whole)
    theorem = found.size(claims.bigram_norm, claims.same_pair, claims.same_word)
    return concluded(claim, theorem)


def share_sign(word: Any) -> Theorem:
    """A share of a prefix is not negative."""
    position = prefixes.t
    ranges = (Compare(m, ">=", 1), Compare(m, "<=", position), Compare(position, "<=", T))
    own = cut(at_places(assume(NOT_NEGATIVE), i, m, word), *map(assume, ranges))
    low = summed_over(own, (m, position))
    return linked(Compare(share(word), ">=", 0), low)


@proves(claims.norm_of_the_context_map)
def by_words_of_prefixes(claim: Claim) -> Certificate:
    """Shares of prefixes with the current word, centred over that."""
    position = prefixes.t

    def term(a: Any, b: Any) -> Any:
        return contexts.average(b, a)

    @of_words
    def entry(a: Any, b: Any) -> Theorem:
        goal = Compare(contexts.context(b, a), "=", term(a, b) - contexts.prefix_share(a) / words)
        return joint(goal, prefixes.centred(b, a), prefixes.mu(a), prefixes.prefix_share(a))

    @of_words
    def signs(a: Any, b: Any) -> Theorem:
        u, c = symbols("u c", real=True)
        known = [fact_at(f, position + 1, b, within=position) for f in pairs_of.BINARY]
        given = (Compare(u, ">=", 0), Compare(u**2, "=", u), Compare(c, ">=", 0))
        values = {u: x(i, position + 1, b), c: share(a)}
        low, high = (
            means_compared(algebra(goal, given, values, *known, share_sign(a)), position)
            for goal in (Compare(0, "<=", u * c), Compare(u * c, "<=", c))
        )
        inside = Compare(term(a, b), ">=", 0) & Compare(term(a, b), "<=", contexts.prefix_share(a))
        return linked(inside, low, high, prefixes.average(b, a), prefixes.prefix_share(a))

    @of_words
    def total(a: Any) -> Theorem:
        b = place("b")
        summed = summed_over(prefixes.average(b, a), (b, words))
        goal = Compare(summed.formula.left, "=", contexts.prefix_share(a))
        return linked(goal, summed, prefixes.one_word_is_current(a), prefixes.prefix_share(a))

    n = place("a")
    whole = one_word_at_a_time(prefixes.prefix_share, shares_of_a_prefix(n), position, n)
    found = Centred(term, contexts.prefix_share, entry, signs, total, whole)
    theorem = found.size(claims.context_norm, claims.same_context, claims.same_prefix)
    return concluded(claim, theorem)


def shares_of_a_prefix(word: Any) -> Theorem:
    """Shares of a prefix sum to one: at each of its positions stands one word."""
    position = prefixes.t
    ranges = (Compare(m, ">=", 1), Compare(m, "<=", position), Compare(position, "<=", T))
    own = cut(at_places(assume(ONE_OF_EACH), i, m), *map(assume, ranges))
    turned = fact(FUBINI, a=x(i, m, word), j=word, k=m, rows=words, columns=position)
    count = linked(
        Compare(Sum(Sum(x(i, m, word), (m, 1, position)), (word, 1, words)), "=", position),
        turned, summed_over(own, (m, position)),
    )  # fmt: skip
    return linked(Compare(Sum(share(word), (word, 1, words)), "=", 1), count)
