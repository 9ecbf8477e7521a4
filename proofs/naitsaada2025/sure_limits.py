r"""Almost sure limits of singular values of Markov matrices, from those of i.i.d. tables.

$A^\perp=D(Z-m)(I-\varphi\varphi^\top)$ with $D=\operatorname{diag}(1/\sum_kZ_{ik})$, so that singular values
of $A^\perp$ lie between those of $Z-m$ times the least and the largest entry of D, and nD tends to 1/m.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from sympy import Integer, Sum, Symbol, oo, sqrt, symbols

from claims.almost_surely import SureLimit
from claims.domain import Domain
from claims.naitsaada2025.markov_layers import MarkovLayers, Weights, n
from claims.statement import Compare
from claims.terms import MaxOver, MinOver
from proofs.almost_sure import premise_of
from proofs.calculation import at_places, for_all, linked, summed_over
from proofs.facts import (
    FUBINI,
    INTERLACING,
    JENSEN,
    NORMS,
    QUARTER_CIRCLE,
    RANK_ONE,
    ROW_SUMS,
    SOFT_EDGE,
    WEYL,
)
from proofs.kernel import (
    Theorem,
    assume,
    both,
    choose,
    cut,
    extremum_bounds,
    extremum_reached,
    fact,
    generalise,
    instance,
    joint,
    limit,
    limit_combined,
    part,
    squeezed,
    substitute,
    sum_rearranged,
    sure_limit,
    surely,
    within,
)

__all__ = ["Outcome"]

layer, place = (Symbol(name, integer=True, positive=True) for name in "lj")
i, k = (Symbol(name, integer=True) for name in "ik")
x, y = symbols("x y", real=True)
LEAST = Compare(n, ">=", 1)
SIZE = joint(LEAST, given=(LEAST,))


class Outcome:
    """What is so of almost every outcome of the tables, and what follows for that outcome.

    `edges` says of which singular values of Z - m, from the first on, a limit is asked for; `weights` asks
    for those of Gaussian matrices, `powers` for means of even powers of all of Z - m, and `more` is what
    else is almost sure.
    """

    def __init__(
        self, layers: MarkovLayers, edges: int = 2, weights: Weights | None = None,
        powers: tuple[int, ...] = (), more: tuple[Theorem, ...] = (),
    ):  # fmt: skip
        self.layers, self.tables, self.edges, self.powers = layers, layers.tables, edges, powers
        own = {"size": n, "layer": layer}
        self.facts = [fact(ROW_SUMS, entry=layers.entry(layer, i, k), row=i, column=k, **own)]
        values = [layers.noise(Integer(j), layer) for j in range(1, edges + 1)]
        if weights is not None:
            values += [layers.values(1, layer, n, weights.factor * n), weights.square(layer)]
        self.facts += [fact(SOFT_EDGE, values=each, **own) for each in values]
        noise = layers.noise(place, layer)
        self._powers = len(self.facts)
        self.facts += [
            fact(QUARTER_CIRCLE, values=noise, place=place, power=p, **own) for p in powers
        ]
        shown = [joint(sign) for sign in self.tables.lawful[:2] if sign.left.is_number]  # type: ignore[attr-defined]
        self.facts = [*(cut(found, *shown) for found in self.facts), *more]

    @cached_property
    def sure(self) -> Theorem:
        """All facts together."""
        return both(*self.facts)

    @cached_property
    def given(self) -> Theorem:
        """What they say, of one outcome."""
        return assume(premise_of(self.sure.formula).body)

    def sure_limit(self, limit: SureLimit, value: Any, tends: Theorem, domain: Domain) -> Theorem:
        """What is so of one outcome is so almost surely."""
        return sure_limit(limit, value, within(domain), surely(self.sure, tends))

    def rows(self, place: int, at: Any) -> Theorem:
        """Row sums are positive, or the least or largest of n/row sum tends to 1/m, in a layer."""
        return part(instance(part(self.given, 0), at), place)

    def edge(self, j: int, at: Any) -> Theorem:
        """A singular value of Z - m, over the root of n, tends to 2 sigma."""
        return instance(part(self.given, j), at)

    def first_weight(self) -> Theorem:
        r"""$n^{-1/2}s_1(W_1)\to1+\sqrt g$."""
        return instance(part(self.given, self.edges + 1), 1)

    def square_weight(self, at: Any) -> Theorem:
        r"""$n^{-1/2}s_1(W_l)\to2\sqrt g$."""
        return instance(part(self.given, self.edges + 2), at)

    def moment(self, power: int, at: Any) -> Theorem:
        """A mean of even powers of singular values of Z - m tends to that of the quarter circle."""
        return instance(part(self.given, self._powers + self.powers.index(power)), at)

    def last(self) -> Theorem:
        """What was given besides."""
        return part(self.given, len(self.facts) - 1)

    def ends(self, at: Any) -> tuple[Any, Any]:
        """The least and the largest of n/row sum."""
        share = n / self.layers.row_sum(at, n, i)
        return MinOver(share, (i, 1, n)), MaxOver(share, (i, 1, n))

    def row_is_positive(self, at: Any) -> Theorem:
        return at_places(self.rows(0, at), n, i)

    def between(self, j: Any, at: Any) -> Theorem:
        r"""$s_j(A^\perp)\le\frac1n\max_i\frac n{S_i}s_j(Z-m)$, and no less than the least times the next."""
        layers, total, (low, high) = self.layers, self.layers.row_sum(at, n, i), self.ends(at)
        found = fact(
            INTERLACING, values=layers.rest(j, at), other=layers.noise(j, at), scale=1 / total,
            direction=1 / sqrt(n), low=low / n, high=high / n, i=i, k=k,
        )  # fmt: skip
        positive, some = self.row_is_positive(at), joint(Compare(n, ">=", 1), given=(LEAST,))
        centred = sum_rearranged(
            Sum((layers.entry(at, i, k) - self.tables.mean) / sqrt(n), (k, 1, n)),
            (total - n * self.tables.mean) / sqrt(n),
        )
        own = layers.entry(at, i, k) - self.tables.mean
        taken = Sum(own / sqrt(n), (k, 1, n)) / sqrt(n)
        same = Compare(layers.rest_weight(at, n, i, k), "=", (own - taken) / total)
        entries = for_all(joint(same, centred, positive, some), (i, n), (k, n))
        unit = linked(Compare(Sum(1 / n, (k, 1, n)), "<=", 1), some)
        shares = [extremum_bounds(end, i) for end in (low, high)]
        inside = joint(
            Compare(low / n, "<=", 1 / total) & Compare(1 / total, "<=", high / n),
            *shares,
            positive,
            some,
        )
        least = self.least_is_positive(low, positive)
        sign = joint(Compare(low / n, ">=", 0), least, some)
        return cut(found, entries, unit, for_all(inside, (i, n)), sign)

    @staticmethod
    def least_is_positive(low: Any, positive: Theorem) -> Theorem:
        """The least of n/row sum is one of them."""
        some = extremum_reached(low)
        here = assume(Compare(low, "=", low.body))
        own = joint(Compare(low, ">", 0), here, positive, given=(LEAST,))
        return choose(some, i, own)

    def rest_tends(self, j: Any, at: Any) -> Theorem:
        r"""$\sqrt ns_j(A^\perp)\to2\sigma/m$ for every fixed j that the edges reach."""
        layers, (low, high) = self.layers, self.ends(at)
        above, below = part(self.between(j, at), 0), part(self.between(j, at), 1)
        own = sqrt(n) * layers.rest(j, at)
        first, second = (layers.noise(place, at) / sqrt(n) for place in (j, j + 1))
        root = joint(Compare(sqrt(n), ">", 0), given=(LEAST,))
        upper = joint(Compare(own, "<=", high * first), above, root, given=(LEAST,))
        lower = joint(Compare(low * second, "<=", own), below, root, given=(LEAST,))
        ends = [
            limit_combined(x * y, {x: self.rows(place, at), y: self.edge(int(step), at)})
            for place, step in ((1, j + 1), (2, j))
        ]
        return squeezed(at_every_size(lower), at_every_size(upper), *ends)

    def whole_row(self, at: Any) -> Theorem:
        """Rows of A sum to one."""
        own, total = self.layers.entry(at, i, k), self.layers.row_sum(at, n, i)
        positive = self.row_is_positive(at)
        pulled = sum_rearranged(Sum(x * own, (k, 1, n)), x * Sum(own, (k, 1, n)))
        found = cut(substitute(pulled, {x: 1 / total}), positive)
        return joint(Compare(found.formula.left, "=", 1), found, positive)  # type: ignore[attr-defined]

    def divisors(self, at: Any) -> Theorem:
        """No row sum vanishes."""
        total = self.layers.row_sum(at, n, i)
        return for_all(joint(Compare(total, "!=", 0), self.row_is_positive(at)), (i, n))

    def rest_row(self, at: Any) -> Theorem:
        r"""Rows of $A^\perp$ sum to zero."""
        own = self.layers.rest_weight(at, n, i, k)
        found = linked(Compare(Sum(own, (k, 1, n)), "=", 0), self.whole_row(at), SIZE)
        return cut(found, self.row_is_positive(at))

    def first_tends(self, at: Any) -> Theorem:
        r"""$s_1(A)\to1$: $A=A^\perp+\varphi\varphi^\top$ with $A^\perp\varphi=0$, and rows sum to one."""
        layers, one = self.layers, Integer(1)
        whole, rest = layers.attention(one, at), layers.rest(one, at)
        row = self.rest_row(at)
        change = rank_one(whole, rest, 1 / sqrt(n), 1 / sqrt(n), one, self.change(at))
        own = Sum(layers.rest_weight(at, n, i, k) / sqrt(n), (k, 1, n))
        scaled = cut(linked(Compare(own, "=", 0), row, SIZE), self.row_is_positive(at))
        apart = joint(change.formula.formulas[1].conclusion, change, for_all(scaled, (i, n)))  # type: ignore[attr-defined]
        lower = at_least_one(whole, lambda a, b: layers.weight(at, n, a, b), self.whole_row(at))
        lower = cut(lower, self.divisors(at))
        upper = joint(Compare(whole, "<=", 1 + (sqrt(n) * rest) ** 2 / n), apart, lower, SIZE)
        scale = {x: self.rest_tends(one, at), y: limit(1 / n, n)}
        return squeezed(
            at_every_size(lower),
            at_every_size(upper),
            constant(one),
            limit_combined(1 + x**2 * y, scale),
        )

    def change(self, at: Any) -> Theorem:
        """A = A^perp + 1/n, entry by entry."""
        whole, rest = self.layers.weight(at, n, i, k), self.layers.rest_weight(at, n, i, k)
        return joint(Compare(whole, "=", rest + 1 / n))

    def second_tends(self, at: Any) -> Theorem:
        r"""$\sqrt ns_2(A)\to2\sigma/m$, as $s_3(A^\perp)\le s_2(A)\le s_1(A^\perp)$."""
        layers = self.layers
        second, rest = layers.attention(Integer(2), at), layers.rest
        change, one = self.change(at), Integer(1)
        above = rank_one(
            layers.attention(one, at), rest(one, at), 1 / sqrt(n), 1 / sqrt(n), one, change
        )
        back = joint(
            Compare(change.formula.right - 1 / n, "=", change.formula.left - 1 / n), change
        )
        below = rank_one(rest(Integer(2), at), second, -1 / sqrt(n), 1 / sqrt(n), one, back)
        root = joint(Compare(sqrt(n), ">", 0), given=(LEAST,))
        own = sqrt(n) * second
        upper = joint(Compare(own, "<=", sqrt(n) * rest(one, at)), part(above, 0), root)
        lower = joint(Compare(sqrt(n) * rest(Integer(3), at), "<=", own), part(below, 0), root)
        ends = self.rest_tends(Integer(3), at), self.rest_tends(one, at)
        return squeezed(at_every_size(lower), at_every_size(upper), *ends)

    def modulus_below(self, at: Any) -> Theorem:
        r"""$\sqrt n|\lambda_2(A)|\le s_1(A)\cdot\sqrt ns_2(A)\to2\sigma/m$, as $|\lambda_1|\ge1$."""
        layers, (one, two) = self.layers, (Integer(1), Integer(2))
        modulus = layers.modulus(two, at)
        first, second = layers.attention(one, at), layers.attention(two, at)
        found = fact(WEYL, modulus=modulus, values=second, i=i, k=k)
        sign, product, _ = (part(found, place) for place in range(3))
        rows = for_all(self.whole_row(at), (i, n))
        largest = joint(Compare(layers.modulus(one, at), ">=", 1), found, rows)
        below = joint(Compare(modulus, "<=", first * second), sign, product, largest)
        root = joint(Compare(sqrt(n), ">=", 0), given=(LEAST,))
        scaled = joint(Compare(sqrt(n) * modulus, "<=", first * (sqrt(n) * second)), below, root)
        tends = limit_combined(x * y, {x: self.first_tends(at), y: self.second_tends(at)})
        return both(at_every_size(cut(scaled, self.divisors(at))), tends)


# Of any matrices ----------------------------------------------------------------------------------


def at_every_size(theorem: Theorem) -> Theorem:
    """For all n."""
    return generalise(theorem, n, 1, oo)


def constant(value: Any) -> Theorem:
    """A constant tends to itself."""
    return limit(value, n)


def rank_one(values: Any, other: Any, left: Any, right: Any, norm: Any, same: Theorem) -> Theorem:
    """M = N + u v^T, of which `same` is so at the indices i and k, and |u|^2|v|^2 <= c is shown."""
    found = fact(RANK_ONE, values=values, other=other, left=left, right=right, norm=norm, i=i, k=k)
    squares = Sum(left**2, (i, 1, n)) * Sum(right**2, (k, 1, n))
    small = linked(Compare(squares, "<=", norm), SIZE)
    return cut(found, for_all(same, (i, n), (k, n)), small)


def at_least_one(first: Any, entries: Any, whole: Theorem) -> Theorem:
    r"""$s_1(M)\ge1$ where every row sums to one, `whole` at the row i: $|\varphi^\top M|\ge1$ by Jensen."""
    sign, order, longest = (
        part(fact(NORMS, values=first, x=1, i=i, k=k), place) for place in range(3)
    )
    columns = sums_are_long(entries(i, k), whole, i, k)
    square = linked(Compare(first**2, ">=", 1), longest, columns, SIZE)
    return joint(Compare(1, "<=", first), square, sign, order)


def sums_are_long(own: Any, whole: Theorem, row: Any, column: Any) -> Theorem:
    r"""$\sum_k(\sum_im_{ik})^2\ge n$ where every row sums to one: the n sums have the mean one (Jensen)."""
    total = Sum(own, (row, 1, n))
    share = joint(Compare(1 / n, ">=", 0), SIZE)
    unit = linked(Compare(Sum(1 / n, (column, 1, n)), "=", 1), SIZE)
    mean = cut(
        fact(JENSEN, w=1 / n, x=total, k=column, low=1, high=n), for_all(share, (column, n)), unit
    )
    swap = fact(FUBINI, a=own, j=row, k=column, rows=n, columns=n)
    rows = linked(Compare(swap.formula.left, "=", n), summed_over(whole, (row, n)))  # type: ignore[attr-defined]
    average = linked(Compare(mean.formula.left, "=", 1), swap, rows, SIZE)  # type: ignore[attr-defined]
    return linked(Compare(Sum(total**2, (column, 1, n)), ">=", n), mean, average, SIZE)
