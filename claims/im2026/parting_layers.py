r"""At which order in the learning rate layers that start from zero begin to differ: ours."""

from __future__ import annotations

from typing import Any

from sympy import Symbol, binomial

from claims.definitions import frobenius_square
from claims.domain import Domain, Point, Size
from claims.im2026.boxes import ZERO_START, leading_count
from claims.im2026.cooperation import composed_value_map, of_sequences
from claims.im2026.corpora import (
    Corpus,
    bigram_map,
    first_tokens,
    next_tokens,
    uniform_attention,
    uniform_output,
)
from claims.im2026.notation import N, T, depth, layer, s, source, words
from claims.im2026.series import coefficients
from claims.model import Claim, Hypothesis, Mutant
from claims.statement import Compare, ForAll
from claims.terms import evaluated, family

order = Symbol("k", integer=True)


def mixed_twice(at: Point) -> tuple[Any, ...]:
    """A_0^2 X_i of every sequence."""
    mixing = uniform_attention(int(at[T]))
    return tuple(mixing**2 * x for x in first_tokens(at))


def what_follows(at: Point) -> tuple[Any, ...]:
    r"""$(Y_i-U_O)\bar B^\top$ of every sequence."""
    uniform, bigrams = uniform_output(int(at[T]), int(at[words])), evaluated(bigram_map, at).T
    return tuple((y - uniform) * bigrams for y in next_tokens(at))


def farther_map(at: Point) -> Any:
    """N."""
    pairs = zip(evaluated(mixed_twice, at), evaluated(what_follows, at), strict=True)
    first, *others = (mixed.T * following for mixed, following in pairs)
    return sum(others, start=first) / (at[N] * at[T])


def commutator(at: Point) -> Any:
    """M^T N - N M^T."""
    turned, farther = evaluated(composed_value_map, at).T, evaluated(farther_map, at)
    return turned * farther - farther * turned


uniform_weight = family(
    r"(A_0)_{{{}{}}}", lambda at, row, column: uniform_attention(int(at[T]))[row - 1, column - 1]
)
mixed_once = of_sequences(
    r"(A_0X_{{{}}})_{{{}{}}}",
    lambda at: tuple(uniform_attention(int(at[T])) * x for x in first_tokens(at)),
)
mixed_again = of_sequences(r"(A_0^2X_{{{}}})_{{{}{}}}", mixed_twice)
follows = of_sequences(r"((Y_{{{0}}}-U_O)\bar B^\top)_{{{1}{2}}}", what_follows)
farther_entry = family(
    "N_{{{}{}}}", lambda at, row, column: evaluated(farther_map, at)[row - 1, column - 1]
)


def _gap(at: Point, order: int, layer: int) -> Any:
    """The coefficient of V^(l+1) - V^(l)."""
    values = coefficients(at, "V", order)
    return values[layer] - values[layer - 1]


gap_size = family(
    r"\bigl\|[\eta^{{{}}}]\,\delta V^{{({})}}\bigr\|_F^2",
    lambda at, order, layer: frobenius_square(_gap(at, order, layer)),
)
gap_distance = family(
    r"\bigl\|[\eta^4]\,\delta V^{{({})}}-({})(M^\top N-NM^\top)\bigr\|_F^2",
    lambda at, layer, multiple: frobenius_square(
        _gap(at, 4, layer) - multiple * evaluated(commutator, at)
    ),
)


def _parted(multiple: Any) -> ForAll:
    """Neighbours agree up to the third order, and differ by so many commutators in the fourth."""
    agree = ForAll(order, 0, 3, Compare(gap_size(order, layer), "=", 0))
    return ForAll(layer, 1, depth - 1, agree & Compare(gap_distance(layer, multiple), "=", 0))


layers_part_at_the_fourth_order = Claim(
    id="im2026.beyond.layers-part",
    source=source("Sec. 4.1 and Theorem D.10", "uniformly for every layer"),
    kind="rate",
    title=(
        r"From zero, the values of neighbouring layers agree through $\eta^3$ and differ at $\eta^4$ by a "
        r"commutator that is the same at every depth."
    ),
    statement=_parted(leading_count),
    domain=Domain(
        (
            Size(N, 1, 2, reach=2), Size(T, 1, 3, reach=4), Size(words, 1, 3, reach=4), Corpus(),
            Size(depth, 2, 3, reach=3), Size(s, 1, 5, reach=6),
        )
    ),
    hypotheses=(
        ZERO_START,
        Hypothesis(r"\delta V^{(l)}=V^{(l+1)}-V^{(l)}\ \text{after}\ s\ \text{steps}"),
        Hypothesis(
            r"M=\bar\Phi^\top\bar B^\top,\ "
            r"N=\tfrac1{NT}\textstyle\sum_iX_i^\top(A_0^2)^\top(Y_i-U_O)\,\bar B^\top"
        ),
    ),
    mutants=(Mutant("two thirds of the steps forgotten", _parted(3 * binomial(s, 4))),),
    note=(
        r"Below, layer $l$ sees $G^{(l)}=G^{(l+1)}+A^\top G^{(l+1)}V^\top$; layer $l+1$ sees $h^{(l)}="
        r"h^{(l-1)}+Ah^{(l-1)}V$. After three steps the difference is $2\eta^4(M^\top N-NM^\top)$, of "
        r"the order of the first attention weights, and with the same count of steps."
    ),
)  # fmt: skip
