r"""Corpora of one-hot sequences, and the statistics that Sec. 4.2 and App. A make of them.

Exact: the entries of every statistic are rational.  $X_i$ holds the first $T$ tokens of a sequence,
$Y_i$ the last $T$, so that row $t$ of $Y_i$ is the token after row $t$ of $X_i$.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache
from random import Random
from typing import Any, ClassVar

from sympy import ZZ, ImmutableDenseMatrix, Integer, Rational, Sum, Symbol, zeros

from claims.domain import Domain, Point, Size
from claims.im2026.notation import N, T, sequences, words
from claims.matrices import exact_matrix
from claims.statement import Compare, ForAll, Formula, Implies
from claims.terms import entry

__all__ = [
    "CORPORA", "Corpus", "bigram_map", "centred_scores", "context_map", "first_tokens",
    "interchangeability", "next_tokens", "one_hot", "position_map", "scores", "tokens",
    "uniform_attention", "uniform_output", "word_map",
]  # fmt: skip


def one_hot(tokens: tuple[int, ...], vocabulary: int) -> ImmutableDenseMatrix:
    """Rows for tokens that count from zero.

    >>> one_hot((1, 0), 2)
    Matrix([
    [0, 1],
    [1, 0]])
    """
    places = {t: {word: ZZ(1)} for t, word in enumerate(tokens)}
    return exact_matrix(places, (len(tokens), vocabulary), ZZ)


def any_text(rng: Random, count: int, length: int, vocabulary: int) -> tuple[int, ...]:
    """One of: independent tokens, few words, a chain in which a word prefers its successor."""
    kind = rng.choice(("any", "few", "chain"))
    used = min(vocabulary, 2) if kind == "few" else vocabulary
    tokens: list[int] = []
    for _ in range(count * (length + 1)):
        follows = kind == "chain" and tokens and rng.random() < 0.5
        tokens.append((tokens[-1] + 1) % vocabulary if follows else rng.randrange(used))
    return tuple(tokens)


@dataclass(frozen=True)
class Corpus:
    """N sequences of T + 1 tokens, each a one-hot matrix over the vocabulary."""

    symbol: Any = sequences
    counted_by: Symbol = N
    written: Callable[[Random, int, int, int], tuple[int, ...]] = field(
        default=any_text, compare=False
    )
    """The text that is drawn, from N, T and the number of words; any other is admitted as well."""
    DRAWN_BY: ClassVar = ("written",)

    def _sizes(self, point: Point) -> tuple[int, int, int]:
        return int(point[N]), int(point[T]), int(point[words])

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        """Tokens, counted from zero, whose sum is the weight."""
        count, length, vocabulary = self._sizes(point)
        for tokens in _summing_to(weight, count * (length + 1), vocabulary - 1):
            yield self._of(tokens, count, vocabulary)

    def draw(self, rng: Random, point: Point) -> Any:
        count, length, vocabulary = self._sizes(point)
        return self._of(self.written(rng, count, length, vocabulary), count, vocabulary)

    def _of(
        self, tokens: tuple[int, ...], count: int, vocabulary: int
    ) -> tuple[ImmutableDenseMatrix, ...]:
        length = len(tokens) // count
        return tuple(
            one_hot(tokens[start : start + length], vocabulary)
            for start in range(0, len(tokens), length)
        )

    def objection(self, value: Any, point: Point) -> str | None:
        count, length, vocabulary = self._sizes(point)
        if len(value) != count:
            return f"{self.symbol}: {len(value)} sequences: must be {count}"
        for place, matrix in enumerate(value):
            if matrix.shape != (length + 1, vocabulary):
                return (
                    f"sequence {place} has shape {matrix.shape}: must be {(length + 1, vocabulary)}"
                )
            filled = matrix.todok()
            rows = sorted(row for row, _ in filled)
            if rows != list(range(length + 1)) or any(x != 1 for x in filled.values()):
                return f"sequence {place}: every row must be one-hot"
        return None

    def facts(self) -> tuple[Formula, ...]:
        """Entries are zero or one, exactly one in each row is one."""
        i, t, j, k = (Symbol(f"{name}'", integer=True) for name in "itjk")
        at = entry(self.symbol)

        def everywhere(body: Formula) -> Formula:
            return ForAll(i, 0, N - 1, ForAll(t, 1, T + 1, body))

        total = Compare(Sum(at(i, t, j), (j, 1, words)), "=", 1)
        least = ForAll(j, 1, words, Compare(at(i, t, j), ">=", 0))
        square = ForAll(j, 1, words, Compare(at(i, t, j) ** 2, "=", at(i, t, j)))
        apart = ForAll(
            j, 1, words,
            ForAll(k, 1, words, Implies(Compare(j, "!=", k), Compare(at(i, t, j) * at(i, t, k), "=", 0))),
        )  # fmt: skip
        return tuple(everywhere(fact) for fact in (total, least, square, apart))


@lru_cache(maxsize=4096)
def _summing_to(total: int, places: int, most: int) -> tuple[tuple[int, ...], ...]:
    if places == 0:
        return ((),) if total == 0 else ()
    return tuple(
        (first, *rest)
        for first in range(min(total, most) + 1)
        for rest in _summing_to(total - first, places - 1, most)
    )


CORPORA = Domain((Size(N, 1, 2), Size(T, 1, 3), Size(words, 1, 3), Corpus()))
"""Any corpus; a point is small, and proofs are for all sizes."""


def first_tokens(at: Point) -> tuple[ImmutableDenseMatrix, ...]:
    """X_i of every sequence."""
    return tuple(s[:-1, :] for s in at[sequences])


def next_tokens(at: Point) -> tuple[ImmutableDenseMatrix, ...]:
    """Y_i of every sequence."""
    return tuple(s[1:, :] for s in at[sequences])


def tokens(at: Point) -> tuple[tuple[int, ...], ...]:
    """The words of every sequence, counted from one."""
    return tuple(tuple(1 + word for _, word in sorted(s.todok())) for s in at[sequences])


@cache
def uniform_attention(length: int) -> ImmutableDenseMatrix:
    """A_0: row t averages the first t tokens."""
    return ImmutableDenseMatrix(
        length, length, lambda t, m: Rational(1, t + 1) if m <= t else Integer(0)
    )


@cache
def uniform_output(length: int, vocabulary: int) -> ImmutableDenseMatrix:
    """U_O: the output of a network whose weights are zero."""
    return ImmutableDenseMatrix(length, vocabulary, lambda t, j: Rational(1, vocabulary))


def _mean_over_tokens(at: Point, parts: Any) -> ImmutableDenseMatrix:
    """(1 / NT) times the sum over sequences."""
    parts = list(parts)
    return sum(parts[1:], start=parts[0]) / (at[N] * at[T])


def _residuals(at: Point) -> list[ImmutableDenseMatrix]:
    """Y_i - U_O."""
    uniform = uniform_output(int(at[T]), int(at[words]))
    return [y - uniform for y in next_tokens(at)]


def bigram_map(at: Point) -> ImmutableDenseMatrix:
    r"""$\bar B=\frac1{NT}\sum_iX_i^\top(Y_i-U_O)$, Lemma D.4."""
    return _mean_over_tokens(
        at, (x.T * r for x, r in zip(first_tokens(at), _residuals(at), strict=True))
    )


def context_map(at: Point) -> ImmutableDenseMatrix:
    r"""$\bar\Phi=\bigl(\frac1{NT}\sum_iX_i^\top A_0^\top(Y_i-U_O)\bigr)^\top$, Lemma D.5."""
    mixing = uniform_attention(int(at[T]))
    parts = (x.T * mixing.T * r for x, r in zip(first_tokens(at), _residuals(at), strict=True))
    return _mean_over_tokens(at, parts).T


def interchangeability(at: Point) -> ImmutableDenseMatrix:
    r"""$\Sigma_{\bar B}=\bar B^\top\bar B$."""
    bigrams = bigram_map(at)
    return bigrams.T * bigrams


def scores(at: Point) -> tuple[ImmutableDenseMatrix, ...]:
    r"""$(Y_i-U_O)\Sigma_{\bar B}\bar\Phi X_i^\top$, Eq. (15): rows are outputs, columns inputs."""
    feature = interchangeability(at) * context_map(at)
    return tuple(r * feature * x.T for x, r in zip(first_tokens(at), _residuals(at), strict=True))


def centred_scores(at: Point) -> tuple[ImmutableDenseMatrix, ...]:
    r"""$Q_i$, Eq. (16): row $t$ is the softmax Jacobian of row $t$ of $A_0$ times row $t$ of the scores.

    The Jacobian $\operatorname{diag}(a)-aa^\top$ takes a row $g$ to $a\circ g-\langle a,g\rangle a$.
    """
    length = int(at[T])
    mixing = uniform_attention(length)
    made = []
    for score in scores(at):
        rows = zeros(length, length)
        for t in range(length):
            a, row = mixing.row(t), score.row(t)
            rows[t, :] = a.multiply_elementwise(row) - (a * row.T)[0] * a
        made.append(ImmutableDenseMatrix(rows))
    return tuple(made)


def word_map(at: Point) -> ImmutableDenseMatrix:
    r"""$\bar Q=\frac1{NT}\sum_iX_i^\top Q_iX_i$, Eq. (14)."""
    parts = (x.T * q * x for x, q in zip(first_tokens(at), centred_scores(at), strict=True))
    return _mean_over_tokens(at, parts)


def position_map(at: Point) -> ImmutableDenseMatrix:
    r"""$\Delta$: entry $m$ is the sum of sub-diagonal $m-1$ of $\frac1{NT}\sum_iQ_i$, a column."""
    mean = _mean_over_tokens(at, centred_scores(at))
    length = int(at[T])
    return ImmutableDenseMatrix(
        [sum(mean[t, t - m] for t in range(m, length)) for m in range(length)]
    )
