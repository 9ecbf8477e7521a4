"""Deep models as one product, by induction over layers; finite sums may be exchanged."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from sympy import Expr, KroneckerDelta, Sum, sqrt

from claims.domain import Domain
from claims.model import Claim
from claims.naitsaada2025 import layers as claims
from claims.naitsaada2025.layers import X0, attentions, i, j, k, l, m, values
from claims.naitsaada2025.notation import T, d, depth, gamma
from claims.statement import Compare, ForAll, Formula
from claims.terms import Recursion, entry
from proofs.calculation import at_places, for_all, linked, sums_compared, weighed
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import DELTA, DELTA_SUM, FUBINI
from proofs.kernel import (
    Theorem,
    assume,
    fact,
    induction,
    instance,
    joint,
    part,
    recursion_start,
    recursion_step,
    unfold,
)
from proofs.registry import proves

x, W = entry(X0), entry(values)
Attention = Callable[[Any, Any, Any], Expr]


def full(t: Any, row: Any, column: Any) -> Expr:
    """Attention with the gap."""
    return entry(attentions)(t, row, column)


def gapless(t: Any, row: Any, column: Any) -> Expr:
    """Attention without it."""
    return full(t, row, column) - 1 / T


class Model:
    """Tokens layer by layer, attention alone, and value weights alone, entry by entry."""

    def __init__(self, attention: Attention, factor: Any = 1):
        self.attention = attention
        self.tokens = Recursion(
            "X", lambda i, k: x(i, k),
            lambda t, i, k, before: factor * Sum(
                Sum(attention(t, i, j) * before(j, l), (j, 1, T)) * W(t, l, k), (l, 1, d)),
        )  # fmt: skip
        self.left = Recursion(
            "Y", lambda i, k: x(i, k),
            lambda t, i, k, before: Sum(attention(t, i, j) * before(j, k), (j, 1, T)),
        )  # fmt: skip
        self.right = Recursion(
            "R", lambda k, o: KroneckerDelta(k, o),
            lambda t, k, o, before: Sum(before(k, m) * W(t, m, o), (m, 1, d)),
        )  # fmt: skip

    def product(self, t: Any, row: Any, column: Any) -> Expr:
        """(Y R)_ik."""
        return Sum(self.left(t, row, m) * self.right(t, m, column), (m, 1, d))

    @cache  # noqa: B019 - models live as long as the module
    def unrolled(self) -> Theorem:
        """For all t, i, k: X_ik = sum_m Y_im R_mk."""

        def body(t: Any) -> Formula:
            same = Compare(self.tokens(t, i, k), "=", self.product(t, i, k))
            return ForAll(i, 1, T, ForAll(k, 1, d, same))

        t = claims.t
        before = assume(body(t))
        a = lambda row, n: self.attention(t, row, n)  # noqa: E731

        def mixed(place: Any) -> Theorem:
            """sum_j A_ij X_jl W_lk = sum_m Y'_im R_ml W_lk."""
            inside = weighed(lambda n: a(i, n), lambda n: at_places(before, n, place), T)
            term = a(i, j) * self.left(t, j, m) * self.right(t, m, place)
            swap = fact(FUBINI, a=term, j=j, k=m, rows=T, columns=d)
            steps = weighed(
                lambda n: self.right(t, n, place), lambda n: recursion_step(self.left, t, i, n), d
            )
            rows = Sum(self.left(t + 1, i, m) * self.right(t, m, place), (m, 1, d))
            found = linked(Compare(inside.formula.left, "=", rows), inside, swap, steps)
            weight = W(t, place, k)
            return joint(
                Compare(found.formula.left * weight, "=", found.formula.right * weight), found
            )

        outer = sums_compared(mixed, d)
        term = self.left(t + 1, i, m) * self.right(t, m, l) * W(t, l, k)
        swap = fact(FUBINI, a=term, j=l, k=m, rows=d, columns=d)
        steps = weighed(
            lambda n: self.left(t + 1, i, n), lambda n: recursion_step(self.right, t, n, k), d
        )
        step = linked(
            Compare(self.tokens(t + 1, i, k), "=", self.product(t + 1, i, k)),
            recursion_step(self.tokens, t, i, k), outer, swap, steps,
        )  # fmt: skip
        return induction(for_all(self.start(), (i, T), (k, d)), for_all(step, (i, T), (k, d)), t)

    def start(self) -> Theorem:
        """No layers: sum_m X_im delta_mk = X_ik."""
        value = sums_compared(
            lambda n: joint(
                Compare(
                    self.left(0, i, n) * self.right(0, n, k), "=", KroneckerDelta(n, k) * x(i, k)
                ),
                recursion_start(self.left, i, n), recursion_start(self.right, n, k),
                part(fact(DELTA, a=n, b=k, term=x(i, j), place=j), 2),
            ),
            d,
        )  # fmt: skip
        one = fact(DELTA_SUM, place=k, k=m, low=1, high=d)
        goal = Compare(self.tokens(0, i, k), "=", self.product(0, i, k))
        return linked(goal, recursion_start(self.tokens, i, k), value, one)


FULL, GAPLESS = Model(full), Model(gapless)
OVER = ((i, 1, T), (k, 1, d))


def one_product(model: Model, layered: Any, product: Any, domain: Domain) -> Theorem:
    """The two families are one."""
    tokens = unfold(layered(i, k), model.tokens(depth, i, k), domain, OVER)
    whole = unfold(product(i, k), model.product(depth, i, k), domain, OVER)
    same = at_places(instance(model.unrolled(), depth), i, k)
    return for_all(
        joint(Compare(layered(i, k), "=", product(i, k)), tokens, whole, same), (i, T), (k, d)
    )


@proves(claims.deep_model_is_one_product)
def by_induction_over_layers(claim: Claim) -> Certificate:
    """X = Y R in every layer."""
    theorem = one_product(FULL, claims.layered, claims.product, claims.deep)
    return conclude(claim, theorem, method="induction over layers")


@proves(claims.modified_model_is_one_product, claims.signal_with_the_gap_is_the_product)
def by_induction_without_the_gap(claim: Claim) -> Certificate:
    """The same with A - 11^T/T."""
    theorem = one_product(GAPLESS, claims.gapless, claims.gapless_product, claims.deep)
    return conclude(claim, theorem, method="induction over layers")


@proves(claims.rescaling_changes_nothing)
def by_the_factors_of_one_layer(claim: Claim) -> Certificate:
    """Every layer brings sqrt T / (sqrt d sqrt gamma) = 1."""
    domain, t = claims.rescaling_changes_nothing.domain, claims.t
    factor = sqrt(T) / sqrt(d) / sqrt(gamma)
    scaled = Model(gapless, factor)
    known = assume(claims.ratio.known[0])
    sizes = [Compare(size, ">=", 1) for size in (T, d)]
    one = joint(Compare(factor, "=", 1), known, given=(*sizes, Compare(gamma, ">", 0)))

    def body(t: Any) -> Formula:
        same = Compare(scaled.tokens(t, i, k), "=", GAPLESS.tokens(t, i, k))
        return ForAll(i, 1, T, ForAll(k, 1, d, same))

    before = assume(body(t))
    start = joint(
        Compare(scaled.tokens(0, i, k), "=", GAPLESS.tokens(0, i, k)),
        *(recursion_start(model.tokens, i, k) for model in (scaled, GAPLESS)),
    )

    def mixed(place: Any) -> Theorem:
        """sum_j A_ij X_jl W_lk."""
        inside = weighed(lambda n: gapless(t, i, n), lambda n: at_places(before, n, place), T)
        weight = W(t, place, k)
        goal = Compare(inside.formula.left * weight, "=", inside.formula.right * weight)
        return joint(goal, inside)

    layers = [recursion_step(model.tokens, t, i, k) for model in (scaled, GAPLESS)]
    step = joint(
        Compare(scaled.tokens(t + 1, i, k), "=", GAPLESS.tokens(t + 1, i, k)), *layers, one,
        sums_compared(mixed, d),
    )  # fmt: skip
    whole = induction(for_all(start, (i, T), (k, d)), for_all(step, (i, T), (k, d)), t)
    same = at_places(instance(whole, depth), i, k)
    read = unfold(claims.rescaled(i, k), scaled.tokens(depth, i, k), domain, OVER)
    plain = unfold(claims.gapless_product(i, k), GAPLESS.product(depth, i, k), domain, OVER)
    unrolled = at_places(instance(GAPLESS.unrolled(), depth), i, k)
    goal = Compare(claims.gapless_product(i, k), "=", claims.rescaled(i, k))
    theorem = for_all(joint(goal, read, plain, unrolled, same), (i, T), (k, d))
    return conclude(claim, theorem, method="one factor for each layer")
