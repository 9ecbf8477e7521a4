r"""Fig. 3 and the text after Eq. (11): what is large in a row of the context map.

Rows are current words, such as “fish”, and columns words of the prefix.
"""

from __future__ import annotations

from sympy import Expr, Integer, Symbol

from claims.domain import Point
from claims.im2026.bigrams import every_word
from claims.im2026.contexts import EMPIRICAL, MAP, context, prefix_share, prefixes
from claims.im2026.corpora import CORPORA, one_hot
from claims.im2026.interchangeability import next_frequency
from claims.im2026.notation import N, T, j, k, sequences, source, words
from claims.model import Claim, Hypothesis
from claims.statement import Compare
from claims.terms import family

l = Symbol("l", integer=True)  # noqa: E741
"""Another word of the prefix."""


def share_in_context(at: Point, current: int, before: int) -> Expr:
    """The mean share of a word in the prefixes of a current word; zero where that never comes."""
    found = [prefix for prefix, token in prefixes(at) if token == current]
    shares = (Integer(prefix.count(before)) / len(prefix) for prefix in found)
    return sum(shares, start=Integer(0)) / max(len(found), 1)


in_context = family(r"c_{{{}{}}}", share_in_context)
SHARES = (
    Hypothesis(
        r"\mathcal P_t^Y(e_j):\ \text{share of}\ e_j\ \text{among the}\ NT\ \text{current words}\ x_{t+1}"
    ),
    Hypothesis(
        r"c_{jk}:\ \text{mean share of}\ e_k\ \text{in}\ x_1,\dots,x_t\ \text{where}\ x_{t+1}=e_j;\ "
        r"\text{zero where that is nowhere}"
    ),
)
_OVERALL = prefix_share(k) / words
lift_in_the_context = Claim(
    id="im2026.fig-3.caption.repair",
    parent="im2026.fig-3.caption",
    source=source("Sec. 4.2.1 (3)", "Fig. 3"),
    kind="prose",
    title=(
        "An entry is the share of the current word times the share in its context, less the overall share "
        "over $|V|$: what decides its sign is how many times larger than overall the share in the context is."
    ),
    statement=every_word(
        j, k,
        body=Compare(context(j, k), "=", next_frequency(j) * in_context(j, k) - _OVERALL)
        & (Compare(next_frequency(j), ">", 0) & Compare(prefix_share(k), ">", 0)).implies(
            Compare(context(j, k), ">", 0).iff(
                Compare(in_context(j, k) / prefix_share(k), ">", 1 / (words * next_frequency(j)))
            )
        ),
    ),
    domain=CORPORA,
    hypotheses=(MAP, EMPIRICAL, *SHARES),
)  # fmt: skip
larger_entries_are_more_frequent_words = Claim(
    id="im2026.fig-3.caption",
    source=source("Sec. 4.2.1 (3)", "Fig. 3"),
    kind="prose",
    title="In the row of a word, the larger entry is said to be of a word no less frequent in its context.",
    statement=every_word(
        j, k, l,
        body=Compare(context(j, k), ">", context(j, l)).implies(
            Compare(in_context(j, k), ">=", in_context(j, l))
        ),
    ),
    domain=CORPORA,
    hypotheses=(MAP, SHARES[1]),
    probes=(
        {
            N: Integer(5), T: Integer(1), words: Integer(2),
            sequences: tuple(one_hot(text, 2) for text in ((0, 0), (1, 0), (1, 0), (1, 1), (1, 1))),
        },
    ),
    severity="material",
    repair=lift_in_the_context,
    note=(
        "“Larger values indicate the token appears more frequently in the context of ‘fish’”; likewise the "
        "text after Eq. (11), by which the strength “is determined by the average probability that $e_j$ "
        "appears in the context of $e_i$”. The $\\mu_j$ of (11) differs from column to column: it is the "
        "overall share of $e_j$ in prefixes over $|\\mathcal V|$. Along a row it takes more off a frequent "
        "word. A word $e_i$ with $\\mathcal P_t^Y(e_i)<1/|\\mathcal V|$, in whose context all words have "
        "their overall shares, has the most frequent one at the smallest entry. In the sequences $aa$, "
        "$ba$, $ba$, $bb$, $bb$ the word before $a$ is $a$ in a third of the places and $b$ in two thirds, and "
        "the strengths are $1/10$ and $0$. What is said holds between words of one overall share; down a "
        "column the larger entry is of the word that follows prefixes with $e_j$ more often in all, its own "
        "frequency included."
    ),
)  # fmt: skip
