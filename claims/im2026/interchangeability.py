r"""Sec. 4.2.1 (2) and the proof of Lemma D.6: what $\Sigma_{\bar B}=\bar B^\top\bar B$ says of words."""

from __future__ import annotations

from collections.abc import Callable

from sympy import Expr, ImmutableDenseMatrix, Integer, Rational

from claims.domain import Point
from claims.im2026.bigrams import (
    FREQUENCIES,
    MATRIX,
    UNSEEN,
    counted,
    every_word,
    following,
    frequency,
    share,
)
from claims.im2026.corpora import CORPORA, first_tokens, interchangeability, next_tokens
from claims.im2026.notation import N, T, j, k, source, words
from claims.model import Claim, Hypothesis, Understood
from claims.statement import Compare
from claims.terms import evaluated, family

PREVIOUS = Hypothesis(
    r"\mathcal P_t(e_l^\leftarrow|e_j):\ \text{share of}\ e_l\ \text{among the tokens before}\ e_j;"
    r"\ \text{centring neglected:}\ \bar B\ \text{is}\ B=\frac1{NT}\sum_{i=1}^NX_i^\top Y_i"
)
NEVER_NEXT = Understood(
    "A word that is never a next token has no previous-token distribution; its frequency of zero is "
    "taken to make every product with it zero.",
    r"$Y_1$ without $e_j$: $\mathcal P_t(e_l^\leftarrow|e_j)$ is $0/0$",
)


def sum_over_words(at: Point, term: Callable[[int], Expr]) -> Expr:
    """A sum over the vocabulary."""
    return sum((term(word) for word in range(1, int(at[words]) + 1)), start=Integer(0))


def uncentred(at: Point) -> ImmutableDenseMatrix:
    r"""$B^\top B$ of Eq. (33)."""
    both = zip(first_tokens(at), next_tokens(at), strict=True)
    first, *others = (x.T * y for x, y in both)
    counts = sum(others, start=first) / (at[N] * at[T])
    return counts.T * counts


sigma = family(
    r"(\Sigma_{{\bar B}})_{{{}{}}}",
    lambda at, row, column: evaluated(interchangeability, at)[row - 1, column - 1],
)
sigma_uncentred = family(
    r"(B^\top B)_{{{}{}}}", lambda at, row, column: evaluated(uncentred, at)[row - 1, column - 1]
)
next_frequency = family(
    r"\mathcal P_t^Y(e_{{{}}})",
    lambda at, word: share(counted(at).second[word], counted(at).second.total()),
)
previous = family(
    r"\mathcal P_t(e_{{{0}}}^\leftarrow|e_{{{1}}})",
    lambda at, before, word: share(counted(at).pairs[before, word], counted(at).second[word]),
)
similarity = family(
    r"\sum_{{l=1}}^{{|\mathcal V|}}"
    r"\mathcal P_t(e_l^\leftarrow|e_{{{0}}})\mathcal P_t(e_l^\leftarrow|e_{{{1}}})",
    lambda at, one, other: sum_over_words(
        at, lambda n: previous.define_at(at, n, one) * previous.define_at(at, n, other)
    ),
)

bigrams_by_the_frequency_of_next_tokens = Claim(
    id="im2026.eq-10.sigma.repair",
    parent="im2026.eq-10.sigma",
    source=source("Sec. 4.2.1", "Eq. (10)"),
    kind="identity",
    title="The frequencies that go with previous-token distributions are those among next tokens.",
    statement=every_word(
        j, k,
        body=Compare(
            sigma_uncentred(j, k), "=", next_frequency(j) * next_frequency(k) * similarity(j, k)
        ),
    ),
    domain=CORPORA,
    hypotheses=(
        PREVIOUS,
        Hypothesis(r"\mathcal P_t^Y(e_j):\ \text{share of}\ e_j\ \text{among the tokens of}\ Y_1,\dots,Y_N"),
    ),
    understood=(NEVER_NEXT,),
)  # fmt: skip
bigrams_by_the_frequency_of_current_tokens = Claim(
    id="im2026.eq-10.sigma",
    source=source("Sec. 4.2.1", "Eq. (10)"),
    kind="identity",
    title="The uncentred interchangeability map is two frequencies times a similarity of previous tokens.",
    statement=every_word(
        j, k,
        body=Compare(sigma_uncentred(j, k), "=", frequency(j) * frequency(k) * similarity(j, k)),
    ),
    domain=CORPORA,
    hypotheses=(PREVIOUS, FREQUENCIES),
    understood=(NEVER_NEXT,),
    printed=(
        r"\mathcal{P}_t(\mathbf{e}_i)\mathcal{P}_t(\mathbf{e}_j)\sum_{k=1}^{|\mathcal{V}|}"
        r"\mathcal{P}_t(\mathbf{e}_k^\leftarrow|\mathbf{e}_i)"
        r"\mathcal{P}_t(\mathbf{e}_k^\leftarrow|\mathbf{e}_j)"
    ),
    severity="misprint",
    repair=bigrams_by_the_frequency_of_next_tokens,
    note=(
        "Eq. (9) defines $\\mathcal P_t(e_j)$ among the tokens of $X_1,\\dots,X_N$, which lack the last "
        "token of each sequence; what has a previous token are the tokens of $Y_1,\\dots,Y_N$, which "
        "lack the first. A word that only ends sequences has $\\mathcal P_t(e_j)=0$ and a positive "
        "entry, whatever the conditional frequency is taken to be. A misprint: one symbol stands for both "
        "frequencies, which differ by at most $1/T$."
    ),
)  # fmt: skip

interchangeability_is_symmetric = Claim(
    id="im2026.eq-10.symmetric",
    source=source("Sec. 4.2.1", "after Eq. (10)"),
    kind="prose",
    title="The interchangeability map and the similarity of previous tokens are symmetric.",
    statement=every_word(
        j, k,
        body=Compare(sigma(j, k), "=", sigma(k, j))
        & Compare(similarity(j, k), "=", similarity(k, j)),
    ),
    domain=CORPORA,
    hypotheses=(MATRIX, PREVIOUS),
    understood=(NEVER_NEXT,),
    note="Which frequencies multiply the similarity in a row is the subject of Eq. (10) itself.",
)  # fmt: skip


def centred_next(at: Point, word: int, after: int) -> Expr:
    """Next-token distribution of a word, centred at zero."""
    return following.define_at(at, word, after) - Rational(1, int(at[words]))


centred_following = family(r"\bar P_{{{}{}}}", centred_next)
weighted_similarity = family(
    r"\sum_{{l=1}}^{{|\mathcal V|}}\alpha_l^2\bar P_{{l{0}}}\bar P_{{l{1}}}",
    lambda at, one, other: sum_over_words(
        at,
        lambda n: (
            frequency.define_at(at, n) ** 2 * centred_next(at, n, one) * centred_next(at, n, other)
        ),
    ),
)
entries_of_the_interchangeability_map = Claim(
    id="im2026.sigma.entries",
    source=source("Proof of Lemma D.6", "before Eq. (81)"),
    kind="identity",
    title="Entries of the interchangeability map weigh previous tokens by their squared frequencies.",
    statement=every_word(j, k, body=Compare(sigma(j, k), "=", weighted_similarity(j, k))),
    domain=CORPORA,
    hypotheses=(
        MATRIX,
        Hypothesis(
            r"\alpha_l=\mathcal P_t(e_l)\ \text{among the tokens of}\ X_1,\dots,X_N;"
            r"\ \bar P_{lj}=\mathcal P_t(e_j|e_l)-1/|\mathcal V|"
        ),
    ),
    understood=(UNSEEN,),
    printed=(
        r"\Sigma_{\bar{B}mn} = \sum_{l=1}^{|V|} \alpha_l^2 \bar{P}_{lm} \bar{P}_{ln}"
    ),
)  # fmt: skip
