r"""At which order in the learning rate layers that start from zero begin to differ: ours."""

from __future__ import annotations

from typing import Any

from sympy import Integer, Symbol, binomial

from claims.domain import Domain, Point, Size
from claims.im2026.boxes import ZERO_START, leading_count
from claims.im2026.corpora import (
    Corpus,
    bigram_map,
    context_map,
    first_tokens,
    next_tokens,
    uniform_attention,
    uniform_output,
)
from claims.im2026.notation import N, T, depth, layer, s, source, words
from claims.im2026.series import coefficients
from claims.model import Claim, Hypothesis, Mutant
from claims.statement import Compare, ForAll
from claims.terms import family

order = Symbol("k", integer=True)


def commutator(at: Point) -> Any:
    """M^T N - N M^T."""
    mixing, uniform = (
        uniform_attention(int(at[T])),
        uniform_output(int(at[T]), int(at[words])),
    )
    pairs = zip(first_tokens(at), next_tokens(at), strict=True)
    first, *others = (x.T * (mixing**2).T * (y - uniform) for x, y in pairs)
    bigrams = bigram_map(at).T
    farther = sum(others, start=first) / (at[N] * at[T]) * bigrams
    turned = bigrams.T * context_map(at)
    return turned * farther - farther * turned


def _gap(at: Point, order: int, layer: int) -> Any:
    """The coefficient of V^(l+1) - V^(l)."""
    values = coefficients(at)["V"][order]
    return values[layer] - values[layer - 1]


def _squared(matrix: Any) -> Any:
    return sum((entry**2 for entry in matrix), start=Integer(0))


gap_size = family(
    r"\bigl\|[\eta^{{{}}}]\,\delta V^{{({})}}\bigr\|_F^2",
    lambda at, order, layer: _squared(_gap(at, order, layer)),
)
gap_distance = family(
    r"\bigl\|[\eta^4]\,\delta V^{{({})}}-({})(M^\top N-NM^\top)\bigr\|_F^2",
    lambda at, layer, multiple: _squared(_gap(at, 4, layer) - multiple * commutator(at)),
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
        r"From zero, the values of neighbouring layers differ first at $\eta^4$, by a commutator that is "
        r"the same at every depth."
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
