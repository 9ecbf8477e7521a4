r"""The triangle inequality of the spectral norm, at the first singular vector $u$ of the sum.

With $a=Y^\top u$ and $b=Z^\top u$, $s_1^2(Y\pm Z)=\|a\|^2\pm2\langle a,b\rangle+\|b\|^2$, and
$\langle a,b\rangle^2\le\|a\|^2\|b\|^2\le s_1^2(Y)s_1^2(Z)$.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from sympy import Integer, Sum, Symbol, symbols

from claims.model import Claim
from claims.naitsaada2025 import triangle as claims
from claims.naitsaada2025.interlacing import AW, MEAN_W, REST_W
from claims.naitsaada2025.notation import T, d
from claims.statement import Compare
from proofs.calculation import linked, square_at, sums_compared, weighed
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import CAUCHY_SCHWARZ
from proofs.kernel import Theorem, cut, fact, instance, joint, substitute, sum_rearranged, unfold
from proofs.naitsaada2025.decompositions import SEVERAL, entry_of_rest
from proofs.naitsaada2025.rayleigh import Column, Rayleigh
from proofs.naitsaada2025.weighted import entry_of, mean, product, rest, w
from proofs.registry import proves

ONE, n = Integer(1), Symbol("n", integer=True)
Entries = Callable[[Any, Any], Theorem]
s, r, t, alpha, beta, mu = symbols("s r t alpha beta mu", real=True)


def split(row: Any, column: Any) -> Theorem:
    """(AW)_bc = (phi phi^T W)_bc + (A^perp W)_bc."""
    rest_row = weighed(lambda a: w(a, column), lambda a: entry_of_rest(row, a), T)
    goal = Compare(product.m(row, column), "=", mean.m(row, column) + rest.m(row, column))
    parts = (entry_of(matrix, row, column) for matrix in (AW, MEAN_W, REST_W))
    return linked(goal, rest_row, *parts, SEVERAL)


def _square(v: Column) -> Theorem:
    """sum v_n^2 >= 0."""
    return sums_compared(lambda c: square_at(v(c)), d)


def below_the_sum(x: Rayleigh, y: Rayleigh, z: Rayleigh, sign: int, entries: Entries) -> Theorem:
    """s_1(X) <= s_1(Y) + s_1(Z) for X = Y + sign Z."""
    u = lambda a: x.u(a, ONE)  # noqa: E731
    own, first, second = (found.pulled(u) for found in (x, y, z))

    def column(c: Any) -> Theorem:
        """(X^T u)_c^2 from (Y^T u)_c and (Z^T u)_c."""
        rows = weighed(u, lambda b: entries(b, c), T)
        halves = sum_rearranged(rows.formula.right, first(c) + sign * second(c))  # type: ignore[attr-defined]
        same = joint(Compare(own(c), "=", first(c) + sign * second(c)), rows, halves)
        square = first(c) ** 2 + 2 * sign * first(c) * second(c) + second(c) ** 2
        return joint(Compare(own(c) ** 2, "=", square), same)

    mixed = Sum(first(n) * second(n), (n, 1, d))
    terms = {
        s: x.root(ONE), r: y.root(ONE), t: z.root(ONE), alpha: y.pulled_norm(u),
        beta: z.pulled_norm(u), mu: mixed,
    }  # fmt: skip
    given = (
        Compare(s**2, "=", alpha + 2 * sign * mu + beta), Compare(alpha, "<=", r**2),
        Compare(beta, "<=", t**2), Compare(alpha, ">=", 0), Compare(beta, ">=", 0),
        Compare(mu**2, "<=", alpha * beta), Compare(s, ">=", 0), Compare(r, ">=", 0),
        Compare(t, ">=", 0),
    )  # fmt: skip
    unit = instance(x.unit, ONE)
    facts = (
        x.own(ONE), sums_compared(column, d), y.principle(u), z.principle(u), unit,
        *(_square(v) for v in (first, second)),
        fact(CAUCHY_SCHWARZ, a=first(n), b=second(n), k=n, low=1, high=d),
    )  # fmt: skip
    known = [linked(goal.substitute(terms), *facts) for goal in given[:6]]
    known += [
        joint(goal.substitute(terms), instance(found.order, ONE))
        for goal, found in zip(given[6:], (x, y, z), strict=True)
    ]
    product_ = joint(Compare(alpha * beta, "<=", r**2 * t**2), given=given[1:5])
    size = joint(Compare(sign * mu, "<=", r * t), product_, given=(given[5], *given[7:]))
    whole = joint(Compare(s**2, "<=", (r + t) ** 2), size, given=given[:3])
    return cut(substitute(joint(Compare(s, "<=", r + t), whole, given=given[6:]), terms), *known)


@cache
def between_difference_and_sum() -> Theorem:
    """|s_1(phi phi^T W) - s_1(A^perp W)| <= s_1(AW) <= s_1(phi phi^T W) + s_1(A^perp W).

    Three times the same inequality: for AW, and for either part as AW less the other.
    """

    def moved(found: Rayleigh, other: Rayleigh) -> Entries:
        return lambda b, c: joint(
            Compare(found.m(b, c), "=", product.m(b, c) - other.m(b, c)), split(b, c)
        )

    above = below_the_sum(product, mean, rest, 1, split)
    below = (
        below_the_sum(one, product, other, -1, moved(one, other))
        for one, other in ((mean, rest), (rest, mean))
    )
    domain = claims.largest_value_between_difference_and_sum.domain
    read = (
        unfold(quantity, found.root(ONE), domain)
        for quantity, found in (
            (claims.of_product, product), (claims.of_mean, mean), (claims.of_rest, rest),
        )
    )  # fmt: skip
    return joint(claims.largest_value_between_difference_and_sum.formula, above, *below, *read)


@proves(claims.largest_value_between_difference_and_sum)
def by_the_triangle_inequality(claim: Claim) -> Certificate:
    """Largest values of a sum."""
    return conclude(claim, between_difference_and_sum(), method="triangle inequality")
