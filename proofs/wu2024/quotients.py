r"""Quotients of two columns of products of D A gather: Lemma 6 with a rate, for every N and every mask.

Columns y and z of $P^{(s)}$ move by the same layers, and so does $u=\alpha z+\beta y$.  Where u is not negative
at layer s it stays so, and what it is at a token c reaches every token within n layers, times
$(\epsilon C_1)^n$.  With the largest quotient M of y over z for alpha, and -1 for beta,

    $(M-\rho_i)z_i=u_i\ge(\epsilon C_1)^L(M-\rho_c)z_c$ after $L$ layers, where $z_i\le C_2^L\max z$:

at the token c with the largest z this moves M, and the least quotient, by $\kappa=(\epsilon C_1/C_2)^L$ toward
$\rho_c$ (`Quotients.moves`, of any product), so that the quotients' range contracts by $1-\kappa$ over
$L=R+1$ layers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from sympy import Expr, Symbol, oo, symbols

from claims.statement import Compare, ForAll, Implies
from claims.terms import MaxOver, MinOver, Recursion
from claims.wu2024.ergodic import kappa
from claims.wu2024.notation import N, epsilon
from claims.wu2024.positivity import C_1, C_2
from proofs import facts
from proofs.calculation import algebra, body_at
from proofs.kernel import (
    Theorem,
    assume,
    choose,
    cut,
    discharge,
    extremum_bounds,
    extremum_compared,
    extremum_reached,
    fact,
    generalise,
    identity,
    induction,
    instance,
    joint,
    substitute,
)
from proofs.wu2024.averages import (
    centre,
    i,
    loops,
    n,
    other,
    s,
)
from proofs.wu2024.positivity import (
    BLOCK,
    CAP,
    HIGH,
    LAST,
    LENGTH,
    LOW,
    SIGN,
    after,
    alpha,
    before,
    beta,
    by_layers,
    down,
    every_token,
    grows,
    hands_on,
    mixed,
    product,
    reaches_all,
    stays_nonnegative,
    up,
)

# Quotients of any product ---------------------------------------------------------------------------


def no_zero(positive: Theorem) -> Theorem:
    """A column that is positive does not vanish."""
    own = instance(positive, other)
    return generalise(joint(Compare(own.formula.left, "!=", 0), own), other, 1, N)


a, b, m = symbols("a b m", real=True)
"""A quotient a/b, and the extreme of them."""


def side(kind: type) -> int:
    """With this sign, the gap between an extreme and a quotient is not negative."""
    return 1 if kind is MaxOver else -1


@dataclass(frozen=True)
class Quotients:
    """The quotients of columns y and z of a product, whose entries are `product(t, token, column)`."""

    product: Recursion

    def at(self, t: Any, token: Any) -> Expr:
        """rho = y/z at a token."""
        return self.product(t, token, up) / self.product(t, token, down)

    def extreme(self, kind: type, t: Any) -> Expr:
        return kind(self.at(t, other), (other, 1, N))

    def width(self, t: Any) -> Expr:
        return self.extreme(MaxOver, t) - self.extreme(MinOver, t)

    def not_negative(self, t: Any) -> Theorem:
        """M - m >= 0."""
        ends = (extremum_bounds(self.extreme(kind, t), 1) for kind in (MaxOver, MinOver))
        return joint(Compare(self.width(t), ">=", 0), *ends)

    @property
    def positive(self) -> ForAll:
        """z is positive at layer s."""
        return ForAll(i, 1, N, Compare(self.product(s, i, down), ">", 0))

    def gap(self, kind: type, t: Any, token: Any) -> Expr:
        """+-(M z - y), with the extreme of layer s."""
        scaled = self.extreme(kind, s) * self.product(t, token, down)
        return side(kind) * (scaled - self.product(t, token, up))

    def _named(self, kind: type, t: Any, token: Any) -> dict[Symbol, Any]:
        ends = (self.product(t, token, column) for column in (up, down))
        return dict(zip((m, a, b), (self.extreme(kind, s), *ends), strict=True))

    def apart(self, kind: type, token: Any) -> Theorem:
        """+-(M z - y) >= 0 at layer s."""
        sign, extreme = side(kind), self.extreme(kind, s)
        given = (Compare(sign * (m - a / b), ">=", 0), Compare(b, ">", 0))
        far = joint(
            Compare(sign * (extreme - self.at(s, token)), ">=", 0), extremum_bounds(extreme, token)
        )
        positive, values = instance(assume(self.positive), token), self._named(kind, s, token)
        return algebra(Compare(sign * (m * b - a), ">=", 0), given, values, far, positive)

    def inside(self, kind: type, t: Any, *theorems: Theorem) -> Theorem:
        """The extreme moves inward, where the theorems say of tokens that +-(M z - y) >= 0 and z > 0."""
        sign, extreme = side(kind), self.extreme(kind, s)
        given = (Compare(sign * (m * b - a), ">=", 0), Compare(b, ">", 0))
        goal = Compare(sign * (m - a / b), ">=", 0)
        apart = algebra(goal, given, self._named(kind, t, i), *theorems)
        return self._extreme_after(kind, t, extreme, apart)

    def moves(
        self, kind: type, t: Any, toward: tuple[Any, Any], low: Any, high: Any, *theorems: Theorem
    ) -> Theorem:
        """The extreme moves by a/b of its distance to Y/Z, where the theorems say the premises.

        They are +-(M z - y) >= a (+-(M Z - Y)) >= 0 and 0 < z <= b Z of tokens, a >= 0, Z > 0, b > 0.
        """
        values = dict(zip(_ENDS, (*toward, low, high), strict=True))
        found = cut(substitute(_moved(side(kind)), self._named(kind, t, i) | values), *theorems)
        extreme, (y, z) = self.extreme(kind, s), toward
        return self._extreme_after(kind, t, extreme - low / high * (extreme - y / z), found)

    def _extreme_after(self, kind: type, t: Any, end: Any, theorem: Theorem) -> Theorem:
        sign = "<=" if kind is MaxOver else ">="
        body = joint(Compare(self.at(t, i), sign, end), theorem)
        return extremum_compared(generalise(body, i, 1, N), kind)


_ENDS = symbols("Y Z l h", real=True)


@cache
def _moved(sign: int) -> Theorem:
    y, z, low, high = _ENDS
    given = (
        Compare(sign * (m * b - a), ">=", low * sign * (m * z - y)), Compare(b, ">", 0),
        Compare(b, "<=", high * z), Compare(z, ">", 0), Compare(sign * (m * z - y), ">=", 0),
        Compare(low, ">=", 0), Compare(high, ">", 0),
    )  # fmt: skip
    gap = sign * (m - y / z)
    gap_sign = joint(Compare(gap, ">=", 0), given=given[3:5])
    same = joint(Compare(gap * z, "=", sign * (m * z - y)), given=given[3:4])
    share = joint(Compare(low / high * b, "<=", low * z), given=(given[2], *given[5:]))
    less = joint(Compare(low / high * b * gap, "<=", low * z * gap), share, gap_sign)
    apart = joint(Compare(low / high * gap * b, "<=", sign * (m * b - a)), less, same, given=given)
    return joint(Compare(low / high * gap, "<=", sign * (m - a / b)), apart, given=given[1:2])


# Columns of products of D A -------------------------------------------------------------------------

RATE = Compare(kappa, "=", LOW / HIGH)
BELOW = Compare(s + n, "<=", LAST)


@cache
def stays_positive() -> Theorem:
    """For all n: u > 0 at layer s + n, where it is so at layer s: every token attends to itself."""
    body = lambda steps: Compare(mixed(s + steps, i), ">", 0)  # noqa: E731
    start, t = every_token(body(0)), s + n
    own = cut(hands_on(t, i, i), instance(assume(loops), i))
    step = joint(body(n + 1), own, before(body, i))
    weak = generalise(joint(SIGN.body, instance(assume(start), i)), i, 1, N)
    return cut(by_layers(body, start, step), weak)


# One block ----------------------------------------------------------------------------------------

RHO = Quotients(product)


def column_stays() -> Theorem:
    """For all n: z is positive at layer s + n."""
    return substitute(stays_positive(), {alpha: 1, beta: 0})


def _extremal(kind: type) -> tuple[dict[Symbol, Any], Theorem]:
    """Alpha and beta with which u is how far quotients are from the extreme at layer s, times z; u >= 0."""
    sign = side(kind)
    values = {alpha: sign * RHO.extreme(kind, s), beta: -sign}
    goal = SIGN.substitute(values)
    assert isinstance(goal, ForAll)
    return values, generalise(joint(goal.body, RHO.apart(kind, i)), i, 1, N)


@cache
def never_wider(kind: type) -> Theorem:
    """For all n: the largest quotient at layer s + n is at most that at layer s, and so the least."""
    values, signs = _extremal(kind)
    own = after(cut(substitute(stays_nonnegative(), values), signs), n, i, BELOW)
    positive = after(column_stays(), n, i, BELOW)
    far = joint(Compare(RHO.gap(kind, s + n, i), ">=", 0), own)
    return discharge(RHO.inside(kind, s + n, far, positive), BELOW)


@cache
def toward_largest(kind: type) -> Theorem:
    """An extreme of the quotients moves by kappa of its distance to that of the token c with the largest z."""
    values, signs = _extremal(kind)
    reach = cut(substitute(reaches_all(), values), signs)
    largest = MaxOver(product(s, other, down), (other, 1, N))
    found = body_at(extremum_reached(largest).formula, centre)
    top = product(s, centre, down)
    cap = joint(
        Compare(product(s, i, down), ">=", 0) & Compare(product(s, i, down), "<=", top),
        extremum_bounds(largest, i), assume(found), instance(assume(RHO.positive), i),
    )  # fmt: skip
    grown = cut(substitute(grows(), {CAP: top}), generalise(cap, i, 1, N))
    size, positive = (after(theorem, LENGTH, i, BLOCK) for theorem in (grown, column_stays()))
    t, toward = s + LENGTH, (product(s, centre, up), top)
    far, near = RHO.gap(kind, t, i), RHO.gap(kind, s, centre)
    return RHO.moves(
        kind, t, toward, LOW, HIGH, positive, instance(assume(RHO.positive), centre),
        joint(Compare(far, ">=", LOW * near), reach),
        joint(Compare(product(t, i, down), "<=", HIGH * top), size),
        joint(Compare(near, ">=", 0), instance(signs, centre)),
    )  # fmt: skip


@cache
def block_contracts() -> Theorem:
    """The range of quotients contracts by 1 - kappa over R + 1 layers."""
    ends = [toward_largest(kind) for kind in (MaxOver, MinOver)]
    goal = Compare(RHO.width(s + LENGTH), "<=", (1 - kappa) * RHO.width(s))
    largest = MaxOver(product(s, other, down), (other, 1, N))
    found = choose(extremum_reached(largest), centre, joint(goal, *ends, given=(RATE,)))
    return discharge(discharge(cut(found, no_zero(assume(RHO.positive))), BLOCK), RHO.positive)


# Many blocks --------------------------------------------------------------------------------------


def at_layer(theorem: Theorem, t: Any) -> Theorem:
    """A theorem about layer s, at layer t."""
    return instance(generalise(theorem, s, 0, oo), t)


@cache
def share_is_small() -> Theorem:
    """0 < kappa < 1."""
    base = epsilon * C_1 / C_2
    small = joint(
        Compare(base, ">", 0) & Compare(base, "<", 1),
        joint(Compare(epsilon * C_1, "<", C_2), given=SMALL),
    )
    falls = cut(fact(facts.POWER_FALLS, a=base, p=1, q=LENGTH), small)
    power = joint(Compare(base**LENGTH, "<", 1), falls, small)
    same = identity(base**LENGTH, LOW / HIGH, by="powers multiply")
    return joint(
        Compare(kappa, ">", 0) & Compare(kappa, "<", 1), cut(power, same), same, given=(RATE,)
    )


SMALL = (Compare(epsilon, ">", 0), Compare(epsilon, "<", 1), Compare(C_2, ">=", C_1))


@cache
def periods() -> Theorem:
    """For all n: the range of quotients contracts by (1 - kappa)^n over n blocks."""

    def body(count: Any) -> Implies:
        narrower = Compare(RHO.width(s + count * LENGTH), "<=", (1 - kappa) ** count * RHO.width(s))
        return Implies(Compare(s + count * LENGTH, "<=", LAST), narrower)

    following, t = Compare(s + (n + 1) * LENGTH, "<=", LAST), s + n * LENGTH
    earlier = joint(Compare(t, "<=", LAST), given=(following,))
    before = joint(body(n).conclusion, assume(body(n)), earlier)
    column = instance(column_stays(), n * LENGTH)
    positive = joint(column.formula.conclusion, column, earlier)
    block = at_layer(block_contracts(), t)
    narrower = joint(
        Compare(RHO.width(t + LENGTH), "<=", (1 - kappa) * RHO.width(t)),
        block,
        positive,
        given=(following,),
    )
    less = joint(
        Compare((1 - kappa) * RHO.width(t), "<=", (1 - kappa) ** (n + 1) * RHO.width(s)), before,
        share_is_small(),
    )  # fmt: skip
    step = discharge(joint(body(n + 1).conclusion, narrower, less), following)
    return discharge(induction(joint(body(0)), step, n), RHO.positive)
