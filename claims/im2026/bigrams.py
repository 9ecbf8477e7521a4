r"""Sec. 4.2.1 (1) and 4.2.2 (1): the bigram map as frequencies of tokens.

Frequencies are counted in the tokens; the map itself is the matrix of Lemma D.4.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from sympy import ImmutableDenseMatrix, Rational, Symbol

from claims.domain import Point
from claims.im2026.corpora import CORPORA, bigram_map, one_hot, tokens
from claims.im2026.notation import j, k, source, words
from claims.model import Claim, Hypothesis, Understood
from claims.statement import Compare, ForAll, Formula
from claims.terms import evaluated, family

MATRIX = Hypothesis(r"\bar B=\frac1{NT}\sum_{i=1}^NX_i^\top(Y_i-U_O)")
FREQUENCIES = Hypothesis(
    r"\mathcal P_t(e_j):\ \text{share of}\ e_j\ \text{among the}\ NT\ \text{tokens of}\ X_1,\dots,X_N;"
    r"\ \mathcal P_t(e_k|e_j):\ \text{share of}\ e_k\ \text{among the tokens after}\ e_j"
)
UNSEEN = Understood(
    "A word that does not occur has no next-token distribution; its frequency of zero is taken to "
    "make every product with it zero.",
    "$X_1$ without $e_j$: $\\mathcal P_t(e_k|e_j)$ is $0/0$",
)


@dataclass(frozen=True)
class Counts:
    """How often pairs of a token of X and the one after it occur, and either one by itself."""

    pairs: Counter[tuple[int, int]]
    first: Counter[int]
    second: Counter[int]


def counts(at: Point) -> Counts:
    """Counted over all sequences."""
    pairs = [pair for text in tokens(at) for pair in pairwise(text)]
    return Counts(Counter(pairs), Counter(a for a, _ in pairs), Counter(b for _, b in pairs))


def counted(at: Point) -> Counts:
    """The same, remembered for a corpus."""
    return evaluated(counts, at)


def share(part: int, whole: int) -> Rational:
    """A part of a whole; zero of nothing."""
    return Rational(part, max(whole, 1))


bigram = family(
    r"\bar B_{{{}{}}}", lambda at, row, column: evaluated(bigram_map, at)[row - 1, column - 1]
)
row_sum = family(
    r"\sum_{{k=1}}^{{|\mathcal V|}}\bar B_{{{}k}}",
    lambda at, row: sum(evaluated(bigram_map, at).row(row - 1)),
)
frequency = family(
    r"\mathcal P_t(e_{{{}}})",
    lambda at, word: share(counted(at).first[word], counted(at).first.total()),
)
following = family(
    r"\mathcal P_t(e_{{{1}}}|e_{{{0}}})",
    lambda at, word, after: share(counted(at).pairs[word, after], counted(at).first[word]),
)


def every_word(*indices: Symbol, body: Formula) -> Formula:
    """For all words."""
    for index in reversed(indices):
        body = ForAll(index, 1, words, body)
    return body


bigram_map_by_frequencies = Claim(
    id="im2026.eq-9.bigram",
    source=source("Sec. 4.2.1", "Eq. (9)"),
    kind="identity",
    title="The bigram map is the frequency of a pair less what a uniform next token would give.",
    statement=every_word(
        j, k,
        body=Compare(
            bigram(j, k), "=", frequency(j) * following(j, k) - frequency(j) / words
        ),
    ),
    domain=CORPORA,
    hypotheses=(MATRIX, FREQUENCIES),
    printed=(
        r"\bar{B}_{ij} = \mathcal{P}_t(e_i)\mathcal{P}_t(e_j|e_i) - \mathcal{P}_t(e_i)/|\mathcal{V}|"
    ),
    understood=(UNSEEN,),
    note="Every token of $X_i$ has a next one, so that no token is lost at the ends.",
)  # fmt: skip

rows_of_the_bigram_map_are_centred = Claim(
    id="im2026.eq-9.rows-centred",
    source=source("Sec. 4.2.1", "after Eq. (9)"),
    kind="identity",
    title="Each row of the bigram map sums to zero.",
    statement=ForAll(j, 1, words, Compare(row_sum(j), "=", 0)),
    domain=CORPORA,
    hypotheses=(MATRIX,),
    note=(
        "Columns do not: column $k$ sums to the share of $e_k$ among the tokens of "
        "$Y_1,\\dots,Y_N$ less $1/|\\mathcal V|$."
    ),
)


def output_of(at: Point, word: int) -> ImmutableDenseMatrix:
    """A one-hot row times the map."""
    return one_hot((word - 1,), int(at[words])) * evaluated(bigram_map, at)


leading_output = family(
    r"(e_{{{}}}\bar B)_{{{}}}", lambda at, word, column: output_of(at, word)[column - 1]
)

leading_output_is_a_row_of_the_bigram_map = Claim(
    id="im2026.sec-4.2.2.output",
    source=source("Sec. 4.2.2", "(1)"),
    kind="prose",
    title="The leading output for a word scores next tokens as they follow it, with its frequency as a factor.",
    statement=every_word(
        j, k,
        body=Compare(leading_output(j, k), "=", bigram(j, k))
        & Compare(bigram(j, k), "=", frequency(j) * (following(j, k) - 1 / words))
        & Compare(frequency(j), ">", 0).implies(
            Compare(leading_output(j, k), ">=", 0).iff(Compare(following(j, k), ">=", 1 / words))
        ),
    ),
    domain=CORPORA,
    hypotheses=(MATRIX, FREQUENCIES),
    understood=(UNSEEN,),
    note=(
        "The scores of $e_j$ are those of its next-token distribution, times one factor "
        "$\\mathcal P_t(e_j)$: their order is that of the distribution, for every word that occurs."
    ),
)  # fmt: skip
