r"""The stable rank of the covariance tends to one almost surely, at every depth (Prop. 3.4).

$\operatorname{sr}(XX^\top)=\sum_js_j^4/s_1^4\le1+ns_2^4/s_1^4$ with $s_2=O(1)$, and $s_1\ge\|\varphi^\top X\|$,
the length of the row $\varphi^\top A_\ell\cdots A_1$, one at least, through Gaussian matrices.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from sympy import Integer, Sum, Symbol, symbols

from claims.naitsaada2025.markov_layers import Chain, Weights, identity, n
from claims.statement import Compare, ForAll, Formula
from proofs.calculation import (
    algebra,
    at_places,
    for_all,
    linked,
    picked,
    summed_over,
    sums_compared,
    weighed,
)
from proofs.facts import FUBINI, GAUSSIAN_LENGTH, NORMS, POWER_FALLS
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    fact,
    induction,
    instance,
    joint,
    limit,
    limit_combined,
    part,
    recursion_start,
    recursion_step,
    squeezed,
    substitute,
    sum_split,
)
from proofs.naitsaada2025.sure_limits import (
    SIZE,
    Outcome,
    at_every_size,
    constant,
    i,
    k,
    sums_are_long,
    x,
)
from proofs.naitsaada2025.sure_products import ONE, Products, j, sign_of, t
from proofs.naitsaada2025.sure_weights import GaussianProducts, attention_and_weights

__all__ = ["StableRank"]

TWO = Integer(2)
u, v, w = symbols("u v w", real=True)


class StableRank:
    """Of $A_p\\cdots A_1W_1\\cdots W_p$, for one outcome, where p is `depth`."""

    def __init__(self, chain: Chain, weights: Weights, depth: Any):
        self.chain, self.weights, self.depth = chain, weights, depth
        self.plain = Chain(chain.layers, identity)
        self.row = Sum(self.plain.whole(depth, n, j, i), (j, 1, n))
        """$\\sum_j(A_p\\cdots A_1)_{ji}$."""
        length = fact(
            GAUSSIAN_LENGTH,
            row=self.row,
            product=weights.product(t, n, i, k),
            i=i,
            k=k,
            size=n,
            count=t,
        )
        self.outcome = Outcome(chain.layers, edges=2, weights=weights, more=(length,))
        self.columns = weights.factor * n
        self.after = weights.product(depth - 1, n, i, k)

    def _row_at(self, place: Any) -> Any:
        return Sum(self.plain.whole(self.depth, n, j, place), (j, 1, n))

    @cached_property
    def long_row(self) -> Theorem:
        r"""$\sum_iu_i^2\ge n$ for the row u, since $\sum_iu_i=n$."""
        whole = at_places(Products(self.outcome, self.plain).whole_rows, self.depth, j)
        own = self.plain.whole(self.depth, n, j, i)
        return sums_are_long(own, whole, j, i)

    @cached_property
    def associated(self) -> Theorem:
        """For all t: entries of A_t...A_1 W are those of the product of A_t...A_1 and W."""
        signal, plain, weight = self.chain.whole, self.plain.whole, self.chain.layers.weight
        start_ = self.weights.product(self.depth - 1, n, j, k)

        def body(at: Any) -> Formula:
            same: Formula = Compare(
                signal(at, n, i, k), "=", Sum(plain(at, n, i, j) * start_, (j, 1, n))
            )
            return ForAll(i, 1, n, ForAll(k, 1, self.columns, same))

        after = lambda a: self.weights.product(self.depth - 1, n, a, k)  # noqa: E731
        ones = weighed(after, lambda a: recursion_start(plain, n, i, a), n)
        start = linked(
            Compare(signal(0, n, i, k), "=", Sum(plain(0, n, i, j) * start_, (j, 1, n))),
            recursion_start(signal, n, i, k), ones, picked(i, after, n),
        )  # fmt: skip
        known = assume(body(t))
        b = Symbol("b", integer=True)
        each = weighed(lambda a: weight(t + 1, n, i, a), lambda a: at_places(known, a, k), n)
        term = weight(t + 1, n, i, b) * plain(t, n, b, j) * start_
        swap = fact(FUBINI, a=term, j=b, k=j, rows=n, columns=n)
        steps = weighed(after, lambda a: recursion_step(plain, t, n, i, a), n)
        step = linked(
            Compare(signal(t + 1, n, i, k), "=", Sum(plain(t + 1, n, i, j) * start_, (j, 1, n))),
            recursion_step(signal, t, n, i, k), each, swap, steps,
        )  # fmt: skip
        step = cut(step, self.outcome.row_is_positive(t + 1))
        places = ((i, n), (k, self.columns))
        return induction(for_all(start, *places), for_all(step, *places), t)

    @cached_property
    def first_above(self) -> Theorem:
        r"""$\sum_k(\sum_iu_iV_{ik})^2\le ns_1^2(X)$."""
        signal, depth = self.chain.whole, self.depth
        longest = part(fact(NORMS, values=self.chain.value(ONE, depth), x=1, i=i, k=k), 2)
        rows = sums_compared(lambda a: at_places(self.associated, depth, a, k), n)
        inner = self.plain.whole(depth, n, i, j) * self.weights.product(depth - 1, n, j, k)
        swap = fact(FUBINI, a=inner, j=i, k=j, rows=n, columns=n)
        total, mixed = Sum(signal(depth, n, i, k), (i, 1, n)), Sum(self.row * self.after, (i, 1, n))
        same = linked(Compare(total, "=", mixed), rows, swap)
        square = joint(Compare(total**2, "=", mixed**2), same)
        whole = summed_over(square, (k, self.columns))
        bound = n * self.chain.value(ONE, depth) ** 2
        return linked(Compare(self.mixed(), "<=", bound), whole, longest)

    def mixed(self) -> Any:
        """The squared length of u behind the weights."""
        return Sum(Sum(self.row * self.after, (i, 1, n)) ** 2, (k, 1, self.columns))

    def length(self, place: int) -> Theorem:
        """It is positive, or what it is divided by tends to it."""
        every = instance(self.outcome.last(), self.depth - 1)
        some = joint(Compare(Sum(self.row**2, (i, 1, n)), ">", 0), self.long_row, SIZE)
        conclusion = every.formula.conclusion  # type: ignore[attr-defined]
        return part(joint(conclusion, every, at_every_size(some)), place)

    @cached_property
    def inverse_first(self) -> Theorem:
        r"""$1/s_1^2(X)\le\rho_n/n$ with $\rho_n\to1$, and $s_1(X)>0$."""
        ratio = self.length(1).formula.term  # type: ignore[attr-defined]
        first, positive = self.chain.value(ONE, self.depth), instance(self.length(0), n)
        power, total = self.columns**self.depth, Sum(self.row**2, (i, 1, n))
        a, b, c, d, size = symbols("a b c d N", real=True)
        least = Compare(size, ">=", 1)
        given = (
            Compare(a, ">", 0), Compare(a, "<=", size * b**2), Compare(b, ">=", 0),
            Compare(c, ">=", size), Compare(d, ">=", size), least,
        )  # fmt: skip
        above = joint(Compare(b, ">", 0), given=(*given[:3], least))
        wide = joint(Compare(d * c, ">=", size * size), given=given[3:])
        share = joint(Compare(d * c / a * b**2, ">=", size), wide, above, given=(*given[:2], least))
        goal = Compare(1 / b**2, "<=", d * c / a / size)
        inverse = joint(goal, share, above, given=(given[0], least))
        terms = {a: self.mixed(), b: first, c: total, d: power, size: n}
        known = (positive, self.first_above, sign_of(first), self.long_row, self.wide_power, SIZE)
        whole = cut(substitute(both(inverse, above), terms), *known)
        return joint(Compare(1 / first**2, "<=", ratio / n) & Compare(first, ">", 0), whole, SIZE)

    @cached_property
    def wide_power(self) -> Theorem:
        """(g n)^p >= n."""
        base, depth = 1 / self.columns, self.depth
        sizes = (Compare(self.weights.factor, ">=", 1), Compare(n, ">=", 1))
        small = joint(Compare(base, "<=", 1) & Compare(base, ">", 0), given=sizes)
        power = cut(
            fact(POWER_FALLS, a=base, p=ONE, q=depth), small,
            joint(Compare(1, "<=", depth), given=(Compare(depth, ">=", 1),)),
        )  # fmt: skip
        positive = joint(Compare(self.columns**depth, ">", 0), given=sizes)
        a, b, c = symbols("a b c", real=True)
        given = (
            Compare(1 / a, "<=", 1 / b),
            Compare(a, ">", 0),
            Compare(b, ">=", c),
            Compare(c, ">=", 1),
        )
        whole = joint(Compare(a, ">=", c), given=given)
        wide = joint(Compare(self.columns, ">=", n), given=sizes)
        return cut(
            substitute(whole, {a: self.columns**depth, b: self.columns, c: n}), power, positive, wide, SIZE,
        )  # fmt: skip

    @cached_property
    def others_below(self) -> Theorem:
        r"""$\sum_js_j^4\le s_1^4+ns_2^4$, and no less than $s_1^4$."""
        value = lambda at: self.chain.value(at, self.depth)  # noqa: E731
        later = Symbol("j", integer=True, positive=True)
        order = part(fact(NORMS, values=value(later), x=1, i=i, k=k), 1)
        body = lambda at: Compare(value(at), "<=", value(TWO))  # noqa: E731
        start = joint(body(TWO))
        step = joint(body(later + 1), order, assume(body(later)))
        below = instance(induction(start, step, later, 2), later)
        power = joint(
            Compare(value(later) ** 4, "<=", value(TWO) ** 4), below, sign_of(value(later))
        )
        rest = summed_over(power, (later, TWO, n))
        total = Sum(value(later) ** 4, (later, 1, n))
        split = sum_split(total, first=True)
        fourth = joint(Compare(value(TWO) ** 4, ">=", 0))
        own = joint(Compare(0, "<=", value(later) ** 4))
        signs = summed_over(own, (later, TWO, n))
        high = Compare(total, "<=", value(ONE) ** 4 + n * value(TWO) ** 4)
        low = Compare(value(ONE) ** 4, "<=", total)
        return both(linked(high, split, rest, fourth, SIZE), linked(low, split, signs, SIZE))

    def tends(self) -> Theorem:
        """It tends to one."""
        depth, products = self.depth, Products(self.outcome, self.chain)
        weights = GaussianProducts(self.outcome, self.weights)
        second = attention_and_weights(products, weights, depth, depth - 1)
        first, next_ = (self.chain.value(at, depth) for at in (ONE, TWO))
        ratio, bounds = (
            self.length(1).formula.term,
            (products.bound(depth, n), weights.bound(depth - 1, n)),
        )  # type: ignore[attr-defined]
        total = self.others_below.formula.formulas[1].right  # type: ignore[attr-defined]
        a, b, c, d, e, size = symbols("a b c d e N", real=True)
        given = (
            Compare(a, ">", 0), Compare(1 / a**2, "<=", c / size), Compare(b**2, "<=", d),
            Compare(e, "<=", a**4 + size * b**4), Compare(e, ">=", a**4), Compare(size, ">=", 1),
        )  # fmt: skip
        share = joint(Compare(b**2 / a**2, "<=", d * c / size), given=(*given[:3], given[5]))
        sign = joint(Compare(b**2 / a**2, ">=", 0), given=given[:1])
        square = algebra(
            Compare(u**2, "<=", v**2), (Compare(u, "<=", v), Compare(u, ">=", 0)),
            {u: b**2 / a**2, v: d * c / size}, share, sign,
        )  # fmt: skip
        high = joint(
            Compare(e / a**4, "<=", 1 + size * (b**2 / a**2) ** 2), given=(given[0], given[3])
        )
        last = Compare(size * (d * c / size) ** 2, "=", (d * c) ** 2 / size)
        scaled = joint(
            Compare(size * (b**2 / a**2) ** 2, "<=", size * (d * c / size) ** 2),
            square,
            given=given[5:],
        )
        whole = joint(
            Compare(e / a**4, "<=", 1 + (d * c) ** 2 / size),
            high,
            scaled,
            joint(last, given=given[5:]),
        )
        low = joint(Compare(1, "<=", e / a**4), given=(given[0], given[4]))
        terms = {a: first, b: next_, c: ratio, d: (bounds[0] * bounds[1]) ** 2, e: total, size: n}
        known = (
            part(self.inverse_first, 1), part(self.inverse_first, 0),
            joint(Compare(next_**2, "<=", terms[d]), second), part(self.others_below, 0),
            part(self.others_below, 1), SIZE,
        )  # fmt: skip
        above, below = (cut(substitute(each, terms), *known) for each in (whole, low))
        ends = {
            u: self.length(1), v: instance(products.bound_tends, depth),
            w: instance(weights.bound_tends, depth - 1), x: limit(1 / n, n),
        }  # fmt: skip
        return squeezed(
            at_every_size(below), at_every_size(above), constant(ONE),
            limit_combined(1 + ((v * w) ** 2 * u) ** 2 * x, ends),
        )  # fmt: skip
