r"""Tokens of an open hemisphere gather at an explicit rate, from their widths in the chart.

Inner products do not see orthogonal value matrices.  After t layers

    1 - <X_i, X_j> <= 2 d/g^2 (1 - (eps g)^r)^{2(t/r - (r-1)/r)},

where <X_i, v> >= g at the start for a unit vector v, and mu^2 is at most N times as much.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import oo, sqrt, symbols

from claims.statement import Compare, ForAll, Formula
from claims.terms import MaxOver, MinOver
from claims.wu2024.dynamics import Layers
from claims.wu2024.notation import WV, N, attention, d, t
from claims.wu2024.setup import AttentionSequence
from claims.wu2024.turns import values
from claims.wu2024.unit_tokens import Orthogonal
from proofs.calculation import algebra, at_places, for_all, linked, replaced, summed_over, weighed
from proofs.kernel import (
    Theorem,
    assume,
    cut,
    extremum_bounds,
    generalise,
    instance,
    joint,
    part,
)
from proofs.wu2024.acute import sphere_of
from proofs.wu2024.averages import i, j
from proofs.wu2024.chart import (
    FEATURE,
    FRAME,
    at_layer,
    chart,
    chart_is_wider,
    layer,
    m,
    norm_in_range,
    weights,
    width_bound,
    width_of_feature,
)
from proofs.wu2024.norms import inner, spread_of_unit_rows
from proofs.wu2024.spherical import to_last_layer

SPHERE = sphere_of(t)


def everywhere(theorem: Theorem) -> Theorem:
    """For all pairs of tokens."""
    return for_all(theorem, (i, N), (j, N))


def same_products(u: Any) -> Formula:
    """<X_i, X_j> = <Y_i, Y_j> at a layer."""
    equal = Compare(SPHERE.product(u, i, j), "=", FRAME.product(u, i, j))
    return ForAll(i, 1, N, ForAll(j, 1, N, equal))


def same_averages(u: Any, one: Any, other: Any) -> Theorem:
    """sum_ab A_ia A_jb <X_a, X_b> is the same for both."""
    known = assume(same_products(u))

    def of_row(a: Any) -> Theorem:
        return weighed(lambda b: weights(u, other, b), lambda b: at_places(known, a, b), N)

    total = weighed(lambda a: weights(u, one, a), of_row, N)
    sides = [s.averaged(u, one, other) for s in (SPHERE, FRAME)]
    return linked(Compare(sides[0], "=", sides[1]), total)


def before_layernorm(u: Any, one: Any, other: Any) -> Theorem:
    """<(AXW)_i, (AXW)_j> = <(AY)_i, (AY)_j>."""
    raw = [inner(s.moved(u, one), s.moved(u, other)) for s in (SPHERE, FRAME)]
    return joint(
        Compare(raw[0], "=", raw[1]), same_averages(u, one, other),
        *(s.products_before_layernorm(u, one, other) for s in (SPHERE, FRAME)),
    )  # fmt: skip


@cache
def products_agree() -> Theorem:
    """<X_i, X_j> = <Y_i, Y_j> for all layers up to the last."""
    start = joint(
        Compare(SPHERE.product(0, i, j), "=", FRAME.product(0, i, j)), SPHERE.start(i, j),
        FRAME.start(i, j),
    )  # fmt: skip
    raw, own, other = (before_layernorm(layer, *places) for places in ((i, j), (i, i), (j, j)))
    q, p, w = symbols("q p w", real=True)
    (p_old, p_new), (w_old, _) = ((pair.formula.left, pair.formula.right) for pair in (own, other))
    new = raw.formula.right
    same = [
        replaced(q / (sqrt(p_old) * sqrt(w_old)), q, raw),
        replaced(new / (sqrt(p) * sqrt(w_old)), p, own),
        replaced(new / (sqrt(p_new) * sqrt(w)), w, other),
    ]
    step = joint(
        Compare(SPHERE.product(layer + 1, i, j), "=", FRAME.product(layer + 1, i, j)), *same,
        SPHERE.products_after_layernorm(layer, i, j), FRAME.products_after_layernorm(layer, i, j),
    )  # fmt: skip
    norms = [part(norm_in_range(at_layer(layer), layer, token), 0) for token in (i, j)]
    norms += [
        joint(Compare(old_norm, ">", 0), equal, norm)
        for old_norm, equal, norm in zip((p_old, w_old), (own, other), norms, strict=True)
    ]
    return to_last_layer(everywhere(start), everywhere(cut(step, *norms)), layer, t)


def square_of_gap(u: Any, one: tuple[Any, Any], other: tuple[Any, Any], *later: Theorem) -> Theorem:
    """(z_im - z_jm)^2 <= width^2 at a layer u, for tokens between its extremes, at layers from u on.

    `later` says for other layers that they lie between the extremes of layer u.
    """
    p, q, low, high, width = symbols("p q m M w", real=True)
    given = (
        *(Compare(low, "<=", value) for value in (p, q)),
        *(Compare(value, "<=", high) for value in (p, q)), Compare(high - low, "<=", width),
    )  # fmt: skip
    top, bottom = (FEATURE.extreme(kind, u) for kind in (MaxOver, MinOver))
    terms = {p: chart(*one, m), q: chart(*other, m), low: bottom, high: top, width: width_bound(u)}
    inside = [extremum_bounds(e, token) for e in (top, bottom) for _, token in (one, other)]
    known = (*inside, *later, part(width_of_feature(u), 1))
    return algebra(Compare((p - q) ** 2, "<=", width**2), given, terms, *known)


@cache
def gap_of_tokens() -> Theorem:
    """For all pairs 1 - <X_i, X_j> <= 2 d/g^2 DECAY^2."""
    square = square_of_gap(t, (t, i), (t, j))
    wide = chart_is_wider((t, i), (t, j))
    total = summed_over(square, (m, d))
    same = at_places(products_agree(), t, i, j)
    gap = linked(
        Compare(SPHERE.product(t, i, j), ">=", 1 - d * width_bound(t) ** 2 / 2), wide, total, same
    )
    return everywhere(gap)


@cache
def spread_of_tokens() -> Theorem:
    """mu^2 <= 2 N d/g^2 DECAY^2 after all layers."""
    pairs = gap_of_tokens()
    bound = 1 - d * width_bound(t) ** 2 / 2
    unit = joint(
        Compare(SPHERE.product(t, i, i), "=", 1), instance(part(at_layer(t), 0), i),
        at_places(products_agree(), t, i, i),
    )  # fmt: skip

    def below(a: Any, b: Any) -> Theorem:
        return joint(Compare(bound, "<=", SPHERE.product(t, a, b)), at_places(pairs, a, b))

    return spread_of_unit_rows(SPHERE.at(t), generalise(unit, i, 1, N), bound, below)


def endless(theorem: Theorem, least: Any, length: Any = t) -> Theorem:
    """The theorem for attention and value matrices without end, of which it uses that many layers."""

    def known(count: Any) -> Any:
        rows = AttentionSequence(attention, floor=least, length=count).facts()[:3]
        return (*rows, *Layers(values, Orthogonal(WV), count).facts())

    lemmas = [
        generalise(instance(assume(every), some.index), some.index, 0, some.high)
        for every, some in zip(known(oo), known(length), strict=True)
    ]
    return cut(theorem, *lemmas)
