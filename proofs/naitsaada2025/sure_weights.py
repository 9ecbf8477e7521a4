r"""Almost sure limits behind Gaussian weights: norms of their products, and of attention before them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from sympy import Integer, Sum, sqrt, symbols

from claims.naitsaada2025.markov_layers import Weights, n
from claims.statement import Compare, Tends
from claims.terms import Recursion
from proofs.calculation import for_all, linked
from proofs.facts import PRODUCT
from proofs.kernel import (
    Theorem,
    assume,
    cut,
    fact,
    identity,
    induction,
    instance,
    joint,
    limit_combined,
    limit_rewritten,
    recursion_start,
    recursion_step,
    substitute,
)
from proofs.naitsaada2025.sure_limits import SIZE, Outcome, at_every_size, i, k, x, y
from proofs.naitsaada2025.sure_products import ONE, ZERO, Products, alike, j, sign_of, t

__all__ = ["GaussianProducts", "attention_and_weights"]


class GaussianProducts:
    r"""$W_1\cdots W_{t+1}$ for one outcome."""

    def __init__(self, outcome: Outcome, weights: Weights):
        self.outcome, self.weights, self.columns = outcome, weights, weights.factor * n
        self.bound = Recursion(
            "b", lambda size: weights.first(size) / sqrt(size),
            lambda t, size, before: weights.square(t + 2, size) / sqrt(size) * before(size),
        )  # fmt: skip
        r"""$\prod_ln^{-1/2}s_1(W_l)$."""

    @cached_property
    def bound_tends(self) -> Theorem:
        r"""For all t: the product of norms tends to $(1+\sqrt g)(2\sqrt g)^t$."""
        root = sqrt(self.weights.factor)
        body = lambda at: Tends(self.bound(at, n), n, (1 + root) * (2 * root) ** at)  # noqa: E731
        start = at_every_size(recursion_start(self.bound, n))
        step = at_every_size(recursion_step(self.bound, t, n))
        before = {x: self.outcome.square_weight(t + 2), y: assume(body(t))}
        return induction(
            limit_rewritten(self.outcome.first_weight(), start),
            limit_rewritten(limit_combined(x * y, before), step), t,
        )  # fmt: skip

    def _grows(self) -> Theorem:
        """s_1(W_1...W_(t+2)) <= s_1(W_1...W_(t+1)) s_1(W_(t+2))."""
        weights, of = self.weights, self.weights.product
        found = fact(
            PRODUCT, values=weights.value(ONE, t + 1), left=weights.value(ONE, t),
            right=weights.square(t + 2), i=i, k=k, l=j,
        )  # fmt: skip
        terms = of(t, n, i, j) * weights.layers.tables.weights(t + 2, n, j, k)
        goal = Compare(of(t + 1, n, i, k), "=", Sum(terms, (j, 1, self.columns)))
        same = linked(goal, recursion_step(of, t, n, i, k))
        return cut(found, for_all(same, (i, n), (k, self.columns)))

    @cached_property
    def below(self) -> Theorem:
        r"""For all t: $s_1^2(W_1\cdots W_{t+1})\le n^{t+1}b_t^2$."""
        weights = self.weights

        def body(at: Any) -> Compare:
            bound = n ** (at + 1) * self.bound(at, n) ** 2
            return Compare(weights.value(ONE, at) ** 2, "<=", bound)

        own = weights.value(ONE, Integer(0))
        first = alike(own, weights.first(), recursion_start(weights.product, n, i, k))
        square = joint(Compare(own**2, "<=", weights.first() ** 2), first, sign_of(own))
        start = joint(body(Integer(0)), square, recursion_start(self.bound, n), SIZE)
        after, before, factor = (
            weights.value(ONE, t + 1),
            weights.value(ONE, t),
            weights.square(t + 2),
        )
        a, b, c, d = symbols("a b c d", real=True)
        given = (
            Compare(a, "<=", b * c), Compare(a, ">=", 0), Compare(b, ">=", 0), Compare(c, ">=", 0),
            Compare(c**2, "<=", d),
        )  # fmt: skip
        square = joint(Compare(a**2, "<=", b**2 * c**2), given=given[:4])
        inside = joint(Compare(b**2 * c**2, "<=", b**2 * d), given=given[4:5])
        whole = joint(Compare(a**2, "<=", b**2 * d), square, inside)
        terms = {a: after, b: factor, c: before, d: n ** (t + 1) * self.bound(t, n) ** 2}
        grown = cut(
            substitute(whole, terms), self._grows(), sign_of(after), sign_of(factor), sign_of(before),
            assume(body(t)),
        )  # fmt: skip
        step = joint(body(t + 1), grown, recursion_step(self.bound, t, n), SIZE)
        return induction(start, step, t)


def attention_and_weights(
    products: Products, weights: GaussianProducts, factors: Any, more: Any
) -> Theorem:
    r"""$(gn)^{p-q}s_2^2(A_p\cdots A_1W_1\cdots W_q)\le g^{p-q}(B_pb_{q-1})^2$, with q less one for `more`."""
    chain, row = products.chain, weights.weights.value(ONE, more)
    own = chain.rest_value(ONE, ZERO)
    start = alike(own, row, recursion_start(chain.rest, n, i, k))
    square = joint(Compare(own**2, "<=", row**2), start, sign_of(own))
    one = recursion_start(products.bound, n)
    base = joint(Compare(own**2, "<=", products.bound(0, n) ** 2 * row**2), square, one)
    rest = instance(products.rest_below(base, 0, row**2), factors)
    second = products.second_squared(factors, rest)
    below = instance(weights.below, more)
    a, b, c, d, e, u, v, w = symbols("a b c d e u v w", real=True)
    given = (
        Compare(a * b, "<=", c * d), Compare(d, "<=", e * u), Compare(c, ">=", 0), Compare(v, ">=", 0),
        Compare(v * e, "=", w),
    )  # fmt: skip
    inside = joint(Compare(a * b, "<=", c * (e * u)), given=given[:3])
    scaled = joint(Compare(v * (a * b), "<=", v * (c * (e * u))), inside, given=given[3:4])
    whole = joint(Compare(v * a * b, "<=", w * c * u), scaled, given=given[4:])
    factor, value = weights.weights.factor, chain.value(ONE + 1, factors)
    lengths = (factor * n) ** (factors - more - 1)
    terms = {
        a: n**factors, b: value**2, c: products.bound(factors, n) ** 2, d: row**2, e: n ** (more + 1),
        u: weights.bound(more, n) ** 2, v: lengths / n**factors, w: factor ** (factors - more - 1),
    }  # fmt: skip
    return cut(
        substitute(whole, terms), second, below,
        joint(Compare(terms[c], ">=", 0)), joint(Compare(terms[v], ">=", 0)),
        identity(terms[v] * terms[e], terms[w]),
    )  # fmt: skip
