r"""Tokens that evolve together keep rank two: a trapping region for all N, d >= 2 and w > 1.

LayerNorm divides by positive numbers, so that X_1 moves as a W^s and the minors of (-X_2, X_1) as those
of `minors`: positive, each far above the ones before it.  Where 0 <= X_{2,d}/X_{2,d-1} <= w this says
that -X_2 is not negative and nearly all in its last two places, as X_1 is in its last one, and then the
quotient is between 0 and w one layer on.  So X_{1,d-1} stays small beside -X_{2,d-1}, and

    sin^2 = |-X_2 - c X_1|^2 >= (-X_{2,d-1} - X_{1,d-1})^2,   c = <-X_2, X_1>.
"""

from __future__ import annotations

from functools import cache

from sympy import Sum, Symbol, oo, symbols

from claims.model import Claim
from claims.statement import Compare
from claims.wu2024 import basin as claims
from claims.wu2024.basin import sine_of_tokens
from claims.wu2024.notation import d, t, w
from proofs.calculation import linked
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import (
    Theorem,
    assume,
    cut,
    generalise,
    induction,
    instance,
    joint,
    part,
    substitute,
    unfold,
)
from proofs.registry import proves
from proofs.wu2024.norms import entry_below_norm, inner, products_at_most_one
from proofs.wu2024.pair_corner import angle_is_wide
from proofs.wu2024.pair_layer import of_the_tokens, trap_is_kept
from proofs.wu2024.pair_start import trap_at_start
from proofs.wu2024.pair_trap import (
    DOMAIN,
    UNIT_X,
    UNIT_Z,
    WIDE,
    X,
    at_place,
    entries_positive,
    k,
    x,
    z,
)


@cache
def angle() -> Theorem:
    """4 (1 + w^2) sin^2 > 1 in the trap: sin^2 = |z - c x|^2, of which one square is large enough."""
    product, share = inner(x, z), Symbol("c", real=True)
    short = lambda c: Sum((z(k) - c * x(k)) ** 2, (k, 1, d))  # noqa: E731
    goal = Compare(short(share), "=", 1 - 2 * share * product + share**2)
    spread = substitute(linked(goal, UNIT_X, UNIT_Z), {share: product})
    own = cut(entry_below_norm(lambda k: z(k) - share * x(k), d - 1), assume(WIDE))
    own = substitute(own, {share: product})
    units = [
        linked(Compare(inner(row, row), "=", 1), unit) for row, unit in ((x, UNIT_X), (z, UNIT_Z))
    ]
    most = linked(Compare(product, "<=", 1), products_at_most_one(x, z, *units))
    wide = of_the_tokens(angle_is_wide())
    value, side, near, slope, sine = symbols("c z x v s", real=True)
    given = (
        Compare(value, "<=", 1),
        Compare(near, ">", 0),
        Compare(side, ">=", 3 * near),
        Compare(4 * (1 + slope**2) * (side - near) ** 2, ">", 1),
        Compare(sine, ">=", (side - value * near) ** 2),
    )
    longer = joint(
        Compare((side - value * near) ** 2, ">=", (side - near) ** 2),
        joint(
            Compare(side - value * near, ">=", side - near),
            joint(Compare(value * near, "<=", near), given=given[:2]),
        ),
        given=given[:3],
    )
    scaled = joint(
        Compare(4 * (1 + slope**2) * (sine - (side - near) ** 2), ">=", 0), longer, given=given[4:]
    )
    lemma = joint(Compare(4 * (1 + slope**2) * sine, ">", 1), scaled, given=given[3:4])
    values = {value: product, side: z(d - 1), near: x(d - 1), slope: w, sine: short(product)}
    found = cut(
        substitute(lemma, values),
        most,
        at_place(entries_positive(), d - 1),
        part(wide, 0),
        part(wide, 1),
        own,
    )
    signed = Sum(X(t, 1, k) * X(t, 2, k), (k, 1, d))
    read = unfold(sine_of_tokens(t), 1 - signed**2, DOMAIN, ((t, 0, oo),))
    same = linked(Compare(product, "=", -signed))
    return linked(Compare(4 * (1 + w**2) * sine_of_tokens(t), ">", 1), found, spread, read, same)


@proves(claims.open_set_of_sequences_keeps_rank_two)
def by_minors_in_a_trapping_region(claim: Claim) -> Certificate:
    """The minors of two tokens move linearly and in order; one quotient stays in [0, w], and the angle wide."""
    every = instance(induction(trap_at_start(), trap_is_kept(), t), t)
    theorem = generalise(cut(angle(), every), t, 0, oo)
    return conclude(claim, theorem, method="minors of two tokens; a trapping region")
