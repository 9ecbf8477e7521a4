r"""Quotients of two columns of products of D A gather: Lemma 6 with a rate, for every N and every mask.

Columns y and z of $P^{(s)}$ move by the same layers, and so does $u=\alpha z+\beta y$.  Where u is not negative
at layer s it stays so, and what it is at a token c reaches every token within n layers, times
$(\epsilon C_1)^n$.  With the largest quotient M of y over z for alpha, and -1 for beta,

    $(M-\rho_i)z_i=u_i\ge(\epsilon C_1)^L(M-\rho_c)z_c$ after $L$ layers, where $z_i\le C_2^L\max z$:

at the token c with the largest z this moves M, and the least quotient, by $\kappa=(\epsilon C_1/C_2)^L$ toward
$\rho_c$, so that the quotients' range contracts by $1-\kappa$ over $L=R+1$ layers.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Expr, Symbol, oo, symbols

from claims.statement import Compare, ForAll, Implies
from claims.terms import MaxOver, MinOver
from claims.wu2024.ergodic import kappa
from claims.wu2024.notation import N, epsilon
from claims.wu2024.positivity import C_1, C_2
from proofs import facts
from proofs.calculation import body_at
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


def quotient(t: Any, token: Any) -> Expr:
    """rho = y/z at a token."""
    return product(t, token, up) / product(t, token, down)


def extreme(kind: type, t: Any) -> Expr:
    return kind(quotient(t, other), (other, 1, N))


def width(t: Any) -> Expr:
    return extreme(MaxOver, t) - extreme(MinOver, t)


COLUMN = every_token(Compare(product(s, i, down), ">", 0))
"""z is positive at layer s."""


def column_stays() -> Theorem:
    """For all n: z is positive at layer s + n."""
    return substitute(stays_positive(), {alpha: 1, beta: 0})


def _extremal(kind: type) -> tuple[dict[Symbol, Any], Theorem, int]:
    """Alpha and beta with which u is how far quotients are from the extreme at layer s, times z; u >= 0."""
    sign = 1 if kind is MaxOver else -1
    values = {alpha: sign * extreme(kind, s), beta: -sign}
    bound = extremum_bounds(extreme(kind, s), i)
    a, b, m = symbols("a b m", real=True)
    lemma = joint(
        Compare(sign * (m * b - a), ">=", 0),
        given=(Compare(sign * (m - a / b), ">=", 0), Compare(b, ">", 0)),
    )
    apart = joint(Compare(sign * (extreme(kind, s) - quotient(s, i)), ">=", 0), bound)
    put_in = {m: extreme(kind, s), a: product(s, i, up), b: product(s, i, down)}
    own = cut(substitute(lemma, put_in), apart, instance(assume(COLUMN), i))
    goal = SIGN.substitute(values)
    assert isinstance(goal, ForAll)
    return values, generalise(joint(goal.body, own), i, 1, N), sign


@cache
def never_wider(kind: type) -> Theorem:
    """For all n: the largest quotient at layer s + n is at most that at layer s, and so the least."""
    values, signs, sign = _extremal(kind)
    own = after(cut(substitute(stays_nonnegative(), values), signs), n, i, BELOW)
    positive = after(column_stays(), n, i, BELOW)
    a, b, m = symbols("a b m", real=True)
    lemma = joint(
        Compare(sign * (m - a / b), ">=", 0),
        given=(Compare(sign * (m * b - a), ">=", 0), Compare(b, ">", 0)),
    )
    put_in = {m: extreme(kind, s), a: product(s + n, i, up), b: product(s + n, i, down)}
    apart = cut(
        substitute(lemma, put_in), positive,
        joint(Compare(sign * (put_in[m] * put_in[b] - put_in[a]), ">=", 0), own),
    )  # fmt: skip
    rel = "<=" if sign > 0 else ">="
    body = joint(Compare(quotient(s + n, i), rel, extreme(kind, s)), apart)
    every = extremum_compared(generalise(body, i, 1, N), kind)
    return discharge(every, BELOW)


@cache
def toward_largest(kind: type) -> Theorem:
    """An extreme of the quotients moves by kappa of its distance to that of the token c with the largest z."""
    values, signs, sign = _extremal(kind)
    reach = cut(substitute(reaches_all(), values), signs)
    largest = MaxOver(product(s, other, down), (other, 1, N))
    found = body_at(extremum_reached(largest).formula, centre)
    top = product(s, centre, down)
    cap = joint(
        Compare(product(s, i, down), ">=", 0) & Compare(product(s, i, down), "<=", top),
        extremum_bounds(largest, i), assume(found), instance(assume(COLUMN), i),
    )  # fmt: skip
    grown = cut(substitute(grows(), {CAP: top}), generalise(cap, i, 1, N))
    size, positive = (after(theorem, LENGTH, i, BLOCK) for theorem in (grown, column_stays()))
    a, b, m, y_, z_, low, high = symbols("a b m y z l h", real=True)
    given = (
        Compare(sign * (m * b - a), ">=", low * sign * (m * z_ - y_)), Compare(b, ">", 0),
        Compare(b, "<=", high * z_), Compare(z_, ">", 0), Compare(sign * (m * z_ - y_), ">=", 0),
        Compare(low, ">", 0), Compare(high, ">", 0),
    )  # fmt: skip
    gap = sign * (m - y_ / z_)
    gap_sign = joint(Compare(gap, ">=", 0), given=given[3:5])
    same = joint(Compare(gap * z_, "=", sign * (m * z_ - y_)), given=given[3:4])
    share = joint(Compare(low / high * b, "<=", low * z_), given=(given[2], *given[5:]))
    less = joint(Compare(low / high * b * gap, "<=", low * z_ * gap), share, gap_sign)
    apart = joint(Compare(low / high * gap * b, "<=", sign * (m * b - a)), less, same, given=given)
    own = joint(Compare(low / high * gap, "<=", sign * (m - a / b)), apart, given=given[1:2])
    t = s + LENGTH
    put_in = {
        m: extreme(kind, s), a: product(t, i, up), b: product(t, i, down), low: LOW, high: HIGH,
        y_: product(s, centre, up), z_: top,
    }  # fmt: skip
    start = instance(signs, centre)
    moved_ = cut(
        substitute(own, put_in),
        joint(Compare(sign * (put_in[m] * put_in[b] - put_in[a]), ">=",
                      LOW * sign * (put_in[m] * top - put_in[y_])), reach),
        positive, joint(Compare(put_in[b], "<=", HIGH * top), size),
        instance(assume(COLUMN), centre),
        joint(Compare(sign * (put_in[m] * top - put_in[y_]), ">=", 0), start),
    )  # fmt: skip
    rel = "<=" if sign > 0 else ">="
    end = extreme(kind, s) - kappa * (extreme(kind, s) - quotient(s, centre))
    body = joint(Compare(quotient(t, i), rel, end), moved_, given=(RATE,))
    return extremum_compared(generalise(body, i, 1, N), kind)


@cache
def block_contracts() -> Theorem:
    """The range of quotients contracts by 1 - kappa over R + 1 layers."""
    ends = [toward_largest(kind) for kind in (MaxOver, MinOver)]
    goal = Compare(width(s + LENGTH), "<=", (1 - kappa) * width(s))
    largest = MaxOver(product(s, other, down), (other, 1, N))
    found = choose(extremum_reached(largest), centre, joint(goal, *ends))
    return discharge(discharge(cut(found, no_zero()), BLOCK), COLUMN)


def no_zero() -> Theorem:
    """z does not vanish at layer s."""
    own = joint(Compare(product(s, other, down), "!=", 0), instance(assume(COLUMN), other))
    return generalise(own, other, 1, N)


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
        narrower = Compare(width(s + count * LENGTH), "<=", (1 - kappa) ** count * width(s))
        return Implies(Compare(s + count * LENGTH, "<=", LAST), narrower)

    following, t = Compare(s + (n + 1) * LENGTH, "<=", LAST), s + n * LENGTH
    earlier = joint(Compare(t, "<=", LAST), given=(following,))
    before = joint(body(n).conclusion, assume(body(n)), earlier)
    column = instance(column_stays(), n * LENGTH)
    positive = joint(column.formula.conclusion, column, earlier)
    block = at_layer(block_contracts(), t)
    narrower = joint(
        Compare(width(t + LENGTH), "<=", (1 - kappa) * width(t)),
        block,
        positive,
        given=(following,),
    )
    less = joint(
        Compare((1 - kappa) * width(t), "<=", (1 - kappa) ** (n + 1) * width(s)), before,
        share_is_small(),
    )  # fmt: skip
    step = discharge(joint(body(n + 1).conclusion, narrower, less), following)
    return discharge(induction(joint(body(0)), step, n), COLUMN)
