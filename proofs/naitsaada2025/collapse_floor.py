"""Two means of one layer: moments of Dirichlet rows, then the sign of a polynomial."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Rational, oo, sqrt, symbols

from claims.model import Claim
from claims.naitsaada2025 import collapse_floor as claims
from claims.naitsaada2025 import rank_collapse
from claims.naitsaada2025.collapse_floor import ENOUGH, PAIRS, SQUARED_NORM
from claims.naitsaada2025.notation import T, d
from claims.naitsaada2025.products import bound, first_size
from claims.statement import Compare
from proofs.calculation import algebra
from proofs.calculus.inequalities import SumOfSquares
from proofs.certificate import Certificate
from proofs.conclude import at_every_choice, conclude
from proofs.kernel import (
    Theorem,
    both,
    certified,
    cut,
    derived,
    identity,
    joint,
    substitute,
)
from proofs.naitsaada2025.far_out import LATE, at_a_size_beyond, opposite_at_size, size
from proofs.registry import proves

DOMAIN = claims.one_layer_keeps_a_share_of_its_energy.domain
FOURTH = d * (d + 1) * PAIRS + d * SQUARED_NORM
CALCULUS = "moments of Dirichlet rows; Gaussian integration by parts"
_over = (T + 1) ** 2 * (T + 2) * (T + 3)


@cache
def share_of_the_energy() -> Theorem:
    """4 E|X|^4 - 9 E|X X^T|^2 has non-negative coefficients in T - 16 and d - T."""
    more, wider = symbols("s e", real=True)
    energy = 2 * d * T / (T + 1)
    left = 4 * energy**2 - 9 * FOURTH
    polynomial = (left * _over / d).simplify()
    moved = polynomial.subs(d, T + wider).subs(T, ENOUGH + more).expand()
    terms = tuple(moved.as_ordered_terms())
    positive = certified(SumOfSquares(moved, (), terms, (more, wider)))
    back = {more: T - ENOUGH, wider: d - T}
    many = (Compare(T, ">=", ENOUGH), Compare(T, "<=", d))
    sign = cut(
        substitute(positive, back),
        joint(Compare(T - ENOUGH, ">=", 0), given=many[:1]),
        joint(Compare(d - T, ">=", 0), given=many[1:]),
    )
    whole = d * moved.xreplace(back) / _over
    ratio = joint(Compare(whole, ">=", 0), sign, given=many)
    return joint(Compare(left, ">=", 0), identity(left, whole), ratio)


@cache
def _means() -> Theorem:
    """E a_j^2 = 2/(T (T + 1)), E a_j a_k = 1/(T (T + 1)), and so on; W adds pairs."""
    found = (claims.energy, 2 * d * T / (T + 1)), (claims.covariance_energy, FOURTH)
    return both(*(derived(quantity, value, DOMAIN, CALCULUS) for quantity, value in found))


@proves(claims.one_layer_keeps_a_share_of_its_energy)
def by_moments_of_dirichlet_rows(claim: Claim) -> Certificate:
    """Their closed forms, then the sign of a polynomial."""
    goal = Compare(claims.energy**2, ">=", Rational(9, 4) * claims.covariance_energy)
    share = joint(goal, means := _means(), share_of_the_energy())
    return conclude(claim, both(means, share), method=CALCULUS)


@proves(rank_collapse.convergence_rate_at_every_depth)
def by_two_means(claim: Claim) -> Certificate:
    """Both means at one size; from T = 16 on no constant is enough for all sizes."""
    return at_every_choice(conclude(claim, _means(), method=CALCULUS), claim, at_every_constant)


def positive(
    own: Any, pairs: Any, energy: Theorem, energies: Theorem, late: Theorem
) -> list[Theorem]:
    """That the means are, and so the root of the second."""
    u, v, w = symbols("u v w", real=True)
    signs = (Compare(u, ">", 0), Compare(v, ">=", 0), Compare(w, ">=", 1))
    some = joint(Compare(size, ">=", 1), late)
    parts = {u: PAIRS.subs(T, size), v: SQUARED_NORM.subs(T, size), w: size}
    above = algebra(
        Compare(w * (w + 1) * u + w * v, ">", 0), signs, parts,
        *(joint(f.substitute(parts), some) for f in signs),
    )  # fmt: skip
    f, y = symbols("f y", real=True)
    more = algebra(
        Compare(f, ">", 0), (Compare(f, "=", y), Compare(y, ">", 0)),
        {f: pairs, y: energies.formula.right}, energies, above,  # type: ignore[attr-defined]
    )  # fmt: skip
    sign = joint(Compare(energy.formula.right, ">=", 0), some)  # type: ignore[attr-defined]
    return [
        joint(Compare(sqrt(pairs), ">", 0), more), joint(Compare(own, ">=", 0), energy, sign),
        joint(Compare(sqrt(pairs) ** 2, "=", pairs), more), joint(Compare(pairs, ">=", 0), more),
        joint(Compare(sqrt(pairs), "!=", 0), more), joint(Compare(pairs, "!=", 0), more),
    ]  # fmt: skip


def at_every_constant(claim: Claim) -> Theorem:
    """1/(4 (t - 1)) > C/t^3 at t > 4C."""
    square, known = {T: size, d: size}, Compare(size, ">=", ENOUGH)
    late = joint(known, given=[LATE, Compare(first_size, ">=", ENOUGH)])
    own, pairs = claims.energy_at(size), claims.covariance_energy_at(size)
    over = ((size, first_size, oo),)
    energy = derived(own, (2 * d * T / (T + 1)).subs(square), claim.domain, CALCULUS, over=over)
    energies = derived(pairs, FOURTH.subs(square), claim.domain, CALCULUS, over=over)
    share = cut(
        substitute(share_of_the_energy(), square), late,
        *(joint(f, late) for f in (Compare(size, ">", 0), Compare(size, "<=", size))),
    )  # fmt: skip
    e, f, r, w, c, x, y = symbols("e f r w c x y", real=True)
    read = {e: own, f: pairs, x: energy.formula.right, y: energies.formula.right}  # type: ignore[attr-defined]
    told = algebra(
        Compare(4 * e**2, ">=", 9 * f),
        (Compare(e, "=", x), Compare(f, "=", y), Compare(4 * x**2 - 9 * y, ">=", 0)),
        read, energy, energies, share,
    )  # fmt: skip
    signs = positive(own, pairs, energy, energies, late)
    half = algebra(
        Compare((e / r - 1) ** 2, ">=", Rational(1, 4)),
        (Compare(4 * e**2, ">=", 9 * f), Compare(r**2, "=", f), Compare(r, ">", 0), Compare(e, ">=", 0)),
        {e: own, f: pairs, r: sqrt(pairs)},
        told, *signs,
    )  # fmt: skip
    excess = algebra(
        Compare(c / w**3, "<", e / (w - 1)),
        (
            Compare(e, ">=", Rational(1, 4)), Compare(w, ">=", ENOUGH), Compare(w, ">", 4 * c),
            Compare(c, ">", 0),
        ),
        {w: size, c: bound, e: (own / sqrt(pairs) - 1) ** 2}, half, late,
    )  # fmt: skip
    fails = cut(joint(opposite_at_size(claim), excess), *signs)
    none = joint(Compare(4 * bound, ">=", 0), given=[Compare(bound, ">", 0)])
    return at_a_size_beyond(
        4 * bound, none, claim, fails, [Compare(first_size, ">=", ENOUGH), Compare(bound, ">", 0)]
    )
