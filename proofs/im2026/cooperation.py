"""Leading terms of one layer, by arithmetic of finite sums over words."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Sum

from claims.domain import Domain
from claims.im2026 import contexts
from claims.im2026 import cooperation as claims
from claims.im2026.bigrams import bigram
from claims.im2026.corpora import CORPORA
from claims.im2026.interchangeability import sigma
from claims.im2026.notation import N, T, depth, eta, i, j, k, layer, m, s, t, words
from claims.model import Claim
from claims.statement import Compare
from proofs.calculation import at_places, for_all, linked, place, weighed
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import FUBINI
from proofs.im2026.bigrams import every_word, over, x
from proofs.im2026.contexts import divided
from proofs.im2026.leading_values import values_move_by_contexts
from proofs.kernel import (
    Theorem,
    both,
    fact,
    generalise,
    joint,
    sum_rearranged,
    unfold,
)  # fmt: skip
from proofs.registry import proves

METHOD = "sums over words"
OUTPUTS = ((i, 0, N - 1), (t, 1, T), (j, 1, words))


def over_words(term: Any) -> Expr:
    """A sum over the vocabulary."""
    one = place("l")
    return Sum(term(one), (one, 1, words))


@proves(claims.leading_value_matrix_is_a_composition)
def by_induction_over_steps(claim: Claim) -> Certificate:
    """W_O moves by B at each step, and V by Phi^T times what W_O has become."""
    known = at_places(divided(values_move_by_contexts()), s, layer, j, k)
    own = claims.leading_value(layer, j, k)
    ranges = ((layer, 1, depth), *over(j, k))
    read = unfold(own, known.formula.left, claims.STEPS, ranges)
    theorem = every_word(joint(Compare(own, "=", known.formula.right), read, known), j, k)
    theorem = generalise(theorem, layer, 1, depth)
    return conclude(claim, theorem, method="lowest orders; induction over steps")


def every_output(theorem: Theorem) -> Theorem:
    """For all sequences, positions and words."""
    return for_all(theorem, *OUTPUTS)


def hidden(word: Any) -> Expr:
    """An entry of X + A X V."""
    return over_words(lambda a: claims.attended(i, t, a) * claims.composed_value(a, word)) + x(
        i, t, word
    )


def displayed() -> Theorem:
    """An entry of Eq. (12)."""
    value = over_words(lambda a: hidden(a) * bigram(a, j))
    return unfold(claims.display(i, t, j), value, CORPORA, OUTPUTS)


@proves(claims.model_of_leading_terms)
def by_the_definition_of_the_model(claim: Claim) -> Certificate:
    """Both are rows of X + A X V times W_O."""
    value = over_words(lambda a: hidden(a) * bigram(a, j))
    model = unfold(claims.model_output(i, t, j), value, CORPORA, OUTPUTS)
    goal = Compare(claims.model_output(i, t, j), "=", claims.display(i, t, j))
    theorem = every_output(joint(goal, model, displayed()))
    return conclude(claim, theorem, method=METHOD)


def mapped(row: Any, column: Any) -> Theorem:
    """An entry of Phi^T Sigma."""
    value = over_words(lambda a: contexts.context(a, row) * sigma(a, column))
    return unfold(claims.mapped(row, column), value, CORPORA, over(row, column))


def value_times_output(row: Any) -> Theorem:
    """sum_k (Phi^T B^T)_lk B_kj = (Phi^T Sigma)_lj."""
    one, other = place("k"), place("q")
    term = contexts.context(other, row) * bigram(one, other) * bigram(one, j)

    def product(word: Any) -> Theorem:
        value = over_words(lambda a: contexts.context(a, row) * bigram(word, a))
        return unfold(claims.composed_value(row, word), value, CORPORA, over(row, word))

    def entry_of_sigma(word: Any) -> Theorem:
        value = over_words(lambda a: bigram(a, word) * bigram(a, j))
        return unfold(sigma(word, j), value, CORPORA, over(word, j))

    left = weighed(lambda a: bigram(a, j), product, words)
    right = weighed(lambda a: contexts.context(a, row), entry_of_sigma, words)
    turned = fact(FUBINI, a=term, j=one, k=other, rows=words, columns=words)
    goal = Compare(
        over_words(lambda a: claims.composed_value(row, a) * bigram(a, j)),
        "=",
        claims.mapped(row, j),
    )
    return linked(goal, left, right, turned, mapped(row, j))


def stream_and_block(
    attended: Any, block: Any, domain: Domain
) -> tuple[Expr, Expr, tuple[Theorem, ...]]:
    """(A X Phi^T B^T) B and X B as sums over words, which are the attention block and the residual stream.

    (Phi^T B^T) B = Phi^T (B^T B), and sums over words change places.
    """
    one, other = place("k"), place("l")
    own = over_words(lambda a: x(i, t, a) * bigram(a, j))
    direct = unfold(claims.residual_stream(i, t, j), own, CORPORA, OUTPUTS)
    value = over_words(lambda a: attended(i, t, a) * claims.mapped(a, j))
    read = unfold(block(i, t, j), value, domain, OUTPUTS)
    term = attended(i, t, other) * claims.composed_value(other, one) * bigram(one, j)
    turned = fact(FUBINI, a=term, j=one, k=other, rows=words, columns=words)
    inner = weighed(lambda a: attended(i, t, a), value_times_output, words)
    return turned.formula.left, own, (direct, read, turned, inner)


@proves(claims.attention_block_of_leading_terms)
def by_associativity(claim: Claim) -> Certificate:
    """The product with W_O, term by term."""
    mixed, own, known = stream_and_block(claims.attended, claims.block, CORPORA)
    sides = claims.residual_stream(i, t, j) + claims.block(i, t, j)
    goal = Compare(claims.display(i, t, j), "=", sides)
    whole = displayed()
    split = sum_rearranged(whole.formula.right, mixed + own)
    return conclude(claim, every_output(linked(goal, whole, split, *known)), method=METHOD)


@proves(claims.constant_stays_inside_the_softmax)
def by_associativity_with_constants(claim: Claim) -> Certificate:
    """The same, each product with its constants."""
    domain = claims.constant_stays_inside_the_softmax.domain
    attended, block = claims.attended_with_constant, claims.block_with_constant
    mixed, own, known = stream_and_block(attended, block, domain)

    def hidden_(word: Any) -> Expr:
        value = s * (s - 1) / 2 * eta**2
        found = over_words(lambda a: attended(i, t, a) * claims.composed_value(a, word))
        return value * found + x(i, t, word)

    value = s * eta * over_words(lambda a: hidden_(a) * bigram(a, j))
    whole = unfold(claims.output_with_constants(i, t, j), value, domain, OUTPUTS)
    split = sum_rearranged(value, claims.SECOND * mixed + claims.FIRST * own)
    sides = claims.FIRST * claims.residual_stream(i, t, j) + claims.SECOND * block(i, t, j)
    goal = Compare(claims.output_with_constants(i, t, j), "=", sides)
    return conclude(claim, every_output(linked(goal, whole, split, *known)), method=METHOD)


def same_feature(row: Any, column: Any) -> Theorem:
    """(Phi^T Sigma)_kj = (Sigma Phi)_jk."""

    def symmetric(word: Any) -> Theorem:
        value = over_words(lambda a: bigram(a, row) * bigram(a, word))
        sides = [
            unfold(sigma(*order), value, CORPORA, over(row, word))
            for order in ((row, word), (word, row))
        ]
        return joint(Compare(sigma(row, word), "=", sigma(word, row)), *sides)

    value = over_words(lambda a: sigma(row, a) * contexts.context(a, column))
    composed = unfold(contexts.composed(row, column), value, CORPORA, over(row, column))
    terms = weighed(lambda a: contexts.context(a, column), symmetric, words)
    goal = Compare(claims.mapped(column, row), "=", contexts.composed(row, column))
    return linked(goal, composed, terms, mapped(column, row))


@proves(claims.attention_scores_what_the_block_would_predict)
def by_symmetry(claim: Claim) -> Certificate:
    """Sigma is symmetric."""
    places = ((i, 0, N - 1), (t, 1, T), (m, 1, T))

    def residual(word: Any) -> Expr:
        return x(i, t + 1, word) - 1 / words

    def scored(quantity: Any, feature: Any) -> Theorem:
        value = over_words(lambda a: residual(a) * over_words(lambda b: feature(a, b) * x(i, m, b)))
        return unfold(quantity(i, t, m), value, CORPORA, places)

    def predicted(word: Any) -> Theorem:
        return weighed(lambda b: x(i, m, b), lambda b: same_feature(word, b), words)

    terms = weighed(residual, predicted, words)
    goal = Compare(claims.score(i, t, m), "=", claims.mapped_score(i, t, m))
    theorem = linked(
        goal, scored(claims.score, contexts.composed),
        scored(claims.mapped_score, lambda a, b: claims.mapped(b, a)), terms,
    )  # fmt: skip
    theorem = for_all(theorem, *places)
    theorem = both(every_word(same_feature(j, k), j, k), theorem)
    return conclude(claim, theorem, method=METHOD)
