r"""How large $\bar B$ and $\bar\Phi$ are: exact norms, and the largest there are.

The paper bounds $\|\bar B\|_F$ by one and, in Eq. (79), $\|\bar\Phi\|$ by two.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, product
from random import Random

from sympy import Integer, Symbol

from claims.domain import Condition, Domain, Point
from claims.im2026.bigrams import MATRIX, counted, every_word, frequency, share
from claims.im2026.contexts import MAP, average_share, share_in_prefixes
from claims.im2026.corpora import CORPORA, Corpus, bigram_map, context_map, one_hot
from claims.im2026.interchangeability import (
    next_frequency,
    sigma,
    sigma_uncentred,
    sum_over_words,
)
from claims.im2026.notation import N, T, j, k, sequences, source, words
from claims.model import Claim, Hypothesis
from claims.statement import Compare, Formula, Quantity
from claims.terms import evaluated, family

l = Symbol("l", integer=True)  # noqa: E741
"""A word that comes before."""
Pair = Callable[[Point, int, int], object]

pair_frequency = family(
    r"\mathcal P_t(e_{{{0}}}e_{{{1}}})",
    lambda at, word, after: share(counted(at).pairs[word, after], counted(at).first.total()),
)


def norm_of(name: str, matrix: Callable[[Point], object]) -> Quantity:
    """The squared Frobenius norm of a map."""
    return Quantity(
        rf"\|{name}\|_F^2", lambda at: sum((e**2 for e in evaluated(matrix, at)), start=Integer(0))
    )


def squares_of_pairs(name: str, term: Pair) -> Quantity:
    """The sum of squares over pairs of words."""
    return Quantity(
        name,
        lambda at: sum_over_words(at, lambda a: sum_over_words(at, lambda b: term(at, a, b) ** 2)),  # type: ignore[operator]
    )


def squares_of_words(name: str, term: Callable[[Point, int], object]) -> Quantity:
    """The sum of squares over words."""
    return Quantity(name, lambda at: sum_over_words(at, lambda a: term(at, a) ** 2))  # type: ignore[operator]


def size(norm: Quantity, pairs: Quantity, single: Quantity) -> Formula:
    """The norm by sums of squares, the largest there is, and where it is reached."""
    most = 1 - 1 / words
    return (
        norm.equals(pairs - single / words)
        & norm.at_most(most)
        & Compare(pairs, "=", 1).implies(norm.equals(most))
    )


bigram_norm = norm_of(r"\bar B", bigram_map)
same_pair = squares_of_pairs(
    r"\textstyle\sum_{j,k}\mathcal P_t(e_je_k)^2", pair_frequency.define_at
)
same_word = squares_of_words(r"\textstyle\sum_j\mathcal P_t(e_j)^2", frequency.define_at)
norm_of_the_bigram_map = Claim(
    id="im2026.beyond.bigram-norm",
    source=source("Sec. 4.2.1", "beyond Eq. (9)"),
    kind="bound",
    title="The squared norm of the bigram map: one chance less $1/|V|$ of another, at most $1-1/|V|$.",
    statement=size(bigram_norm, same_pair, same_word),
    domain=CORPORA,
    hypotheses=(
        MATRIX,
        Hypothesis(r"\mathcal P_t(e_je_k):\ \text{share among the}\ NT\ \text{pairs of neighbours}"),
    ),
    note=(
        "Of two places drawn at random the sums are the chances that both begin the same pair, and that "
        "both hold the same word. Over an ordinary text they are small, and so is $\\bar B$; the bound is "
        "reached by a text of one word, among others."
    ),
)  # fmt: skip

weighed_pairs = family(
    r"\textstyle\sum_l\mathcal P_t(e_l)\mathcal P_t(e_le_{{{0}}})",
    lambda at, after: sum_over_words(
        at, lambda a: frequency.define_at(at, a) * pair_frequency.define_at(at, a, after)
    ),
)
what_centring_takes_off = Claim(
    id="im2026.beyond.sigma-centring",
    source=source("Sec. 4.2.1", "beyond Eq. (10)"),
    kind="identity",
    title="What Eq. (10) neglects: two terms of order $1/|V|$ and a constant of order $1/|V|^2$.",
    statement=every_word(
        j, k,
        body=Compare(
            sigma(j, k), "=",
            sigma_uncentred(j, k)
            - (weighed_pairs(j) + weighed_pairs(k)) / words
            + same_word / words**2,
        ),
    ),
    domain=CORPORA,
    hypotheses=(
        MATRIX, Hypothesis(r"B=\frac1{NT}\sum_{i=1}^NX_i^\top Y_i,\ \mathcal P_t(e_le_k)=B_{lk}")
    ),
    note=(
        "The sums weigh previous words by how frequent they are. For a rare pair of words with no previous "
        "word in common the neglected terms are all there is, and the entry is negative unless the "
        "constant outweighs them: rows of $\\Sigma_{\\bar B}$ sum to zero, those of $B^\\top B$ do not."
    ),
)  # fmt: skip


def one_class(rng: Random, count: int, length: int, vocabulary: int) -> tuple[int, ...]:
    """Copies of a de Bruijn sequence, in which each pair of letters follows as often; letters are words."""
    letters = rng.choice([q for q in range(1, length + 1) if length % q**2 == 0])
    cycle: list[int] = []
    for a in range(letters):
        cycle += [a, *chain(*((a, b) for b in range(a + 1, letters)))]
    meant = [rng.randrange(vocabulary) for _ in range(letters)]
    return tuple(meant[cycle[place % len(cycle)]] for place in range(length + 1)) * count


INDEPENDENT = every_word(
    l, k, body=Compare(pair_frequency(l, k), "=", frequency(l) * next_frequency(k))
)
_excess = next_frequency(j) - 1 / words, next_frequency(k) - 1 / words
what_centring_makes_of_one_class = Claim(
    id="im2026.beyond.sigma-of-one-class",
    source=source("Sec. 4.2.1", "beyond Eq. (10)"),
    kind="identity",
    title=(
        "Where every word has the same previous words, Eq. (10) is nowhere negative, and the entry it stands "
        "for is, between a word rarer than $1/|V|$ and one more frequent."
    ),
    statement=every_word(
        j, k,
        body=Compare(sigma_uncentred(j, k), "=", same_word * next_frequency(j) * next_frequency(k))
        & Compare(sigma(j, k), "=", same_word * _excess[0] * _excess[1])
        & Compare(_excess[0] * _excess[1], "<", 0).implies(Compare(sigma(j, k), "<", 0)),
    ),
    domain=Domain(
        (*CORPORA.variables[:-1], Corpus(written=one_class)), (Condition.of(INDEPENDENT),)
    ),
    hypotheses=(
        MATRIX,
        Hypothesis(
            r"\mathcal P_t^Y(e_j):\ \text{share of}\ e_j\ \text{among the tokens of}\ Y_1,\dots,Y_N"
        ),
    ),
    probes=(
        {
            N: Integer(16), T: Integer(1), words: Integer(3),
            sequences: tuple(one_hot(pair, 3) for pair in product((0, 0, 1, 2), repeat=2)),
        },
    ),
    note=(
        "All words are interchangeable there, and (10), which neglects centring, gives each pair "
        "$\\sum_l\\mathcal P_t(e_l)^2\\,\\mathcal P_t^Y(e_j)\\mathcal P_t^Y(e_k)$. In "
        "$\\Sigma_{\\bar B}$ two words have a positive entry where both are more frequent than "
        "$1/|\\mathcal V|$, or both rarer. With shares $\\frac12,\\frac14,\\frac14$ of three words the entry "
        "of the first two is $-1/192$, and (10) gives $3/64$."
    ),
)  # fmt: skip

context_norm = norm_of(r"\bar\Phi", context_map)
same_context = squares_of_pairs(r"\|\Phi'\|_F^2", average_share)
same_prefix = squares_of_words(
    r"\textstyle\sum_k\bigl(\frac1T\sum_t\frac1t\sum_{m\le t}\mathcal P(x_m=e_k)\bigr)^2",
    share_in_prefixes,
)
norm_of_the_context_map = Claim(
    id="im2026.beyond.context-norm",
    source=source("Proof of Lemma D.6", "beyond Eq. (79)"),
    kind="bound",
    title="The squared norm of the context map is at most $1-1/|V|$, where two was shown for the norm.",
    statement=size(context_norm, same_context, same_prefix),
    domain=CORPORA,
    hypotheses=(MAP,),
    note=(
        "Eq. (79) multiplies norms, $\\|A_0\\|\\le2$ among them, and bounds the operator norm by 2. Shares of "
        "prefixes are a distribution over pairs of words, so that the Frobenius norm is below one."
    ),
)
