r"""The step from cosines to walks: App. C.1.1 and App. D, the display before the recursion of phi.

A walk of r steps back from a token visits one token of each layer; the weights of a layer multiply along it.
"""

from __future__ import annotations

from decimal import localcontext
from typing import Any

from sympy import ImmutableDenseMatrix, Integer, Rational, eye

from claims.domain import Condition, Point
from claims.masks import complete
from claims.model import Claim, Hypothesis
from claims.statement import Compare, ForAll
from claims.terms import family
from claims.wu2024.cosines import (
    ACUTE,
    CENTRED,
    FLOOR,
    SELF_LOOPS,
    centred_tokens,
    layers_in,
    rows_after,
)
from claims.wu2024.lengths import (
    ORTHOGONAL,
    UNIT,
    i,
    j,
    layernorm_never_shrinks_a_token,
    unit_at_first,
)
from claims.wu2024.notation import G, N, X, attention, d, epsilon, r, source
from claims.wu2024.trajectory import DIGITS, gram
from claims.wu2024.turns import values


def _even_pair() -> dict[Any, Any]:
    """Two orthonormal tokens under uniform attention, which meet in one layer: all cosines are one."""
    layer = ImmutableDenseMatrix([[1, 1], [1, 1]]) / 2
    identity = ImmutableDenseMatrix(eye(2))
    return {
        G: complete(2), N: Integer(2), r: Integer(1), d: Integer(2), epsilon: Rational(1, 4),
        attention: (layer,), X: identity, values: (identity,),
    }  # fmt: skip


def _walked_product(point: Point, one: int, other: int, entries: int) -> Any:
    """Walks of r steps from both tokens, with so many entries in each tuple, of which r are used."""
    rows = point[X]
    for layer in point[attention]:
        rows = layer * rows
    product = (rows.row(one - 1) * rows.row(other - 1).T)[0]
    return product * point[N] ** (2 * (entries - layers_in(point)))


def _product_after(point: Point, one: int, other: int) -> Any:
    with localcontext(prec=DIGITS):
        return gram(rows_after(point, layers_in(point)))[one - 1][other - 1]


product_after = family(r"\langle X_{{{},:}}^{{(t+r)}},X_{{{},:}}^{{(t+r)}}\rangle", _product_after)
_WALKS = (
    r"\sum_{{k\in[N]^%(n)s}}\sum_{{l\in[N]^%(n)s}}A_{{{0},k_1}}^{{(t+r-1)}}\cdots A_{{k_{{r-1}},k_r}}^{{(t)}}"
    r"A_{{{1},l_1}}^{{(t+r-1)}}\cdots A_{{l_{{r-1}},l_r}}^{{(t)}}"
    r"\langle X_{{k_r}}^{{(t)}},X_{{l_r}}^{{(t)}}\rangle"
)
walks = family(_WALKS % {"n": "r"}, lambda at, i, j: _walked_product(at, i, j, layers_in(at)))
padded_walks = family(_WALKS % {"n": "d"}, lambda at, i, j: _walked_product(at, i, j, int(at[d])))
_pairs_above = lambda sums: ForAll(i, 1, N, ForAll(j, 1, N, Compare(  # noqa: E731
    product_after(i, j), ">=", sums(i, j)
)))  # fmt: skip
_enough_features = Condition.of(Compare(d, ">=", r))
_WALKED = (UNIT, ACUTE, ORTHOGONAL, SELF_LOOPS, CENTRED, FLOOR)
cosines_are_above_walks = Claim(
    id="wu2024.phi-over-walks.repair",
    parent="wu2024.phi-over-walks",
    source=source("App. C.1.1 and D", "main display, before its last line"),
    kind="bound",
    title="After $r$ layers a cosine is at least the weighted sum over pairs of walks of $r$ steps.",
    statement=_pairs_above(walks),
    domain=centred_tokens,
    hypotheses=_WALKED,
    understood=unit_at_first(
        "tokens $(2,0)$ and $(2,1)$ in layer 0: their product is 4, and no cosine is above 1"
    ),
    note="A walk of $r$ steps visits $r$ tokens $k_1,\\dots,k_r$, each one of $[N]$.",
)
_padded = centred_tokens.with_conditions(_enough_features)
cosines_are_above_walks_with_a_token_for_each_feature = Claim(
    id="wu2024.phi-over-walks",
    source=source("App. C.1.1 and D", "main display, before its last line"),
    kind="bound",
    title="After $r$ layers a cosine is said to be at least such a sum over $(k_1,\\dots,k_r)\\in[N]^d$.",
    statement=_pairs_above(padded_walks),
    printed=(
        r"\phi^{(t+r)} \geq \sum_{(k_1, \dots, k_r) \in [N]^d} \sum_{(l_1, \dots, l_r) \in [N]^d} "
        r"A_{i^{(t+r)},k_1}^{(t+r-1)} \dots A_{k_{r-1},k_r}^{(t)} A_{j^{(t+r)},l_1}^{(t+r-1)} \dots "
        r"A_{l_{r-1},l_r}^{(t)} \langle X_{k_r}^{(t)}, X_{l_r}^{(t)} \rangle"
    ),
    domain=_padded,
    hypotheses=(*_WALKED, Hypothesis(r"d\ge r:\ \text{all of } k_1,\dots,k_r \text{ are entries}")),
    uses=(layernorm_never_shrinks_a_token,),
    probes=(_padded.completed(_even_pair()),),
    severity="misprint",
    repair=cosines_are_above_walks,
    note=(
        "Entries after the $r$-th are free, so that every walk counts $N^{2(d-r)}$ times. The exponent "
        "must be $r$. The print has this for the pair with the least cosine; in the example all pairs "
        "are it."
    ),
)
