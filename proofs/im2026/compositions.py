"""Leading terms that corpora with the same basis functions share, and what the others add."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Expr, Sum, Symbol

from claims.im2026 import compositions as claims
from claims.im2026.bigrams import bigram
from claims.im2026.compositions import TWINS, other_bigram, other_context
from claims.im2026.contexts import context
from claims.im2026.cooperation import composed_value
from claims.im2026.corpora import CORPORA
from claims.im2026.notation import N, T, words
from claims.im2026.score_norms import by_positions, by_words, centred, feature, score
from claims.model import Claim
from claims.statement import Compare
from claims.terms import put
from proofs.calculation import at_places, for_all, linked, multiplied, place, summed_over
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import FUBINI
from proofs.im2026.corpus_norms import (
    at_sequence,
    i,
    j,
    k,
    nest,
    prefix_share,
    reordered,
    t,
    token,
)
from proofs.im2026.first_steps import PLACE, S, residual
from proofs.im2026.score_norms import (
    COLUMNS,
    EARLIER,
    GAP,
    ROWS,
    a,
    b,
    c,
    centred_entry,
    entry_as_a_mean,
    n,
)
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    fact,
    generalise,
    joint,
    unfold,
)
from proofs.registry import proves

WORDS = ((j, 1, words), (k, 1, words))
d = Symbol("d", integer=True, positive=True)
"""A distance of positions, counted from one."""
*_, SAME_BIGRAMS, SAME_CONTEXTS = TWINS.variables[-1].facts()


def shared() -> Theorem:
    """The bigram map by hypothesis, and its product with the context map."""

    def product(value: Any, contexts: Any, bigrams: Any) -> Theorem:
        one = place("l")
        total = Sum(contexts(one, j) * bigrams(k, one), (one, 1, words))
        return unfold(value(j, k), total, TWINS, WORDS)

    same = at_places(assume(SAME_BIGRAMS), j, k)
    terms = multiplied(
        lambda l: at_places(assume(SAME_CONTEXTS), l, j),  # noqa: E741
        lambda l: at_places(assume(SAME_BIGRAMS), k, l),  # noqa: E741
        words,
    )
    sides = (
        product(composed_value, context, bigram),
        product(claims.other_value, other_context, other_bigram),
    )
    goal = Compare(composed_value(j, k), "=", claims.other_value(j, k))
    return both(same, linked(goal, *sides, terms))


def weighed(row: Any, spread: Any) -> Expr:
    """The composed feature at words a, b, times a residual and what a word b adds."""
    return feature(a, b) * row * spread


@cache
def gap_by_words() -> Theorem:
    """A centred score as a sum over pairs of words, at sequence i, token t and place n."""

    def score_at(where: Any) -> Theorem:
        h = place("h")
        inner = Sum((token(h + 1, t + 1, a) - 1 / words) * feature(a, b), (a, 1, words))
        over = ((h, 0, N - 1), (t, 1, T), (n, 1, T))
        said = unfold(score(h, t, n), Sum(token(h + 1, n, b) * inner, (b, 1, words)), CORPORA, over)
        at = at_sequence(for_all(said, *over), i, t, where)
        term = weighed(residual(a), token(i, where, b))
        turned = reordered(term, (COLUMNS, ROWS), (1, 0))
        goal = Compare(score(i - 1, t, where), "=", nest(term, ROWS, COLUMNS))
        here = joint(Compare(where, "<=", T), given=(Compare(where, "<=", t), Compare(t, "<=", T)))
        return cut(linked(goal, at, turned), here)

    term = weighed(residual(a), token(i, c, b))
    total = summed_over(score_at(c), (c, t))
    moved = reordered(term, ((c, t), ROWS, COLUMNS), (1, 2, 0))
    value = nest(weighed(residual(a), token(i, n, b) - prefix_share(b)), ROWS, COLUMNS)
    return linked(Compare(GAP, "=", value), score_at(n), total, moved)


def attention_by_counts() -> Theorem:
    """An entry of the attention's leading term."""
    own, other = token(i, t, j), token(i, n, k)
    spread = token(i, n, b) - prefix_share(b)
    term = weighed(residual(a), own * other * spread) / t
    gap = gap_by_words()
    sides = [own * other * side / t for side in (gap.formula.left, gap.formula.right)]
    each = joint(Compare(sides[0], "=", sides[1]), gap)
    inside = linked(Compare(sides[1], "=", nest(term, ROWS, COLUMNS)))
    rows = summed_over(joint(Compare(sides[0], "=", inside.formula.right), each, inside), EARLIER)
    turned = reordered(term, (S, PLACE, EARLIER, ROWS, COLUMNS), (3, 4, 0, 1, 2))
    total = summed_over(rows, S, PLACE)
    counts = nest(residual(a) * own * Sum(other * spread, (n, 1, t)) / t, S, PLACE) / (N * T)
    read = unfold(
        claims.by_current(j, k), nest(feature(a, b) * counts, ROWS, COLUMNS), CORPORA, WORDS
    )
    goal = Compare(by_words(j, k), "=", claims.by_current(j, k))
    return linked(goal, entry_as_a_mean(), total, turned, read)


def positions_by_counts() -> Theorem:
    """An entry of the leading term of the position scores: columns d - 1 before their rows."""
    late = place("t")
    there, diagonal = late - d + 1, (late, d, T)
    spread = token(i, n, b) - prefix_share(b)
    term = weighed(residual(a), spread) / t
    gap = gap_by_words()
    pulled = linked(Compare(gap.formula.right / t, "=", nest(term, ROWS, COLUMNS)))
    entry = joint(
        Compare(centred(i - 1, t, n), "=", pulled.formula.right), centred_entry(), gap, pulled
    )
    inside = (
        joint(Compare(there, ">=", 1), given=(Compare(late, ">=", d),)),
        joint(Compare(there, "<=", late), given=(Compare(d, ">=", 1),)),
        joint(Compare(late, ">=", 1), given=(Compare(late, ">=", d), Compare(d, ">=", 1))),
    )
    entry = cut(at_places(for_all(entry, (t, T), (n, t)), late, there), *inside)
    total = summed_over(entry, S, diagonal)
    here = {t: late, n: there}
    term = put(term, here)
    along = Sum(term, diagonal)
    column = fact(FUBINI, a=Sum(term, (b, 1, words)), j=a, k=late, rows=words, columns=T, first=d)
    row = fact(FUBINI, a=term, j=b, k=late, rows=words, columns=T, first=d)
    rows = summed_over(row, ROWS)
    goal = Compare(column.formula.right, "=", nest(along, ROWS, COLUMNS))
    turned = summed_over(joint(goal, column, rows), S)
    outer = reordered(along, (S, ROWS, COLUMNS), (1, 2, 0))
    counts = nest(Sum(put(residual(a) * spread / t, here), diagonal), S) / (N * T)
    value = nest(feature(a, b) * counts, ROWS, COLUMNS)
    read = unfold(claims.by_distance(d), value, CORPORA, ((d, 1, T),))
    own = nest(Sum(centred(i - 1, late, there), diagonal), S) / (N * T)
    said = unfold(by_positions(d), own, CORPORA, ((d, 1, T),))
    goal = Compare(by_positions(d), "=", claims.by_distance(d))
    apart = joint(Compare(late, "!=", 0), given=(Compare(late, ">=", d), Compare(d, ">=", 1)))
    found = linked(goal, said, total, turned, outer, read)
    return generalise(cut(found, generalise(apart, late, d, T)), d, 1, T)


@proves(claims.basis_functions_determine_every_weight)
def by_products_of_the_maps(claim: Claim) -> Certificate:
    """Products of the same maps are the same; scores are sums over pairs of words."""
    entries = for_all(both(shared(), attention_by_counts()), *WORDS)
    apart = joint(Compare(t, "!=", 0), given=(Compare(t, ">=", 1),))
    theorem = cut(both(entries, positions_by_counts()), generalise(apart, t, 1, T))
    return conclude(claim, theorem, method="sums over words, sequences and positions")
