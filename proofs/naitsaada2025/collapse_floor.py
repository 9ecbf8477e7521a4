"""Two means of one layer: moments of Dirichlet rows, then the sign of a polynomial."""

from __future__ import annotations

from functools import cache

from sympy import Rational, symbols

from claims.model import Claim
from claims.naitsaada2025 import collapse_floor as claims
from claims.naitsaada2025 import rank_collapse
from claims.naitsaada2025.collapse_floor import ENOUGH, PAIRS, SQUARED_NORM
from claims.naitsaada2025.notation import T, d
from claims.statement import Compare
from proofs.calculus.inequalities import SumOfSquares
from proofs.certificate import Certificate
from proofs.conclude import conclude
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
    positive = certified(SumOfSquares(moved, (), moved.as_ordered_terms(), (more, wider)))
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
    return conclude(claim, _means(), method=CALCULUS)
