"""Cosines are above the weighted sum over pairs of walks, for every number of tokens and of layers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from sympy import Expr, Integer

from claims.model import Claim
from claims.statement import And, Compare, ForAll, Formula
from claims.terms import Recursion, entry
from claims.wu2024 import walks as claims
from claims.wu2024.lengths import i, j
from claims.wu2024.notation import N, attention, r
from proofs.calculation import (
    at_places,
    linked,
    weighed,
)
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    generalise,
    instance,
    joint,
    part,
    recursion_start,
    recursion_step,
    unfold,
)
from proofs.registry import proves
from proofs.wu2024.acute import (
    Acute,
    everywhere,
    norm_is_positive,
    s,
    sphere_of,
)
from proofs.wu2024.cosines import (
    at_the_start,
    below_all,
)
from proofs.wu2024.lengths import cosine_of
from proofs.wu2024.norms import (
    inner,
    summed,
)
from proofs.wu2024.spherical import to_last_layer


def _two_averages(layer: Any, one: Any, other: Any, product: Callable[[Any, Any], Expr]) -> Expr:
    """sum_ab A_ia A_jb q(a, b)."""
    weights = entry(attention)
    inside = lambda a: summed(lambda b: weights(layer, other, b) * product(a, b), N)  # noqa: E731
    return summed(lambda a: weights(layer, one, a) * inside(a), N)


walked = Recursion("Q", cosine_of, _two_averages)
"""Over pairs of walks from both tokens back to the start, the product of the tokens there."""


@cache
def above_walks(layers: Any) -> Theorem:
    """Up to the last layer: unit tokens, and <X_i, X_j> >= Q(i, j) >= 0."""
    acute = Acute(layers, Integer(0), False)
    sphere = acute.sphere

    def pair_at(n: Any) -> Formula:
        above = Compare(sphere.product(n, i, j), ">=", walked(n, i, j))
        return above & Compare(walked(n, i, j), ">=", 0)

    def case(n: Any) -> And:
        unit = ForAll(i, 1, N, Compare(sphere.product(n, i, i), "=", 1))
        return And((unit, ForAll(i, 1, N, ForAll(j, 1, N, pair_at(n)))))

    known, pairs = at_the_start(acute, Integer(0), below_all)
    start = recursion_start(walked, i, j)
    first = joint(pair_at(0), start, sphere.start(i, j), at_places(pairs, i, j))
    begin = both(known, everywhere(first))
    units, above = (part(assume(case(s)), n) for n in (0, 1))
    sign = lambda n, a: at_places(sphere.signs, s, n, a)  # noqa: E731

    def averaged(one: Callable[[Any, Any], Expr], other: Callable[[Any, Any], Expr]) -> Theorem:
        """Averages of what is above are above."""

        def inside(a: Any) -> Theorem:
            pair = lambda b: joint(  # noqa: E731
                Compare(one(a, b), ">=", other(a, b)), at_places(above, a, b)
            )
            return weighed(lambda b: entry(attention)(s, j, b), pair, N, lambda b: sign(j, b))

        return weighed(lambda a: entry(attention)(s, i, a), inside, N, lambda a: sign(i, a))

    product = lambda a, b: sphere.product(s, a, b)  # noqa: E731
    here = lambda a, b: walked(s, a, b)  # noqa: E731
    moved = recursion_step(walked, s, i, j)
    raw = inner(sphere.moved(s, i), sphere.moved(s, j))
    before = sphere.products_before_layernorm(s, i, j)
    lower = linked(Compare(raw, ">=", walked(s + 1, i, j)), averaged(product, here), before, moved)
    nonnegative = linked(
        Compare(walked(s + 1, i, j), ">=", 0), averaged(here, lambda a, b: Integer(0)), moved
    )
    acute_now = everywhere(joint(Compare(product(i, j), ">=", 0), at_places(above, i, j)))
    positive = [norm_is_positive(acute, s, n, units, acute_now) for n in (i, j)]
    short = [sphere.short(s, n, units) for n in (i, j)]
    after_ = cut(sphere.products_after_layernorm(s, i, j), *positive)
    pair = joint(pair_at(s + 1), after_, lower, nonnegative, *positive, *short)
    unit = sphere.unit_after(s, i, positive[0])
    step = both(generalise(unit, i, 1, N), everywhere(pair))
    return to_last_layer(begin, step, s, layers)


@proves(claims.cosines_are_above_walks_with_a_token_for_each_feature)
def by_walks(claim: Claim) -> Certificate:
    """A layer averages products that are not negative, and LayerNorm divides by at most one."""
    domain, over = claims.cosines_are_above_walks.domain, ((i, 1, N), (j, 1, N))
    pair = at_places(part(instance(above_walks(r), r), 1), i, j)
    product = unfold(claims.product_after(i, j), sphere_of(r).product(r, i, j), domain, over)
    walks = unfold(claims.walks(i, j), walked(r, i, j), domain, over)
    goal = Compare(claims.product_after(i, j), ">=", claims.walks(i, j))
    theorem = everywhere(joint(goal, pair, product, walks))
    return conclude(claim, theorem, method="induction over layers")
