r"""A box around $X=I$ that one layer on the complete mask maps into itself.

With tokens $(a,c)$ and $(x,z)$ of unit norm, and $\rho=e^{s_{12}-s_{11}}$ the odds of the first token's
attention, its next place is along $(a+\rho x,c+\rho z)W_V$, and so for the second token: LayerNorm
takes out the share that a token gives to itself.  Whether it lies in the box is a question about
functions of $c$ and $x$ on a box, which balls decide.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Abs, Expr, Integer, Piecewise, Rational, exp, oo, sqrt, symbols

from claims.model import Claim
from claims.statement import And, Compare
from claims.terms import Recursion
from claims.wu2024 import attracting as claims
from claims.wu2024.attracting import FIRST, SCORES, SECOND, VALUE
from claims.wu2024.notation import t
from proofs.calculation import replaced
from proofs.calculus.inequalities import BoxBound
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import (
    Theorem,
    assume,
    both,
    certified,
    cut,
    generalise,
    induction,
    instance,
    joint,
    part,
    recursion_start,
    recursion_step,
    substitute,
    unfold,
)
from proofs.registry import proves

u, v = claims.first, claims.second
A, C, X, Z = symbols("a c x z", real=True)
"""The first token (a, c) and the second one (x, z)."""


def score(one: tuple[Any, Any], other: tuple[Any, Any]) -> Expr:
    """The attention score of a token for another one."""
    return sum(SCORES[k, n] * one[k] * other[n] for k in (0, 1) for n in (0, 1))


def direction(own: tuple[Any, Any], other: tuple[Any, Any]) -> tuple[Expr, Expr]:
    """Where a token goes: along (own + rho other) W_V."""
    odds = exp(score(own, other) - score(own, own))
    mixed = [p + odds * q for p, q in zip(own, other, strict=True)]
    return tuple(mixed[0] * VALUE[0, n] + mixed[1] * VALUE[1, n] for n in (0, 1))


def _start(i: Any, b: Any) -> Expr:
    rows = [Piecewise((p, b <= 1), (q, True)) for p, q in claims.start(u, v).tolist()]
    return Piecewise((rows[0], i <= 1), (rows[1], True))


def _layer(t: Any, i: Any, b: Any, before: Any) -> Expr:
    one, two = ((before(k, 1), before(k, 2)) for k in (1, 2))

    def placed(own: tuple[Any, Any], other: tuple[Any, Any]) -> Expr:
        moved = direction(own, other)
        return Piecewise((moved[0], b <= 1), (moved[1], True)) / length(moved)

    return Piecewise((placed(one, two), i <= 1), (placed(two, one), True))


def length(row: tuple[Any, Any]) -> Expr:
    return sqrt(row[0] ** 2 + row[1] ** 2)


pair = Recursion("X", _start, _layer)
a, c, x, z = HERE = [pair(t, i, b) for i in (1, 2) for b in (1, 2)]
NAMED = dict(zip((A, C, X, Z), HERE, strict=True))


def box() -> And:
    """Tokens of unit norm on the positive side, at most so far from the axes."""
    return And(
        (
            Compare(a, ">", 0), Compare(Abs(c), "<=", FIRST), Compare(a**2 + c**2, "=", 1),
            Compare(z, ">", 0), Compare(Abs(x), "<=", SECOND), Compare(x**2 + z**2, "=", 1),
        )
    )  # fmt: skip


def own_first(i: int, first: Any, second: Any) -> tuple[Any, Any]:
    """Both, in the order in which the token has them: its own one first."""
    return (first, second) if i == 1 else (second, first)


def moves(i: int) -> tuple[Expr, Expr]:
    """Where a token goes, along its own axis first."""
    return own_first(i, *direction(*own_first(i, (A, C), (X, Z))))


REACH = {1: FIRST, 2: SECOND}


@cache
def stays_near(i: int) -> Theorem:
    """The own coordinate is positive, and the other one at most so large beside it."""
    along, across = moves(i)
    sides = ((C, -FIRST, FIRST), (X, -SECOND, SECOND))
    roots = (A, sqrt(1 - C**2)), (Z, sqrt(1 - X**2))
    bounds = []
    for bound in (along, *(REACH[i] * along + s * across for s in (1, -1))):
        term, equal = bound, []
        for name, root in roots:
            equal.append(replaced(term, name, assume(Compare(name, "=", root))))
            term = term.subs(name, root)
        held = certified(BoxBound(term, sides, ">0"))
        bounds.append(joint(Compare(bound, ">", 0), held, *equal))
    return both(*bounds)


def inside() -> tuple[Theorem, ...]:
    """What the box says of the tokens, as the bounds ask for it."""
    known = assume(box())
    roots = [joint(Compare(p, "=", sqrt(1 - q**2)), known) for p, q in ((a, c), (z, x))]
    sides = [
        joint(Compare(q, ">=", -reach) & Compare(q, "<=", reach), known)
        for q, reach in ((c, FIRST), (x, SECOND))
    ]
    return (*roots, *sides)


M, V, P, Q, K = symbols("m v p q k", real=True)
NORM = length((M, V))


@cache
def normalised() -> Theorem:
    """A row (m, v) over its norm, where |v| <= k m: positive, within k, and of norm one."""
    given = (
        Compare(M, ">", 0), Compare(K * M + V, ">", 0), Compare(K * M - V, ">", 0),
        Compare(K, ">", 0), Compare(P, "=", M / NORM), Compare(Q, "=", V / NORM),
    )  # fmt: skip
    root = joint(Compare(NORM, ">", 0) & Compare(NORM**2, "=", M**2 + V**2), given=given[:1])
    products = joint(Compare(NORM * P, "=", M) & Compare(NORM * Q, "=", V), root, given=given)
    longer = joint(Compare(NORM, ">=", M), root, given=given)
    return both(
        joint(Compare(P, ">", 0), products, root, given=given),
        joint(Compare(Abs(Q), "<=", K), products, longer, root, given=given),
        joint(Compare(P**2 + Q**2, "=", 1), products, root, given=given),
    )


def after(i: int) -> Theorem:
    """A token one layer on: on the positive side of its own axis, near it, and of norm one."""
    along, across = (term.subs(NAMED) for term in moves(i))
    near = cut(substitute(stays_near(i), NAMED), *inside())
    places = own_first(i, 1, 2)
    steps = [recursion_step(pair, t, i, b) for b in places]
    following = [pair(t + 1, i, b) for b in places]
    terms = dict(zip((M, V, P, Q, K), (along, across, *following, REACH[i]), strict=True))
    return cut(substitute(normalised(), terms), *(part(near, n) for n in range(3)), *steps)


@cache
def stays_in_the_box() -> Theorem:
    """By induction over layers."""
    step = joint(box().substitute({t: t + 1}), after(1), after(2))
    starts = [recursion_start(pair, i, b) for i in (1, 2) for b in (1, 2)]
    small = [Compare(Abs(share), "<=", 1) for share in (u, v)]
    start = joint(box().substitute({t: Integer(0)}), *starts, given=small)
    return induction(start, step, t)


@proves(claims.undirected_pairs_keep_rank_two)
def by_a_box_that_a_layer_keeps(claim: Claim) -> Certificate:
    """The layer maps a box around X = I into itself, where the determinant is nearly one."""
    wanted: Any = claims.undirected_pairs_keep_rank_two.formula
    held = instance(stays_in_the_box(), t)
    rows = joint(Compare(a * z - c * x, ">=", Rational(99, 100)), held)
    over = ((t, 0, oo),)
    read = [
        unfold(claims.token_after(t, 1, 2), c, claims.starts, over),
        unfold(claims.token_after(t, 2, 1), x, claims.starts, over),
        unfold(claims.determinant(t), a * z - c * x, claims.starts, over),
    ]
    body = joint(wanted.body, held, rows, *read)
    return conclude(
        claim, generalise(body, t, 0, oo), method="a box that one layer keeps, by balls"
    )
