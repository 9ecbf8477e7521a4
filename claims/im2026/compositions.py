r"""Abstract and Sec. 6: whether $\bar B$, $\Sigma_{\bar B}$ and $\bar\Phi$ determine the leading terms.

What is a composition of the three maps is the same for two corpora that share them.  $\bar Q$ and $\Delta$
are not: they hold $X_i$ and $Y_i$ as well, by counts that no map contains.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from sympy import Expr, Integer, Rational, Symbol

from claims.domain import Domain, Point
from claims.im2026.bigrams import MATRIX, bigram, every_word
from claims.im2026.contexts import MAP, composed_map, context, over_prefixes
from claims.im2026.cooperation import composed_value
from claims.im2026.corpora import CORPORA, Corpus, bigram_map, context_map, one_hot
from claims.im2026.notation import N, T, j, k, m, sequences, source, words
from claims.im2026.score_norms import by_positions, by_words
from claims.model import Claim, Hypothesis
from claims.statement import Compare, ForAll, Formula
from claims.terms import evaluated, family

others = Symbol("X'")
"""Holds the sequences of a second corpus."""


def in_the_other(at: Point) -> dict[Any, Any]:
    """The point with the second corpus in the place of the first."""
    return {N: at[N], T: at[T], words: at[words], sequences: at[others]}


def of_the_other(name: str, own: Any) -> Any:
    """A family read off the second corpus."""
    return family(name, lambda at, *places: own.define_at(in_the_other(at), *places))


other_bigram = of_the_other(r"\bar B'_{{{}{}}}", bigram)
other_context = of_the_other(r"\bar\Phi'_{{{}{}}}", context)
other_value = of_the_other(r"(\bar\Phi'^\top\bar B'^\top)_{{{}{}}}", composed_value)
other_words = of_the_other(r"\bar Q'_{{{}{}}}", by_words)
other_positions = of_the_other(r"\Delta'_{{{}}}", by_positions)


@dataclass(frozen=True)
class SameMaps(Corpus):
    r"""A second corpus with the same $\bar B$ and $\bar\Phi$, and so the same $\Sigma_{\bar B}$."""

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        """The sequences of the first corpus in reverse; others are given as probes."""
        if weight == 0:
            yield point[sequences][::-1]

    def draw(self, rng: Random, point: Point) -> Any:
        """The sequences of the first corpus in any order."""
        return tuple(rng.sample(point[sequences], len(point[sequences])))

    def objection(self, value: Any, point: Point) -> str | None:
        reason = super().objection(value, point)
        if reason is not None or Counter(value) == Counter(point[sequences]):
            return reason
        there = in_the_other({**point, others: value})
        for name, statistic in (("bigram", bigram_map), ("context", context_map)):
            if statistic(there) != statistic(point):
                return f"{self.symbol} has another {name} map than {sequences}"
        return None

    def facts(self) -> tuple[Formula, ...]:
        """One-hot rows, and the two maps entry by entry."""
        same = (
            every_word(j, k, body=Compare(own(j, k), "=", other(j, k)))
            for own, other in ((bigram, other_bigram), (context, other_context))
        )
        return (*super().facts(), *same)

    def relaxed(self) -> Corpus:
        return Corpus(self.symbol)


TWINS = Domain((*CORPORA.variables, SameMaps(others)))
"""Two corpora whose three basis functions are the same."""

SHARED = Hypothesis(
    r"\text{a second corpus}\ X',Y'\ \text{of}\ N\ \text{sequences with}\ \bar B'=\bar B,\ "
    r"\Sigma_{\bar B'}=\Sigma_{\bar B},\ \bar\Phi'=\bar\Phi;\ \bar Q',\Delta'\ \text{are of it}"
)
_OUTPUTS_AND_VALUES = Compare(bigram(j, k), "=", other_bigram(j, k)) & Compare(
    composed_value(j, k), "=", other_value(j, k)
)

Prefix = tuple[int, ...]


def _share(prefix: Prefix, word: int) -> Rational:
    return Rational(prefix.count(word), len(prefix))


def _over_words(at: Point, token: int, weight: Callable[[int], Expr]) -> Expr:
    r"""$\sum_{a,b}(\Sigma_{\bar B}\bar\Phi)_{ab}(1(token=e_a)-1/|\mathcal V|)weight(b)$."""
    feature, size = evaluated(composed_map, at), int(at[words])
    uniform = Rational(1, size)
    return sum(
        (
            feature[a - 1, b - 1] * (Integer(a == token) - uniform) * weight(b)
            for a in range(1, size + 1)
            for b in range(1, size + 1)
        ),
        start=Integer(0),
    )


def _by_current(at: Point, current: int, before: int) -> Expr:
    """Counted token by token: the current word is the last one of its prefix."""

    def term(prefix: Prefix, token: int) -> Expr:
        if prefix[-1] != current:
            return Integer(0)
        own = _share(prefix, before)
        return _over_words(
            at, token, lambda b: Integer(b == before) * own - own * _share(prefix, b)
        )

    return over_prefixes(at, term)


def _by_distance(at: Point, distance: int) -> Expr:
    """Counted token by token: the word that stands `distance` - 1 before the current one."""

    def term(prefix: Prefix, token: int) -> Expr:
        if len(prefix) < distance:
            return Integer(0)
        there = prefix[-distance]
        weighed = _over_words(at, token, lambda b: Integer(b == there) - _share(prefix, b))
        return weighed / len(prefix)

    return over_prefixes(at, term)


by_current = family(
    r"\textstyle\sum_{{a,b}}(\Sigma_{{\bar B}}\bar\Phi)_{{ab}}\kappa_{{{}{},ab}}", _by_current
)
by_distance = family(
    r"\textstyle\sum_{{a,b}}(\Sigma_{{\bar B}}\bar\Phi)_{{ab}}\lambda_{{{},ab}}", _by_distance
)
COUNTS = (
    Hypothesis(
        r"\kappa_{jk,ab}=\tfrac1{NT}\textstyle\sum_{i,t}1(x_t=e_j)\bigl(1(x_{t+1}=e_a)-"
        r"\tfrac1{|\mathcal V|}\bigr)\mathrm{Cov}_{r\le t}(1(x_r=e_k),1(x_r=e_b)),\ "
        r"r\ \text{uniform on}\ 1,\dots,t"
    ),
    Hypothesis(
        r"\lambda_{m,ab}=\tfrac1{NT}\textstyle\sum_i\sum_{t\ge m}\bigl(1(x_{t+1}=e_a)-"
        r"\tfrac1{|\mathcal V|}\bigr)\tfrac1t\bigl(1(x_{t-m+1}=e_b)-"
        r"\tfrac1t\sum_{r\le t}1(x_r=e_b)\bigr)"
    ),
)
attention_holds_counts_of_its_own = Claim(
    id="im2026.abstract.compositions.repair",
    parent="im2026.abstract.compositions",
    source=source("Abstract, Fig. 2 and Sec. 6"),
    kind="prose",
    title=(
        "Outputs and values are compositions of the basis functions; attention weighs theirs by joint counts "
        "of prefix words, current word and next word."
    ),
    statement=every_word(
        j, k, body=_OUTPUTS_AND_VALUES & Compare(by_words(j, k), "=", by_current(j, k))
    )
    & ForAll(m, 1, T, Compare(by_positions(m), "=", by_distance(m))),
    domain=TWINS,
    hypotheses=(MATRIX, MAP, SHARED, *COUNTS),
)  # fmt: skip


def _corpora(*texts: str) -> tuple[Any, ...]:
    """Sequences of words of one letter each."""
    return tuple(one_hot(tuple(map("ab".index, text)), 2) for text in texts)


def _pair(own: str, other: str) -> dict[Any, Any]:
    first, second = _corpora(*own.split()), _corpora(*other.split())
    return {
        N: Integer(len(first)), T: Integer(first[0].rows - 1), words: Integer(2),
        sequences: first, others: second,
    }  # fmt: skip


IN_ANOTHER_PLACE = _pair("aaab baba", "aaba abaa")
"""Neither $\\bar Q$ nor $\\Delta$ is the same."""
BY_PARITY = _pair("aaa abb bab bba aaa", "bbb baa aba aab aaa")
"""All frequencies of pairs are the same, place by place; $\\bar Q'=-\\bar Q$."""

basis_functions_determine_every_weight = Claim(
    id="im2026.abstract.compositions",
    source=source("Abstract, Fig. 2 and Sec. 6"),
    kind="prose",
    title="The leading term of each weight is called a composition of three basis functions.",
    statement=every_word(
        j, k, body=_OUTPUTS_AND_VALUES & Compare(by_words(j, k), "=", other_words(j, k))
    )
    & ForAll(m, 1, T, Compare(by_positions(m), "=", other_positions(m))),
    domain=TWINS,
    hypotheses=(MATRIX, MAP, SHARED),
    probes=(IN_ANOTHER_PLACE, BY_PARITY),
    severity="material",
    repair=attention_holds_counts_of_its_own,
    note=(
        "“Each set of weights of the transformer has closed-form expressions as simple compositions of three "
        "basis functions” (abstract; likewise Fig. 2, Sec. 4.1 and Sec. 6). By Theorem 4.1 the leading terms "
        "are $\\bar B$, $\\bar\\Phi^\\top\\bar B^\\top$, $\\bar Q$ and $\\Delta$. Whatever is composed of "
        "$\\bar B$, $\\Sigma_{\\bar B}$ and $\\bar\\Phi$ is the same for two corpora that share them, as the "
        "first two terms are; $\\bar Q$ and $\\Delta$ are not. Sec. 4.2.2 (3) does add “the input matrix "
        "$X_i$, the output matrix $Y_i$, etc.” to what $\\bar Q$ is composed of: these hold the corpus "
        "itself. The basis functions count pairs of words. $\\bar Q$ weighs them by counts of prefix words, "
        "current word and next word together, $\\Delta$ by counts of a prefix word and the next word at each "
        "distance. Nor do pairs of words in each two places fix $\\bar Q$: "
        "$\\{aaa,abb,bab,bba,aaa\\}$ and $\\{bbb,baa,aba,aab,aaa\\}$ have the same ones, and "
        "$\\bar Q'=-\\bar Q\\ne0$."
    ),
)  # fmt: skip
